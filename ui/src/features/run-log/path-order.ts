// Paths of a run, page by page, in the order of the iterations and not of their first events: an iteration that ran again stands where it stood.

import { partsOf } from '../../run/run-paths.ts';

/** Rank of the container and number of the iteration, in turn, from the outside. */
type Key = readonly number[];

/** Each container comes where it was first seen, so what has a place keeps it: a page is sorted by itself, and laid into what is there. */
export class PathOrder<P extends { path: string }> {
  private readonly ranks = new Map<string, number>();
  private readonly keys = new Map<P, Key>();
  private all: readonly P[] = [];

  /** All that came, and this page. */
  with(page: readonly P[]): readonly P[] {
    for (const one of page) this.keys.set(one, this.keyOf(one.path));
    const more = page.toSorted((a, b) => this.compare(a, b));
    // Runs of the page and of what is there, in turn: nearly always one of each.
    const pieces: P[][] = [];
    let at = 0;
    for (const one of more) {
      const to = this.endOf(one, at);
      if (to > at || pieces.length === 0) pieces.push(this.all.slice(at, to), [one]);
      else pieces.at(-1)?.push(one);
      at = to;
    }
    this.all = ([] as P[]).concat(...pieces, this.all.slice(at));
    return this.all;
  }

  /** How much of what is there, from a place on, comes before a new one; the end is looked at first. */
  private endOf(one: P, from: number): number {
    let [low, high] = [from, this.all.length];
    for (let look = high - 1; low < high; look = (low + high) >> 1) {
      if (this.compare(this.all[look] as P, one) > 0) high = look;
      else low = look + 1;
    }
    return low;
  }

  private keyOf(path: string): Key {
    return partsOf(path).flatMap(({ id, index = 0 }) => {
      const rank = this.ranks.get(id) ?? this.ranks.size;
      this.ranks.set(id, rank);
      return [rank, index];
    });
  }

  /** What stands around another comes before it. */
  private compare(one: P, other: P): number {
    const [a, b] = [this.keys.get(one) ?? [], this.keys.get(other) ?? []];
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const by = (a[i] as number) - (b[i] as number);
      if (by !== 0) return by;
    }
    return a.length - b.length;
  }
}
