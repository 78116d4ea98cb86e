/** Steps whose result on the screen is not what they would make now (UX C16): their settings or wires have changed since the run began, or those of
 * a step before them. Compared by what they hold; names and places on the canvas do not count, as in the verdict of a re-run, nor does what is
 * done about an error: a result without one stays what it is. */
import type { Node, Workflow } from '../../api/types.ts';

/** `own`: the step itself has changed; `before`: something that leads to it has. */
export type Stale = 'own' | 'before';

const UNTOLD: ReadonlySet<string> = new Set(['title', 'description', 'pinned', 'typeVersion', 'errorHandling']);

/** One text for what is the same, whatever order it was written in. */
const plain = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(plain)
    : value !== null && typeof value === 'object' ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, plain(inner)]))
      : value;
const content = (node: Node): string => JSON.stringify(plain(Object.fromEntries(Object.entries(node).filter(([name, value]) => !UNTOLD.has(name) && value !== undefined))));

const sourceOf = (from: string): string => from.slice(0, from.lastIndexOf('.'));

type Edge = Workflow['edges'][number];

function wiresInto(edges: readonly Edge[]): Map<string, string> {
  const found = new Map<string, string[]>();
  for (const edge of edges) {
    const known = found.get(edge.to);
    if (known) known.push(edge.from);
    else found.set(edge.to, [edge.from]);
  }
  return new Map([...found].map(([id, from]) => [id, [...new Set(from)].toSorted().join('\n')]));
}

/** Steps that only run after a failure, and the wires that carry nothing otherwise: red ones, those back to the step that failed, those of these steps. */
function afterFailures(document: Workflow): { steps: ReadonlySet<string>; wires: ReadonlySet<Edge> } {
  const out = new Map<string, Edge[]>();
  for (const edge of document.edges) {
    const source = sourceOf(edge.from);
    const known = out.get(source);
    if (known) known.push(edge);
    else out.set(source, [edge]);
  }
  const wires = new Set(document.edges.filter((edge) => edge.from.endsWith('.error')));
  const back = new Set<Edge>();
  for (const failed of new Set([...wires].map((edge) => sourceOf(edge.from)))) {
    const seen = new Set([failed]);
    const todo = (out.get(failed) ?? []).filter((edge) => wires.has(edge)).map((edge) => edge.to);
    for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      for (const edge of out.get(id) ?? []) {
        if (edge.to === failed) back.add(edge);
        else todo.push(edge.to);
      }
    }
  }
  const steps = new Set<string>();
  for (let grew = true; grew;) {
    grew = false;
    // A step that only a way back leads to begins by itself.
    const led = new Map<string, boolean>();
    for (const edge of document.edges) if (!back.has(edge)) led.set(edge.to, (led.get(edge.to) ?? true) && wires.has(edge));
    for (const [id, only] of led) {
      if (!only || steps.has(id)) continue;
      steps.add(id);
      for (const edge of out.get(id) ?? []) wires.add(edge);
      grew = true;
    }
  }
  for (const edge of back) wires.add(edge);
  return { steps, wires };
}

/** `ran`: what the run on the screen was started with. `has`: whether the step has a result there. */
export function staleSteps(document: Workflow, ran: Workflow, has: (id: string) => boolean): ReadonlyMap<string, Stale> {
  const found = new Map<string, Stale>();
  if (document.nodes === ran.nodes && document.edges === ran.edges) return found;
  const [now, before] = [wiresInto(document.edges), wiresInto(ran.edges)];
  const [after, then] = [afterFailures(document), afterFailures(ran)];
  const feeds = (all: readonly Edge[], { steps, wires }: typeof after): Map<string, string> => wiresInto(all.filter((edge) => !wires.has(edge) || steps.has(edge.to)));
  const [fed, fedThen] = [feeds(document.edges, after), feeds(ran.edges, then)];
  for (const [id, node] of Object.entries(document.nodes)) {
    const old = ran.nodes[id];
    const same = old !== undefined && (old === node || content(old) === content(node)) && ((now.get(id) ?? '') === (before.get(id) ?? '') || (fed.get(id) ?? '') === (fedThen.get(id) ?? ''));
    if (!same) found.set(id, 'own');
  }
  // What was taken out of a frame changed the frame.
  for (const [id, node] of Object.entries(ran.nodes)) {
    if (!Object.hasOwn(document.nodes, id) && node.parent !== undefined && Object.hasOwn(document.nodes, node.parent)) found.set(node.parent, 'own');
  }
  const next = new Map<string, string[]>();
  const leads = (from: string, to: string): void => {
    const known = next.get(from);
    if (known) known.push(to);
    else next.set(from, [to]);
  };
  // What had no part in the result that stands there does not make it old.
  const counts = (edge: Edge): boolean => {
    const source = sourceOf(edge.from);
    const tookPart = Object.hasOwn(ran.nodes, source) && !then.steps.has(source);
    return !after.wires.has(edge) || after.steps.has(edge.to) || (tookPart && !edge.from.endsWith('.error'));
  };
  const counted = document.edges.filter(counts);
  for (const edge of counted) leads(sourceOf(edge.from), edge.to);
  for (const [id, node] of Object.entries(document.nodes)) if (node.parent !== undefined) leads(id, node.parent);
  const follow = (todo: string[]): void => {
    for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
      for (const to of next.get(id) ?? []) {
        if (found.has(to)) continue;
        found.set(to, 'before');
        todo.push(to);
      }
    }
  };
  follow([...found.keys()]);
  // Steps of a frame get what the frame gets.
  const inFrames = Object.entries(document.nodes).filter(([id, node]) => !found.has(id) && fedBy(document, counted, id, node, found));
  for (const [id] of inFrames) found.set(id, 'before');
  for (const id of found.keys()) if (!has(id)) found.delete(id);
  return found;
}

/** Whether a frame around a step gets something else, or is set otherwise, than then. */
function fedBy(document: Workflow, edges: readonly Edge[], id: string, node: Node, found: ReadonlyMap<string, Stale>): boolean {
  const seen = new Set([id]);
  let outer = node.parent;
  while (outer !== undefined && !seen.has(outer)) {
    seen.add(outer);
    const frame = outer;
    const into = edges.some((edge) => edge.to === frame && found.has(sourceOf(edge.from)));
    if (into || found.get(frame) === 'own') return true;
    outer = document.nodes[outer]?.parent;
  }
  return false;
}
