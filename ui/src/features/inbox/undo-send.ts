// A decision about many that is taken back leads to the choice as it stood: its rows, its note, its correction. Lives as long
// as the page; what a page has not seen itself (a reload, another window) is made again from the decision.

import { useEffect } from 'react';
import { create } from 'zustand';
import { asSchema } from '../../json/json-schema.ts';
import { call } from '../../api/client.ts';
import type { JsonSchema } from '../../api/types.ts';
import type { Operation } from '../../shared/evidence/patch.ts';
import { isBatch, PART, undoLast, cancelSend, useSends, type Send } from './sending.ts';
import type { Task, TaskRow } from './types.ts';

/** `source`: the task whose input was corrected. */
export interface Correction { patch: Operation[]; source: string; schema: JsonSchema }
/** What a person has set in the view of many; `off`: ids of tasks that are left out. */
export interface BulkDraft { mode: 'correct' | 'same'; off: ReadonlySet<string>; notes: string }
export interface Choice { rows: ReadonlyMap<string, TaskRow>; correction: Correction | null; draft: BulkDraft }
/** `id`: of the decision that was taken back. */
export type ChoiceBack = Choice & { id: string };

/** By decision, with the tasks it began with. */
const kept = new Map<string, { choice: Choice; taskIds: readonly string[] }>();
const useBack = create<{ back: ChoiceBack | null }>(() => ({ back: null }));

// What can no longer be taken back is not kept: a correction may hold a secret.
useSends.subscribe(({ sends }) => {
  for (const id of kept.keys()) if (!sends.some((send) => send.id === id && send.state === 'waiting')) kept.delete(id);
});

export function keepChoice(sendId: string, taskIds: readonly string[], choice: Choice): void {
  kept.set(sendId, { choice, taskIds });
}

/** Takes back this decision, or the last one. Undefined when it is too late. */
export function undoSend(sendId?: string): Send | undefined {
  const before = new Map(kept);
  const send = sendId === undefined ? undoLast() : cancelSend(sendId);
  if (!send) return undefined;
  const known = before.get(send.id);
  if (known) {
    // About some of them something else may have been decided meanwhile.
    const rows = [...known.choice.rows].filter(([id]) => send.taskIds.includes(id) || !known.taskIds.includes(id));
    giveBack({ ...known.choice, id: send.id, rows: new Map(rows) });
  } else if (isBatch(send)) void read(send).then(giveBack);
  return send;
}

function giveBack(back: ChoiceBack): void {
  if (back.rows.size > 0) useBack.setState({ back });
}

async function read({ id, taskIds, patch, notes = '' }: Send): Promise<ChoiceBack> {
  const tasks: Task[] = [];
  for (let from = 0; from < taskIds.length; from += PART) {
    const part = await Promise.allSettled(taskIds.slice(from, from + PART).map((taskId) => call('task_get', { taskId })));
    // What is gone or decided is no choice any more.
    for (const one of part) if (one.status === 'fulfilled' && one.value.state === 'open') tasks.push(one.value);
  }
  const [first] = tasks;
  return {
    id, rows: new Map(tasks.map((task) => [task.id, task])), draft: { mode: patch ? 'correct' : 'same', off: new Set(), notes },
    correction: patch && first ? { patch, source: first.id, schema: asSchema(first.schema) } : null,
  };
}

/** Calls `take` with what was taken back, also when that was done on another screen. `take` is stable. */
export function useUndoneChoice(take: (back: ChoiceBack) => void): void {
  const back = useBack((state) => state.back);
  useEffect(() => {
    if (!back) return;
    useBack.setState({ back: null });
    take(back);
  }, [back, take]);
}
