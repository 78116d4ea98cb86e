// Where errors and questions to people lie among the events of a run. Kept up as events come; pure.

import type { RunEventLike } from '../../run/run-state.ts';
import { isQuestion } from '../../json/json.ts';
import { firstAbove } from '../../run/binary-search.ts';

export type MarkKind = 'err' | 'person';
export interface Mark { kind: MarkKind; seq: number; share: number }

const KIND: { readonly [type: string]: MarkKind } = { step_error: 'err', workflow_failed: 'err', human_task_created: 'person', pause_start: 'person' };
/** More signs than this are not told apart. */
const PLACES = 120;

export class Marks {
  /** Events looked at, for tests of what it costs. */
  read = 0;
  private readonly found: { readonly [K in MarkKind]: number[] } = { err: [], person: [] };

  /** Events only come at the end. */
  take(events: readonly RunEventLike[]): void {
    for (; this.read < events.length; this.read++) {
      const event = events[this.read];
      const kind = isQuestion(event?.payload) ? undefined : KIND[event?.type ?? ''];
      if (kind) this.found[kind].push(this.read + 1);
    }
  }

  /** One sign per place, the first of those that fall together. */
  shown(last: number): Mark[] {
    const list: Mark[] = [];
    for (const kind of ['err', 'person'] as const) {
      const seqs = this.found[kind];
      let at = 0;
      for (let place = 0; place < PLACES && at < seqs.length; place++) {
        const end = ((place + 1) / PLACES) * last;
        const seq = seqs[at] as number;
        if (seq > end) continue;
        list.push({ kind, seq, share: shareOf(seq, last) });
        at = firstAbove(seqs, end);
      }
    }
    return list;
  }
}

/** Place of an event on the track, 0 to 1. */
export const shareOf = (seq: number, last: number): number => (last <= 1 ? 1 : (Math.min(seq, last) - 1) / (last - 1));
