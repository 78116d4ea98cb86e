// The events of a long run that are not loaded: those between its first ones and its newest.

import type { RunEventLike, RunView } from './run-types';

/** Numbers of the first and the last event that is not loaded. */
export interface EventGap {
  readonly from: number;
  readonly to: number;
}

export const sizeOf = (gap: EventGap | undefined): number => (gap ? gap.to - gap.from + 1 : 0);

export const isInGap = (gap: EventGap | undefined, seq: number): boolean => gap !== undefined && seq >= gap.from && seq <= gap.to;

/** Place of an event in the list of the loaded ones, from 0; -1 when it is not loaded. */
export function placeOf(gap: EventGap | undefined, seq: number): number {
  if (!gap || seq < gap.from) return seq - 1;
  return seq > gap.to ? seq - 1 - sizeOf(gap) : -1;
}

/** Number of the event at a place of that list. */
export const seqOf = (gap: EventGap | undefined, place: number): number => (!gap || place < gap.from - 1 ? place + 1 : place + 1 + sizeOf(gap));

/** An event by its number; undefined when it is not loaded, or not there. */
export const eventAt = (view: Pick<RunView, 'events' | 'gap'>, seq: number): RunEventLike | undefined => view.events[placeOf(view.gap, seq)];

/** Sums and counts of this moment leave out what is not loaded. Before the gap everything is known. */
export const isPartial = (view: Pick<RunView, 'gap' | 'lastSeq'> | null | undefined): boolean => view?.gap !== undefined && view.lastSeq > view.gap.to;
