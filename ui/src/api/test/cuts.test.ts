import { describe, expect, it } from 'vitest';
import { markCuts, markEvents } from '../cuts.ts';
import { isCut } from '../json.ts';
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
    const marked = (command: Command, answer: unknown, ...way: (string | number)[]) => isCut(at(markCuts(command, answer), ...way));
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
    // The whole of a value has nothing cut in it.
    expect(marked('run_value', { a: cut('R/7/payload/a') }, 'a')).toBe(false);
  });

  it('is not looked for in answers that have nothing like it', () => {
    const answer = [event({ delta: cut('R/7/payload/delta') })];
    expect(isCut(at(markCuts('run_events', answer as never, '[]'), 0, 'payload', 'delta'))).toBe(false);
  });
});
