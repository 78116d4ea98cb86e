import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Cut } from '../../json/json.ts';
import { viewAt } from '../../run/run-paths.ts';
import { createRunFold, foldRun, type RunEventLike } from '../../run/run-state.ts';

const T = Date.parse('2026-11-22T10:00:00.000Z');
const at = (n: number) => new Date(T + n * 100).toISOString();
const key = { stepId: 'ask', visit: 1, attempt: 0 };
/** one call with a thought, two pieces of text, a tool, a second answer. */
const EVENTS: RunEventLike[] = [
  { type: 'workflow_start', stepId: null, payload: { name: 'W', version: 'v', params: {}, seed: '0' } },
  { type: 'step_start', ...key, payload: { type: 'llm.chat', meta: {}, resolvedInputs: null, config: {}, input: [{ item: 0, data: {} }] } },
  { type: 'llm_thinking', ...key, payload: { delta: 'Let me ' } },
  { type: 'llm_thinking', ...key, payload: { delta: 'see.' } },
  { type: 'llm_token', ...key, payload: { delta: 'I look ' } },
  { type: 'llm_token', ...key, payload: { delta: 'it up.' } },
  { type: 'llm_tool_use', ...key, payload: { tool_use_id: 't1', name: 'files__read', input: { path: 'a.txt' } } },
  { type: 'llm_tool_result', ...key, payload: { tool_use_id: 't1', content: 'no such file', is_error: true } },
  { type: 'llm_done', ...key, payload: { latency_ms: 900, finish_reason: 'tool_use', model: 'tiny-1', usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 }, thinking_tokens: 7, has_tool_use: true } },
  { type: 'llm_token', ...key, payload: { delta: 'It is not there.' } },
  { type: 'llm_done', ...key, payload: { latency_ms: 300, finish_reason: 'stop', model: 'tiny-1', usage: { input_tokens: 130, output_tokens: 5, total_tokens: 135 }, thinking_tokens: null, has_tool_use: false } },
  { type: 'step_done', ...key, payload: { outputs: null, ports: { success: 1 }, items: { success: [{ id: '1', data: 'It is not there.' }] } } },
].map((event, n) => ({ runId: 'R', seq: n + 1, ts: at(n), ...event }));

describe('ts_061: what a model says', () => {
  it('stands on the card of its call, in order, pieces of one text as one', () => {
    expect(foldRun(EVENTS).cards[0]?.said).toEqual([
      { what: 'thinking', text: 'Let me see.' },
      { what: 'text', text: 'I look it up.' },
      { what: 'tool', id: 't1', name: 'files__read', input: { path: 'a.txt' }, startedMs: T + 600, endedMs: T + 700, output: 'no such file', failed: true, notices: [] },
      { what: 'turn', model: 'tiny-1', finish: 'tool_use', latencyMs: 900, inputTokens: 100, outputTokens: 20, thinkingTokens: 7 },
      { what: 'text', text: 'It is not there.' },
      { what: 'turn', model: 'tiny-1', finish: 'stop', latencyMs: 300, inputTokens: 130, outputTokens: 5 },
    ]);
  });

  it('b_24: adds up what it cost, also of a call that failed after an answer', () => {
    const usage = { input_tokens: 50, output_tokens: 2, total_tokens: 52 };
    const failed = { runId: 'R', seq: 12, ts: at(12), type: 'llm_error', ...key, payload: { error: 'No', type: 'ValidationError', code: 'NON_JSON', retryable: false, latency_ms: 5, model: 'tiny-1', usage, costMicros: 30 } };
    expect(foldRun(EVENTS).spent).toEqual({ calls: 2, inputTokens: 230, outputTokens: 25, costMicros: 0, unpriced: 2 });
    expect(foldRun([...EVENTS.slice(0, 11), failed]).spent).toEqual({ calls: 3, inputTokens: 280, outputTokens: 27, costMicros: 30, unpriced: 2 });
    // A question that nobody answered costs nothing.
    expect(foldRun([...EVENTS.slice(0, 11), { ...failed, payload: { ...failed.payload, usage: undefined } }]).spent.calls).toBe(2);
  });

  it('ts_114: a tool that a model asked for and what the tool tells are one', () => {
    const asked = (id: string, q: string) => ({ type: 'llm_tool_use', ...key, payload: { tool_use_id: id, name: 'shop_find', input: { q } } });
    const more: RunEventLike[] = [
      asked('t1', 'lamp'), asked('t2', 'lamps'), asked('t3', 'x'),
      { type: 'tool_start', ...key, payload: { name: 'find', input: { q: 'lamp' }, inputSummary: '' } },
      { type: 'tool_message', ...key, payload: { name: 'find', level: 'info', message: 'looking', data: null } },
      { type: 'tool_error', ...key, payload: { name: 'find', error: { message: 'no' }, allowError: true, output: { ok: false }, toolResult: null } },
      { type: 'llm_tool_result', ...key, payload: { tool_use_id: 't1', content: 'no', is_error: true } },
      { type: 'tool_start', ...key, payload: { name: 'find', input: { q: 'lamps' }, inputSummary: '' } },
      { type: 'tool_done', ...key, payload: { name: 'find', output: { aisle: 7 }, outputSummary: '', toolResult: {} } },
      { type: 'llm_tool_result', ...key, payload: { tool_use_id: 't2', content: '{"aisle":7}', is_error: false } },
      { type: 'llm_tool_result', ...key, payload: { tool_use_id: 't3', content: 'There is no tool', is_error: true } },
    ].map((event, n) => ({ runId: 'R', seq: n + 3, ts: at(n + 2), ...event }));
    const tools = foldRun([...EVENTS.slice(0, 2), ...more]).cards[0]?.said?.map((one) => (one.what === 'tool' ? [one.id, one.name, one.output, one.failed, one.notices.length] : one.what));
    expect(tools).toEqual([['t1', 'find', { message: 'no' }, true, 1], ['t2', 'find', { aisle: 7 }, false, 0], ['t3', 'shop_find', 'There is no tool', true, 0]]);
  });

  it('shows its end on the node while the call goes on, and not afterwards', () => {
    const says = (n: number) => foldRun(EVENTS.slice(0, n)).nodes['ask']?.says;
    expect(says(4)).toEqual({ what: 'thinking', words: 'Let me see.', card: 0 });
    expect(says(6)).toEqual({ what: 'text', words: 'I look it up.', card: 0 });
    expect(says(7)).toEqual({ what: 'tool', words: 'files__read', card: 0 });
    expect(says(8)).toBeUndefined();
    expect(says(12)).toBeUndefined();
    const long = EVENTS.slice(0, 4).concat({ runId: 'R', seq: 5, ts: at(5), type: 'llm_token', ...key, payload: { delta: 'x'.repeat(5000) } });
    expect(foldRun(long).nodes['ask']?.says?.words).toHaveLength(120);
  });

  it('an answer that was asked for again stands by itself, also on the node', () => {
    const again = [
      ...EVENTS.slice(0, 2),
      ...[{ delta: 'I think ' }, { delta: 'a lamp.' }, { delta: '{"a":', anew: true }, { delta: '1}' }].map((payload, n) => ({ runId: 'R', seq: n + 3, ts: at(n + 2), type: 'llm_token', ...key, payload })),
    ];
    expect(foldRun(again).cards[0]?.said).toEqual([{ what: 'text', text: 'I think a lamp.' }, { what: 'text', text: '{"a":1}' }]);
    expect(foldRun(again).nodes['ask']?.says?.words).toBe('{"a":1}');
  });

  it('what a tool tells stands behind its name', () => {
    const told = (message: string): RunEventLike[] => [
      ...EVENTS.slice(0, 2),
      { runId: 'R', seq: 3, ts: at(2), type: 'tool_start', ...key, payload: { name: 'find', input: {}, inputSummary: '' } },
      { runId: 'R', seq: 4, ts: at(3), type: 'tool_message', ...key, payload: { name: 'find', level: 'progress', message, data: null } },
    ];
    expect(foldRun(told('half of the shelf')).nodes['ask']?.says).toEqual({ what: 'tool', words: 'find', tells: 'half of the shelf', card: 0 });
    expect(foldRun(told('')).nodes['ask']?.says).toEqual({ what: 'tool', words: 'find', card: 0 });
  });

  it('a piece that is too long for the wire stands there with its beginning, and the way to the rest', () => {
    const cut = new Cut({ _truncated: true, type: 'string', length: 12_000, preview: 'It was', ref: 'R/3/payload/delta' });
    const events = [...EVENTS.slice(0, 2), { type: 'llm_token', ...key, payload: { delta: cut } }, { type: 'llm_token', ...key, payload: { delta: ' The end.' } },
      { type: 'tool_start', ...key, payload: { name: 'read', input: {} } }, { type: 'tool_message', ...key, payload: { name: 'read', message: cut, level: 'info' } },
      { type: 'llm_error', ...key, payload: { error: cut, type: 'LLMError', code: 'X' } }, { type: 'llm_error', ...key, payload: { error: { type: 'LLMError' }, type: 'LLMError', code: 'Y' } },
    ].map((event, n) => ({ runId: 'R', ts: at(n), ...event, seq: n + 1 }));
    const run = foldRun(events);
    expect(run.cards[0]?.said).toMatchObject([
      { what: 'text', text: 'It was', cut }, { what: 'text', text: ' The end.' }, { what: 'tool', notices: [{ words: 'It was' }] },
      { what: 'trouble', words: 'It was' }, { what: 'trouble', words: '' },
    ]);
    expect(foldRun(events.slice(0, 3)).nodes['ask']?.says).toEqual({ what: 'text', words: 'It was', card: 0 });
  });

  it('of calls that speak at once one is heard to its end, and what another does takes nothing from it', () => {
    const one = (item: number) => ({ stepId: 'ask', visit: 1, attempt: 0, item });
    const says = (...events: [string, number, object][]) => foldRun([
      EVENTS[0] as RunEventLike,
      ...([['step_start', 0, { type: 'llm.chat', input: [] }], ['step_start', 1, { type: 'llm.chat', input: [] }], ...events] as [string, number, object][])
        .map(([type, item, payload], n) => ({ runId: 'R', seq: n + 2, ts: at(n), type, ...one(item), payload })),
    ]).nodes['ask']?.says;
    expect(says(['llm_token', 0, { delta: 'First' }], ['llm_token', 1, { delta: 'Second' }], ['llm_token', 0, { delta: ' goes on' }])).toEqual({ what: 'text', words: 'First goes on', card: 0 });
    const done = { latency_ms: 1, finish_reason: 'stop', model: 'm' };
    expect(says(['llm_token', 0, { delta: 'First' }], ['llm_token', 1, { delta: 'Second' }], ['llm_done', 1, done])).toMatchObject({ words: 'First' });
    expect(says(['llm_token', 0, { delta: 'First' }], ['llm_token', 1, { delta: 'Second' }], ['llm_done', 0, done], ['llm_token', 1, { delta: ' too' }])).toEqual({ what: 'text', words: 'Second too', card: 1 });
  });

  it('stands on the step of a round, and of a step over rounds where one speaks', () => {
    const definition = { nodes: { each: { type: 'flow.loop' }, ask: { type: 'llm.chat', parent: 'each' } }, edges: [] };
    const events = [
      { type: 'workflow_start', stepId: null, payload: { name: 'W' } },
      { type: 'step_start', stepId: 'each', payload: { type: 'flow.loop', config: { source: [1, 2] }, input: [] } },
      { type: 'step_start', stepId: 'ask', path: 'each[0]', payload: { type: 'llm.chat', input: [] } },
      { type: 'llm_token', stepId: 'ask', path: 'each[0]', payload: { delta: 'Hello' } },
    ].map((event, n) => ({ runId: 'R', seq: n + 1, ts: at(n), visit: 1, attempt: 0, ...event }));
    const view = foldRun(events, definition);
    expect(view.nodes['ask']?.says).toMatchObject({ words: 'Hello' });
    expect(viewAt(view, definition, { each: 0 }).nodes['ask']?.says).toMatchObject({ words: 'Hello' });
  });

  it('long answers of small pieces cost what their pieces cost', () => {
    // The end on the node is put together of the end before it: no piece touches what was said before.
    const slice = vi.spyOn(String.prototype, 'slice');
    const pieces = Array.from({ length: 3000 }, (_, n) => ({ runId: 'R', seq: n + 3, ts: at(0), type: 'llm_token', ...key, payload: { delta: 'x'.repeat(60) } }));
    const run = foldRun([...EVENTS.slice(0, 2), ...pieces]);
    const longest = Math.max(...slice.mock.contexts.map((text) => String(text).length));
    slice.mockRestore();
    expect(run.cards[0]?.said?.[0]).toHaveProperty('text.length', 180_000);
    expect(longest).toBeLessThan(1000);
  });

  it('is the same however the events are cut into batches, and earlier views keep what they had', () => {
    const whole = foldRun(EVENTS).cards[0]?.said;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 }), (sizes) => {
        const fold = createRunFold('R');
        const seen: [unknown, string][] = [];
        for (let from = 0, i = 0; from < EVENTS.length; i++) {
          const size = sizes[i % sizes.length] as number;
          fold.apply(EVENTS.slice(from, from + size));
          from += size;
          const said = fold.view.cards[0]?.said;
          seen.push([said, JSON.stringify(said)]);
        }
        expect(fold.view.cards[0]?.said).toEqual(whole);
        for (const [said, then] of seen) expect(JSON.stringify(said)).toBe(then);
      }),
      { seed: 61 },
    );
  });

  it('begins anew with a call that was interrupted and is made again', () => {
    const again = [...EVENTS.slice(0, 5), { type: 'step_interrupted', ...key, payload: {} }, { type: 'step_start', ...key, payload: { type: 'llm.chat', meta: {}, input: [{ item: 0, data: {} }] } }, { type: 'llm_token', ...key, payload: { delta: 'Anew.' } }]
      .map((event, n) => ({ ...event, runId: 'R', seq: n + 1, ts: at(n) }));
    const view = foldRun(again);
    expect(view.cards.map((card) => [card.status, card.said?.at(-1)])).toEqual([
      ['interrupted', { what: 'text', text: 'I look ' }], ['running', { what: 'text', text: 'Anew.' }],
    ]);
  });

  it('ts_062 says why a model did not answer', () => {
    const failed = [...EVENTS.slice(0, 2), { runId: 'R', seq: 3, ts: at(3), type: 'llm_error', ...key, payload: { error: 'Too many requests', type: 'LLMError', code: 'RATE_LIMIT', retryable: true, latency_ms: 12 } }];
    expect(foldRun(failed).cards[0]?.said).toEqual([{ what: 'trouble', words: 'Too many requests', code: 'RATE_LIMIT', latencyMs: 12 }]);
  });
});

describe('ts_063 ts_068: what the tool of a step does', () => {
  const tool = (...more: { type: string; payload: unknown }[]) => [EVENTS[0], EVENTS[1], ...more.map((one) => ({ ...one, ...key }))].map((event, n) => ({ ...event, runId: 'R', seq: n + 1, ts: at(n) }) as RunEventLike);
  const start = { type: 'tool_start', payload: { name: 'read', input: { path: 'a' }, inputSummary: 'path: a' } };

  it('tells its notices one by one', () => {
    const said = foldRun(tool(start,
      { type: 'tool_message', payload: { name: 'read', level: 'info', message: 'opening', data: null } },
      { type: 'tool_message', payload: { name: 'read', level: 'progress', message: 'half', data: { progress: 1, total: 2 } } },
      { type: 'tool_done', payload: { name: 'read', output: { text: 'hi' }, outputSummary: 'text: hi', toolResult: {} } })).cards[0]?.said;
    expect(said).toEqual([{
      what: 'tool', id: '', name: 'read', input: { path: 'a' }, startedMs: T + 200, endedMs: T + 500, output: { text: 'hi' }, failed: false,
      notices: [{ level: 'info', words: 'opening', data: undefined }, { level: 'progress', words: 'half', data: { progress: 1, total: 2 } }],
    }]);
  });

  it('says that a failure was allowed', () => {
    const said = foldRun(tool(start, { type: 'tool_error', payload: { name: 'read', error: { type: 'ToolError', message: 'gone' }, allowError: true, output: null, toolResult: {} } })).cards[0]?.said;
    expect(said?.[0]).toMatchObject({ failed: true, allowed: true, output: { message: 'gone' } });
  });
});
