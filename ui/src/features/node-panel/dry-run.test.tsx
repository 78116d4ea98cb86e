import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { foldRun } from '../../run/run-state.ts';
import type { PastError, Workflow } from '../../api/types.ts';
import { demoEvents, KINDS, RETRY } from '../../test/fixtures.ts';
import { renderWith } from '../../test/render.tsx';
import { NodePanel } from './node-panel.tsx';

const past = (runId: string, at: string, message: string): PastError => ({
  runId, at, stepId: 'fetch', error: { type: 'NetworkError', message, retryable: true, originNode: 'fetch', originRunId: runId, timestamp: at },
});
const DOCUMENT: Workflow = { ...RETRY, settings: { errorPolicy: { rules: [{ name: 'Ask', when: 'true', action: 'human_review' }] } } };

it('offers the error that has just happened, and the choice stays on the one that was chosen', async () => {
  let list = [past('r-1', '2026-11-20T10:00:00.000Z', 'The first')];
  const handlers = { past_errors: () => list, handler_dry_run: () => ({ action: 'human_review', index: 0, rule: 'Ask', why: [], delays: [] }), run_step_data: () => null, expression_preview: () => ({ state: 'no_data' as const }), expression_names: () => [] };
  const events = demoEvents('r-2', true);
  const panel = (n: number) => <NodePanel document={DOCUMENT} selected={[]} catalog={KINDS} diagnostics={[]} onEdit={() => undefined} run={n ? foldRun(events.slice(0, n), DOCUMENT) : null} />;
  const shown = renderWith(panel(0), handlers);
  const source = await screen.findByRole('combobox', { name: 'Test error' });
  await userEvent.click(source);
  await userEvent.click(await screen.findByRole('option', { name: /The first/ }));
  await waitFor(() => expect(source.textContent).toContain('The first'));
  // The run fails while the panel is open, and a person is asked: it does not end.
  list = [past('r-2', '2026-11-20T11:00:00.000Z', 'The second'), ...list];
  shown.rerender(panel(events.findIndex((event) => event.type === 'step_error') + 1));
  await waitFor(() => expect(shown.fake.calls.filter((one) => one.command === 'past_errors')).toHaveLength(2));
  expect(source.textContent).toContain('The first');
  await userEvent.click(source);
  expect(await screen.findByRole('option', { name: /The second/ })).toBeTruthy();
});

it('tells calls of one step apart that failed in the same words', async () => {
  const long = 'The address answered 503 and said that it is busy; it wants to be asked again in a while';
  const call = (n: number) => { const one = past('r-1', `2026-11-20T10:00:0${String(n)}.000Z`, long); return { ...one, error: { ...one.error, attempt: n, maxAttempts: 3 } }; };
  const handlers = { past_errors: () => [call(1), call(0)], handler_dry_run: () => ({ action: 'human_review', index: 0, rule: 'Ask', why: [], delays: [] }), run_step_data: () => null, expression_preview: () => ({ state: 'no_data' as const }), expression_names: () => [] };
  renderWith(<NodePanel document={DOCUMENT} selected={[]} catalog={KINDS} diagnostics={[]} onEdit={() => undefined} run={null} />, handlers);
  await userEvent.click(await screen.findByRole('combobox', { name: 'Test error' }));
  const options = await screen.findAllByRole('option', { name: /The address/ });
  expect(options.map((one) => one.textContent?.replace(/\d\d:00:/, ''))).toEqual([`Fetch the user: ${long}2026-11-20 01, call 2 of 4`, `Fetch the user: ${long}2026-11-20 00, call 1 of 4`]);
});

const HOST = { past_errors: () => [], run_step_data: () => null, expression_preview: () => ({ state: 'no_data' as const }), expression_names: () => [], retry_timeline: () => [] };
const own = { ...RETRY.nodes['fetch'], errorHandling: { retryPolicy: { maxAttempts: 5, backoff: 'fixed', initialDelayMs: 50, jitter: false } } } as Workflow['nodes'][string];
const tried = (document: Workflow, answer: object, node = 'fetch') => renderWith(<NodePanel document={document} selected={[node]} catalog={KINDS} diagnostics={[]} onEdit={() => undefined} run={null} tab="error" />, { ...HOST, handler_dry_run: () => answer as never });

it('asks with the retries of the step, all of them, and says that they come first', async () => {
  const { fake } = tried({ ...DOCUMENT, nodes: { ...DOCUMENT.nodes, fetch: own }, edges: [] }, { action: 'retry', rule: 'own', why: [], delayMs: 50, delays: [50] });
  expect(await screen.findByText('The step retries first')).toBeTruthy();
  expect(screen.getByText('The next call follows after 50 ms.')).toBeTruthy();
  const asked = fake.calls.find((one) => one.command === 'handler_dry_run')?.payload as { ownRetry?: boolean; retry?: { maxAttempts?: number }; error: object };
  expect(asked).toMatchObject({ ownRetry: true, retry: { maxAttempts: 5 } });
  expect(asked.error).not.toHaveProperty('maxAttempts');
  await userEvent.click(screen.getByRole('combobox', { name: 'Retries made' }));
  expect(await screen.findAllByRole('option')).toHaveLength(6);
});

it('says where an error wire leads, for the policy is not asked then', async () => {
  const wired: Workflow = { ...DOCUMENT, nodes: { ...DOCUMENT.nodes, note: { type: 'data.set', title: 'Write it down' } }, edges: [{ from: 'fetch.error', to: 'note' }] };
  tried(wired, { action: 'human_review', rule: 'policy:safe', why: [], delays: [] });
  expect(await screen.findByText('It follows the error wire to Write it down')).toBeTruthy();
});

it.each([[0, 'The rule says retry, but this step is never repeated.'], [1, 'The rule says retry, but the only retry is used.'], [3, 'The rule says retry, but all 3 retries are used.']])('says why no retry is left of %i', async (maxAttempts, words) => {
  const node = { ...own, errorHandling: { retryPolicy: { ...own.errorHandling?.retryPolicy, maxAttempts } } } as Workflow['nodes'][string];
  tried({ ...DOCUMENT, nodes: { ...DOCUMENT.nodes, fetch: node }, edges: [] }, { action: 'human_review', index: 0, rule: 'Ask', why: [], delays: [], wanted: 'retry' });
  expect(await screen.findByText(words)).toBeTruthy();
});

it('says of a grave error that goes to a person nothing that is not so', async () => {
  tried({ ...DOCUMENT, edges: [] }, { action: 'human_review', index: 0, rule: 'Ask', why: [], delays: [], wanted: 'escalate' });
  expect(await screen.findByText(/^Rule 1 decides/)).toBeTruthy();
  expect(screen.queryByText(/is not possible here/)).toBeNull();
});

it('rules of a handler are written with the names of the step that failed', async () => {
  const handled: Workflow = { ...DOCUMENT, nodes: { ...DOCUMENT.nodes, handler: { type: 'builtin.error_handler', config: { rules: [{ name: 'r', when: 'true', action: 'abort' }] } } }, edges: [{ from: 'fetch.error', to: 'handler' }] };
  const { fake } = tried(handled, { action: 'abort', rule: 'default', why: [], delays: [] }, 'handler');
  await screen.findByRole('combobox', { name: 'Test error' });
  // What is offered is asked for by the field of the condition; here the data of the step that it is about.
  await waitFor(() => expect(fake.calls.filter((one) => one.command === 'run_step_data').map((one) => (one.payload as { nodeId?: string }).nodeId)).toContain('fetch'));
});

it('ts_101 what is not seen in a rule is marked', async () => {
  tried({ ...DOCUMENT, edges: [] }, { action: 'human_review', index: 0, rule: 'a\u202eb', why: [{ rule: 'a\u202eb', when: "'\u001b' == ''", matched: true, error: 'no "\u0000"' }], delays: [] }, 'fetch');
  const why = (await screen.findByTitle('a[U+202E]b')).closest('ol') as HTMLElement;
  expect(why.textContent).toContain("aU+202Eb'U+001B' == ''");
  expect(why.textContent).toContain('no "U+0000"');
  expect([...why.querySelectorAll('.ell')].map((one) => one.getAttribute('title'))).toEqual(['a[U+202E]b', "'[U+001B]' == ''"]);
});
