import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../api/types.ts';
import { accept, allOf, openParts, preview, reject, sameValue } from './changes.ts';

const workflow = (nodes: Workflow['nodes'], edges: [string, string][], more: object = {}): Workflow =>
  ({ signalbox: 1, id: 'w', name: 'W', nodes, edges: edges.map(([from, to]) => ({ from, to })), layout: {}, ...more }) as unknown as Workflow;
const set = (n: number) => ({ type: 'data.set', config: { assign: { n } } });
const base = workflow({ start: { type: 'trigger.manual' }, a: set(1), old: set(9) }, [['start.success', 'a'], ['a.success', 'old']]);
const proposal = workflow({ start: { type: 'trigger.manual' }, a: set(2), more: set(3) }, [['start.success', 'a'], ['a.success', 'more']], { description: 'Does it.' });

describe('a proposal', () => {
  it('is a list of parts: new, changed and removed steps, and settings', () => {
    expect(openParts(base, proposal, base).map(({ key, kind }) => `${kind} ${key}`)).toEqual(['changed step:a', 'new step:more', 'removed step:old', 'workflow workflow']);
  });

  it('is what was proposed when all of it is accepted', () => {
    expect(accept(base, base, proposal, allOf(openParts(base, proposal, base)))).toEqual(proposal);
  });

  it('leaves what a person changed meanwhile alone', () => {
    const current = { ...base, nodes: { ...base.nodes, mine: set(7) } } as Workflow;
    const next = accept(current, base, proposal, allOf(openParts(base, proposal, current)));
    expect(Object.keys(next.nodes)).toEqual(['start', 'a', 'mine', 'more']);
    expect(openParts(base, proposal, next)).toEqual([]);
  });

  it('can be accepted part by part, in any order', () => {
    const keys = openParts(base, proposal, base).map((part) => part.key);
    for (const order of [keys, keys.toReversed()]) {
      const last = order.reduce((current, key) => accept(current, base, proposal, new Set([key])), base);
      expect(sameValue({ ...last, layout: {} }, { ...proposal, layout: {} })).toBe(true);
    }
  });

  it('loses a part that is rejected', () => {
    const rest = reject(base, proposal, new Set(['step:more']));
    expect(Object.keys(rest.nodes)).toEqual(['start', 'a']);
    expect(rest.edges).toHaveLength(1);
    expect(openParts(base, rest, base).map((part) => part.key)).toEqual(['step:a', 'step:old', 'workflow']);
    const back = reject(base, proposal, new Set(['step:old']));
    expect(back.edges.map((edge) => edge.to)).toContain('old');
  });

  it('shows steps that go beside those that come', () => {
    const { document, parts } = preview(base, base, proposal);
    expect(Object.keys(document.nodes)).toEqual(['start', 'a', 'old', 'more']);
    expect(parts).toHaveLength(4);
  });

  it('has the wires between steps that stay as a part of their own', () => {
    const rewired = workflow(base.nodes, [['start.success', 'old'], ['a.success', 'old']]);
    expect(openParts(base, rewired, base).map((part) => part.key)).toEqual(['wires']);
    expect(sameValue(accept(base, base, rewired, new Set(['wires'])).edges, rewired.edges)).toBe(true);
    expect(openParts(base, reject(base, rewired, new Set(['wires'])), base)).toEqual([]);
  });
});
