/** The shapes of files, events and commands, as the host writes them (INTERFACES 1-4). */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonMap = { [key: string]: unknown };

// ── the workflow file ────────────────────────────────────────────────────────
export interface Workflow {
  signalbox: number;
  id: string;
  name: string;
  description?: string;
  params?: JsonSchema;
  context?: { schema?: JsonSchema; initial?: JsonMap; [extra: string]: unknown };
  settings?: WorkflowSettings;
  nodes: { [id: string]: WorkflowNode };
  edges: Edge[];
  layout?: { [nodeId: string]: unknown };
  [extra: string]: unknown;
}
export interface WorkflowSettings {
  errorPolicy?: 'safe' | 'fail' | { rules: Rule[] };
  model?: unknown;
  onAbort?: string;
  auditRules?: unknown;
  [extra: string]: unknown;
}
export interface Rule { name: string; when: string; action: string }
export type Mode = 'each' | 'all';
export interface WorkflowNode {
  type: string;
  typeVersion?: number;
  title?: string;
  description?: string;
  disabled?: boolean;
  if?: string;
  print?: unknown;
  in?: JsonMap;
  config?: unknown;
  out?: JsonMap;
  writes?: string[];
  errorHandling?: ErrorHandling;
  timeoutMs?: number;
  idempotencyKey?: string;
  guardrails?: unknown;
  parent?: string;
  pinned?: unknown;
  mode?: Mode;
  [extra: string]: unknown;
}
export interface ErrorHandling {
  retryPolicy?: Partial<RetryPolicy>;
  fallbackNodeId?: string;
  autoFix?: boolean;
  humanReviewThreshold?: string;
}
export interface RetryPolicy {
  maxAttempts: number;
  backoff: 'fixed' | 'exponential' | 'linear';
  initialDelayMs: number;
  maxDelayMs: number;
  jitter: boolean;
}
/** `from` is `node.port`; the last dot separates. */
export interface Edge { from: string; to: string; [extra: string]: unknown }

/** The part of JSON Schema 2020-12 that files and descriptors use, with our hints. */
export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: { [name: string]: JsonSchema };
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  'x-ui'?: JsonMap;
  'x-practice'?: boolean;
  'x-secret'?: boolean;
  'x-multiline'?: boolean;
  [extra: string]: unknown;
}

// ── node kinds ───────────────────────────────────────────────────────────────
export type ByConfig<T> = T | { field: string; values: { [value: string]: T }; otherwise: T };
export interface Port { id: string; title?: string; schema?: JsonSchema }
export interface NodeDescriptor {
  type: string;
  version: number;
  title: string;
  description: string;
  aliases: string[];
  /** start, data, logic, ai, error, person, audit: tile colour and group */
  category: string;
  /** name of a lucide icon */
  icon: string;
  role: 'step' | 'trigger' | 'stop' | 'wait';
  modes: Mode[];
  effects: ByConfig<'none' | 'read' | 'write'>;
  replay: ByConfig<'safe' | 'ask'>;
  input: boolean;
  inputSchema?: JsonSchema;
  ports: Port[];
  dynamicPorts?: { from: string; id: string };
  config: JsonSchema;
  errors: { type: ErrorType; code: string; when: string; retryable: boolean }[];
  retryPolicy?: RetryPolicy;
  timeoutMs?: number;
  /** one line under the title on the card: a template over config fields, `{name}` */
  summary?: string;
  keepsError: boolean;
  examples: { title: string; config?: unknown; input?: unknown[]; output?: { [port: string]: unknown[] }; error?: string }[];
}

// ── items and errors ─────────────────────────────────────────────────────────
export type ErrorType = 'ToolError' | 'LLMError' | 'NetworkError' | 'ValidationError' | 'Timeout' | 'UnknownError';
export interface ErrorPayload {
  type: ErrorType;
  message: string;
  retryable: boolean;
  originNode: string;
  originRunId?: string;
  attempt?: number;
  maxAttempts?: number;
  timestamp: string;
  suggestedAction?: 'retry' | 'fallback' | 'escalate' | 'human_review' | 'abort' | 'auto_fix';
  provenanceRef?: string;
  details?: { code?: string; [key: string]: unknown };
}
export interface Item {
  id: string;
  data: unknown;
  binary?: { [name: string]: { ref: string; mime: string; size: number; sha256: string } };
  error?: ErrorPayload;
  pairedItem?: number;
}
/** What stands in place of a value that is too long for the wire. */
export interface CutValue { _truncated: true; type: string; length: number; preview: string; ref: string }

// ── run events ───────────────────────────────────────────────────────────────
export interface EventPayloads {
  workflow_start: {
    name: string; version: string; params: unknown; seed: string; context?: JsonMap;
    startedBy?: string; resumedFrom?: string; parentRunId?: string; baseSeq?: number;
  };
  workflow_done: { duration_ms: number; stop_id?: string };
  workflow_failed: { error: ErrorPayload; failed_step_id: string; duration_ms: number; reason?: string };
  workflow_cancelled: { duration_ms: number };
  workflow_resumed: Record<string, never>;
  step_start: {
    type: string; meta: { title?: string }; resolvedInputs: unknown; config: unknown;
    configs?: { [item: string]: unknown }; input: { item: number; data: unknown }[];
    idempotencyKey?: string; dueMs?: number;
  };
  step_done: { outputs: JsonMap | null; selected?: string; ports: { [port: string]: number }; items: { [port: string]: Item[] } };
  step_error: { error: ErrorPayload };
  step_interrupted: { effect?: string };
  step_skipped: { condition: string };
  step_print: { value: unknown };
  var_changed: { name: string; oldValue?: unknown; newValue: unknown };
  retry_scheduled: { attempt: number; delayMs: number };
  error_handled: { originStepId: string; rule: string; action: string; wanted?: string; ruleError?: string };
  file_start: { path: string };
  file_done: { path: string; size_bytes: number };
}
export type EventType = keyof EventPayloads;
export interface EventBase {
  runId: string;
  /** absent on events that are not stored (`live: true`) */
  seq?: number;
  live?: true;
  ts: string;
  stepId: string | null;
  path?: string;
  item?: number;
  visit?: number;
  attempt?: number;
  clientRunToken?: string;
}
export type RunEvent = { [K in EventType]: EventBase & { type: K; payload: EventPayloads[K] } }[EventType];

export type RunStatus = 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';
export type NodeState =
  | 'SKIPPED' | 'SUCCEEDED' | 'ERROR_HANDLED' | 'PENDING' | 'RUNNING'
  | 'RETRYING' | 'AWAITING_HITL' | 'CANCELLED' | 'FAILED';
export interface RunSummary {
  runId: string;
  workflowId: string;
  status: RunStatus;
  parentRunId?: string;
  startedAt: string;
  endedAt?: string;
  durationMs: number;
  context: JsonMap;
  output: unknown[];
  error?: ErrorPayload;
  failedStepId?: string;
  openTasks: string[];
  steps: { [nodeId: string]: { state: NodeState; visits: number; attempts: number } };
}

// ── diagnostics and failures ─────────────────────────────────────────────────
export interface Diagnostic {
  code: string;
  severity: 'error' | 'warning';
  /** JSON Pointer into the file */
  path: string;
  message: string;
  hint: string;
}
export interface ApiErrorBody { code: string; message: string; hint: string; details?: unknown }

// ── commands ─────────────────────────────────────────────────────────────────
export interface Sample { id: string; title: string; description: string; steps: number; traits: string[]; document: Workflow }
export interface RunRow {
  runId: string; workflowId: string; workflowName: string; status: RunStatus;
  startedAt: string; endedAt?: string; durationMs: number;
  parentRunId?: string; failedStepId?: string; errorMessage?: string; errorCode?: string;
}
export interface WorkflowEntry {
  ref: string; id: string; name: string; description?: string; folder: string; path: string;
  revision: string; nodes: number; modifiedAt: string; hasDraft: boolean; problem?: string; lastRun?: RunRow;
}
export interface OpenWorkflow {
  ref: string; path: string; folder: string; revision: string; document: Workflow;
  diagnostics: Diagnostic[]; draft?: { document: Workflow; savedAt: string }; readOnly: boolean;
}
export type RunDetail = RunSummary & { workflowName: string; definition: Workflow; lastSeq: number; params: unknown; driven: boolean };
export interface StepData {
  runId: string; startedAt: string; input: { item: number; data: unknown }[];
  output: { [port: string]: Item[] }; error?: ErrorPayload; config: unknown;
}
export type ExpressionPreview =
  | { state: 'value'; value: unknown; itemCount: number; item: number; runId: string; runLabel: string }
  | { state: 'no_data' }
  | { state: 'error'; message: string; position?: number };
export interface ExpressionName { label: string; type: string; detail?: string; sample?: unknown }
export type ThemeChoice = 'system' | 'light' | 'dark';
export interface Settings {
  theme: ThemeChoice;
  layout: { [pane: string]: number | boolean };
  keymap: { [action: string]: string[] };
}
export interface FolderGrant { folder: string; workflowId?: string; access: 'ro' | 'rw'; library: boolean }
export interface AppInfo { version: string; host: 'desktop' | 'http'; dataDir: string; platform: string }

type Empty = Record<string, never>;
export interface Commands {
  app_info: { in: Empty; out: AppInfo };
  catalog_list: { in: Empty; out: NodeDescriptor[] };
  sample_list: { in: Empty; out: Sample[] };
  workflow_list: { in: Empty; out: WorkflowEntry[] };
  workflow_open: { in: { ref: string }; out: OpenWorkflow };
  workflow_open_path: { in: { path: string }; out: OpenWorkflow };
  workflow_create: { in: { name?: string; sampleId?: string }; out: OpenWorkflow };
  workflow_save: { in: { ref: string; document: Workflow; baseRevision: string; overwrite?: boolean }; out: { revision: string } };
  workflow_duplicate: { in: { ref: string; name: string }; out: OpenWorkflow };
  workflow_delete: { in: { ref: string }; out: Empty };
  workflow_revision: { in: { ref: string }; out: { revision: string | null } };
  draft_put: { in: { ref: string; document: Workflow }; out: Empty };
  draft_discard: { in: { ref: string }; out: Empty };
  workflow_validate: { in: { document: Workflow }; out: Diagnostic[] };
  run_start: { in: { document?: Workflow; ref?: string; params: JsonMap; clientRunToken?: string }; out: { runId: string } };
  run_list: {
    in: { workflow?: string; status?: RunStatus; text?: string; limit?: number; before?: string };
    out: { runs: RunRow[]; next?: string };
  };
  run_get: { in: { runId: string }; out: RunDetail };
  run_events: { in: { runId: string; after: number; limit?: number }; out: RunEvent[] };
  run_value: { in: { ref: string }; out: unknown };
  run_cancel: { in: { runId: string }; out: Empty };
  run_delete: { in: { runId: string }; out: Empty };
  run_resume: { in: { runId: string }; out: Empty };
  run_step_data: { in: { workflowId: string; nodeId: string; runId?: string }; out: StepData | null };
  expression_preview: {
    in: { document: Workflow; nodeId: string; text: string; kind: 'cel' | 'value'; runId?: string; item?: number };
    out: ExpressionPreview;
  };
  expression_names: { in: { document: Workflow; nodeId: string; runId?: string }; out: ExpressionName[] };
  retry_timeline: { in: { policy: Partial<RetryPolicy> }; out: { attempt: number; delayMs: number }[] };
  settings_get: { in: Empty; out: Settings };
  settings_set: { in: { settings: Settings }; out: Empty };
  folder_list: { in: Empty; out: FolderGrant[] };
  folder_grant: { in: { folder: string; workflowId?: string; access: 'ro' | 'rw'; library: boolean }; out: Empty };
  folder_revoke: { in: { folder: string; workflowId?: string }; out: Empty };
}
export type Command = keyof Commands;
