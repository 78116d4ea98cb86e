// The reference run: a loopback address answers 503, 503, then 200.

import type { RunEvent, Workflow } from '../api/types.ts';

export const FIRST: Workflow = {
  signalbox: 1,
  id: 'first',
  name: 'First light',
  params: { type: 'object', required: ['base'], properties: { base: { type: 'string' } } },
  settings: { errorPolicy: 'safe' },
  nodes: {
    fetch: {
      type: 'http.request', typeVersion: 1, title: 'Fetch the user',
      config: { method: 'GET', url: '{{params.base}}/flaky' }, out: { $user: '=_result.response' },
      errorHandling: { retryPolicy: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 10, jitter: false } },
    },
    adult: { type: 'flow.if', typeVersion: 1, config: { condition: 'context.user.age >= 18' } },
    yes: { type: 'data.set', typeVersion: 1, config: { assign: { verdict: 'adult' }, keep: false } },
    no: { type: 'data.set', typeVersion: 1, config: { assign: { verdict: 'minor' }, keep: false } },
    join: { type: 'flow.noop', typeVersion: 1 },
    end: { type: 'flow.stop', typeVersion: 1, config: { stopId: 'done' } },
  },
  edges: [
    { from: 'fetch.success', to: 'adult' }, { from: 'adult.true', to: 'yes' }, { from: 'adult.false', to: 'no' },
    { from: 'yes.success', to: 'join' }, { from: 'no.success', to: 'join' }, { from: 'join.success', to: 'end' },
  ],
  layout: { fetch: [0, 0] },
};

const START = Date.parse('2026-11-21T23:00:00.000Z');
const at = (ms: number) => new Date(START + ms).toISOString();
const call = (attempt: number) => ({ visit: 1, attempt });
const input = { base: 'http://127.0.0.1:8080' };
const answer = { status: 200, headers: { 'content-type': 'application/json' }, response: { name: 'Ada', age: 36 } };

const failed = (attempt: number) => ({
  error: {
    type: 'NetworkError' as const, message: 'The address answered 503 (service unavailable)', retryable: true, originNode: 'fetch', originRunId: 'R',
    attempt, maxAttempts: 3, timestamp: at(2), suggestedAction: 'retry' as const, details: { code: 'SERVICE_UNAVAILABLE', status: 503, input },
  },
});
const started = {
  type: 'http.request', meta: { title: 'Fetch the user' }, resolvedInputs: null,
  config: { method: 'GET', url: 'http://127.0.0.1:8080/flaky' }, input: [{ item: 0, data: input }],
};
const plain = (type: string, config: unknown, data: unknown) => ({ type, meta: {}, resolvedInputs: null, config, input: [{ item: 0, data }] });

type Body = { ms: number; type: RunEvent['type']; stepId?: string; visit?: number; attempt?: number; payload: unknown };

const BODIES: Body[] = [
  { ms: 0, type: 'workflow_start', payload: { name: 'First light', version: 'ab'.repeat(32), params: input, seed: '0123456789abcdef' } },
  { ms: 1, type: 'step_start', stepId: 'fetch', ...call(0), payload: started },
  { ms: 3, type: 'step_error', stepId: 'fetch', ...call(0), payload: failed(0) },
  { ms: 3, type: 'retry_scheduled', stepId: 'fetch', ...call(0), payload: { attempt: 1, delayMs: 10 } },
  { ms: 13, type: 'step_start', stepId: 'fetch', ...call(1), payload: started },
  { ms: 15, type: 'step_error', stepId: 'fetch', ...call(1), payload: failed(1) },
  { ms: 15, type: 'retry_scheduled', stepId: 'fetch', ...call(1), payload: { attempt: 2, delayMs: 10 } },
  { ms: 25, type: 'step_start', stepId: 'fetch', ...call(2), payload: started },
  { ms: 29, type: 'var_changed', stepId: 'fetch', ...call(2), payload: { name: '$user', newValue: { name: 'Ada', age: 36 } } },
  { ms: 29, type: 'step_done', stepId: 'fetch', ...call(2), payload: { outputs: { $user: { name: 'Ada', age: 36 } }, ports: { success: 1 }, items: { success: [{ id: '1', data: answer, pairedItem: 0 }] } } },
  { ms: 29, type: 'step_start', stepId: 'adult', ...call(0), payload: plain('flow.if', { condition: 'context.user.age >= 18' }, answer) },
  { ms: 29, type: 'step_done', stepId: 'adult', ...call(0), payload: { outputs: null, selected: 'true', ports: { true: 1 }, items: { true: [{ id: '1', data: answer, pairedItem: 0 }] } } },
  { ms: 30, type: 'step_start', stepId: 'yes', ...call(0), payload: plain('data.set', { assign: { verdict: 'adult' }, keep: false }, answer) },
  { ms: 30, type: 'step_done', stepId: 'yes', ...call(0), payload: { outputs: null, ports: { success: 1 }, items: { success: [{ id: '1', data: { verdict: 'adult' }, pairedItem: 0 }] } } },
  { ms: 30, type: 'step_start', stepId: 'join', ...call(0), payload: plain('flow.noop', {}, { verdict: 'adult' }) },
  { ms: 30, type: 'step_done', stepId: 'join', ...call(0), payload: { outputs: null, ports: { success: 1 }, items: { success: [{ id: '1', data: { verdict: 'adult' }, pairedItem: 0 }] } } },
  { ms: 30, type: 'step_start', stepId: 'end', ...call(0), payload: plain('flow.stop', { stopId: 'done' }, { verdict: 'adult' }) },
  { ms: 31, type: 'step_done', stepId: 'end', ...call(0), payload: { outputs: null, ports: {}, items: {} } },
  { ms: 31, type: 'workflow_done', payload: { duration_ms: 31, stop_id: 'done' } },
];

export const FIRST_EVENTS: RunEvent[] = BODIES.map(({ ms, stepId, ...body }, index) => ({ runId: 'R', seq: index + 1, ts: at(ms), stepId: stepId ?? null, ...body }) as RunEvent);
