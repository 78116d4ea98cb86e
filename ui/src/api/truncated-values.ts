/** Tells what the wire has cut (K-28) from data of one's own of the same shape: what was cut names the place where it stands. */

import { Cut, isObject, pointerParts, pointerTo } from '../json/json.ts';
import type { Command, CutValue } from './types.ts';

/** What the text of an answer has in it when something in it may be cut. */
const MARK = '"_truncated":true';
/** An event, its payload, a field of it, at most three levels of its own (`depth_of` of the wire); the list of a definition's step in a comparison;
 * and one part of a value that was cut alone. */
const DEEPEST = 7;

const looksCut = (value: Record<string, unknown>): value is Record<string, unknown> & CutValue =>
  value['_truncated'] === true && typeof value['ref'] === 'string' && typeof value['length'] === 'number'
  && typeof value['type'] === 'string' && typeof value['preview'] === 'string';

/** Whether a value at a pointer into an answer may have been cut there, with that reference. */
type Fits = (pointer: string, ref: string) => boolean;

const PLACES: Partial<Record<Command, (answer: unknown) => void>> = {
  run_events: (answer) => { if (Array.isArray(answer)) markEvents(answer); },
  run_get(answer) {
    const run = runOf(answer);
    mark(answer, (at, ref) => ref === `${run}/summary${at}` || (at === '/params' && ref === `${run}/1/payload/params`));
  },
  run_step_data(answer) {
    const run = `${runOf(answer)}/`;
    mark(answer, (at, ref) => {
      // Which event, and the place in a list that many events have filled, only the host knows.
      const place = at.replace(/^\/output\//, '/items/').replace(/\/\d+\/data$/, '/#/data');
      return ref.startsWith(run) && ref.slice(run.length).replace(/^\d+(\/payload\/base\/events\/\d+)?/, '').replace(/\/\d+\/data$/, '/#/data') === `/payload${place}`;
    });
  },
  run_diff(answer) {
    const { a, b } = answer as { a?: unknown; b?: unknown };
    const runs: Record<string, string> = { a: runOf(a), b: runOf(b) };
    mark(answer, (at, ref) => {
      const [, list = '', side = '', inner = ''] = OF_A_SIDE.exec(at) ?? [];
      const { place, pointer } = standsAt(answer, list);
      const run = `${runs[side] ?? ''}/`;
      return place !== undefined && run !== '/' && ref.startsWith(run) && isAt(place, ref.slice(run.length), `${pointer}${inner}`);
    });
  },
  run_diff_step(answer) {
    // Which runs, and which of their events, only the host knows.
    mark(answer, (at, ref) => {
      const [, part = '', inner = ''] = OF_A_STEP.exec(at) ?? [];
      const place = PARTS_IN_LOG[part.split('/')[0] ?? ''];
      return place !== undefined && isAt(place, ref.replace(/^[^/]+\//, ''), inner);
    });
  },
  // Without a reference: there is no way to the whole that has the masks of the task, or none at all.
  task_get: (answer) => { mark(answer, (at, ref) => ref === '' && /^\/(variables\/[^/]*|upstream\/\d+\/output)$/.test(at)); },
  expression_preview: (answer) => { mark(answer, (at, ref) => ref === '' && /^\/value(\/\d+)?$/.test(at)); },
};

/** What stands on a side of one place of a comparison: the place, the side, and the part of the value. */
const OF_A_SIDE = /^(\/.+\/\d+)\/([ab])(\/.*)?$/;
const OF_A_STEP = /^\/[ab]\/(input\/\d+|config\/\d+|error\/\d+|output\/[^/]*\/\d+)(\/.*)?$/;

const IN_EVENT = String.raw`^\d+(/payload/base/events/\d+)?/payload`;
/** Where an event holds what is compared of a step. */
const PARTS_IN_LOG: Readonly<Record<string, RegExp>> = {
  input: new RegExp(String.raw`${IN_EVENT}/input/\d+/data`), config: new RegExp(`${IN_EVENT}/config`), error: new RegExp(`${IN_EVENT}/error`),
  output: new RegExp(String.raw`${IN_EVENT}/items/[^/]*/\d+/data`),
};
const WHOLES: Readonly<Record<string, RegExp>> = { params: /^1\/payload\/params/, context: /^summary\/context/, output: /^summary\/output/ };

/** Whether a reference leads into a place of a run, and there to a pointer. */
function isAt(place: RegExp, ref: string, pointer: string): boolean {
  const begins = place.exec(ref);
  return begins !== null && ref.slice(begins[0].length) === pointer;
}

/** Where in a run a place of a comparison stands, and the pointer from there on. */
function standsAt(answer: unknown, list: string): { place: RegExp | undefined; pointer: string } {
  const [first = '', ...way] = pointerParts(list);
  const change = valueAt(answer, [first, ...way]);
  const pointer = isObject(change) && typeof change['pointer'] === 'string' ? change['pointer'] : '';
  if (first === 'definition') return { place: /^definition\/nodes/, pointer: `${pointerTo('', String(valueAt(answer, [first, ...way.slice(0, 2), 'stepId'])))}${pointer}` };
  if (first !== 'steps') return { place: WHOLES[first], pointer };
  const part = String(valueAt(change, ['part']));
  // The item or call, and of what was put out its port, stand elsewhere in the log.
  return { place: PARTS_IN_LOG[part], pointer: pointer.split('/').slice(part === 'output' ? 3 : 2).map((name) => `/${name}`).join('') };
}

const valueAt = (value: unknown, way: readonly string[]): unknown =>
  way.reduce<unknown>((one, name) => (typeof one === 'object' && one !== null ? (one as Record<string, unknown>)[name] : undefined), value);

const runOf = (answer: unknown): string => (isObject(answer) && typeof answer['runId'] === 'string' ? answer['runId'] : '');

/** Marks what was cut in an answer; `text` is the one that it was read from, where there is one. */
export function markTruncated<T>(command: Command, answer: T, text = MARK): T {
  if (text.includes(MARK)) PLACES[command]?.(answer);
  return answer;
}

/** The same in events. */
export function markEvents<T>(events: T[], text = MARK): T[] {
  if (!text.includes(MARK)) return events;
  for (const event of events) {
    if (!isObject(event)) continue;
    const place = `${String(event['runId'])}/${String(event['seq'])}`;
    mark(event, (at, ref) => ref === place + at);
  }
  return events;
}

function mark(value: unknown, fits: Fits): void {
  const way: string[] = [];
  const go = (one: object): void => {
    for (const [key, child] of Object.entries(one) as [string, unknown][]) {
      if (typeof child !== 'object' || child === null) continue;
      way.push(key);
      if (isObject(child) && looksCut(child) && fits(way.reduce(pointerTo, ''), child.ref)) (one as Record<string, unknown>)[key] = new Cut(child);
      else if (way.length < DEEPEST) go(child);
      way.pop();
    }
  };
  if (typeof value === 'object' && value !== null) go(value);
}
