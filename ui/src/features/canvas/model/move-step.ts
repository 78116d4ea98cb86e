/** Moves a step to another place in the flow: taken out where it is, with its neighbours joined, and put in behind another step. */

import type { Workflow } from '../../../api/types.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import type { Edit } from './edits.ts';
import { crosses } from './frames.ts';
import { rectsOf } from './place.ts';
import { type Catalog, hasInput, mainPort, type Point } from './ports.ts';

/** The edits, or null when the step cannot stand there. */
export function moveBehind(document: Workflow, catalog: Catalog, id: string, target: string): Edit[] | null {
  const [node, other] = [document.nodes[id], document.nodes[target]];
  if (!node || !other || id === target || crosses(document, id, target) || !hasInput(catalog.get(node.type))) return null;
  const [port, exit] = [mainPort(catalog.get(node.type), node), mainPort(catalog.get(other.type), other)];
  if (port === undefined || exit === undefined) return null;
  const own = `${id}.${port}`;
  const before = `${target}.${exit}`;
  const into = document.edges.filter((edge) => edge.to === id && splitPort(edge.from).node !== id);
  const on = document.edges.filter((edge) => edge.from === own && edge.to !== id);
  const bridges = into.flatMap(({ from }) => on.filter(({ to }) => splitPort(from).node !== to).map(({ to }) => ({ from, to })));
  const kept = document.edges.filter((edge) => !into.includes(edge) && !on.includes(edge));
  // What followed the target follows the step that was moved.
  const follows = [...kept, ...bridges].filter((edge) => edge.from === before && edge.to !== id).map((edge) => edge.to);
  const edits: Edit[] = [{ type: 'disconnect', edges: [...into, ...on] }, ...bridges.map((edge): Edit => ({ type: 'connect', ...edge }))];
  for (const to of new Set(follows)) edits.push({ type: 'disconnect', edges: [{ from: before, to }] });
  edits.push({ type: 'connect', from: before, to: id });
  for (const to of new Set(follows)) edits.push({ type: 'connect', from: own, to });
  return edits;
}

/** One place on along its way, or back: the neighbours change their places, on the canvas too. Null where there is no way on. */
export function moveAlong(document: Workflow, catalog: Catalog, id: string, by: 1 | -1): Edit[] | null {
  const nextOf = (one: string): string | undefined => {
    const node = document.nodes[one];
    const port = node && mainPort(catalog.get(node.type), node);
    const targets = port === undefined ? [] : document.edges.filter((edge) => edge.from === `${one}.${port}`);
    return targets.length === 1 ? targets[0]?.to : undefined;
  };
  const first = by === 1 ? id : document.edges.map((edge) => splitPort(edge.from).node).find((one) => nextOf(one) === id);
  const second = first === undefined ? undefined : nextOf(first);
  const edits = first === undefined || second === undefined ? null : moveBehind(document, catalog, first, second);
  if (!edits || first === undefined || second === undefined) return null;
  const rects = rectsOf(document, catalog);
  const [a, b] = [rects.get(first), rects.get(second)];
  const at = (r: { x: number; y: number }): Point => [r.x, r.y];
  return a && b ? [...edits, { type: 'place', places: { [first]: at(b), [second]: at(a) } }] : edits;
}
