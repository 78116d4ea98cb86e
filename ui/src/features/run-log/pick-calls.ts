// The calls that the cards show. Without a filter none is looked at: the list of calls is the list of cards.

import { inChoice } from '../../run/run-paths.ts';
import type { CallCard, RunView } from '../../run/run-state.ts';
import { indexIn } from '../../run/binary-search.ts';
import { SearchQuery } from './search-query.ts';

export interface CallFilter {
  /** one step only */
  step: string;
  errorsOnly: boolean;
  text: string;
}

/** Calls by their place in the list. */
export interface Picked {
  length: number;
  /** number of the call */
  at(place: number): number | undefined;
  /** place of a call, -1 when it is not among them */
  place(call: number): number;
}

/** Where a call stands, as its card says it. */
type Drawn = (card: CallCard) => string;
const nothing: Drawn = () => '';

/** `names`: another value when steps are drawn with other names. */
export function pickCalls(view: RunView, filter: CallFilter, search: CardSearch, drawn: Drawn = nothing, names?: unknown): Picked {
  const { calls, choice } = view;
  const whole = choice === undefined && !filter.errorsOnly && filter.text.trim() === '';
  if (whole && filter.step === '') {
    const inside = (n: number) => n >= 0 && n < calls.length;
    return { length: calls.length, at: (place) => (inside(place) ? place : undefined), place: (call) => (inside(call) ? call : -1) };
  }
  const fits = (card: CallCard): boolean =>
    (filter.step === '' || card.nodeId === filter.step) && (choice === undefined || inChoice(card.path, choice)) && (!filter.errorsOnly || (card.error !== undefined && !card.question));
  const list: number[] = [];
  const among = filter.text.trim() !== '' ? search.find(view, filter.text, drawn, names) : filter.step === '' ? undefined : view.callsOf.get(filter.step) ?? [];
  for (let at = 0; at < (among?.length ?? calls.length); at++) {
    const call = among ? (among[at] as number) : at;
    const card = calls.at(call);
    // Later ones had not begun at this moment of the past.
    if (!card) break;
    if (fits(card)) list.push(call);
  }
  return { length: list.length, at: (place) => list[place], place: (call) => indexIn(list, call) };
}

/** Values of one call that are looked at: a huge answer does not hold up the search. */
const MOST_VALUES = 2000;

/** Finds calls by what stands on their cards. While the run goes on only what has changed is looked through again. */
export class CardSearch {
  /** Calls looked through, for tests of what it costs. */
  read = 0;
  private words = '';
  private of: unknown;
  private names: unknown;
  private hits: number[] = [];
  private fits: boolean[] = [];
  /** `version` of the table when it was looked through. */
  private seen = 0;

  find(view: RunView, text: string, drawn: Drawn = nothing, names?: unknown): readonly number[] {
    const needle = new SearchQuery(text);
    const { words } = needle;
    // Of a moment of the past the calls are others: one that had not ended says less.
    const of = view.moment === undefined ? view.table : view;
    if (words !== this.words || of !== this.of || names !== this.names) {
      [this.words, this.of, this.names, this.hits, this.fits, this.seen] = [words, of, names, [], [], 0];
    }
    const { table, calls } = view;
    if (of === table && this.seen === table.version) return this.hits;
    let other = false;
    for (let call = 0; call < calls.length; call++) {
      if (call < this.fits.length && table.changedIn.get(call) <= this.seen) continue;
      const fits = says(calls.at(call) as CallCard, needle, drawn);
      this.read++;
      if (call < this.fits.length) other ||= fits !== this.fits[call];
      else if (fits) this.hits.push(call);
      this.fits[call] = fits;
    }
    // One in the middle fits now, or does not any more.
    if (other) this.hits = this.fits.flatMap((fits, call) => (fits ? [call] : []));
    this.seen = table.version;
    return this.hits;
  }
}

function says(card: CallCard, needle: SearchQuery, drawn: Drawn): boolean {
  if (needle.inPath(card.path) || needle.in(drawn(card))) return true;
  const budget = { left: MOST_VALUES };
  const data = { title: card.title, nodeId: card.nodeId, kind: card.kind, status: card.status, error: card.error, selected: card.selected, because: card.skippedBecause, rule: card.decision, printed: card.printed, files: card.files, changes: card.changes, people: card.people, said: card.said, config: card.config, input: card.input, resolved: card.resolvedInputs, outputs: card.outputs, items: card.items };
  return Object.values(data).some((value) => holds(value, needle, budget));
}

function holds(value: unknown, needle: SearchQuery, budget: { left: number }): boolean {
  if (budget.left-- <= 0 || value === null || value === undefined) return false;
  if (typeof value === 'string') return needle.in(value);
  if (typeof value !== 'object') return needle.in(String(value));
  for (const [key, one] of Object.entries(value)) {
    if ((!Array.isArray(value) && needle.in(key)) || holds(one, needle, budget)) return true;
  }
  return false;
}
