/** In which column each step stands: behind the last of the steps that lead to it. And in which row each step stands: what goes on after a step stays in its row, other ways take the next free row below, and error paths
 * lie below everything that went well beside them. */

export interface Way {
  from: string;
  to: string;
  error: boolean;
}

/** The column of each step, from 0. Wires that close a circle do not count. */
export function columnsOf(ids: readonly string[], ways: readonly Way[]): Map<string, number> {
  const out = new Map<string, string[]>(ids.map((id) => [id, []]));
  const waits = new Map<string, number>(ids.map((id) => [id, 0]));
  for (const { from, to } of ways) {
    if (from === to) continue;
    out.get(from)?.push(to);
    waits.set(to, (waits.get(to) ?? 0) + 1);
  }
  const starts = ids.filter((id) => waits.get(id) === 0);
  const columns = new Map<string, number>();
  const ready = [...starts];
  const reached = new Map<string, number>();
  for (let next = 0; columns.size < ids.length; next += 1) {
    // In a circle everybody waits: the first in the file that something leads to goes first.
    if (next >= ready.length) ready.push(ids.find((one) => !columns.has(one) && reached.has(one)) ?? ids.find((one) => !columns.has(one)) ?? '');
    const id = ready[next] as string;
    if (columns.has(id)) continue;
    const column = reached.get(id) ?? 0;
    columns.set(id, column);
    for (const to of out.get(id) ?? []) {
      if (columns.has(to)) continue;
      reached.set(to, Math.max(reached.get(to) ?? 0, column + 1));
      waits.set(to, (waits.get(to) ?? 0) - 1);
      if (waits.get(to) === 0) ready.push(to);
    }
  }
  // What starts later on stands just before what it leads to.
  for (const id of starts) {
    const first = Math.min(...(out.get(id) ?? []).map((to) => columns.get(to) ?? 0));
    if (Number.isFinite(first) && first > 1) columns.set(id, first - 1);
  }
  return columns;
}

/** Which columns of a row are taken. */
class Rows {
  private readonly taken: [from: number, to: number][][] = [];

  free(row: number, from: number, to: number): boolean {
    return !(this.taken[row] ?? []).some(([a, b]) => a <= to && from <= b);
  }
  take(row: number, from: number, to: number): void {
    (this.taken[row] ??= []).push([from, to]);
  }
  /** The first free row, not above `row`. */
  next(row: number, from: number, to: number): number {
    let at = row;
    while (!this.free(at, from, to)) at += 1;
    return at;
  }
  /** The row below all that stands in these columns. */
  below(from: number, to: number): number {
    let last = 0;
    this.taken.forEach((spans, row) => { if (spans.some(([a, b]) => a <= to && from <= b)) last = row; });
    return last + 1;
  }
}

/** The row of each step, from 0. `ids` in the order of the file, `columns` from the left. */
export function lanesOf(ids: readonly string[], columns: ReadonlyMap<string, number>, ways: readonly Way[]): Map<string, number> {
  const out = new Map<string, Way[]>();
  const entered = new Set<string>();
  for (const way of ways) {
    const list = out.get(way.from);
    if (list) list.push(way);
    else out.set(way.from, [way]);
    entered.add(way.to);
  }
  const columnOf = (id: string): number => columns.get(id) ?? 0;
  const rows = new Rows();
  const lanes = new Map<string, number>();
  const failed: Way[] = [];

  /** A step and all that goes on from it: the first way in the same row. Not by calls of itself: a workflow may be thousands of steps long. */
  const follow = (start: string, row: number, from: number): void => {
    const todo: { id: string; row: number; from: number }[] = [{ id: start, row, from }];
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { id } = next;
      if (lanes.has(id)) continue;
      const column = columnOf(id);
      const lane = rows.next(next.row, Math.min(next.from, column), column);
      lanes.set(id, lane);
      rows.take(lane, Math.min(next.from, column), column);
      const ways_ = out.get(id) ?? [];
      failed.push(...ways_.filter((way) => way.error));
      const on = ways_.filter((way) => !way.error && !lanes.has(way.to));
      // The first way is followed at once, to its end; the others then find their rows below it.
      todo.push(...on.toReversed().map((way) => ({ id: way.to, row: lane, from: column + 1 })));
    }
  };
  const starts = ids.filter((id) => !entered.has(id));
  for (const id of starts) follow(id, 0, columnOf(id));
  while (failed.length > 0 || lanes.size < ids.length) {
    const way = failed.shift();
    if (way) {
      if (lanes.has(way.to)) continue;
      const [a, b] = [columnOf(way.from), columnOf(way.to)];
      follow(way.to, Math.max(rows.below(Math.min(a, b), Math.max(a, b) + 1), (lanes.get(way.from) ?? 0) + 1), b);
    } else {
      // A circle has no beginning.
      const id = ids.find((one) => !lanes.has(one));
      if (id !== undefined) follow(id, rows.below(columnOf(id), columnOf(id)), columnOf(id));
    }
  }
  return lanes;
}
