/** Made-up data for tests and for looking at screens without a host. Not part of the product's bundle. */
import { ApiError } from '../api/error.ts';
import { fakeTransport, type FakeTransport } from '../api/transport/fake.ts';
import type { NodeDescriptor, RunDetails, RunEvent, RunRow, Sample, AppSettings, Workflow, WorkflowEntry } from '../api/types.ts';

export function kind(type: string, more: Partial<NodeDescriptor> = {}): NodeDescriptor {
  return {
    type, version: 1, title: type.split('.')[1] ?? type, description: `What ${type} does.`, aliases: [], keywords: [], category: 'data', icon: 'braces', role: 'step', modes: ['each'],
    effects: 'none', replay: 'safe', input: true, ports: [{ id: 'success' }, { id: 'error' }], config: { type: 'object', properties: {} }, errors: [], keepsError: false, examples: [], ...more,
  };
}

export const KINDS: NodeDescriptor[] = [
  kind('trigger.manual', { title: 'Start by hand', category: 'start', icon: 'play', role: 'trigger', input: false, ports: [{ id: 'success' }], description: 'Starts a run when you press Run. Its items are the input of the run.' }),
  kind('http.request', {
    title: 'HTTP request', icon: 'globe', effects: { field: 'method', values: { GET: 'read' }, otherwise: 'write' }, timeoutMs: 30_000, summary: '{method} {url}',
    description: 'Asks a web address and gives its answer.', aliases: ['fetch', 'api', 'curl'],
    config: { type: 'object', required: ['url'], properties: { method: { type: 'string', title: 'Method', enum: ['GET', 'POST'], default: 'GET' }, url: { type: 'string', title: 'Address', description: 'Where to ask.' } } },
    errors: [{ type: 'NetworkError', code: 'CONNECTION', when: 'The address did not answer.', retryable: true }, { type: 'ValidationError', code: 'INPUT_INVALID', when: 'The other side refused the data (400, 422).', retryable: false }],
  }),
  kind('flow.if', { title: 'If', category: 'logic', icon: 'split', ports: [{ id: 'true', title: 'true' }, { id: 'false', title: 'false' }, { id: 'error' }], summary: '{condition}' }),
  kind('data.set', { title: 'Set fields', icon: 'pen-line' }),
  kind('flow.stop', { title: 'Stop', category: 'start', icon: 'octagon', role: 'stop', ports: [] }),
];

export const RETRY: Workflow = {
  signalbox: 1, id: 'retry', name: 'An address that fails twice',
  settings: { errorPolicy: 'safe' },
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    fetch: { type: 'http.request', typeVersion: 1, title: 'Fetch the user', config: { method: 'GET', url: '{{params.base}}/flaky' }, errorHandling: { retryPolicy: { maxAttempts: 3 } } },
    adult: { type: 'flow.if', typeVersion: 1, title: 'Adult?', config: { condition: 'item.age >= 18' } },
    yes: { type: 'data.set', typeVersion: 1, title: 'Adult', config: { assign: { verdict: 'adult' } } },
    no: { type: 'data.set', typeVersion: 1, title: 'Minor', config: { assign: { verdict: 'minor' } } },
    note: { type: 'data.set', typeVersion: 1, title: 'Note the error', config: { assign: { verdict: 'unknown' } } },
    end: { type: 'flow.stop', typeVersion: 1, title: 'Done' },
  },
  edges: [
    { from: 'start.success', to: 'fetch' }, { from: 'fetch.success', to: 'adult' }, { from: 'fetch.error', to: 'note' }, { from: 'adult.true', to: 'yes' },
    { from: 'adult.false', to: 'no' }, { from: 'yes.success', to: 'end' }, { from: 'no.success', to: 'end' }, { from: 'note.success', to: 'end' },
  ],
  layout: { start: [0, 0], fetch: [248, 0], adult: [496, 0], yes: [744, 0], no: [744, 144], note: [496, 288], end: [992, 0] },
};

export function sample(id: string, title: string, document: Workflow = RETRY): Sample {
  return { id, title, description: 'The sample reads twelve invoices. One address fails twice and is asked again; you see every pause.', steps: Object.keys(document.nodes).length, traits: ['No key', 'No network', 'Nothing leaves this computer'], needs: [], document };
}
export const SAMPLES = [sample('retry', 'Watch a retry, in one minute'), sample('orders', 'Orders by country'), sample('files', 'A folder, file by file'), sample('html', 'When the answer is a web page')];

export function row(n: number, more: Partial<RunRow> = {}): RunRow {
  const status = (['completed', 'failed', 'running', 'cancelled', 'completed'] as const)[n % 5] ?? 'completed';
  return {
    runId: `0193a5c0-0000-7000-8000-${String(n).padStart(12, '0')}`, workflowId: 'retry', workflowName: n % 3 ? 'An address that fails twice' : 'Month-end close', status,
    startedAt: new Date(Date.now() - n * 1_700_000).toISOString(), durationMs: 812 * (n + 1),
    ...(status === 'failed' ? { failedStepId: 'fetch', errorMessage: 'The address did not answer within 10 s', errorCode: 'TIMEOUT' } : {}), ...more,
  };
}
export const ROWS = Array.from({ length: 240 }, (_, n) => row(n));

export function entry(ref: string, name: string, more: Partial<WorkflowEntry> = {}): WorkflowEntry {
  return { ref, id: ref, name, folder: 'Library', path: `/library/${ref}.signalbox.json`, revision: 'a1b2c3d4e5', nodes: 7, modifiedAt: new Date(Date.now() - 7_200_000).toISOString(), hasDraft: false, ...more };
}
export const ENTRIES = [
  entry('invoice', 'Invoice intake', { lastRun: row(2) }), entry('month', 'Month-end close', { lastRun: row(1) }), entry('digest', 'Contract digest', { lastRun: row(0), folder: 'Legal' }),
  entry('returns', 'Returns desk', { hasDraft: true }), entry('broken', 'broken.signalbox.json', { problem: 'Line 3: expected a comma.', nodes: 0 }),
];

/** A host that answers everything the screens ask. */
export function demoHost(): FakeTransport {
  let settings: AppSettings = { theme: 'system', layout: {}, keymap: {} };
  let saved = RETRY;
  let revision = 'a1b2c3d4e5f6';
  const host = fakeTransport({
    app_info: () => ({ version: '0.1.0', host: 'http', dataDir: '/home/ada/.local/share/signalbox', platform: 'linux' }),
    catalog_list: () => KINDS,
    sample_list: () => SAMPLES,
    workflow_list: () => ENTRIES,
    workflow_open: ({ ref }) => ({ ref, path: `/library/${ref}.signalbox.json`, folder: 'Library', revision, document: saved, diagnostics: [], readOnly: false }),
    workflow_create: () => ({ ref: 'retry', path: '/library/retry.signalbox.json', folder: 'Library', revision, document: saved, diagnostics: [], readOnly: false }),
    workflow_save: ({ document, baseRevision }) => {
      if (baseRevision !== revision) throw new ApiError({ code: 'CONFLICT', message: 'The file was changed by another program.', hint: 'Reload it, or overwrite it.', details: { revision } });
      saved = document;
      revision = `${revision.slice(1)}${revision[0] ?? ''}`;
      return { revision };
    },
    workflow_revision: () => ({ revision }),
    workflow_validate: () => [],
    draft_put: () => ({}),
    draft_discard: () => ({}),
    run_list: ({ workflow, status, text, limit = 50, before }) => {
      const all = ROWS.filter((run) => (!workflow || run.workflowId === workflow) && (!status || run.status === status)
        && (!text || `${run.workflowName} ${run.runId} ${run.errorMessage ?? ''}`.toLowerCase().includes(text.toLowerCase())));
      const from = before ? Number(before) : 0;
      const runs = all.slice(from, from + limit);
      return { runs, ...(from + limit < all.length ? { next: String(from + limit) } : {}) };
    },
    run_start: () => ({ runId: ROWS[2]?.runId ?? '' }),
    run_get: ({ runId }): RunDetails => {
      const run = ROWS.find((candidate) => candidate.runId === runId) ?? row(0);
      return { ...run, context: {}, output: [{ verdict: 'adult' }], openTasks: [], steps: {}, definition: RETRY, lastSeq: 0, params: {}, driven: true, masked: false, mayReveal: false };
    },
    run_events: ({ runId, after }) => demoEvents(runId, ROWS.find((run) => run.runId === runId)?.status === 'failed').filter((event) => (event.seq ?? 0) > after),
    run_cancel: () => ({}),
    run_delete: () => ({}),
    run_step_data: () => null,
    expression_preview: () => ({ state: 'no_data' }),
    expression_names: () => [],
    retry_timeline: () => [{ attempt: 1, delayMs: 0 }, { attempt: 2, delayMs: 500 }, { attempt: 3, delayMs: 1000 }],
    settings_get: () => settings,
    settings_set: ({ settings: next }) => {
      settings = next;
      return {};
    },
    folder_list: () => [{ folder: '/home/ada/workflows', access: 'rw', library: true }, { folder: '/home/ada/invoices', access: 'ro', library: false, workflowId: 'invoice' }],
  });
  // A run goes on while it is looked at: an event every 150 ms.
  host.subscribe = (runId, after, onEvents) => {
    const rest = demoEvents(runId).filter((event) => (event.seq ?? 0) > after);
    const timer = setInterval(() => {
      const next = rest.shift();
      if (next) onEvents([next]);
      else clearInterval(timer);
    }, 150);
    return () => clearInterval(timer);
  };
  return host;
}

/** The events of a run of RETRY: two failed calls, then it works; or, with `fails`, it never does. */
export function demoEvents(runId: string, fails = false): RunEvent[] {
  let seq = 0;
  const started = Date.now() - 4000;
  const at = (type: RunEvent['type'], stepId: string | null, payload: unknown, attempt?: number): RunEvent => {
    seq += 1;
    return {
      runId, seq, ts: new Date(started + seq * 120).toISOString(), type, stepId, payload, ...(attempt === undefined ? {} : { visit: 1, attempt }),
    } as RunEvent;
  };
  const start = (id: string, attempt = 0) => at('step_start', id, { type: RETRY.nodes[id]?.type, meta: { title: RETRY.nodes[id]?.title }, resolvedInputs: null, config: RETRY.nodes[id]?.config ?? {}, input: [{ item: 0, data: { name: 'Ada', age: 36 } }] }, attempt);
  const done = (id: string, port = 'success') => at('step_done', id, { outputs: null, ports: { [port]: 1 }, items: { [port]: [{ id: '1', data: { name: 'Ada', age: 36, verdict: 'adult' }, pairedItem: 0 }] } }, 0);
  const error = (attempt: number) => ({ type: 'NetworkError', message: 'The address answered 503 (service unavailable)', retryable: true, originNode: 'fetch', originRunId: runId, attempt, maxAttempts: 3, timestamp: new Date(started).toISOString(), details: { code: 'SERVICE_UNAVAILABLE', status: 503 } });
  const list = [at('workflow_start', null, { name: RETRY.name, version: 'c0ffee0123456789', params: { base: 'http://127.0.0.1:8080' }, seed: '00ff' }), start('start'), done('start')];
  for (let attempt = 0; attempt < (fails ? 4 : 2); attempt += 1) {
    list.push(start('fetch', attempt), at('step_error', 'fetch', { error: error(attempt) }, attempt));
    if (attempt < 3) list.push(at('retry_scheduled', 'fetch', { attempt: attempt + 1, delayMs: 400 }, attempt));
  }
  if (fails) {
    list.push(at('workflow_failed', null, { error: error(3), failed_step_id: 'fetch', duration_ms: 1840, reason: 'max_attempts_exceeded' }));
    return list;
  }
  list.push(start('fetch', 2), at('var_changed', 'fetch', { name: '$user', newValue: { name: 'Ada', age: 36 } }, 2), done('fetch'), start('adult'), done('adult', 'true'), start('yes'), done('yes'), start('end'), at('step_done', 'end', { outputs: null, ports: {}, items: {} }, 0));
  list.push(at('workflow_done', null, { duration_ms: 2100, stop_id: 'done' }));
  return list;
}
