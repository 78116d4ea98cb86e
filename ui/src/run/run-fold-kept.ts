// Where the results went that a re-run keeps of its original.

import { node, type FoldState } from './run-fold-state';
import { CONTAINERS, together } from './run-paths';
import type { NodeRun } from './run-types';

type Left = Readonly<Record<string, number>>;

/** A container that has ended well is left by `success`, be it with nothing. */
const leftBy = ({ kind, state }: NodeRun, left: Left): Left => ({ ...(CONTAINERS.has(kind ?? '') && state === 'done' ? { success: 0 } : {}), ...left });

/** `before`: what stands of the original. */
export function keepLeft(s: FoldState, before: FoldState): void {
  const inside = new Map<string, Left[]>();
  for (const [key, { id, path, state }] of s.slots) {
    const run = before.slots.get(key);
    if (state !== 'kept' || !run) continue;
    const left = leftBy(run, run.left ?? {});
    node(s, id, path).leftKept = left;
    if (s.nodes[id]) inside.set(id, [...(inside.get(id) ?? []), left]);
  }
  const ports = new Map<string, Record<string, number>>();
  for (const [from, n] of Object.entries(before.ports)) {
    const dot = from.lastIndexOf('.');
    const id = from.slice(0, dot);
    ports.set(id, { ...ports.get(id), [from.slice(dot + 1)]: n });
  }
  for (const [id, { state }] of Object.entries(s.nodes)) {
    const run = before.nodes[id];
    const many = inside.get(id);
    if (many) node(s, id).leftKept = together(many);
    else if (state === 'kept' && run) node(s, id).leftKept = leftBy(run, ports.get(id) ?? {});
  }
}
