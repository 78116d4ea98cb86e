/** What a proposal changes, part by part, so that a person can accept or reject one of them. Pure. */
import type { Edge, Workflow } from '../../api/types.ts';

export type PartKind = 'new' | 'changed' | 'removed' | 'wires' | 'workflow';
export interface Part {
  key: string;
  kind: PartKind;
  /** The step; absent for wires and for the settings of the workflow. */
  step?: string;
}
export type Keys = ReadonlySet<string>;

type Fields = { [key: string]: unknown };

/** Not compared: steps and wires are parts of their own, places follow their steps, and the id is the file's. */
const NOT_SETTINGS = ['nodes', 'edges', 'layout', 'id', 'signalbox'];

/** The same text for the same value, whatever the order of its fields. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value).filter(([, inner]) => inner !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
export const sameValue = (a: unknown, b: unknown): boolean => a === b || canonical(a) === canonical(b);

const wire = (edge: Edge): string => `${edge.from}>${edge.to}`;
const endsOf = (edge: Edge): [string, string] => [edge.from.slice(0, edge.from.lastIndexOf('.')), edge.to];
const has = (document: Workflow, id: string): boolean => Object.hasOwn(document.nodes, id);
const settingsOf = (...documents: Workflow[]): string[] => [...new Set(documents.flatMap((document) => Object.keys(document)))].filter((key) => !NOT_SETTINGS.includes(key));
const field = (document: Workflow, key: string): unknown => (document as unknown as Fields)[key];

function wiresOf(base: Workflow, proposal: Workflow): { added: Edge[]; removed: Edge[] } {
  const before = new Set(base.edges.map(wire));
  const after = new Set(proposal.edges.map(wire));
  return { added: proposal.edges.filter((edge) => !before.has(wire(edge))), removed: base.edges.filter((edge) => !after.has(wire(edge))) };
}
/** A wire of a step that comes or goes belongs to that step. */
const between = (edge: Edge, base: Workflow, proposal: Workflow): boolean => endsOf(edge).every((id) => has(base, id) && has(proposal, id));

/** What the proposal still changes of the workflow as it is now. */
export function openParts(base: Workflow, proposal: Workflow, current: Workflow): Part[] {
  const parts: Part[] = [];
  for (const [step, node] of Object.entries(proposal.nodes)) {
    if (!has(base, step)) {
      if (!sameValue(node, current.nodes[step])) parts.push({ key: `step:${step}`, kind: has(current, step) ? 'changed' : 'new', step });
    } else if (!sameValue(node, base.nodes[step]) && !sameValue(node, current.nodes[step])) parts.push({ key: `step:${step}`, kind: 'changed', step });
  }
  for (const step of Object.keys(base.nodes)) if (!has(proposal, step) && has(current, step)) parts.push({ key: `step:${step}`, kind: 'removed', step });
  const now = new Set(current.edges.map(wire));
  const { added, removed } = wiresOf(base, proposal);
  const open = [...added.filter((edge) => !now.has(wire(edge))), ...removed.filter((edge) => now.has(wire(edge)))].filter((edge) => between(edge, base, proposal));
  if (open.length > 0) parts.push({ key: 'wires', kind: 'wires' });
  const settings = settingsOf(base, proposal).some((key) => !sameValue(field(base, key), field(proposal, key)) && !sameValue(field(proposal, key), field(current, key)));
  if (settings) parts.push({ key: 'workflow', kind: 'workflow' });
  return parts;
}

export const allOf = (parts: readonly Part[]): Keys => new Set(parts.map((part) => part.key));

function withField(document: Workflow, key: string, value: unknown): Workflow {
  const next = { ...document } as unknown as Fields;
  if (value === undefined) Reflect.deleteProperty(next, key);
  else next[key] = value;
  return next as unknown as Workflow;
}

/** The parts of `to` put into `into`, where `from` and `to` are what differs. */
function move(into: Workflow, from: Workflow, to: Workflow, keys: Keys): Workflow {
  const nodes = { ...into.nodes };
  const layout = { ...into.layout };
  for (const key of keys) {
    if (!key.startsWith('step:')) continue;
    const step = key.slice(5);
    const node = to.nodes[step];
    if (node) {
      nodes[step] = node;
      const place = to.layout?.[step];
      if (place && !layout[step]) layout[step] = place;
    } else {
      Reflect.deleteProperty(nodes, step);
      Reflect.deleteProperty(layout, step);
    }
  }
  const { added, removed } = wiresOf(from, to);
  const there = new Set(into.edges.map(wire));
  const takes = (edge: Edge): boolean => (between(edge, from, to) ? keys.has('wires') : endsOf(edge).some((id) => keys.has(`step:${id}`)));
  const gone = new Set(removed.filter(takes).map(wire));
  const edges = [...into.edges.filter((edge) => !gone.has(wire(edge))), ...added.filter((edge) => takes(edge) && !there.has(wire(edge)))]
    .filter((edge) => endsOf(edge).every((id) => Object.hasOwn(nodes, id)));
  let next: Workflow = { ...into, nodes, edges };
  if (into.layout || Object.keys(layout).length > 0) next.layout = layout;
  if (keys.has('workflow')) {
    for (const name of settingsOf(from, to)) if (!sameValue(field(from, name), field(to, name))) next = withField(next, name, field(to, name));
  }
  return next;
}

/** The workflow with these parts accepted. */
export function accept(current: Workflow, base: Workflow, proposal: Workflow, keys: Keys): Workflow {
  const everything = openParts(base, proposal, current).every((part) => keys.has(part.key));
  // As it was proposed, in its order, when nothing else has been changed meanwhile.
  if (everything && sameValue(current, base)) return { ...proposal, id: current.id };
  return move(current, base, proposal, keys);
}

/** The proposal without these parts. */
export const reject = (base: Workflow, proposal: Workflow, keys: Keys): Workflow => move(proposal, proposal, base, keys);

/** What the canvas shows of a proposal: everything that is open, and the steps that go. */
export function preview(current: Workflow, base: Workflow, proposal: Workflow): { document: Workflow; parts: Part[] } {
  const parts = openParts(base, proposal, current);
  const stays = new Set(parts.filter((part) => part.kind !== 'removed').map((part) => part.key));
  return { document: move(current, base, proposal, stays), parts };
}
