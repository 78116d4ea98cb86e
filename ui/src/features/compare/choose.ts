// Which runs a run is compared with first: those of its family, then the newest of its workflow. Pure.

import type { RunRow } from '../../api/types.ts';

export type Kinship = 'parent' | 'child' | 'sibling' | 'recent';
export interface Candidate { run: RunRow; kin: Kinship }

const ORDER: readonly Kinship[] = ['parent', 'child', 'sibling', 'recent'];

/** `rows`: runs of the workflow, newest first, and the original where it is not among them. */
export function candidatesOf(run: { runId: string; parentRunId?: string | undefined }, rows: readonly RunRow[]): Candidate[] {
  const kinOf = (row: RunRow): Kinship => {
    if (row.runId === run.parentRunId) return 'parent';
    if (row.parentRunId === run.runId) return 'child';
    return row.parentRunId !== undefined && row.parentRunId === run.parentRunId ? 'sibling' : 'recent';
  };
  const seen = new Set([run.runId]);
  const others = rows.filter((row) => !seen.has(row.runId) && seen.add(row.runId));
  return others.map((row) => ({ run: row, kin: kinOf(row) })).toSorted((a, b) => ORDER.indexOf(a.kin) - ORDER.indexOf(b.kin));
}

/** The older one is the first: ids begin with the time. */
export const inOrder = (one: string, other: string): { runId: string; with: string } => (one <= other ? { runId: one, with: other } : { runId: other, with: one });
