/** Tells what the wire has cut (K-28) from data of one's own of the same shape: what was cut names the place where it stands. */

import { Cut, isObject, pointerTo } from './json.ts';
import type { Command, CutValue } from './types.ts';

/** What the text of an answer has in it when something in it may be cut. */
const MARK = '"_truncated":true';
/** An event, its payload, a field of it, at most three levels of its own, and one part of a value that was cut alone (`depth_of` of the wire). */
const DEEPEST = 6;

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
  // Without a reference: there is no way to the whole that has the masks of the task, or none at all.
  task_get: (answer) => { mark(answer, (at, ref) => ref === '' && /^\/(variables\/[^/]*|upstream\/\d+\/output)$/.test(at)); },
  expression_preview: (answer) => { mark(answer, (at, ref) => ref === '' && at === '/value'); },
};

const runOf = (answer: unknown): string => (isObject(answer) && typeof answer['runId'] === 'string' ? answer['runId'] : '');

/** Marks what was cut in an answer; `text` is the one that it was read from, where there is one. */
export function markCuts<T>(command: Command, answer: T, text = MARK): T {
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
