// @vitest-environment node
import { expect, it } from 'vitest';
import type { Workflow } from '../../../api/types.ts';
import { onlySettingsDiffer } from '../view/drawn-document.ts';

const large = (count: number): Workflow => ({
  signalbox: 1, id: 'w', name: 'W', edges: [], layout: {},
  nodes: Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${String(n)}`, { type: 'data.set', title: `Step ${String(n)}` }])),
});

it('the picture of a large workflow waits for settings, and for nothing else', () => {
  const before = large(200);
  const written = { ...before, nodes: { ...before.nodes, s7: { type: 'data.set', title: 'Step 7', config: { assign: { n: 1 } } } } };
  expect(onlySettingsDiffer(before, written)).toBe(true);
  expect(onlySettingsDiffer(before, { ...written, edges: [{ from: 's1.success', to: 's2' }] })).toBe(false);
  expect(onlySettingsDiffer(before, { ...written, layout: { s1: [8, 8] } })).toBe(false);
  expect(onlySettingsDiffer(before, { ...before, nodes: { ...before.nodes, s7: { type: 'data.set', title: 'Another title' } } })).toBe(false);
  expect(onlySettingsDiffer(before, { ...before, nodes: { ...before.nodes, more: { type: 'data.set' } } })).toBe(false);
  const { s7: _, ...fewer } = before.nodes;
  expect(onlySettingsDiffer(before, { ...before, nodes: fewer })).toBe(false);
  const small = large(10);
  expect(onlySettingsDiffer(small, { ...small, nodes: { ...small.nodes, s1: { type: 'data.set', config: {} } } })).toBe(false);
});
