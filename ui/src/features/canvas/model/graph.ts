/** Questions about the wiring: what may be connected, what comes before, where an arrow key goes. */

import { t } from '../../../i18n/index.ts';
import type { Workflow } from '../../../api/types.ts';
import { stepTitle } from '../../../shared/step-title.ts';
import { crosses, parentOf } from './frames.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import { type Catalog, ERROR, hasInput, type Point, portIds } from './ports.ts';
import { mayReenter, onlyBack, type Recovery, recoveryKind, recoveryOf } from './recovery.ts';

export type Neighbours = ReadonlyMap<string, readonly string[]>;

/** `forward`: without the wires on which an error goes back to its step. */
export function successors(document: Workflow, forward = false): Neighbours {
  const map = new Map<string, string[]>();
  const kinds = forward ? recoveryOf(document).edges : [];
  for (const [i, edge] of document.edges.entries()) {
    if (kinds[i] === 'reentry') continue;
    const { node } = splitPort(edge.from);
    const list = map.get(node);
    if (list) list.push(edge.to);
    else map.set(node, [edge.to]);
  }
  for (const [id, node] of Object.entries(document.nodes)) {
    const fallback = node.errorHandling?.fallbackNodeId;
    if (typeof fallback === 'string') map.set(id, [...(map.get(id) ?? []), fallback]);
  }
  return map;
}

export function predecessors(document: Workflow, forward = false): Neighbours {
  const map = new Map<string, string[]>();
  for (const [from, list] of successors(document, forward)) {
    for (const to of list) map.set(to, [...(map.get(to) ?? []), from]);
  }
  return map;
}

/** Everything that can be reached from `start` by `next`, without `start` itself unless a circle leads back. */
export function reach(start: string, next: Neighbours): Set<string> {
  const seen = new Set<string>();
  const stack = [start];
  while (stack.length > 0) {
    for (const id of next.get(stack.pop() as string) ?? []) {
      if (!seen.has(id)) {
        seen.add(id);
        stack.push(id);
      }
    }
  }
  return seen;
}

/** Why a wire from this port cannot end here because of what handling errors means; null when it can. */
function recoveryProblem(document: Workflow, recovery: Recovery, from: string, to: string): string | null {
  const { node: source, port } = splitPort(from);
  const own = recovery.kinds.get(source) ?? recoveryKind(document.nodes[source]?.type);
  const target = recoveryKind(document.nodes[to]?.type);
  if (target !== undefined && own === undefined && port !== ERROR) return t('canvas.why.needsError');
  if (target === undefined && onlyBack(own, port) && !recovery.origins.get(source)?.has(to) && document.nodes[to]?.type !== 'builtin.audit') return t('canvas.why.onlyBack');
  return null;
}

/** Why no wire leads from one of these to the other: a border of a frame stands between them. Null when none does. */
export function borderProblem(document: Workflow, catalog: Catalog, from: string, to: string): string | null {
  if (!crosses(document, from, to)) return null;
  const nameOf = (id: string): string => stepTitle(document.nodes[id]?.title, catalog.get(document.nodes[id]?.type ?? '')?.title, id);
  const [inside, outside] = [parentOf(document, from), parentOf(document, to)];
  // The frame itself at the other end: what is meant is its port, or the way in that it has anyway.
  if (inside === to) return t('canvas.why.outOf', { frame: nameOf(to) });
  if (outside === from) return t('canvas.why.into', { frame: nameOf(from) });
  const frame = outside ?? inside;
  return t('canvas.why.border', { frame: frame === undefined ? '' : nameOf(frame) });
}

/** Why each node cannot take a wire from `from`; nodes that can are not in the map. `moving`: an edge that is being re-plugged. */
export function blockedTargets(
  document: Workflow,
  catalog: Catalog,
  from: string,
  moving?: { from: string; to: string },
): Map<string, string> {
  const { node: source, port } = splitPort(from);
  const kept = moving
    ? { ...document, edges: document.edges.filter((e) => !(e.from === moving.from && e.to === moving.to)) }
    : document;
  const before = reach(source, predecessors(kept, true));
  const recovery = recoveryOf(kept);
  const kind = recovery.kinds.get(source);
  const taken = new Set(kept.edges.filter((e) => e.from === from).map((e) => e.to));
  const reasons = new Map<string, string>();
  for (const [id, node] of Object.entries(document.nodes)) {
    const problem = recoveryProblem(document, recovery, from, id);
    if (id === source) reasons.set(id, t('canvas.why.self'));
    else if (!hasInput(catalog.get(node.type))) reasons.set(id, t('canvas.why.start'));
    else if (taken.has(id)) reasons.set(id, t('canvas.why.wired'));
    else if (crosses(document, source, id)) reasons.set(id, borderProblem(document, catalog, source, id) ?? '');
    else if (problem !== null) reasons.set(id, problem);
    else if (before.has(id) && !(mayReenter(kind, port) && recovery.origins.get(source)?.has(id))) reasons.set(id, t(kind ? 'canvas.why.notOrigin' : 'canvas.why.circle'));
  }
  return reasons;
}

/** Ports of `id` that may lead to `to` and do not yet. */
export function portsTo(document: Workflow, catalog: Catalog, id: string, to: string): string[] {
  const node = document.nodes[id];
  if (!node) return [];
  return portIds(catalog.get(node.type), node).filter((port) => !blockedTargets(document, catalog, `${id}.${port}`).has(to));
}

/** Steps that some port of `id` may lead to. */
export function linkTargets(document: Workflow, catalog: Catalog, id: string): string[] {
  const node = document.nodes[id];
  if (!node) return [];
  const blocked = portIds(catalog.get(node.type), node).map((port) => blockedTargets(document, catalog, `${id}.${port}`));
  return Object.keys(document.nodes).filter((other) => blocked.some((reasons) => !reasons.has(other)));
}

export type Direction = 'left' | 'right' | 'up' | 'down';

/** The nearest node in a direction: near along the axis first, sideways distance counts double. */
export function nearest(places: ReadonlyMap<string, Point>, from: string, direction: Direction): string | null {
  const origin = places.get(from);
  if (!origin) return null;
  let best: string | null = null;
  let bestCost = Infinity;
  for (const [id, [x, y]] of places) {
    if (id === from) continue;
    const dx = x - origin[0];
    const dy = y - origin[1];
    const along = direction === 'right' ? dx : direction === 'left' ? -dx : direction === 'down' ? dy : -dy;
    const across = Math.abs(direction === 'left' || direction === 'right' ? dy : dx);
    if (along <= 0 || across > along * 2) continue;
    const cost = along + across * 2;
    if (cost < bestCost) {
      bestCost = cost;
      best = id;
    }
  }
  return best;
}

/** Why each node cannot be the source of a wire into `into`; the counterpart of `blockedTargets`. */
export function blockedSources(
  document: Workflow,
  catalog: Catalog,
  into: string,
  moving?: { from: string; to: string },
): Map<string, string> {
  const kept = moving
    ? { ...document, edges: document.edges.filter((e) => !(e.from === moving.from && e.to === moving.to)) }
    : document;
  const after = reach(into, successors(kept, true));
  const recovery = recoveryOf(kept);
  const reasons = new Map<string, string>();
  for (const [id, node] of Object.entries(document.nodes)) {
    const ports = portIds(catalog.get(node.type), node);
    if (id === into) reasons.set(id, t('canvas.why.self'));
    else if (ports.length === 0) reasons.set(id, t('canvas.why.noPort'));
    else if (crosses(document, id, into)) reasons.set(id, borderProblem(document, catalog, id, into) ?? '');
    else {
      const back = recovery.origins.get(id)?.has(into) ?? false;
      const problems = ports.map((port) => recoveryProblem(document, recovery, `${id}.${port}`, into)
        ?? (after.has(id) && !(back && mayReenter(recovery.kinds.get(id), port)) ? t(recovery.kinds.has(id) ? 'canvas.why.notOrigin' : 'canvas.why.circle') : null));
      // One port that fits is enough; the drop looks for it.
      if (problems.every((problem) => problem !== null)) reasons.set(id, problems[0] ?? t('canvas.why.noPort'));
    }
  }
  return reasons;
}
