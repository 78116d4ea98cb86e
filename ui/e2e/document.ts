/** A workflow of a test: made in the library, open on the canvas, drawn with the mouse, read back from its file. */
import type { Page } from '@playwright/test';
import { expect, type Host, readJson } from './host.ts';

export interface Opened<Doc> { ref: string; path: string; revision: string; document: Doc }
export type Open = (hash?: string) => Promise<Page>;
export type At = { x: number; y: number };

/** Saved with these parts; without any it stays as a new one is. */
export async function make<Doc extends object>(host: Host, name: string, parts: Partial<Doc>): Promise<Opened<Doc>> {
  const made = await host.rpc<Opened<Doc>>('workflow_create', { name });
  if (Object.keys(parts).length === 0) return made;
  const document = { ...made.document, ...parts };
  const { revision } = await host.rpc<{ revision: string }>('workflow_save', { ref: made.ref, document, baseRevision: made.revision });
  return { ...made, document, revision };
}

export async function openDocument<Doc extends object>(open: Open, host: Host, name: string, parts: Partial<Doc>): Promise<{ page: Page; made: Opened<Doc> }> {
  const made = await make<Doc>(host, name, parts);
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.locator('.cv .react-flow__viewport').waitFor();
  return { page, made };
}

/** Saves what was changed, and gives the file. */
export async function saved<Doc>(page: Page, made: Opened<Doc>): Promise<Doc> {
  const bar = page.locator('.bar');
  await expect(bar.getByText('Not saved')).toBeVisible();
  await page.keyboard.press('Control+s');
  await expect(bar.getByText('Not saved')).toBeHidden();
  await expect(bar.getByText(/^Saved, revision/)).toBeVisible();
  return readJson<Doc>(made.path);
}

export const wires = (doc: { edges: { from: string; to: string }[] }): string[] => doc.edges.map((edge) => `${edge.from}>${edge.to}`);

export async function boxOf(page: Page, selector: string): Promise<At & { width: number; height: number }> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not on the screen`);
  return box;
}

export async function middle(page: Page, selector: string): Promise<At> {
  const { x, y, width, height } = await boxOf(page, selector);
  return { x: x + width / 2, y: y + height / 2 };
}

export async function drag(page: Page, from: At, to: At): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 4, from.y + 1);
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 5 });
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
}

/** A picture in both themes, when a folder for them is named. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.SIGNALBOX_SHOTS;
  if (!folder) return;
  for (const theme of ['light', 'dark']) {
    await page.evaluate((next) => { document.documentElement.dataset.theme = next; }, theme);
    await page.screenshot({ path: `${folder}/${name}-${theme}.png`, animations: 'disabled' });
  }
}
