// The shapes of the commands about tasks.

import type { ErrorPayload, JsonSchema } from '../../api/types.ts';
import type { Operation } from '../evidence/patch.ts';

export type TaskAction = 'retry' | 'correct' | 'skip' | 'alternative' | 'abort' | 'approve' | 'reject' | 'submit';
export type TaskView = 'all' | 'mine' | 'unassigned' | 'due_today' | 'overdue' | 'snoozed';

export interface TaskRow {
  id: string;
  kind: 'decision' | 'approval' | 'form' | 'pause';
  reason: 'error' | 'interrupted' | 'step';
  state: 'open' | 'done' | 'expired' | 'cancelled' | 'superseded';
  revision: number;
  runId: string;
  workflowId: string;
  workflowName: string;
  nodeId: string;
  nodeTitle: string;
  path?: string;
  item?: number;
  visit: number;
  attempt: number;
  title: string;
  severity: 'INFO' | 'WARN' | 'ERROR' | 'CRITICAL';
  priority: number;
  fingerprint: string;
  /** Open tasks with this fingerprint. */
  sameCount: number;
  errorType?: string;
  errorCode?: string;
  errorMessage?: string;
  assignee?: string;
  candidateGroups: string[];
  claimedBy?: string;
  claimExpiresAt?: string;
  snoozedUntil?: string;
  createdAt: string;
  expiresAt?: string;
  escalationLevel: number;
  cases: number;
  allowedActions: string[];
  decidedBy?: string;
  decidedAt?: string;
  action?: string;
}

export interface Suggestion { source: 'rule' | 'llm' | 'history'; correctedInput: unknown; rationale: string; valid: boolean; changes: string[] }
export interface TaskEvent { at: string; by: string; what: 'created' | 'claimed' | 'released' | 'reassigned' | 'commented' | 'snoozed' | 'reminded' | 'escalated' | 'revealed' | 'decided' | 'closed'; text?: string }

export interface Task extends TaskRow {
  instructions?: string;
  error?: ErrorPayload;
  input: unknown;
  schema?: JsonSchema;
  alternatives: { targetNodeId: string; label: string }[];
  /** JSON Pointers of what is masked. */
  redacted: string[];
  mayReveal: boolean;
  trace: { stepId: string; title: string; event: string; at: string; summary: string }[];
  variables: Record<string, unknown>;
  upstream: { stepId: string; title: string; output: unknown }[];
  suggestions: Suggestion[];
  history: TaskEvent[];
  secret?: string;
  decision?: { action: string; correctedInput?: unknown; patch?: unknown; notes?: string; operatorId: string; at: string; durationMs: number; via: string };
}

export interface TaskQuery { state?: 'open' | 'done' | 'all'; view?: TaskView; workflow?: string; fingerprint?: string; runId?: string; text?: string; dayEnd?: string; limit?: number; after?: string }
export interface TaskPage { tasks: TaskRow[]; next?: string; total: number }
export interface TaskCounts {
  open: number; mine: number; unassigned: number; dueToday: number; overdue: number; snoozed: number; done: number;
  byWorkflow: { id: string; name: string; count: number }[];
  byFingerprint: { fingerprint: string; title: string; count: number }[];
}
export interface TaskCheck { valid: boolean; violations: { path: string; message: string }[]; patch: Operation[] }
export interface Completed { taskId: string; runId: string; state: string; driven: boolean }
export interface BatchResult { batchId: string; results: { taskId: string; ok: boolean; error?: { code: string; message: string; hint?: string } }[] }
export interface Who { operatorId: string; role: string; via: string }

export interface TaskCommands {
  task_list: { request: TaskQuery; response: TaskPage };
  task_counts: { request: { dayEnd?: string }; response: TaskCounts };
  task_get: { request: { taskId: string; secret?: boolean }; response: Task };
  task_check: { request: { taskId: string; correctedInput: unknown }; response: TaskCheck };
  task_complete: {
    request: { taskId: string; action: TaskAction; correctedInput?: unknown; targetNodeId?: string; notes?: string; revision?: number; requestId?: string };
    response: Completed;
  };
  task_complete_many: { request: { taskIds: string[]; action: TaskAction; correctedInput?: unknown; patch?: Operation[]; notes?: string }; response: BatchResult };
  task_claim: { request: { taskId: string }; response: TaskRow };
  task_release: { request: { taskId: string }; response: TaskRow };
  task_reassign: { request: { taskId: string; to: string; notes?: string }; response: TaskRow };
  task_comment: { request: { taskId: string; text: string }; response: TaskRow };
  task_snooze: { request: { taskId: string; until: string }; response: TaskRow };
  task_reveal: { request: { taskId: string; reason: string }; response: { input: unknown; error?: ErrorPayload } };
  who: { request: Record<string, never>; response: Who };
}
