/** Steps whose result on the screen is not what they would make now (UX C16): their settings or wires have changed since it was made, or those of
 * a step before them. Compared by what they hold; names and places on the canvas do not count, as in the verdict of a re-run. What is done about
 * an error does not count either, other than there: a result without one stays what it is. */
import type { Node, Workflow } from '../../api/types.ts';

/** `own`: the step itself has changed; `before`: something that leads to it has. */
export type Stale = 'own' | 'before';

const UNTOLD: ReadonlySet<string> = new Set(['title', 'description', 'pinned', 'fault', 'typeVersion', 'errorHandling']);

/** One text for what is the same, whatever order it was written in. */
const plain = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(plain)
    : value !== null && typeof value === 'object' ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, plain(inner)]))
      : value;
const contents = new WeakMap<Node, string>();
function content(node: Node): string {
  const here = contents.get(node);
  if (here !== undefined) return here;
  const made = JSON.stringify(plain(Object.fromEntries(Object.entries(node).filter(([name, value]) => !UNTOLD.has(name) && value !== undefined))));
  contents.set(node, made);
  return made;
}

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

/** What the wires of a definition say, looked at once: most edits leave them as they are. */
interface Wires { into: Map<string, string>; fed: Map<string, string>; after: ReturnType<typeof afterFailures> }
const known = new WeakMap<readonly Edge[], Wires>();
function wiresOf(document: Workflow): Wires {
  const here = known.get(document.edges);
  if (here) return here;
  const after = afterFailures(document);
  const { steps, wires } = after;
  const made = { into: wiresInto(document.edges), fed: wiresInto(document.edges.filter((edge) => !wires.has(edge) || steps.has(edge.to))), after };
  known.set(document.edges, made);
  return made;
}

/** What the result of a step was made with: the definition of the run on the screen, of the run that it was kept from, or both, where a re-run
 * kept some iterations and ran others. */
export type MadeWith = (id: string) => readonly Workflow[];

/** Steps whose results, where they have one, are not what they would make now. `made`: see `madeWith`. */
export function staleSteps(document: Workflow, ran: Workflow, made: MadeWith = () => [ran]): ReadonlyMap<string, Stale> {
  const found = new Map<string, Stale>();
  const { into: now, fed, after } = wiresOf(document);
  const same = (id: string, node: Node, then: Workflow): boolean => {
    if (document.nodes === then.nodes && document.edges === then.edges) return true;
    const old = then.nodes[id];
    if (old === undefined || (old !== node && content(old) !== content(node))) return false;
    const before = wiresOf(then);
    return (now.get(id) ?? '') === (before.into.get(id) ?? '') || (fed.get(id) ?? '') === (before.fed.get(id) ?? '');
  };
  const definitions = new Set([ran]);
  for (const [id, node] of Object.entries(document.nodes)) {
    for (const then of made(id)) {
      definitions.add(then);
      if (!same(id, node, then)) found.set(id, 'own');
    }
  }
  // What was taken out of a frame changed the frame.
  for (const then of definitions) {
    for (const [id, { parent }] of Object.entries(then.nodes)) {
      if (parent !== undefined && !Object.hasOwn(document.nodes, id) && Object.hasOwn(document.nodes, parent) && made(parent).includes(then)) found.set(parent, 'own');
    }
  }
  if (found.size === 0) return found;
  const next = new Map<string, string[]>();
  const leads = (from: string, to: string): void => {
    const there = next.get(from);
    if (there) there.push(to);
    else next.set(from, [to]);
  };
  // What had no part in the result that stands there does not make it old.
  const tookPart = (source: string, to: string): boolean => made(to).some((then) => Object.hasOwn(then.nodes, source) && !wiresOf(then).after.steps.has(source));
  const counts = (edge: Edge): boolean => !after.wires.has(edge) || after.steps.has(edge.to) || (!edge.from.endsWith('.error') && tookPart(sourceOf(edge.from), edge.to));
  const counted = document.edges.filter(counts);
  for (const edge of counted) leads(sourceOf(edge.from), edge.to);
  for (const [id, node] of Object.entries(document.nodes)) if (node.parent !== undefined) leads(id, node.parent);
  const todo = [...found.keys()];
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    for (const to of next.get(id) ?? []) {
      if (found.has(to)) continue;
      found.set(to, 'before');
      todo.push(to);
    }
  }
  // Steps of a frame get what the frame gets.
  const others = new Set(counted.filter((edge) => found.has(sourceOf(edge.from))).map((edge) => edge.to));
  for (const [id, why] of found) if (why === 'own') others.add(id);
  const inFrames = Object.keys(document.nodes).filter((id) => !found.has(id) && inside(document, id, others));
  for (const id of inFrames) found.set(id, 'before');
  return found;
}

/** Whether one of the frames around a step is among these. */
function inside(document: Workflow, id: string, frames: ReadonlySet<string>): boolean {
  const seen = new Set([id]);
  for (let outer = document.nodes[id]?.parent; outer !== undefined && !seen.has(outer); outer = document.nodes[outer]?.parent) {
    if (frames.has(outer)) return true;
    seen.add(outer);
  }
  return false;
}
