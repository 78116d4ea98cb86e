// Iterations that a person asks for by their number, of a run that is loaded in part: their events are read alone, folded alone, and laid over the
// view of the run.

import { isPartial } from './event-gap.ts';
import type { ReadonlyList } from './persistent-list.ts';
import { loopsOf, outerLoops, partsOf, stepAt, viewWith, type Choice, type LoopRun } from './run-paths.ts';
import { foldPart, isTerminal, type CallCard, type NodeRun, type RunDefinition, type RunEventLike, type RunView } from './run-state.ts';

/** Loop → path of its iteration that is looked at, of which not all events are loaded. */
export function missingRounds(view: RunView, definition: RunDefinition, choice: Choice): Readonly<Record<string, string>> {
  const missing: Record<string, string> = {};
  if (!isPartial(view)) return missing;
  for (const loop of outerLoops(definition)) {
    const index = choice[loop];
    if (index === undefined) continue;
    const inside = Object.keys(definition.nodes).filter((id) => loopsOf(definition, id)[0] === loop);
    if (!inside.some((id) => (view.nodes[id]?.unloaded ?? 0) > 0)) continue;
    const path = pathOfRound(view, loop, index, inside);
    const loaded = inside.some((id) => isLoaded(view.slotsOf.get(id), index));
    // What goes on comes by itself: only of one that stands still is the rest looked for.
    if (path !== undefined && (!loaded || (isTerminal(view.status) && isAtEdge(view, path)))) missing[loop] = path;
  }
  return missing;
}

function isLoaded(slots: ReadonlyMap<string, string> | undefined, index: number): boolean {
  if (!slots) return false;
  return slots.has(String(index)) || [...slots.keys()].some((key) => key.startsWith(`${String(index)},`));
}

/** The gap begins or ends in it. */
function isAtEdge({ events, gap }: RunView, path: string): boolean {
  const at = (gap?.from ?? 1) - 1;
  return [events[at - 1], events[at]].some((event) => event?.path != null && isInside(event.path, path));
}

const isInside = (path: string, round: string): boolean => path === round || path.startsWith(`${round}/`);

/** As another iteration of the loop that is loaded stands; one at the top needs none. */
function pathOfRound(view: RunView, loop: string, index: number, inside: readonly string[]): string | undefined {
  for (const id of inside) {
    for (const key of view.slotsOf.get(id)?.values() ?? []) {
      const { path } = stepAt(key);
      const parts = path === undefined ? [] : partsOf(path);
      const at = parts.findIndex((part) => part.id === loop && part.index !== undefined);
      if (at >= 0) return [...(path ?? '').split('/').slice(0, at), `${loop}[${String(index)}]`].join('/');
    }
  }
  return view.callsOf.has(loop) && view.calls.at(view.callsOf.get(loop)?.[0] ?? -1)?.path === undefined ? `${loop}[${String(index)}]` : undefined;
}

/** What was read of iterations. */
export interface Rounds {
  readonly loops: readonly string[];
  readonly part: RunView;
}

/** `last`: the event that the run ended with: what it ended is told by nothing else. */
export function foldRounds(runId: string, loops: readonly string[], events: readonly RunEventLike[], definition: RunDefinition, until: number, last: RunEventLike | undefined): Rounds {
  const seen = events.filter((event) => (event.seq ?? 0) <= until);
  return { loops, part: foldPart(runId, last ? [...seen, last] : seen, definition) };
}

/** The view with these iterations in it. Their calls stand behind those that are loaded. */
export function withRounds(view: RunView, { loops, part }: Rounds): RunView {
  const first = view.calls.length;
  const calls = new Joined(view.calls, part.calls);
  const slots = new Layered(view.slots, new Map([...part.slots].map(([key, run]) => [key, run.lastCard === undefined ? run : { ...run, lastCard: run.lastCard + first }] as const)));
  const slotsOf = new Map(view.slotsOf);
  for (const [id, keys] of part.slotsOf) slotsOf.set(id, new Layered(view.slotsOf.get(id) ?? new Map<string, string>(), keys));
  const callsOf = new Map(view.callsOf);
  for (const [id, mine] of part.callsOf) callsOf.set(id, [...(view.callsOf.get(id) ?? []), ...mine.map((index) => index + first)]);
  // Of a loop that ended among events that are not loaded it is known now that it came so far.
  const further = [...part.loops].flatMap(([key, { seen }]) => {
    const known = view.loops.get(key);
    return known?.lost && known.seen < seen ? [[key, { ...known, seen }] as const] : [];
  });
  return viewWith(view, {
    slots, slotsOf, calls, callsOf, loops: new Layered<LoopRun>(part.loops, new Layered(view.loops, new Map(further))), rounds: loops,
    // By these names ports are counted: what left there in the iteration is in its slots.
    ports: { ...Object.fromEntries(Object.keys(part.ports).map((name) => [name, 0])), ...view.ports },
    get cards() { return Array.from({ length: calls.length }, (_, index) => calls.at(index) as CallCard); },
  });
}

class Joined implements ReadonlyList<CallCard> {
  readonly length: number;
  /** The list that grows has more later on. */
  private readonly first: number;
  private readonly more: readonly CallCard[];
  constructor(private readonly base: ReadonlyList<CallCard>, part: ReadonlyList<CallCard>) {
    this.first = base.length;
    this.more = Array.from({ length: part.length }, (_, index) => ({ ...(part.at(index) as CallCard), index: this.first + index }));
    this.length = this.first + part.length;
  }
  at(index: number): CallCard | undefined {
    return index < this.first ? this.base.at(index) : this.more[index - this.first];
  }
}

/** Two maps as one: what is in `top` goes before. */
class Layered<V extends NodeRun | LoopRun | string> implements ReadonlyMap<string, V> {
  constructor(private readonly base: ReadonlyMap<string, V>, private readonly top: ReadonlyMap<string, V>) {}
  get size(): number {
    let more = 0;
    for (const key of this.top.keys()) if (!this.base.has(key)) more++;
    return this.base.size + more;
  }
  get(key: string): V | undefined { return this.top.get(key) ?? this.base.get(key); }
  has(key: string): boolean { return this.top.has(key) || this.base.has(key); }
  *entries(): MapIterator<[string, V]> {
    for (const [key, value] of this.base) yield [key, this.top.get(key) ?? value];
    for (const [key, value] of this.top) if (!this.base.has(key)) yield [key, value];
    return undefined;
  }
  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
    return undefined;
  }
  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
    return undefined;
  }
  [Symbol.iterator](): MapIterator<[string, V]> { return this.entries(); }
  forEach(visit: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }
}

