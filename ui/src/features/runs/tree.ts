import type { RunRow } from '../../api/types.ts';

/** Runs form a tree: a re-run stands under its original, as far as both are in the list. A family stands where its newest run is. */
export function asTree(runs: readonly RunRow[]): { run: RunRow; depth: number }[] {
  const here = new Map(runs.map((run) => [run.runId, run]));
  const children = new Map<string, RunRow[]>();
  for (const run of runs) {
    const parent = run.parentRunId;
    if (parent !== undefined && parent !== run.runId && here.has(parent)) children.set(parent, [...(children.get(parent) ?? []), run]);
  }
  const rootOf = (run: RunRow): RunRow => {
    let at = run;
    // A parent is always older, so this ends; what says otherwise ends it too.
    for (let hops = 0; hops < runs.length; hops += 1) {
      const parent = at.parentRunId === undefined ? undefined : here.get(at.parentRunId);
      if (!parent || parent === at) break;
      at = parent;
    }
    return at;
  };
  const out: { run: RunRow; depth: number }[] = [];
  const placed = new Set<string>();
  const place = (run: RunRow, depth: number) => {
    if (placed.has(run.runId)) return;
    placed.add(run.runId);
    out.push({ run, depth });
    for (const child of children.get(run.runId) ?? []) place(child, depth + 1);
  };
  for (const run of runs) {
    place(rootOf(run), 0);
    place(run, 0);
  }
  return out;
}
