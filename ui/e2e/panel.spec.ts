/** The node panel and the detail log over the real program: settings, expressions, data, errors, log. */
import type { Locator, Page } from '@playwright/test';
import { type Open, type Opened, openDocument } from './document.ts';
import { expect, type Host, readJson, test } from './host.ts';

interface Doc {
  name: string;
  settings?: { errorPolicy?: unknown };
  params?: unknown;
  nodes: { [id: string]: { type: string; title?: string; if?: string; config?: Record<string, unknown>; out?: Record<string, unknown>; errorHandling?: unknown; disabled?: boolean; [more: string]: unknown } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
  [extra: string]: unknown;
}

const PARTS: Partial<Doc> = {
  params: { type: 'object', properties: { practice: { type: 'string', 'x-practice': true }, user: { type: 'string', default: 'Ada' } } },
  settings: { errorPolicy: 'safe' },
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    ask: {
      type: 'http.request', title: 'Ask', config: { method: 'GET', url: '{{params.practice}}/fail/1?key={{run.id}}' }, out: { $answer: '=_result.response' },
      errorHandling: { retryPolicy: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 300, jitter: false } },
    },
    note: { type: 'data.set', title: 'Note', config: { assign: { who: '=params.user' }, keep: false } },
    end: { type: 'flow.stop', title: 'Done', config: { stopId: 'done' } },
  },
  edges: [{ from: 'start.success', to: 'ask' }, { from: 'ask.success', to: 'note' }, { from: 'note.success', to: 'end' }],
  layout: { start: [0, 0], ask: [248, 0], note: [496, 0], end: [744, 0] },
};

const openAt = (open: Open, host: Host, name: string, parts: Partial<Doc> = PARTS) => openDocument<Doc>(open, host, name, parts);
const pick = async (page: Page, id: string): Promise<Locator> => {
  await page.locator(`[data-node="${id}"]`).click();
  const panel = page.getByRole('complementary', { name: 'Step settings' });
  await expect(panel).toBeVisible();
  return panel;
};
const run = async (page: Page) => {
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
};
const saved = async (page: Page, made: Opened<Doc>): Promise<Doc> => {
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/^Saved/).first()).toBeVisible();
  return readJson<Doc>(made.path);
};
/** Puts a text into a code field as a person does. */
const type = async (page: Page, field: Locator, text: string) => {
  await field.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
  await page.keyboard.press('Escape');
};

test('settings are written as they are typed, types kept', async ({ open, host }) => {
  const { page, made } = await openAt(open, host, 'Settings');
  const panel = await pick(page, 'ask');
  await panel.getByLabel('Method', { exact: true }).click();
  await page.getByRole('option', { name: 'POST' }).click();
  await panel.getByLabel('Time limit', { exact: true }).fill('2.5');
  await panel.getByRole('button', { name: 'Add: Headers' }).click();
  await panel.getByRole('textbox', { name: 'Name', exact: true }).fill('X-Trace');
  await page.keyboard.press('Enter');
  await type(page, panel.getByLabel('X-Trace', { exact: true }), '{{run.id}');
  await panel.getByRole('switch', { name: 'Fail on an error status' }).click();
  await type(page, panel.getByRole('textbox', { name: 'Run only if' }), "params.user != ''");
  const doc = await saved(page, made);
  expect(doc.nodes.ask?.config).toMatchObject({ method: 'POST', timeoutMs: 2500, failOnStatus: false });
  expect(String((doc.nodes.ask?.config?.headers as Record<string, string> | undefined)?.['X-Trace'])).toContain('{{run.id}');
  expect(doc.nodes.ask?.if).toBe("params.user != ''");
});

test('= in an empty field begins an expression and keeps the focus', async ({ open, host }) => {
  const { page, made } = await openAt(open, host, 'Expression', { ...PARTS, nodes: { ...PARTS.nodes, note: { type: 'data.set', title: 'Note', config: { assign: { who: '' } } } } });
  const panel = await pick(page, 'note');
  await panel.getByLabel('who', { exact: true }).click();
  await page.keyboard.type('=params.user');
  await page.keyboard.press('Escape');
  await expect(panel.getByLabel('who', { exact: true })).toHaveText('params.user');
  expect((await saved(page, made)).nodes.note?.config).toEqual({ assign: { who: '=params.user' } });
  await page.locator('.cv .react-flow__pane').click({ position: { x: 20, y: 300 } });
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await pick(page, 'note');
  await expect(panel.getByLabel('who', { exact: true })).not.toHaveText('params.user');
});

test('an expression shows its result on the last run: grey before, the value after, red at the place of an error', async ({ open, host }) => {
  const { page } = await openAt(open, host, 'Preview');
  let panel = await pick(page, 'ask');
  await expect(panel.getByText('Run the workflow for a preview').first()).toBeVisible();
  await expect(panel.locator('.prev.c-err')).toHaveCount(0);
  await run(page);
  panel = await pick(page, 'ask');
  await expect(panel.locator('.prev-value').first()).toContainText('/fail/1?key=');
  await type(page, panel.getByRole('textbox', { name: 'Run only if' }), 'params.user == ');
  await expect(panel.locator('.field', { hasText: 'Run only if' }).locator('.c-err').first()).toBeVisible();
  await expect(panel.locator('.cm-errorAt')).toHaveCount(1);
});

test('completion offers what the engine knows at this step', async ({ open, host }) => {
  const { page } = await openAt(open, host, 'Completion');
  const panel = await pick(page, 'note');
  const field = panel.getByLabel('who', { exact: true });
  await field.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('params.us');
  await page.keyboard.press('Control+Space');
  await expect(page.locator('.cm-tooltip-autocomplete')).toContainText('params.user');
  // The list takes no key in its first moment, so that nothing is chosen by mistake; an Enter too early does nothing.
  await expect(async () => {
    await page.keyboard.press('Enter');
    await expect(field).toHaveText('params.user', { timeout: 100 });
  }).toPass();
});

test('input and output of the last run; a field is dragged onto a setting', async ({ open, host }) => {
  const { page, made } = await openAt(open, host, 'Data');
  await run(page);
  const panel = await pick(page, 'note');
  await panel.getByRole('tab', { name: /^Input/ }).click();
  await expect(panel.getByText('200')).toBeVisible();
  await panel.getByRole('radio', { name: 'Schema' }).click();
  await expect(panel.locator('.schema-line').first()).toContainText('status');
  await panel.getByRole('tab', { name: /^Output/ }).click();
  await expect(panel.getByText('"Ada"')).toBeVisible();
  await panel.getByRole('tab', { name: 'Settings' }).click();
  await panel.getByRole('button', { name: 'Add: Fields' }).click();
  await panel.getByRole('textbox', { name: 'Name', exact: true }).fill('code');
  await page.keyboard.press('Enter');
  await panel.locator('.panel-fields > summary').click();
  await panel.getByLabel('code', { exact: true }).scrollIntoViewIfNeeded();
  await panel.locator('.panel-fields .vl-drag', { hasText: 'status' }).dragTo(panel.getByLabel('code', { exact: true }));
  await expect(panel.getByLabel('code', { exact: true })).toHaveText('item.status');
  expect((await saved(page, made)).nodes.note?.config).toMatchObject({ assign: { code: '=item.status' } });
});

test('retries are drawn, and what comes after them is said', async ({ open, host }) => {
  const { page, made } = await openAt(open, host, 'Retries', { ...PARTS, edges: [...(PARTS.edges ?? []), { from: 'ask.error', to: 'end' }] });
  const panel = await pick(page, 'ask');
  await panel.getByRole('tab', { name: /^Error handling/ }).click();
  await expect(panel.getByRole('img', { name: /3 calls at most: the first and 2 retries/ })).toBeVisible();
  await expect(panel.getByText('then the error wire to Done', { exact: true })).toBeVisible();
  await panel.getByLabel('Retries', { exact: true }).fill('4');
  await panel.getByLabel('Wait time grows', { exact: true }).click();
  await page.getByRole('option', { name: 'Exponentially' }).click();
  await expect(panel.getByRole('img', { name: /5 calls at most.*0\.3 s, 0\.6 s, 1\.2 s, 2\.4 s/ })).toBeVisible();
  expect((await saved(page, made)).nodes.ask?.errorHandling).toEqual({ retryPolicy: { maxAttempts: 4, backoff: 'exponential', initialDelayMs: 300, jitter: false } });
});

test('a wrong setting is said under its field with code and hint, and on the card', async ({ open, host }) => {
  const { page } = await openAt(open, host, 'Wrong', { ...PARTS, nodes: { ...PARTS.nodes, note: { type: 'data.set', title: 'Note', config: { assign: { who: '=nodes.nobody.output' } } } } });
  const panel = await pick(page, 'note');
  await expect(panel.getByText('UNKNOWN_NAME')).toBeVisible();
  await type(page, panel.getByLabel('who', { exact: true }), 'params.user');
  await expect(panel.getByText('UNKNOWN_NAME')).toHaveCount(0);
});

test('the workflow itself: name, policy, rules, input', async ({ open, host }) => {
  const { page, made } = await openAt(open, host, 'Itself');
  const panel = page.getByRole('complementary', { name: 'Workflow settings' });
  await expect(panel).toBeVisible();
  await panel.getByRole('radio', { name: 'Rules' }).click();
  await panel.getByLabel('Name 1').fill('Only time-outs');
  await type(page, panel.getByRole('textbox', { name: 'When 1' }), "error.type == 'Timeout'");
  await panel.getByRole('button', { name: '+ Add input' }).click();
  const doc = await saved(page, made);
  expect(doc.settings?.errorPolicy).toEqual({ rules: [{ name: 'Only time-outs', when: "error.type == 'Timeout'", action: 'retry' }] });
  expect(doc.params).toMatchObject({ properties: { input: { type: 'string' } } });
});

/** `ask` fails once; then the wait of its own policy. */
const asksAgainAfter = (delayMs: number) => ({
  ...PARTS, nodes: { ...PARTS.nodes, ask: { ...(PARTS.nodes?.ask as Doc['nodes'][string]), errorHandling: { retryPolicy: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: delayMs, jitter: false } } } },
});

test('the log counts down to the next call', async ({ open, host }) => {
  const { page } = await openAt(open, host, 'Countdown', asksAgainAfter(59_000));
  await page.keyboard.press('F5');
  await expect(page.getByRole('region', { name: 'Detail log' }).getByText(/next call in \d+ s/)).toBeVisible();
  await page.keyboard.press('Shift+F5');
  await expect(page.locator('.wb-status').getByText('Cancelled', { exact: true })).toBeVisible();
});

test('the log: a card per call, closed sections, events and timeline with one choice', async ({ open, host }) => {
  const { page } = await openAt(open, host, 'Log', asksAgainAfter(300));
  await page.keyboard.press('F5');
  // A run opens its log by itself.
  const log = page.getByRole('region', { name: 'Detail log' });
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
  const cards = log.getByRole('article');
  await expect(cards).toHaveCount(5);
  const failed = cards.nth(1);
  await expect(failed).toContainText('call 1 of 3');
  await expect(failed).toContainText('SERVICE_UNAVAILABLE');
  await expect(failed.locator('[aria-expanded="true"]')).toHaveCount(0);
  await failed.getByRole('button', { name: /^Inputs/ }).click();
  await expect(failed.locator('.value')).toContainText('practice');
  await cards.nth(2).getByRole('button', { name: 'Ask' }).click();
  await expect(page.getByRole('complementary', { name: 'Step settings' })).toContainText('http.request');
  await log.getByRole('radio', { name: 'Timeline' }).click();
  await expect(log.locator('.tl-list [aria-selected="true"]')).toContainText('Ask');
  await expect(log.locator('.tl-list [aria-selected="true"] .tl-bar')).toHaveCount(3);
  await log.getByRole('radio', { name: 'Events' }).click();
  await log.getByRole('textbox', { name: 'Filter events' }).fill('retry');
  await expect(log.locator('.ev-list [role="option"]')).toHaveCount(1);
  await log.locator('.ev-list [role="option"]').first().click();
  await expect(log.getByText('delayMs')).toBeVisible();
});

test('ts_101: a long answer is cut, its preview is text, and it is loaded on demand', async ({ open, host }) => {
  const nasty = `<script>window.hit = 1</script>'"`;
  const { page } = await openAt(open, host, 'Long', {
    ...PARTS,
    nodes: {
      start: { type: 'trigger.manual', title: 'Start' },
      note: { type: 'data.set', title: 'Note', config: { assign: { body: `${nasty}${'x'.repeat(20_000)}` }, keep: false } },
      end: { type: 'flow.stop', title: 'Done', config: { stopId: 'done' } },
    },
    edges: [{ from: 'start.success', to: 'note' }, { from: 'note.success', to: 'end' }],
  });
  await run(page);
  const log = page.getByRole('region', { name: 'Detail log' });
  const card = log.getByRole('article').nth(1);
  await card.getByRole('button', { name: /^Outputs/ }).click();
  await expect(card.getByText(/\(19\.\dKB, truncated\)/)).toBeVisible();
  await expect(card.locator('.cut-preview')).toContainText(nasty);
  expect(await page.evaluate(() => (window as unknown as { hit?: number }).hit)).toBeUndefined();
  await card.getByRole('button', { name: 'Load full value' }).click();
  await expect(card.locator('.cut-whole')).toContainText(`${nasty}xxxx`);
  expect((await card.locator('.cut-whole').textContent())?.length).toBeGreaterThan(20_000);
});

test('a guard is written in the panel, checked while it is typed, and refuses the call', async ({ open, host }) => {
  const { page, made } = await openAt(open, host, 'Guarded', {
    params: { type: 'object', properties: { amount: { type: 'integer', default: 4000 } } }, settings: { errorPolicy: 'fail' },
    nodes: { start: { type: 'trigger.manual', title: 'Start' }, pay: { type: 'data.set', title: 'Pay', config: { assign: { paid: '=params.amount' } } } },
    edges: [{ from: 'start.success', to: 'pay' }], layout: { start: [0, 0], pay: [248, 0] },
  });
  const panel = await pick(page, 'pay');
  await panel.getByText('Safety checks', { exact: true }).click();
  const name = panel.getByRole('textbox', { name: 'Name of check 1' });
  // While the part opens, what is in it moves away from under the mouse.
  await expect(async () => {
    if (await name.count() === 0) await panel.getByRole('button', { name: 'Add a check before the call' }).click();
    await expect(name).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await name.fill('limit');
  const refuse = panel.getByRole('textbox', { name: 'Check 1 blocks when' });
  await refuse.fill('params.amount >');
  await expect(panel.locator('[data-guards="on"] .c-err').first()).toBeVisible();
  await refuse.fill('params.amount > 1000');
  await panel.getByRole('textbox', { name: 'Error message of check 1' }).fill('More than 1000 needs a second person');
  await expect(panel.locator('[data-guards="on"] .c-err')).toHaveCount(0);
  await page.keyboard.press('Control+s');
  await expect(page.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
  expect(readJson<Doc>(made.path).nodes['pay']?.['guardrails']).toEqual({ enabled: true, before: [{ name: 'limit', refuse: 'params.amount > 1000', message: 'More than 1000 needs a second person' }] });
  const folder = process.env.SIGNALBOX_SHOTS;
  for (const theme of folder ? ['light', 'dark'] : []) {
    await page.evaluate((next) => { document.documentElement.dataset.theme = next; }, theme);
    await page.screenshot({ path: `${folder ?? ''}/guards-${theme}.png` });
  }
  await page.keyboard.press('F5');
  await page.getByRole('button', { name: /^(Start|Run)/ }).last().click({ timeout: 2_000 }).catch(() => undefined);
  await expect(page.getByRole('alert').getByText('More than 1000 needs a second person').first()).toBeVisible();
  // Switched off it refuses nothing; with the last one the file forgets them.
  await pick(page, 'pay');
  await panel.getByRole('switch', { name: 'Safety checks on' }).click();
  await expect(panel.locator('[data-guards="off"]')).toContainText('this check blocks nothing');
  await panel.getByRole('button', { name: 'Remove check 1' }).click();
  await page.keyboard.press('Control+s');
  await expect(page.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
  await expect.poll(() => Object.hasOwn(readJson<Doc>(made.path).nodes['pay'] ?? {}, 'guardrails')).toBe(false);
});
