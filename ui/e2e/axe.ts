/** What axe-core finds on the page as it is, and the walk through screens that are looked at. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Locator, type Page } from '@playwright/test';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Of the library of dialogs and menus: what is focused there leads on at once, so nobody is left on what is hidden. */
const GUARDS = ['[data-base-ui-focus-guard]'];
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];
interface Violation { id: string; help: string; impact: string; tags: string[]; nodes: { target: string[]; failureSummary: string }[] }

/** By the rules of WCAG 2.1 AA, and of the advice what is serious; for contrast alone, or without it where another look at the same colours asks for it. */
export async function violations(page: Page, where: string, contrast: 'too' | 'alone' | 'elsewhere' = 'too'): Promise<string[]> {
  // Evaluated by the browser's own channel: the policy of the page forbids scripts from text.
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(AXE);
  const found = await page.evaluate(async ([context, rules]) => {
    const axe = (window as unknown as { axe: { run(context: unknown, options: unknown): Promise<{ violations: Violation[] }> } }).axe;
    return (await axe.run(context, { ...rules, resultTypes: ['violations'] })).violations;
  }, [{ exclude: GUARDS }, contrast === 'alone' ? { runOnly: ['color-contrast'] } : { runOnly: TAGS, rules: { 'color-contrast': { enabled: contrast === 'too' } } }] as const);
  const told = found.filter(({ tags, impact }) => !tags.includes('best-practice') || impact === 'serious' || impact === 'critical');
  return told.map((one) => `${where} ${one.id} (${one.impact}): ${one.help}\n${one.nodes.slice(0, 4).map((node) => `   ${node.target.join(' ')}\n      ${node.failureSummary.replaceAll('\n', '\n      ')}`).join('\n')}`);
}

/** In both themes: what is no colour is the same in the other one. */
export async function inBothThemes(page: Page, where: string): Promise<string[]> {
  const put = async (theme: string) => await page.evaluate((next) => { document.documentElement.dataset['theme'] = next; }, theme);
  await put('light');
  const all = await violations(page, `${where}, light:`);
  await put('dark');
  all.push(...await violations(page, `${where}, dark:`, 'alone'));
  return all;
}

/** Pictures of what is looked at, when a folder for them is named. */
export async function look(page: Page, name: string): Promise<string[]> {
  await expect(page.locator('[aria-busy=true], .sk')).toHaveCount(0);
  const found = await inBothThemes(page, name);
  const folder = process.env.SIGNALBOX_SHOTS;
  if (folder) {
    for (const theme of ['light', 'dark']) {
      await page.evaluate((next) => { document.documentElement.dataset['theme'] = next; }, theme);
      await page.screenshot({ path: `${folder}/${name.replaceAll(/\W+/g, '-')}-${theme}.png`, animations: 'disabled' });
    }
  }
  return found;
}

export class Walk {
  readonly found: string[] = [];
  constructor(readonly page: Page) {}

  async go(hash: string, shows: Locator): Promise<void> {
    await this.page.evaluate((next) => { window.location.hash = next; }, hash);
    await expect(shows).toBeVisible();
  }

  async see(name: string): Promise<void> {
    this.found.push(...await look(this.page, name));
  }

  /** What is open is seen, and Esc closes it. */
  async dialog(name: string, shows: Locator): Promise<void> {
    await expect(shows).toBeVisible();
    await this.see(name);
    await this.page.keyboard.press('Escape');
    await expect(shows).toBeHidden();
  }

  none(): void {
    expect(this.found.join('\n')).toBe('');
  }
}
