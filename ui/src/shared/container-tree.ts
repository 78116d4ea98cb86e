/** Which step stands in which container. */

import type { Workflow } from '../api/types.ts';

export interface Tree {
  /** step → the frame it stands in */
  parent: ReadonlyMap<string, string>;
  /** frame → its steps, in the order of the file */
  children: ReadonlyMap<string, readonly string[]>;
}

const EMPTY: Tree = { parent: new Map(), children: new Map() };
const known = new WeakMap<Workflow['nodes'], Tree>();

/** Kept per version of the nodes. A step that names a frame which is not there, or that leads back to itself, stands at the top. */
export function treeOf(document: Workflow): Tree {
  const before = known.get(document.nodes);
  if (before) return before;
  const tree = read(document.nodes);
  known.set(document.nodes, tree);
  return tree;
}

function read(nodes: Workflow['nodes']): Tree {
  const named = new Map<string, string>();
  for (const [id, { parent }] of Object.entries(nodes)) if (typeof parent === 'string' && parent !== id && Object.hasOwn(nodes, parent)) named.set(id, parent);
  if (named.size === 0) return EMPTY;
  const round = (id: string): boolean => {
    const seen = new Set<string>();
    for (let at: string | undefined = id; at !== undefined; at = named.get(at)) {
      if (seen.has(at)) return true;
      seen.add(at);
    }
    return false;
  };
  const parent = new Map([...named].filter(([id]) => !round(id)));
  const children = new Map<string, string[]>();
  for (const [id, frame] of parent) {
    const list = children.get(frame);
    if (list) list.push(id);
    else children.set(frame, [id]);
  }
  return { parent, children };
}
