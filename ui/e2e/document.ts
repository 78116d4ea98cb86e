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

/** A plan that is no good fails its check; begun again at `check` with a good one, the run ends well. */
export const badPlan = (name: string) => ({
  signalbox: 1, id: 'x', name, settings: { errorPolicy: 'fail' },
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    plan: { type: 'data.set', typeVersion: 1, title: 'Make a plan', config: { assign: { step: 1 } }, out: { $plan: 'bad' } },
    check: { type: 'flow.if', typeVersion: 1, title: 'Is it good', config: { condition: 'context.plan == "good"' } },
    done: { type: 'data.set', typeVersion: 1, title: 'Done', config: { assign: { result: '=context.plan' }, keep: false } },
    refuse: { type: 'flow.fail', typeVersion: 1, title: 'Refuse', config: { error: { type: 'ValidationError', message: 'The plan is bad' } } },
  },
  edges: [
    { from: 'start.success', to: 'plan' }, { from: 'plan.success', to: 'check' }, { from: 'check.true', to: 'done' }, { from: 'check.false', to: 'refuse' },
  ],
  layout: { start: [0, 0], plan: [248, 0], check: [496, 0], done: [744, -72], refuse: [744, 96] },
});
