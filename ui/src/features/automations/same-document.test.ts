import { expect, it } from 'vitest';
import type { Workflow } from '../../api/types.ts';
import { sameDocument } from './same-document.ts';

const flow = (node: object, more: object = {}) => ({ signalbox: 1, id: 'w', name: 'W', nodes: { a: node }, edges: [], ...more }) as unknown as Workflow;

it('compares what a workflow does', () => {
  const node = { type: 'flow.noop', config: { b: 1, a: 2 } };
  expect(sameDocument(flow(node), flow({ config: { a: 2, b: 1 }, typeVersion: 1, type: 'flow.noop' }, { layout: { a: [9, 9] } }))).toBe(true);
  expect(sameDocument(flow(node), flow({ ...node, typeVersion: 2 }))).toBe(false);
  expect(sameDocument(flow(node), flow({ ...node, config: { a: 2 } }))).toBe(false);
});
