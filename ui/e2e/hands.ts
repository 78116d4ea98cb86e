/** A person at work: every click, drag, key and typed text is done for real and counted, and a typed expression fails the test. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './host.ts';

/** What nobody has to know who does not program: names with their roots, templates, comparisons, calls. */
const EXPRESSION = /\{\{|\}\}|^=|\b(item|items|nodes|params|context|run|_result)\b\s*[.[(]|==|!=|<=|>=|&&|\|\||\$\./;

export interface Count { clicks: number; drags: number; texts: number; keys: number }

export class Hands {
  readonly count: Count = { clicks: 0, drags: 0, texts: 0, keys: 0 };

  constructor(readonly page: Page) {}

  async click(what: Locator): Promise<void> {
    await what.click();
    this.count.clicks += 1;
  }

  /** Into what has the focus, or into a field that is clicked first. */
  async type(text: string, field?: Locator): Promise<void> {
    expect(text, 'nobody types an expression').not.toMatch(EXPRESSION);
    if (field) await this.click(field);
    await this.page.keyboard.type(text);
    this.count.texts += 1;
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
    this.count.keys += 1;
  }

  /** A field of the data onto a setting: behind what stands there. */
  async drag(what: Locator, to: Locator): Promise<void> {
    const box = await to.boundingBox();
    await what.dragTo(to, box ? { targetPosition: { x: box.width - 4, y: box.height - 4 } } : {});
    this.count.drags += 1;
  }

  /** One of a list that opens. */
  async choose(box: Locator, option: string | RegExp): Promise<void> {
    await this.click(box);
    await this.click(this.page.getByRole('option', { name: option }).first());
  }

  /** Printed, for `docs/status.md`. */
  tell(job: string): void {
    const { clicks, drags, texts, keys } = this.count;
    process.stdout.write(`${job}: ${String(clicks)} clicks, ${String(drags)} drags, ${String(texts)} typed texts, ${String(keys)} keys, no typed expression\n`);
  }
}
