/** Steps whose result on the screen is not what they would make now (UX C16): their settings or wires have changed since the run began, or those of
 * a step before them. Compared by what they hold; names and places on the canvas do not count, as in the verdict of a re-run. */
import type { Node, Workflow } from '../../api/types.ts';

/** `own`: the step itself has changed; `before`: something that leads to it has. */
export type Stale = 'own' | 'before';

const UNTOLD: ReadonlySet<string> = new Set(['title', 'description', 'pinned', 'typeVersion']);

/** One text for what is the same, whatever order it was written in. */
const plain = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(plain)
    : value !== null && typeof value === 'object' ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, plain(inner)]))
      : value;
const content = (node: Node): string => JSON.stringify(plain(Object.fromEntries(Object.entries(node).filter(([name, value]) => !UNTOLD.has(name) && value !== undefined))));

function wiresInto(document: Workflow): Map<string, string> {
  const found = new Map<string, string[]>();
  for (const edge of document.edges) {
    const known = found.get(edge.to);
    if (known) known.push(edge.from);
    else found.set(edge.to, [edge.from]);
  }
  return new Map([...found].map(([id, from]) => [id, [...new Set(from)].toSorted().join('\n')]));
}

const sourceOf = (from: string): string => from.slice(0, from.lastIndexOf('.'));

/** `ran`: what the run on the screen was started with. `has`: whether the step has a result there. */
export function staleSteps(document: Workflow, ran: Workflow, has: (id: string) => boolean): ReadonlyMap<string, Stale> {
  const found = new Map<string, Stale>();
  if (document.nodes === ran.nodes && document.edges === ran.edges) return found;
  const [now, before] = [wiresInto(document), wiresInto(ran)];
  for (const [id, node] of Object.entries(document.nodes)) {
    const old = ran.nodes[id];
    const same = old !== undefined && (old === node || content(old) === content(node)) && (now.get(id) ?? '') === (before.get(id) ?? '');
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
  for (const edge of document.edges) leads(sourceOf(edge.from), edge.to);
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
  const fed = Object.entries(document.nodes).filter(([id, node]) => !found.has(id) && fedBy(document, id, node, found));
  for (const [id] of fed) found.set(id, 'before');
  for (const id of found.keys()) if (!has(id)) found.delete(id);
  return found;
}

/** Whether a frame around a step gets something else, or is set otherwise, than then. */
function fedBy(document: Workflow, id: string, node: Node, found: ReadonlyMap<string, Stale>): boolean {
  const seen = new Set([id]);
  let outer = node.parent;
  while (outer !== undefined && !seen.has(outer)) {
    seen.add(outer);
    const frame = outer;
    const into = document.edges.some((edge) => edge.to === frame && found.has(sourceOf(edge.from)));
    if (into || found.get(frame) === 'own') return true;
    outer = document.nodes[outer]?.parent;
  }
  return false;
}
