import { describe, expect, it } from 'vitest';
import { markTruncated, markEvents } from '../truncated-values.ts';
import { isCut } from '../../json/json.ts';
import type { Command, CutValue } from '../types.ts';

const cut = (ref: string): CutValue => ({ _truncated: true, type: 'string', length: 12_000, preview: 'It was...', ref });
const event = (payload: unknown) => ({ runId: 'R', seq: 7, ts: '', type: 'step_done', payload });
const at = (value: unknown, ...way: (string | number)[]): unknown => way.reduce((one, key) => (one as never)[key], value);

describe('K-28: what the wire has cut', () => {
  it('names the place in its event; data that looks the same is data', () => {
    const own = cut('R/7/payload/items/success/0/data');
    const [found] = markEvents([event({
      items: { 'to/b': [{ id: '1', data: cut('R/7/payload/items/to~1b/0/data') }, { id: '2', data: own }], success: [{ id: '1', data: { big: cut('R/7/payload/items/success/0/data/big'), own: cut('R/6/payload/x') } }] },
      delta: cut('R/7/payload/delta'), config: { at: [cut('Q/7/payload/config/at/0')] },
    })]);
    expect(isCut(at(found, 'payload', 'items', 'to/b', 0, 'data'))).toBe(true);
    expect(isCut(at(found, 'payload', 'items', 'success', 0, 'data', 'big'))).toBe(true);
    expect(isCut(at(found, 'payload', 'delta'))).toBe(true);
    expect(at(found, 'payload', 'items', 'to/b', 1, 'data')).toBe(own);
    expect(isCut(at(found, 'payload', 'items', 'success', 0, 'data', 'own'))).toBe(false);
    expect(isCut(at(found, 'payload', 'config', 'at', 0))).toBe(false);
    // What is gone through does not look into it again.
    expect(at(found, 'payload', 'delta', 'preview')).toBe('It was...');
  });

  it('stands in other answers where the host cuts', () => {
    const marked = (command: Command, answer: unknown, ...way: (string | number)[]) => isCut(at(markTruncated(command, answer), ...way));
    expect(marked('run_get', { runId: 'R', context: { a: cut('R/summary/context/a') } }, 'context', 'a')).toBe(true);
    expect(marked('run_get', { runId: 'R', context: { a: cut('R/summary/context/b') } }, 'context', 'a')).toBe(false);
    expect(marked('run_get', { runId: 'R', params: cut('R/1/payload/params') }, 'params')).toBe(true);
    const step = (data: CutValue) => ({ runId: 'R', input: [{ item: 4, data }], output: { success: [{ data: cut('R/9/payload/items/success/2/data') }] } });
    expect(marked('run_step_data', step(cut('R/3/payload/input/0/data')), 'input', 0, 'data')).toBe(true);
    expect(marked('run_step_data', step(cut('R/1/payload/base/events/5/payload/input/0/data')), 'input', 0, 'data')).toBe(true);
    expect(marked('run_step_data', step(cut('R/3/payload/config')), 'input', 0, 'data')).toBe(false);
    expect(marked('run_step_data', step(cut('R')), 'output', 'success', 0, 'data')).toBe(true);
    expect(marked('task_get', { variables: { a: cut('') } }, 'variables', 'a')).toBe(true);
    expect(marked('task_get', { input: cut('') }, 'input')).toBe(false);
    expect(marked('expression_preview', { value: cut('') }, 'value')).toBe(true);
    const both = {
      a: { runId: 'R' }, b: { runId: 'S' }, params: [{ pointer: '/text', a: cut('R/1/payload/params/text'), b: { own: cut('S/1/payload/params/text/own') } }],
      context: [{ pointer: '', a: { big: cut('R/summary/context/big') } }, { pointer: '/x', b: cut('R/summary/context/x') }], output: [{ pointer: '/0/data', b: cut('S/summary/output/0/data') }],
      definition: { steps: [{ stepId: 'a/b', changes: [{ pointer: '/config/assign', a: cut('R/definition/nodes/a~1b/config/assign'), b: { text: cut('S/definition/nodes/a~1b/config/assign/text') } }] }] },
      steps: [{ stepId: 's', changes: [{ part: 'output', pointer: '/to~1b/3/text', a: cut('R/5/payload/items/to~1b/0/data/text'), b: cut('S/5/payload/items/to~1b/0/data/other') }, { part: 'input', pointer: '/0', b: { text: cut('S/1/payload/base/events/8/payload/input/0/data/text') } }] }],
    };
    markTruncated('run_diff', both);
    const found = (...way: (string | number)[]) => isCut(at(both, ...way));
    expect([found('params', 0, 'a'), found('params', 0, 'b', 'own'), found('context', 0, 'a', 'big'), found('output', 0, 'b')]).toEqual([true, true, true, true]);
    expect([found('definition', 'steps', 0, 'changes', 0, 'a'), found('definition', 'steps', 0, 'changes', 0, 'b', 'text')]).toEqual([true, true]);
    expect([found('steps', 0, 'changes', 0, 'a'), found('steps', 0, 'changes', 1, 'b', 'text')]).toEqual([true, true]);
    // Of another run, or another place: data that looks the same.
    expect([found('context', 1, 'b'), found('steps', 0, 'changes', 0, 'b')]).toEqual([false, false]);
    const values = (one: object) => ({ a: { input: [], config: [], output: {}, error: [], ...one } });
    expect(marked('run_diff_step', values({ input: [cut('R/3/payload/input/2/data')] }), 'a', 'input', 0)).toBe(true);
    expect(marked('run_diff_step', values({ config: [{ text: cut('R/3/payload/config/text') }] }), 'a', 'config', 0, 'text')).toBe(true);
    expect(marked('run_diff_step', values({ output: { 'to/b': [{ text: cut('R/4/payload/items/to~1b/0/data/text') }] } }), 'a', 'output', 'to/b', 0, 'text')).toBe(true);
    expect(marked('run_diff_step', values({ error: [cut('R/1/payload/base/events/5/payload/error')] }), 'a', 'error', 0)).toBe(true);
    expect(marked('run_diff_step', values({ input: [{ text: cut('R/3/payload/input/0/data/other') }] }), 'a', 'input', 0, 'text')).toBe(false);
    // The whole of a value has nothing cut in it.
    expect(marked('run_value', { a: cut('R/7/payload/a') }, 'a')).toBe(false);
  });

  it('is not looked for in answers that have nothing like it', () => {
    const answer = [event({ delta: cut('R/7/payload/delta') })];
    expect(isCut(at(markTruncated('run_events', answer as never, '[]'), 0, 'payload', 'delta'))).toBe(false);
  });
});
