// What a person does with a task: the corrected input, its check by the engine, the note.

import { errorText } from '../../api/error.ts';
import { useEffect, useMemo, useState } from 'react';
import { asSchema } from '../../json/json-schema.ts';
import { same } from '../../shared/diff.ts';
import { holdsSecret } from '../../shared/secret-paths.ts';
import { useCommand } from '../../api/queries.ts';
import { asksForMore, usualMore } from './budget.ts';
import { editDraft, useDrafts, type Draft } from './drafts.ts';
import { withDefaults } from './schema.ts';
import type { JsonSchema } from '../../api/types.ts';
import type { Task, TaskCheck } from './types.ts';

export interface Work {
  original: unknown;
  value: unknown;
  /** A person has changed something of what was shown. */
  changed: boolean;
  /** What is sent is not what came: typed, or a default that the form shows. */
  differs: boolean;
  notes: string;
  /** What the run may spend more, as it is typed; undefined where nobody asks for it. */
  budget: string | undefined;
  revealed: boolean;
  /** By what a difference shows secrets as dots; nothing once they were revealed, which is on record. */
  hides: JsonSchema | undefined;
  /** `unread`: a box holds half typed JSON, so that the value is not what is seen. `busy`: the answer is not of this value yet. */
  check: { state: 'off' | 'unread' | 'busy' | 'failed' | 'valid' | 'invalid'; violations: TaskCheck['violations']; patch: TaskCheck['patch']; problem?: string };
  setUnread(unread: boolean): void;
  setValue(value: unknown): void;
  /** Another input as a whole: what was found in the one before says nothing of it. */
  setWhole(value: unknown): void;
  /** Back to what was shown at first. */
  reset(): void;
  setNotes(notes: string): void;
  setBudget(budget: string): void;
}

const AFTER_MS = 250;

export function useWork(task: Task, mayDecide: boolean): Work {
  const draft = useDrafts((state) => state.drafts[task.id]);
  const revealed = useDrafts((state) => state.revealed[task.id]);
  const original = revealed ? revealed.input : task.input;
  // A form shows its defaults: what is seen is what is sent.
  const asksForValues = task.kind === 'form' || task.reason === 'question';
  const start = useMemo(() => (asksForValues ? withDefaults(asSchema(task.schema), original) : original), [asksForValues, task.schema, original]);
  const value = draft?.value ? draft.value.now : start;
  const changed = draft?.value !== undefined && !same(value, start);
  const differs = useMemo(() => !same(value, original), [value, original]);
  const [unread, setUnread] = useState(false);
  const wanted = mayDecide && task.state === 'open' && (task.allowedActions.includes('correct') || task.allowedActions.includes('submit'));

  // One question after the typing, not one for each letter.
  const [asked, setAsked] = useState<{ id: string; value: unknown; whole?: boolean }>({ id: task.id, value });
  useEffect(() => {
    if (asked.id === task.id && asked.value === value) return undefined;
    const timer = setTimeout(() => setAsked({ id: task.id, value }), asked.id === task.id ? AFTER_MS : 0);
    return () => clearTimeout(timer);
  }, [task.id, value, asked]);
  const current = asked.id === task.id && same(asked.value, value);
  const answer = useCommand('task_check', { taskId: task.id, correctedInput: asked.value === undefined ? null : asked.value }, { enabled: wanted && asked.id === task.id, staleTime: Infinity, gcTime: 30_000, placeholderData: (old) => old });

  const state = !wanted ? 'off' : unread ? 'unread' : answer.error ? 'failed' : !current || answer.isPlaceholderData || !answer.data ? 'busy' : answer.data.valid ? 'valid' : 'invalid';
  // While the next answer is on its way, the findings of the last stay: nothing jumps.
  const known = asked.id === task.id && !(asked.whole && answer.isPlaceholderData) ? answer.data : undefined;
  const whole = (next: unknown) => setAsked({ id: task.id, value: next, whole: true });
  const edit = (part: Draft) => editDraft(task.id, part, { holdsSecret: holdsSecret(asSchema(task.schema)) });
  return {
    original, value, changed, differs, notes: draft?.notes ?? '', budget: asksForMore(task) ? draft?.budget ?? usualMore(task) : undefined, revealed: revealed !== undefined, hides: revealed ? undefined : asSchema(task.schema),
    check: { state, violations: known?.violations ?? [], patch: known?.patch ?? [], ...(answer.error ? { problem: errorText(answer.error) } : {}) },
    setUnread,
    setValue: (next) => edit({ value: { now: next } }),
    setWhole: (next) => {
      whole(next);
      edit({ value: { now: next } });
    },
    reset: () => {
      whole(start);
      edit({ value: undefined });
    },
    setNotes: (notes) => edit({ notes }),
    setBudget: (budget) => edit({ budget }),
  };
}
