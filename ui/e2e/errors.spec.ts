/** The author's side of errors: the menu at an error port, what is drawn, coverage, rules, a run that waits for a person. */
import type { Page } from '@playwright/test';
import { type Open, type Opened, openDocument, shot } from './document.ts';
import { expect, type Host, readJson, test } from './host.ts';

interface Doc { nodes: Record<string, { type: string; config?: unknown }>; edges: { from: string; to: string }[]; layout: Record<string, unknown>; settings?: unknown }

const PART: Doc = {
  settings: { errorPolicy: 'safe' },
  nodes: {
    start: { type: 'trigger.manual' },
    fetch: { type: 'http.request', config: { url: 'http://127.0.0.1:9/nobody', method: 'GET' } },
    done: { type: 'flow.stop', config: { stopId: 'done' } },
  },
  edges: [{ from: 'start.success', to: 'fetch' }, { from: 'fetch.success', to: 'done' }],
  layout: { start: [0, 0], fetch: [248, 0], done: [496, 0] },
};

const openPart = (open: Open, host: Host, name: string, part = PART) => openDocument<Doc>(open, host, name, part);

/** Drags a wire from the error port of a step to the empty canvas below. */
async function pull(page: Page, id: string): Promise<void> {
  const box = await page.locator(`[data-port="${id}.error"]`).boundingBox();
  if (!box) throw new Error('no error port');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 3, y + 10);
  await page.mouse.move(x + 20, y + 90, { steps: 6 });
  await page.mouse.up();
  await expect(page.getByRole('dialog', { name: 'Add a step' })).toBeVisible();
}

async function saved(page: Page, made: Opened<Doc>): Promise<Doc> {
  await page.keyboard.press('Control+s');
  await expect(page.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
  return readJson<Doc>(made.path);
}
const wires = (doc: Doc): string[] => doc.edges.slice(PART.edges.length).map((edge) => `${edge.from}>${edge.to}`);
test('ts_170: an error port offers the templates first; a choice is one undo step', async ({ open, host }) => {
  const { page } = await openPart(open, host, 'Menu');
  await pull(page, 'fetch');
  const rows = page.getByRole('option');
  await expect(rows.nth(0)).toContainText('Retry, then hand over');
  await expect(rows.nth(1)).toContainText('Human review');
  await expect(rows.nth(2)).toContainText('Self-heal, then retry');
  await expect(rows.nth(3)).toContainText('Use the error as context');
  await expect(rows.nth(4)).toContainText('Record in audit only');
  await expect(rows.nth(5)).toContainText('Fallback');
  await page.keyboard.press('ArrowDown');
  const shown = page.locator('.cv-preview .cv-ghost');
  await expect(shown).toHaveCount(1);
  // What would be placed stands beside the menu, not below it.
  const covered = () => page.evaluate(() => {
    const menu = document.querySelector('.cv-search')?.getBoundingClientRect();
    return [...document.querySelectorAll('.cv-preview .cv-ghost')].filter((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return menu !== undefined && left < menu.right && right > menu.left && top < menu.bottom && bottom > menu.top;
    }).length;
  });
  await expect.poll(covered).toBe(0);
  await shot(page, 'menu');
  await page.keyboard.press('ArrowDown');
  await expect(shown).toHaveCount(2);
  await expect.poll(covered).toBe(0);
  await shot(page, 'menu-chain');
  await page.keyboard.press('ArrowUp');
  await expect(shown).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-node="human_decision"]')).toBeVisible();
  await expect(page.locator('.cv-w.back').first()).toBeAttached();
  await page.keyboard.press('Control+z');
  await expect(page.locator('[data-node="human_decision"]')).toHaveCount(0);
  await expect(page.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
});

test('ts_171: the three templates are in the file as the design says', async ({ open, host }) => {
  for (const [key, expected] of [
    ['1', ['fetch.error>error_handler', 'error_handler.retry>fetch']],
    ['2', ['fetch.error>human_decision', 'human_decision.retry>fetch', 'human_decision.corrected>fetch']],
    ['3', ['fetch.error>error_handler', 'error_handler.auto_fix>self_healing', 'self_healing.success>fetch']],
  ] as const) {
    const { page, made } = await openPart(open, host, `Template ${key}`);
    await pull(page, 'fetch');
    await page.keyboard.press(key);
    expect(wires(await saved(page, made))).toEqual(expected);
    const found = await host.rpc<{ severity: string }[]>('workflow_validate', { document: readJson(made.path) });
    expect(found.filter((one) => one.severity === 'error')).toEqual([]);
    await shot(page, `template-${key}`);
  }
});

test('in a safe workflow "Abort the run" ends it: nobody is asked, however grave the error is', async ({ open, host }) => {
  const grave = { type: 'flow.fail', title: 'Grave', config: { error: { type: 'LLMError', message: 'No response', retryable: false } } };
  const { page } = await openPart(open, host, 'Ends', { ...PART, nodes: { ...PART.nodes, fetch: grave }, edges: [{ from: 'start.success', to: 'fetch' }], layout: { start: [0, 0], fetch: [248, 0], done: [496, 0] } });
  await pull(page, 'fetch');
  await page.keyboard.type('abort');
  // What is called so stands before what only speaks of it.
  await expect(page.getByRole('option').first()).toContainText('Abort the run');
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-node="abort_the_run"]')).toBeVisible();
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-banners').getByRole('alert')).toContainText('No response');
  await expect(page.locator('.wb-status').getByText('Failed', { exact: true })).toBeVisible();
  await shot(page, 'aborted');
});
test('ts_172: the offered audit step is removable, and stays away', async ({ open, host }) => {
  const { page, made } = await openPart(open, host, 'Ghost');
  await pull(page, 'fetch');
  await page.keyboard.press('2');
  const ghost = page.locator('[data-ghost="human_decision"]');
  await expect(ghost).toBeVisible();
  expect(Object.values((await saved(page, made)).nodes).map((node) => node.type)).not.toContain('builtin.audit');
  await ghost.getByRole('button', { name: 'Dismiss the suggestion' }).click();
  await expect(ghost).toHaveCount(0);
  expect((await saved(page, made)).layout['$view']).toEqual({ noAuditGhost: ['human_decision'] });
  await page.reload();
  await page.locator('[data-node="human_decision"]').waitFor();
  await expect(page.locator('[data-ghost]')).toHaveCount(0);
});

test('n_01: the policy is drawn with one press, and the score follows', async ({ open, host }) => {
  const { page } = await openPart(open, host, 'Coverage');
  const score = page.getByRole('button', { name: /^Error coverage/ });
  await expect(score).toContainText('1 of 1 error ports');
  await expect(score).toContainText('1 by policy');
  await score.click();
  await expect(page.locator('[data-finding="RED_PORT_POLICY"]')).toBeVisible();
  await shot(page, 'coverage');
  await page.getByRole('button', { name: 'Make explicit' }).click();
  await expect(page.locator('[data-node="error_handler"]')).toBeVisible();
  await expect(score).not.toContainText('by policy');
  await page.getByRole('tab', { name: /Error handling/ }).click();
  await expect(page.locator('[data-dry="retry"]')).toContainText('Rule 1 decides: Retry');
  await shot(page, 'rules');
});

test('a run that waits for a person says so, and leads to the task', async ({ open, host }) => {
  const { page } = await openPart(open, host, 'Waits', {
    ...PART, nodes: { ...PART.nodes, fetch: { type: 'http.request', config: { url: "{{ 'ftp://nobody' }}", method: 'GET' } } },
  });
  await page.keyboard.press('F5');
  await expect(page.getByText('This run waits for a person')).toBeVisible();
  await expect(page.locator('[data-node="fetch"]')).toHaveAttribute('data-state', 'asks');
  await shot(page, 'waits');
  await page.getByRole('button', { name: 'Open task' }).click();
  await expect(page).toHaveURL(/#\/inbox\/.+/);
});

test('n_01: each finding has a button that mends it, and the step it is about opens', async ({ open, host }) => {
  const { page, made } = await openPart(open, host, 'Findings', {
    settings: { errorPolicy: 'fail' },
    nodes: {
      start: { type: 'trigger.manual', title: 'Start' },
      pay: { type: 'http.request', title: 'Pay', config: { url: 'https://api.example.com/pay', method: 'POST', body: '=item' }, errorHandling: { retryPolicy: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 100 } } },
      fetch: { type: 'http.request', title: 'Fetch', config: { url: 'https://api.example.com/x', method: 'GET' } },
      handler: { type: 'builtin.error_handler', title: 'Handle', config: { rules: [{ name: 'all', when: 'true', action: 'human_review' }, { name: 'never', when: 'error.type == "ToolError"', action: 'abort' }] } },
    },
    edges: [{ from: 'start.success', to: 'pay' }, { from: 'pay.success', to: 'fetch' }, { from: 'pay.error', to: 'handler' }],
    layout: { start: [0, 0], pay: [248, 0], fetch: [496, 0], handler: [248, 144] },
  } as never);
  const score = page.getByRole('button', { name: /^Error coverage/ });
  await expect(score).toContainText('1 unhandled');
  for (const [code, button] of [['RETRY_UNSAFE_WRITE', 'Never repeat it'], ['RED_PORT_OPEN', 'Ask a person'], ['RULE_UNREACHABLE', 'Remove the rule']] as const) {
    await score.click();
    const finding = page.locator(`[data-finding="${code}"]`);
    await expect(finding.first().getByRole('button', { name: 'Show the step' })).toBeVisible();
    await finding.getByRole('button', { name: button }).click();
    await score.click();
    await expect(page.locator('.coverage-pop')).toBeVisible();
    await expect(finding.getByRole('button', { name: button })).toHaveCount(0);
    await page.keyboard.press('Escape');
  }
  // What a fix inserts is no new finding.
  await expect(score).not.toContainText('nowhere');
  const doc = await saved(page, made);
  expect(doc.nodes['pay']).toMatchObject({ errorHandling: { retryPolicy: { maxAttempts: 0 } } });
  expect((doc.nodes['handler'] as unknown as { config: { rules: unknown[] } }).config.rules).toHaveLength(1);
  expect(doc.edges.some((edge) => edge.from === 'fetch.error')).toBe(true);
  await shot(page, 'findings-mended');
});

test('a dry run says which rule decides an error that happened, and why', async ({ open, host }) => {
  const { page } = await openPart(open, host, 'Dry run', {
    ...PART, nodes: { ...PART.nodes, fetch: { type: 'http.request', config: { url: 'http://127.0.0.1:1/x', method: 'GET' }, errorHandling: { retryPolicy: { maxAttempts: 1, backoff: 'fixed', initialDelayMs: 10 } } } },
  } as never);
  await page.keyboard.press('F5');
  await expect(page.locator('[data-node="fetch"]')).toHaveAttribute('data-state', 'asks');
  await page.locator('[data-node="fetch"]').click();
  await page.getByRole('tab', { name: /Error handling/ }).click();
  await page.locator('.dry').getByRole('combobox').first().click();
  await page.getByRole('option').nth(1).click();
  await expect(page.locator('[data-dry]')).toContainText('The policy decides: Ask a person');
  await page.getByRole('combobox', { name: 'Retries made' }).click();
  await page.getByRole('option', { name: 'Retries made: 0' }).click();
  await expect(page.locator('[data-dry]')).toContainText('The step retries first');
  await shot(page, 'dry-run');
});
