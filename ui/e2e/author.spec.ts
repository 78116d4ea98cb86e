/** The author of error handling: rules that are completed and checked while they are typed, what decides about one step, and a look into what
 * would happen; on a narrow window too. */
import { openDocument, saved, shot } from './document.ts';
import { expect, test } from './host.ts';

interface Doc {
  nodes: Record<string, { type: string; title?: string; config?: { rules?: { name: string; when: string; action: string }[] } & Record<string, unknown>; errorHandling?: Record<string, unknown> }>;
  edges: { from: string; to: string }[]; layout: Record<string, unknown>; settings?: unknown;
}
const PART: Doc = {
  settings: { errorPolicy: 'safe' },
  nodes: {
    start: { type: 'trigger.manual' },
    fetch: { type: 'http.request', title: 'Fetch supplier', config: { url: 'http://127.0.0.1:9/nobody', method: 'GET' } },
    handler: { type: 'builtin.error_handler', title: 'Handle errors', config: { rules: [{ name: 'busy', when: 'error.retryable', action: 'retry' }, { name: 'rest', when: 'true', action: 'abort' }] } },
  },
  edges: [{ from: 'start.success', to: 'fetch' }, { from: 'fetch.error', to: 'handler' }, { from: 'handler.retry', to: 'fetch' }],
  layout: { start: [0, 0], fetch: [248, 0], handler: [248, 144] },
};

test.use({ viewport: { width: 1280, height: 800 } });

test('a rule is completed and its types are checked while it is typed; one that no error reaches is told; a dry run says which decides', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Rules of an author', PART);
  await page.locator('[data-node="handler"]').click({ position: { x: 90, y: 10 } });
  await page.keyboard.press('e');
  const first = page.getByRole('listitem', { name: 'Rule 1' });
  const when = first.locator('.cm-content');
  await when.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('error.retr');
  await expect(page.locator('.cm-tooltip-autocomplete')).toContainText('error.retryable');
  await shot(page, 'author-completion');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+a');
  await page.keyboard.type("error.attempt < 'x'");
  await expect(page.locator('.dry-why')).toContainText('not usable');
  await shot(page, 'author-types');
  await when.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('true');
  const second = page.getByRole('listitem', { name: 'Rule 2' });
  await expect(second).toContainText('RULE_UNREACHABLE');
  await shot(page, 'author-unreachable');
  const dry = page.locator('.node-panel');
  await expect(dry).toContainText('Rule 1 decides: Retry');
  const doc = await saved<Doc>(page, made);
  expect(doc.nodes['handler']?.config?.rules?.[0]).toEqual({ name: 'busy', when: 'true', action: 'retry' });
});

test('who decides about one step: retries, from which gravity on a person is asked, and whether a wrong input is repaired', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Handling of a step', PART);
  await page.locator('[data-node="fetch"]').click({ position: { x: 90, y: 10 } });
  await page.keyboard.press('e');
  await expect(page.getByRole('tab', { name: 'Error handling' })).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('switch', { name: 'Retry failed calls of this step' }).click();
  await page.getByRole('combobox', { name: 'Ask a person from' }).click();
  await page.getByRole('option', { name: /Critical/ }).click();
  await page.getByRole('radio', { name: 'No', exact: true }).click();
  await shot(page, 'author-step');
  const doc = await saved<Doc>(page, made);
  expect(doc.nodes['fetch']?.errorHandling).toMatchObject({ humanReviewThreshold: 'CRITICAL', autoFix: false });
  expect(doc.nodes['fetch']?.errorHandling).toHaveProperty('retryPolicy');
});
