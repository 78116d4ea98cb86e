// Where in loops and branches something happened, and which iteration a person looks at.
// A path names containers from the outside: `each[3]` an iteration, `par/left` the branch that begins at `left`, `sub[2]` another file.

import type { NodeRun, NodeRunState, RunDefinition, RunStatus, RunView } from './run-types';

/** Loop → the iteration that is looked at, from 0. A loop that is not named is seen as a whole. */
export type Choice = Readonly<Record<string, number>>;
export const EVERY: Choice = {};

export interface PathPart {
  /** the container */
  id: string;
  /** iteration of a loop, item of a sub-workflow */
  index?: number;
}

/** Kinds whose steps run inside of them: while they do, the kind itself does nothing. */
export const CONTAINERS: ReadonlySet<string> = new Set(['flow.loop', 'flow.parallel', 'flow.subworkflow']);
const LOOP = 'flow.loop';
const BRANCHES = 'flow.parallel';
const OTHER_FILE = 'flow.subworkflow';

/** The slot that was named last: it is asked for several times in a row, and a name that is made anew is looked up slower. */
const named = { id: '', path: '', key: '' };

/** The name of a step at a path, as the engine writes it: `each[3]/send`. */
export function slotKey(id: string, path?: string | null): string {
  if (!path) return id;
  if (named.path !== path || named.id !== id) {
    named.id = id;
    named.path = path;
    named.key = `${path}/${id}`;
  }
  return named.key;
}

/** Such a name read back: the step, and the path that it stands at; none at the top. */
export function stepAt(name: string): { stepId: string; path?: string } {
  const at = name.lastIndexOf('/');
  return at < 0 ? { stepId: name } : { stepId: name.slice(at + 1), path: name.slice(0, at) };
}

const PART = /^(.*)\[(\d+)\]$/;

export function partsOf(path: string): PathPart[] {
  return path.split('/').map((part) => {
    const found = PART.exec(part);
    return found ? { id: found[1] as string, index: Number(found[2]) } : { id: part };
  });
}

export interface ReadPath {
  /** iterations from the outside, joined: `3,0` */
  key: string;
  /** key of each loop's own slot → iteration in it */
  loops: readonly (readonly [loop: string, id: string, index: number])[];
  /** steps of another file: they have no card on this canvas */
  foreign: boolean;
  /** the step on this canvas that called the other file */
  caller?: string | undefined;
}

export function readPath(path: string, definition: RunDefinition | undefined): ReadPath {
  const loops: [string, string, number][] = [];
  let home = '';
  let caller: string | undefined;
  let branch = false;
  for (const { id, index } of partsOf(path)) {
    // A branch has the name of the step that it begins with: that is no step of the way.
    if (!branch && definition?.nodes[id]?.type === OTHER_FILE) caller = id;
    if (caller !== undefined) break;
    branch = !branch && definition?.nodes[id]?.type === BRANCHES;
    if (index !== undefined) loops.push([slotKey(id, home), id, index]);
    home = slotKey(index === undefined ? id : `${id}[${index}]`, home);
  }
  return { key: loops.map(([, , index]) => index).join(), loops, foreign: caller !== undefined, caller };
}

/** Whether something at this path belongs to what is looked at. */
export function inChoice(path: string | null | undefined, choice: Choice): boolean {
  if (!path || choice === EVERY) return true;
  return partsOf(path).every(({ id, index }) => index === undefined || choice[id] === undefined || choice[id] === index);
}

/** Loops around a step, from the outside. */
export function loopsOf(definition: Pick<RunDefinition, 'nodes'>, id: string): string[] {
  const list: string[] = [];
  const seen = new Set<string>();
  for (let at = definition.nodes[id]?.parent; typeof at === 'string' && !seen.has(at); at = definition.nodes[at]?.parent) {
    seen.add(at);
    if (definition.nodes[at]?.type === LOOP) list.unshift(at);
  }
  return list;
}

/** What a run knows of one loop. */
export interface LoopRun {
  id: string;
  /** null: a condition decides how often it goes round */
  total: number | null;
  /** iterations that have begun: 1 more than the highest */
  seen: number;
  /** It ended among events that are not loaded: how often it went round is not known. */
  lost?: boolean;
}

// The worst first: what needs a person or is wrong is seen from outside, then what goes on.
const WORST: readonly NodeRunState[] = ['failed', 'asks', 'retrying', 'waiting', 'running', 'cancelled', 'handled', 'done', 'kept', 'skipped', 'unreached', 'idle'];

export const isWorse = (a: NodeRunState, b: NodeRunState): boolean => WORST.indexOf(a) < WORST.indexOf(b);

/** So many are remembered by state: when all of them went on, nothing is said of the others rather than something old. */
const NEWEST = 8;

/** Numbers of one step over many iterations; a slot that changes is taken out and put in again. */
export class Sum {
  private readonly states = new Map<NodeRunState, number>();
  /** Those that came to a state last and are still in it: what is said of many is what is true of one of them. */
  private readonly latest = new Map<NodeRunState, readonly NodeRun[]>();
  private itemsIn = 0;
  private itemsOut = 0;
  private durationMs = 0;
  private calls = 0;
  private open = 0;
  private startedAt: string | undefined;
  private lastCard: number | undefined;

  change(before: NodeRun | undefined, after: NodeRun): void {
    if (before) {
      this.add(before, -1);
      this.latest.set(before.state, (this.latest.get(before.state) ?? []).filter((one) => one !== before));
    }
    this.add(after, 1);
    this.latest.set(after.state, [...(this.latest.get(after.state) ?? []), after].slice(-NEWEST));
    if (after.startedAt !== undefined && (this.startedAt === undefined || after.startedAt < this.startedAt)) this.startedAt = after.startedAt;
    if (after.lastCard !== undefined) this.lastCard = Math.max(this.lastCard ?? 0, after.lastCard);
  }

  copy(): Sum {
    const other = new Sum();
    for (const [state, n] of this.states) other.states.set(state, n);
    for (const [state, run] of this.latest) other.latest.set(state, run);
    const { itemsIn, itemsOut, durationMs, calls, open, startedAt, lastCard } = this;
    return Object.assign(other, { itemsIn, itemsOut, durationMs, calls, open, startedAt, lastCard });
  }

  private add(run: NodeRun, by: 1 | -1): void {
    this.states.set(run.state, (this.states.get(run.state) ?? 0) + by);
    this.itemsIn += by * run.itemsIn;
    this.itemsOut += by * run.itemsOut;
    this.durationMs += by * run.durationMs;
    this.calls += by * run.calls;
    this.open += by * run.open;
  }

  /** The step as a whole: its worst state, sums of the rest. `known`: what it was called before. */
  whole(known: NodeRun): NodeRun {
    const state = WORST.find((one) => (this.states.get(one) ?? 0) > 0) ?? 'idle';
    const last = this.latest.get(state)?.at(-1);
    const many = (this.states.get(state) ?? 0) > 1;
    const total = [...this.states.values()].reduce((sum, n) => sum + n, 0);
    return {
      ...known,
      kind: last?.kind ?? known.kind,
      title: last?.title ?? known.title,
      state,
      attempt: last?.attempt ?? 0,
      maxAttempts: last?.maxAttempts,
      retryAtMs: many ? undefined : last?.retryAtMs,
      dueMs: many ? undefined : last?.dueMs,
      itemsIn: this.itemsIn, itemsOut: this.itemsOut, durationMs: this.durationMs, calls: this.calls, open: this.open,
      errorCode: last?.errorCode, message: last?.message,
      says: many ? undefined : last?.says,
      asking: many ? undefined : last?.asking,
      askingItems: many ? undefined : last?.askingItems,
      startedAt: this.startedAt, endedAt: this.open > 0 ? undefined : last?.endedAt,
      lastCard: this.lastCard,
      over: { of: total, inState: this.states.get(state) ?? 0, kept: this.states.get('kept') ?? 0 },
    };
  }
}

/** Numbers of many, by their names. */
export function together(many: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, n] of many.flatMap((one) => Object.entries(one))) sums[name] = (sums[name] ?? 0) + n;
  return sums;
}

export function sumOf(known: NodeRun, runs: readonly NodeRun[]): NodeRun {
  const sum = new Sum();
  for (const run of runs) sum.change(undefined, run);
  const kept = runs.flatMap((run) => (run.leftKept ? [run.leftKept] : []));
  const whole = { ...sum.whole(known), ...(kept.length > 0 ? { leftKept: together(kept) } : {}) };
  return runs.length === 1 ? { ...whole, over: undefined } : whole;
}

/** How often a loop goes round where one looks, and which of it one looks at; null when it has not begun there. One that goes round less often than
 * the number that is looked at stands at `of`: behind its last. */
export function roundsOf(view: RunView, definition: Pick<RunDefinition, 'nodes'>, loop: string, choice: Choice): { at: number | null; of: number; open: boolean } | null {
  let [of, open, found] = [0, false, false];
  const around = outside(definition, loop, choice);
  for (const [key, known] of view.loops) {
    if (known.id !== loop || !inChoice(stepAt(key).path ?? null, around)) continue;
    found = true;
    of = Math.max(of, known.total ?? known.seen);
    open ||= known.total === null;
  }
  return found && of > 0 ? { at: choice[loop] === undefined ? null : Math.min(choice[loop], of), of, open } : null;
}

/** The part of a choice that says where a loop itself stands. */
function outside(definition: Pick<RunDefinition, 'nodes'>, loop: string, choice: Choice): Choice {
  if (choice === EVERY) return EVERY;
  const around = loopsOf(definition, loop);
  return Object.fromEntries(Object.entries(choice).filter(([id]) => around.includes(id)));
}

/** Looks at another iteration of one loop; what was chosen in the loops inside of it is chosen anew. */
export function chooseRound(definition: Pick<RunDefinition, 'nodes'>, choice: Choice, loop: string, index: number | null): Choice {
  const inside = (id: string): boolean => loopsOf(definition, id).includes(loop);
  const kept = Object.entries(choice).filter(([id]) => id !== loop && !inside(id));
  return Object.fromEntries(index === null ? kept : [...kept, [loop, index]]);
}

/** The loops that stand in no other: one number chooses in all of them. */
export function outerLoops(definition: Pick<RunDefinition, 'nodes'>): string[] {
  return Object.keys(definition.nodes).filter((id) => definition.nodes[id]?.type === LOOP && loopsOf(definition, id).length === 0);
}

/** The whole run at one iteration: every outer loop at that number. */
export function chooseAll(definition: Pick<RunDefinition, 'nodes'>, index: number | null): Choice {
  return index === null ? EVERY : Object.fromEntries(outerLoops(definition).map((id) => [id, index]));
}

/** The iteration that something at a path belongs to. */
export function choiceOf(path: string, definition: RunDefinition): Choice {
  return Object.fromEntries(readPath(path, definition).loops.map(([, id, index]) => [id, index]));
}

/** A view with some of it replaced; what it works out on demand stays on demand. */
export function viewWith(view: RunView, parts: Partial<RunView>): RunView {
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(view), ...Object.getOwnPropertyDescriptors(parts) }) as RunView;
}

/** Whether a wire was taken: something left there, now or in the original of what is kept, or a container has ended well, whose `success` is always
 * taken (SEMANTICS 2), be it with nothing. */
export function isTaken(run: NodeRun | undefined, from: string, ports: Readonly<Record<string, number>>): boolean {
  const kept = run?.leftKept?.[from.slice(from.lastIndexOf('.') + 1)];
  if ((ports[from] ?? 0) > 0 || (kept ?? 0) > 0) return true;
  return (run?.state === 'done' || kept !== undefined) && CONTAINERS.has(run?.kind ?? '') && from.endsWith('.success');
}

/** Whether nothing of a kept result left there, as far as that is known. */
export const isKeptAside = (run: NodeRun | undefined, from: string): boolean => run?.state === 'kept' && run.leftKept !== undefined && !isTaken(run, from, {});

/** What did not run in an iteration that is over: skipped where nothing came along any way to it, else never reached. A break, a failure and a cancel leave both. */
function tellStill(status: RunStatus, definition: RunDefinition, nodes: Record<string, NodeRun>, ports: Readonly<Record<string, number>>, still: readonly string[]): void {
  const ended = status === 'completed' || status === 'failed' || status === 'cancelled';
  const over = (id: string): boolean => {
    const loop = loopsOf(definition, id).map((one) => nodes[one]).findLast((run) => run !== undefined && (run.calls > 0 || run.state === 'kept'));
    return ended || loop?.open === 0;
  };
  const ways = new Map<string, string[]>();
  const way = (from: string, to: string): void => void ways.set(to, [...(ways.get(to) ?? []), from]);
  for (const { from, to } of definition.edges) way(from, to);
  for (const [id, { errorHandling }] of Object.entries(definition.nodes)) if (errorHandling?.fallbackNodeId) way(`${id}.fallback`, errorHandling.fallbackNodeId);
  const dead = (from: string): boolean => {
    const source = nodes[from.slice(0, from.lastIndexOf('.'))];
    const state = source?.state;
    // Where a kept result led to, something was kept or has run again.
    if (state === 'kept') return status === 'completed' || isKeptAside(source, from);
    return state === 'skipped' || ((state === 'done' || state === 'handled') && !isTaken(source, from, ports));
  };
  const state = (id: string, now: NodeRunState): void => void (nodes[id] = { ...(nodes[id] as NodeRun), state: now });
  const left = new Set(still.filter(over));
  for (const id of left) state(id, 'unreached');
  for (let more = true; more;) {
    more = false;
    for (const id of left) {
      const parent = definition.nodes[id]?.parent;
      if (!ways.get(id)?.every(dead) && !(typeof parent === 'string' && nodes[parent]?.state === 'skipped')) continue;
      state(id, 'skipped');
      left.delete(id);
      more = true;
    }
  }
}

const LOOKED = new WeakMap<RunView, { choice: Choice; view: RunView }>();

/** A run as it is in the chosen iterations: states, counts and calls of steps in loops are those of these alone. */
export function viewAt(view: RunView, definition: RunDefinition, choice: Choice): RunView {
  if (Object.keys(choice).length === 0) return view;
  const before = LOOKED.get(view);
  if (before && before.choice === choice) return before.view;
  const nodes: Record<string, NodeRun> = { ...view.nodes };
  const narrowed = new Map<string, readonly string[]>();
  const still: string[] = [];
  /** Outer loops of which something is loaded there, and steps that nothing is loaded of. */
  const loaded = new Set<string>(view.rounds);
  const absent: [id: string, loop: string][] = [];
  for (const id of Object.keys(definition.nodes)) {
    const around = loopsOf(definition, id);
    if (!around.some((loop) => choice[loop] !== undefined)) continue;
    const slots = view.slotsOf.get(id);
    const wanted = around.map((loop) => choice[loop]);
    const exact = wanted.every((index) => index !== undefined) ? slots?.get(wanted.join()) : undefined;
    const keys = exact !== undefined ? [exact] : wanted.includes(undefined) ? [...(slots ?? [])].filter(([key]) => key.split(',').every((index, i) => wanted[i] === undefined || Number(index) === wanted[i])).map(([, slot]) => slot) : [];
    const runs = keys.flatMap((key) => view.slots.get(key) ?? []);
    const known = view.nodes[id];
    const rest: NodeRun = { id, kind: known?.kind, title: known?.title, state: 'idle', attempt: 0, itemsIn: 0, itemsOut: 0, durationMs: 0, calls: 0, open: 0 };
    nodes[id] = runs.length > 0 ? sumOf(rest, runs) : rest;
    if (runs.length > 0) loaded.add(around[0] as string);
    else absent.push([id, around[0] as string]);
    narrowed.set(id, keys);
  }
  for (const [id, loop] of absent) {
    const unloaded = loaded.has(loop) ? undefined : view.nodes[id]?.unloaded;
    // An iteration that is not loaded: what was in it is not known.
    if (unloaded !== undefined) nodes[id] = { ...(nodes[id] as NodeRun), unloaded };
    else still.push(id);
  }
  const ports = Object.fromEntries(Object.entries(view.ports).map(([port, whole]) => {
    const dot = port.lastIndexOf('.');
    const keys = narrowed.get(port.slice(0, dot));
    return [port, keys ? keys.reduce((sum, key) => sum + (view.slots.get(key)?.left?.[port.slice(dot + 1)] ?? 0), 0) : whole];
  }));
  // What is still being read goes on, however the run stands.
  tellStill(view.behind ? 'running' : view.status, definition, nodes, ports, still);
  const at: RunView = viewWith(view, { nodes, ports, choice });
  LOOKED.set(view, { choice, view: at });
  return at;
}
