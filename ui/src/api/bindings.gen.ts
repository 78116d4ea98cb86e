// Generated from the Rust types. Do not edit; `cargo xtask gen` writes it.

/** What a folder grant allows. */
export type Access = 'ro' | 'rw';

/** A token by which a program reaches a server. The token itself is shown once, when it is made. */
export interface AccessToken {
  /** Its name. */
  name: string;
  /** What it may do. */
  role: CallerRole;
  /** Who made it, and in whose name it acts: `user:…`. */
  person: string;
  /** RFC 3339. */
  madeAt: string;
  /** RFC 3339; absent: it lasts until it is revoked. */
  expiresAt?: string;
  /** It has expired: nobody gets in with it. */
  expired: boolean;
  /** When it was used last, to the minute, RFC 3339; absent: never. */
  usedAt?: string;
  /** The workspaces that it is limited to; absent: it is not. */
  workspaces?: string[];
  /** How many runs it may start. */
  quota: StartQuota;
  /** How many it has started. */
  started: StartsMade;
}

/** How often something was decided. */
export interface ActionCount {
  /** What. */
  action: TaskAction;
  /** How often. */
  count: number;
}

/** Which version of a workflow is active. */
export interface Activation {
  /** Id of the workflow. */
  workflowId: string;
  /** Its name. */
  workflowName: string;
  /** It is active: its triggers start runs. */
  active: boolean;
  /** Content hash of the version that is active, or was last. */
  version: string;
  /** RFC 3339. */
  activatedAt: string;
  /** Who activated it. */
  activatedBy: string;
  /** Ids of its triggers. */
  triggers: string[];
}

/** A way out that the author offers. */
export interface Alternative {
  /** The step it leads to. */
  targetNodeId: string;
  /** In plain words. */
  label: string;
}

/** A new place: a folder or an address. */
export interface AnchorAdd {
  /** Handle of a folder that the system's dialog gave; the file is made in it. */
  folder?: string;
  /** Or an http or https address. */
  url?: string;
  /** A secret of this machine that goes along with each request: `secret://NAME`. */
  credential?: string;
  /** How often, 60 when absent. */
  everyMinutes?: number;
  /** The address may be one of this machine: said by a person in the window or at the terminal. */
  allowLocal?: boolean;
}

/** What keeps the checkpoints. */
export type AnchorKind = 'file' | 'webhook';

/** Names a place. */
export interface AnchorRef {
  /** Its id. */
  id: string;
}

/** A person's answer. */
export interface Answer {
  /** What was chosen. */
  action: TaskAction;
  /** With `correct`: the whole corrected input. With `submit`: the values. */
  correctedInput?: unknown;
  /** With `alternative`: the step. */
  targetNodeId?: string;
  /** Why. */
  notes?: string;
  /** With `retry` of a step whose budget is used up: what the run may spend more, in millionths. */
  budgetMicros?: number;
  /** With `approve` of a call of a tool: how far it goes; this call when absent. */
  toolGrant?: ToolGrant;
  /** Who: `user:…`; absent when a policy decided. */
  operatorId?: string;
}

/** The error of every command. */
export interface ApiError {
  /** Stable, upper case. */
  code: string;
  /** What happened and why, one or two sentences. */
  message: string;
  /** What to do next. */
  hint: string;
  /** Free; depends on the code. */
  details?: unknown;
}

/** About the program. */
export interface AppInfo {
  /** Version of the program. */
  version: string;
  /** Who serves. */
  host: Host;
  /** The data folder. */
  dataDir: string;
  /** `linux`, `macos`, `windows`. */
  platform: string;
}

/** What a person set for their own eyes and hands. */
export interface AppSettings {
  /** Colours. */
  theme: Theme;
  /** Pane → size or state. */
  layout: Record<string, PaneState>;
  /** Action → keys. */
  keymap: Record<string, string[]>;
  /** Saved queries of the audit viewer: name → text. */
  queries?: Record<string, string>;
  /** What closing the window does while workflows are active; the person is asked when absent. */
  closing?: Closing;
  /** Language of the window; that of the system when absent. */
  language?: Language;
}

/** A decision that is asked again. */
export interface AskedAgain {
  /** The task of the original. */
  taskId: string;
  /** The step that asked, with its path; of a default task the failed step. */
  step: string;
  /** The failed step, when a recovery node asked. */
  origin?: string;
  /** Index of the item that was asked about. */
  item: number;
  /** Why, in the words of who re-opened it. */
  reason: string;
  /** Who re-opened it: `user:…`. */
  by: string;
}

/** What a step differs in. */
export type Aspect = 'ran' | 'state' | 'ports' | 'visits' | 'attempts' | 'input' | 'config' | 'output' | 'error';

/** A person knows that the end of the chain is missing. */
export interface AuditAcceptCut {
  /** Why it is missing; it is recorded. */
  reason: string;
}

/** Who acted. */
export interface AuditActor {
  /** `system`, `human`, `agent`. */
  type: AuditActorType;
  /** Which one. */
  id?: string;
  /** In which role. */
  role?: string;
}

/** The kind of an actor. */
export type AuditActorType = 'system' | 'human' | 'agent';

/** A place outside, and how it stands with it. */
export interface AuditAnchor {
  /** Its id. */
  id: string;
  /** What it is. */
  kind: AnchorKind;
  /** The file, or the address without what may be secret in it. */
  place: string;
  /** The secret that goes along: `secret://NAME`. */
  credential?: string;
  /** Its address holds a credential that could not become a secret yet. */
  warning?: string;
  /** How often. */
  everyMinutes: number;
  /** Entries that the last checkpoint there seals. */
  size: number;
  /** When that was, RFC 3339; absent = never. */
  at?: string;
  /** Why the last attempt failed; it is tried again. */
  error?: string;
}

/** A line of an anchor file that does not count. */
export interface AuditAnchorLine {
  /** The file. */
  file: string;
  /** Its number, from 1. */
  line: number;
  /** Why it does not count. */
  why: string;
}

/** What is kept apart from an entry under its hash. */
export interface AuditApart {
  /** What it is. */
  kind: AuditApartKind;
  /** How it stands with it. */
  state: AuditPayloadState;
  /** The hash that was sealed. */
  sealedHash: string;
  /** The hash of what is there now. */
  foundHash?: string;
  /** The entry that tells of the erasure. */
  toldBy?: number;
  /** A snapshot that is there, masked. */
  value?: unknown;
}

/** What is kept apart from an entry. */
export type AuditApartKind = 'snapshot' | 'decision';

/** The first bad entry. */
export interface AuditBroken {
  /** Its place. */
  seq: number;
  /** `MODIFIED`, `MISSING`, `REORDERED`, `DUPLICATED`, `INSERTED`, `TRUNCATED`, `WRONG_SIGNER`, `ANCHOR_MISMATCH`, `MALFORMED`. */
  kind: string;
  /** What should be there. */
  expected?: string;
  /** What is there. */
  found?: string;
  /** In a sentence. */
  message: string;
  /** A person may say why with `audit_accept_cut`: the end is missing, and only this host knew of it. */
  acceptable?: boolean;
}

/** What seals the entries before it. */
export interface AuditCheckpoint {
  /** Entries. */
  size: number;
  /** RFC 6962 root over them. */
  rootHash: string;
  /** RFC 3339. */
  timestamp: string;
}

/** Entries that are dated more than five seconds before the one that they follow. */
export interface AuditClockBack {
  /** How many. */
  count: number;
  /** The first of them. */
  first: number[];
}

/** What the last verification found. */
export type AuditCondition = 'intact' | 'broken' | 'empty' | 'unknown';

/** How many entries have a value. */
export interface AuditCount {
  /** The value. */
  value: string;
  /** How many. */
  count: number;
}

/** Erases what an entry keeps apart. */
export interface AuditErase {
  /** The entry. */
  seq: number;
  /** Why; it is recorded. */
  reason: string;
}

/** What to export. */
export interface AuditExport {
  /** Only this run. */
  runId?: string;
  /** Only what matches, as in `audit_list`. */
  query?: string;
  /** As what. */
  format: ExportFormat;
  /** What it shows, `full` when absent. */
  profile?: AuditProfile;
  /** Places of an entry that it hides besides: JSON Pointers, `*` for any member. */
  hide?: string[];
}

/** An export. */
export interface AuditExported {
  /** A name for the file. */
  fileName: string;
  /** Its content. */
  bytesBase64?: string;
  /** Or where it was written, because it is large. */
  path?: string;
  /** After so many days it is removed from there. */
  keptDays?: number;
  /** Entries in it. */
  entries: number;
  /** Ends of the chain that are missing or were, whatever is in the export: a pack says so, too. */
  missing?: AuditMissingEnd[];
}

/** How many of the newest 10,000 matching entries have which value. */
export interface AuditFacets {
  /** Names. */
  event: AuditCount[];
  /** Levels. */
  level: AuditCount[];
  /** Actors: their id, else their type. */
  actor: AuditCount[];
  /** Types of errors. */
  errorType: AuditCount[];
  /** Names of workflows. */
  workflow: AuditCount[];
  /** There are more: only so many of the newest were counted. */
  newest?: number;
}

/** What to count. */
export interface AuditFacetsRequest {
  /** As in `audit_list`. */
  query?: string;
}

/** Names an entry. */
export interface AuditGet {
  /** Its place. */
  seq: number;
}

/** Where the chain stands. */
export interface AuditHead {
  /** Entries. */
  size: number;
  /** Hash of the last one. */
  hash: string;
}

/** A run that has not ended: its entries, and those after its first, stay. */
export interface AuditHeld {
  /** The run. */
  runId: string;
  /** Its first entry. */
  seq: number;
}

/** Where the audit chain is written. */
export type AuditKeeping = 'sqlite' | 'jsonl' | 'ring';

/** The key that signs. */
export interface AuditKey {
  /** Its short name. */
  keyId: string;
  /** SHA-256 of the public key: compare it with what somebody else reads out. */
  fingerprint: string;
  /** Where the secret is. */
  where: KeyPlace;
  /** That place, for people. */
  at: string;
}

/** Where the key that signs is kept from now on. */
export interface AuditKeyChoose {
  /** The place. */
  where: KeyPlace;
  /** Another key signs from now on. What the old one signed still verifies. */
  new?: boolean;
}

/** Which entries to list. */
export interface AuditList {
  /** `actor: event: run: workflow: workspace: node: level: error.type: tag: since: until: text:` and free words; all must hold. A minus before a qualifier, a quoted text or a word leaves out what it names; it may stand as often as one likes. */
  query?: string;
  /** Only entries before this one. */
  before?: number;
  /** Only entries after this one; the page is then the oldest of them, still newest first. */
  after?: number;
  /** At most this many, 100 when absent, 1,000 at most. */
  limit?: number;
}

/** An end of the chain that was found missing (ADR 77). */
export interface AuditMissingEnd {
  /** Entries that there were. */
  expected: number;
  /** Entries that there were when it was noticed. */
  found: number;
  /** The entry in which a person says why; absent until somebody does. */
  accepted?: number;
  /** In words, without a full stop. */
  message: string;
}

/** Whether all entries of a run are there, by what its last one says. */
export interface AuditOfRun {
  /** The run. */
  runId: string;
  /** Entries that are there. */
  entries: number;
  /** Entries up to its end, as it says itself; absent while it has not ended. */
  entryCount?: number;
  /** All of them are there; absent while it has not ended. */
  complete?: boolean;
  /** Entries of it that a retention removed. */
  removed?: number;
}

/** A page of entries. */
export interface AuditPage {
  /** Newest first. */
  entries: AuditRow[];
  /** How many match; with a query counted up to 2,000. */
  total: number;
  /** There are more than `total`. */
  more: boolean;
  /** Where the chain stands. */
  head: AuditHead;
}

/** How it stands with what an entry keeps apart. */
export type AuditPayloadState = 'kept' | 'erased' | 'lost' | 'changed';

/** How it stands with what is kept apart from the chain under its hash. */
export interface AuditPayloads {
  /** Entries whose payload is the one that was sealed. */
  kept: number;
  /** Entries whose payload was erased; that is recorded. */
  erased: number[];
  /** Entries whose payload is gone without a record. */
  lost: number[];
  /** Entries whose payload is not the one that was sealed. */
  changed: number[];
}

/** What an export shows of the entries. */
export type AuditProfile = 'full' | 'masked' | 'minimal';

/** A record from outside (source 000, III.2). Who acts is the caller; a given actor is kept as claimed. */
export type AuditRecord = Record<string, unknown>;

/** One entry with everything about it. */
export interface AuditRecordView {
  /** As in lists. */
  row: AuditRow;
  /** As it was hashed. */
  entry: Record<string, unknown>;
  /** The bytes that were hashed, without the domain prefix. */
  canonical: string;
  /** Their hash, computed now. */
  computedHash: string;
  /** It is the stored one. */
  matches: boolean;
  /** The signature. */
  signature?: string;
  /** What is kept apart and belongs to it, masked: `error`, `patch`, `before`, `after`. */
  payload?: Record<string, unknown>;
  /** What is kept apart under its hash, and how it stands with it. */
  apart?: AuditApart;
  /** From the error to its outcome, in their order. */
  related: AuditRelated[];
}

/** It was recorded. */
export interface AuditRecorded {
  /** `ok`. */
  status: string;
  /** Its place in the chain. */
  seq: number;
}

/** An entry of the same chain of causes. */
export interface AuditRelated {
  /** Its place. */
  seq: number;
  /** Its name. */
  event: string;
  /** In plain words. */
  label: string;
  /** What it is in the chain. */
  kind: AuditRelation;
  /** It did not help: an error, or a repair that did not fit. */
  failed?: boolean;
}

/** What an entry is in a chain of causes. */
export type AuditRelation = 'error' | 'rule' | 'retry' | 'heal' | 'human' | 'outcome';

/** What a retention did. */
export interface AuditRetained {
  /** Entries that went. */
  removed: number;
  /** The signed entry that stands for them. */
  record?: number;
  /** The run that has not ended and keeps entries from being removed. */
  held?: AuditHeld;
}

/** The policy, and what went so far. */
export interface AuditRetention {
  /** Entries older than so many days are removed; absent = everything is kept. */
  keepDays?: number;
  /** Entries that are gone: those from 0 to before this one. */
  removed: number;
  /** The signed entry that stands for them. */
  record?: number;
  /** When the last of them went, RFC 3339. */
  at?: string;
  /** The run that has not ended and keeps entries from being removed. */
  held?: AuditHeld;
}

/** A new policy. */
export interface AuditRetentionSet {
  /** Entries older than so many days are removed; absent = everything is kept. */
  keepDays?: number;
}

/** One entry as lists show it. */
export interface AuditRow {
  /** Its place in the chain. */
  seq: number;
  /** RFC 3339. */
  timestamp: string;
  /** How grave. */
  level: Level;
  /** Its name. */
  event: string;
  /** Who acted. */
  actor: AuditActor;
  /** Id of the run's workflow. */
  workflowId?: string;
  /** Its name when the run started. */
  workflowName?: string;
  /** The run. */
  runId: string;
  /** The node, `$run` for the run as a whole. */
  nodeId: string;
  /** Its title. */
  nodeTitle?: string;
  /** In plain words. */
  summary: string;
  /** It has a signature. */
  signed: boolean;
  /** Its hash. */
  hash: string;
  /** Hash of the entry before. */
  prevHash: string;
  /** It is the last one that a checkpoint seals. */
  sealed?: boolean;
  /** How it stands with what it keeps apart; absent when it keeps nothing. */
  payload?: AuditPayloadState;
}

/** A place that every entry is copied to, and how it stands with it. */
export interface AuditSinkView {
  /** Its id. */
  id: string;
  /** How the Audit step names it. */
  name: string;
  /** What it is. */
  kind: SinkKind;
  /** The file, or the address. */
  place: string;
  /** The secret that is sent, `secret://NAME`. */
  credential?: string;
  /** Nothing is copied to it until it is continued. */
  paused: boolean;
  /** Entries up to the last one that was copied: the number of the next. */
  next: number;
  /** The entry that the file begins with, when that is not the first of the chain: it was begun anew, and those before it stand in a file that was moved or deleted, or were removed by a retention. */
  begins?: number;
  /** Entries that wait for it. */
  waiting: number;
  /** When entries were copied last, RFC 3339; absent = never. */
  at?: string;
  /** Why the last attempt failed; it is tried again, nothing is lost. */
  error?: string;
}

/** The last verification, and who signs. */
export interface AuditStatus {
  /** In one word. */
  state: AuditCondition;
  /** Entries that are known to be good. */
  checked: number;
  /** When, RFC 3339. */
  at?: string;
  /** Entries after the last checkpoint: cutting them would not show. */
  unsealedTail: number;
  /** The last checkpoint is signed by a key that the caller gave, or that the pack brings. */
  signed: boolean;
  /** What seals the entries. */
  lastCheckpoint?: AuditCheckpoint;
  /** The first bad entry. */
  broken?: AuditBroken;
  /** Entries that a checkpoint kept outside was compared with. */
  anchoredUpTo?: number;
  /** Entries that a retention removed; a signed one stands for them. */
  removed: number;
  /** Where the clock was put back between two entries. */
  clockBack?: AuditClockBack;
  /** Lines of anchor files that were passed over. */
  anchorLines?: AuditAnchorLine[];
  /** What is kept apart from the chain; only a verification from the beginning looks. */
  payloads?: AuditPayloads;
  /** Why the verdict could not be recorded: verifying needs no room and no right to write. It stands until this host ends or verifies again. */
  notRecorded?: string;
  /** The run that was asked for. */
  run?: AuditOfRun;
  /** One is under way. */
  running: boolean;
  /** The key that signs; absent = entries are unsigned. */
  key?: AuditKey;
  /** Why there is no key; absent = there is one. */
  unsigned?: AuditUnsigned;
  /** Where the chain stands now. */
  head: AuditHead;
  /** Places outside that keep checkpoints; one with an error needs a person. */
  anchors: AuditAnchor[];
}

/** Why entries are unsigned. */
export interface AuditUnsigned {
  /** Where the key should be. */
  where?: KeyPlace;
  /** What happened and why. */
  message: string;
  /** What to do next. */
  hint: string;
  /** The key store is there and locked: it can be unlocked. */
  locked: boolean;
  /** The key is not there any more: only a new one signs again. */
  lost: boolean;
}

/** What a verification found. */
export interface AuditVerdict {
  /** In one word. */
  state: AuditCondition;
  /** Entries that are known to be good. */
  checked: number;
  /** When, RFC 3339. */
  at?: string;
  /** Entries after the last checkpoint: cutting them would not show. */
  unsealedTail: number;
  /** The last checkpoint is signed by a key that the caller gave, or that the pack brings. */
  signed: boolean;
  /** What seals the entries. */
  lastCheckpoint?: AuditCheckpoint;
  /** The first bad entry. */
  broken?: AuditBroken;
  /** Entries that a checkpoint kept outside was compared with. */
  anchoredUpTo?: number;
  /** Entries that a retention removed; a signed one stands for them. */
  removed: number;
  /** Where the clock was put back between two entries. */
  clockBack?: AuditClockBack;
  /** Lines of anchor files that were passed over. */
  anchorLines?: AuditAnchorLine[];
  /** What is kept apart from the chain; only a verification from the beginning looks. */
  payloads?: AuditPayloads;
  /** Why the verdict could not be recorded: verifying needs no room and no right to write. It stands until this host ends or verifies again. */
  notRecorded?: string;
  /** The run that was asked for. */
  run?: AuditOfRun;
}

/** How to verify. */
export interface AuditVerify {
  /** From the first entry, not from the last verification that ended well. */
  full?: boolean;
  /** Also whether all entries of this run are there. */
  run?: string;
}

/** `auto_fix_attempt`. */
export interface AutoFixAttempt {
  /** `deterministic`, or the model that was asked. */
  model: string;
  /** The failed slot, when a healer tried. */
  origin?: Origin;
  /** The fixed input fits its schema. */
  accepted: boolean;
  /** Number of operations of `patch` (K-25). */
  delta: number;
  /** The input from now on; only when accepted. */
  fixedInput?: unknown;
  /** RFC 6902, original to fixed. */
  patch?: unknown;
  /** What was done, one sentence each. */
  changes?: string[];
  /** What still does not fit. */
  violations?: string[];
  /** What was asked of a model; absent for a repair by rules. */
  asked?: ModelTry;
}

/** Shape of the delay between attempts. */
export type Backoff = 'fixed' | 'exponential' | 'linear';

/** When backups are made by themselves, and what became of the last ones. */
export interface BackupSchedule {
  /** Hours between two backups; absent = none is made by itself. */
  everyHours?: number;
  /** The folder that they are written to. */
  folder?: string;
  /** So many are kept there. */
  keep: number;
  /** When the next is due, RFC 3339. */
  nextAt?: string;
  /** When the last was written, RFC 3339. */
  lastAt?: string;
  /** The archive that was written last. */
  lastFile?: string;
  /** Why the newest attempt wrote none; it is repeated within an hour. */
  error?: string;
}

/** A new schedule. */
export interface BackupScheduleSet {
  /** Hours between two backups, 1 to 744; absent = none is made by itself. */
  everyHours?: number;
  /** Handle of a folder that the system's dialog gave; absent = the folder stays. */
  folder?: string;
  /** How many are kept, 1 to 1,000; absent = as before, 7 at first. */
  keep?: number;
}

/** The base of a re-run, part of its `workflow_start`. */
export interface Base {
  /** Events of the original that stand, in their order. Folded, they are the state before the step. */
  events: RunEvent[];
  /** Variables that were given at the start of the first run. */
  given?: Record<string, unknown>;
  /** Steps that were begun by name and not by their wires; the last one is where this run begins again, unless `asks` or `sent` says that a person decides first. */
  begun: Begun[];
  /** In a re-opening: the task of the original that is asked again. */
  asks?: AskedAgain;
  /** The original failed and was sent to the inbox: a person decides about the call that failed it. */
  sent?: Sent;
  /** Answers that people gave to steps that execute again, and that are given again when the same is asked. */
  answers?: KeptAnswer[];
  /** The run, or the one that this one was re-run from, began at a checkpoint of another program. */
  foreign?: Foreign;
}

/** A run without a fault that the proof starts from. */
export interface BaseRun {
  /** Name of the test, or `sample data`. */
  name: string;
  /** How it ends without a fault. */
  status: string;
  /** Why it does not end well. */
  problem?: string;
}

/** A step that a re-run began at. */
export interface Begun {
  /** `loop[17]/step`, or the step's id alone. */
  step: string;
  /** The items that it was activated with. */
  input: Item[];
  /** Variables that were changed before it began. */
  context?: Record<string, unknown>;
}

/** Bytes that live beside the JSON (K-37). Only in [`Item::binary`] is it one that is resolved: the same fields inside data are a description. */
export interface BinaryRef {
  /** Names the bytes within the run: their SHA-256. */
  ref: string;
  /** Media type. */
  mime: string;
  /** Bytes. */
  size: number;
  /** SHA-256, hex. */
  sha256: string;
}

/** Before which calls a run stops. It belongs to a person and a run, never to the workflow file. */
export interface Breakpoint {
  /** A node of the run's own file wherever it stands, or a path and a node: `loop[3]/b`, `sub/b`. */
  node: string;
  /** The wire that leads there, `node.port`: only calls with what comes along it (ADR 53); whatever the way when absent. */
  from?: string;
  /** CEL over what the call's config sees; every call when absent. */
  when?: string;
}

/** Payload of `breakpoints_set`: all of them, whatever there was before. */
export interface BreakpointsSet {
  /** The list. */
  breakpoints: Breakpoint[];
  /** Who: `user:…`. */
  operatorId?: string;
}

/** A value, or a table of values over one config field. */
export type ByConfig =
  | Effects
  | {
    /** Name of the config field. */
    field: string;
    /** Field value → result. */
    values: Record<string, Effects>;
    /** For values that are not listed. */
    otherwise: Effects;
    /** Other config fields → result where one of them is set, before the table. */
    given?: Record<string, Effects>;
  }
  | {
    /** Name of the config field. */
    tools: string;
    /** With such a tool. */
    with: Effects;
    /** Without one: no tools, names that are only taken away, or what is only read (`learn_…`). */
    without: Effects;
  };

/** A value, or a table of values over one config field. */
export type ByConfig2 =
  | Replay
  | {
    /** Name of the config field. */
    field: string;
    /** Field value → result. */
    values: Record<string, Replay>;
    /** For values that are not listed. */
    otherwise: Replay;
    /** Other config fields → result where one of them is set, before the table. */
    given?: Record<string, Replay>;
  }
  | {
    /** Name of the config field. */
    tools: string;
    /** With such a tool. */
    with: Replay;
    /** Without one: no tools, names that are only taken away, or what is only read (`learn_…`). */
    without: Replay;
  };

/** A workflow to look at. */
export interface ByDocument {
  /** The workflow. */
  document: Workflow;
}

/** Names a file of the library. */
export interface ByRef {
  /** Opaque id of the file. */
  ref: string;
}

/** A failure of a call. */
export interface CallError {
  /** One of the six types. Left out: the type that the kind of the step declares for the code. */
  type?: ErrorType;
  /** The finer cause, as in `details.code`. */
  code: string;
  /** For people. Left out: when the kind of the step says that this error happens. */
  message?: string;
  /** Whether the same call may succeed later. Left out: what the kind of the step declares for the code. */
  retryable?: boolean;
  /** The call may have reached the other side although no answer came. */
  mayHaveHappened?: boolean;
  /** `Retry-After`, milliseconds. */
  retryAfterMs?: number;
  /** Advice of the failing side. */
  suggestedAction?: SuggestedAction;
  /** Further details. */
  details?: Record<string, unknown>;
  /** The step waits for a person who allows a call of a tool; this is what it goes on with. */
  held?: unknown;
}

/** How a call ends. Exactly one of `output`, `pass`, `error`, `crash` and `never` is given; a mock may have `afterMs` alone: the call then ends as without the mock, so much later. */
export interface CallReply {
  /** The step. */
  step: string;
  /** Where in nested containers: `loop[3]`, `par/branch`, the id of a sub-workflow step. Left out at the top. */
  path?: string;
  /** Index of the item, from 0, when a step is called once for each item. */
  item?: number;
  /** In a recorded call: after so many corrections or retries by a person, from 1. Left out: 1. */
  visit?: number;
  /** In a recorded call: after so many automatic retries. Left out: 0. */
  attempt?: number;
  /** In a mock: the n-th call only, from 1. Left out: every call. */
  call?: number;
  /** How long the call takes, milliseconds. */
  afterMs?: number;
  /** Port → data of the items that leave there. */
  output?: Record<string, unknown[]>;
  /** Port → for each item of `output` the bytes that come with it, by their names. */
  binary?: Record<string, Record<string, BinaryRef>[]>;
  /** Port through which the input leaves as it came. */
  pass?: string;
  /** The call fails. */
  error?: CallError;
  /** The program stops during the call and starts again; the call's result is lost. */
  crash?: boolean;
  /** No answer comes. The time limit of the step ends the call. */
  never?: boolean;
  /** For steps that make one list of all items: for each item of the port `success`, the index of the input item it comes from. */
  paired?: (number | null)[];
  /** What `_meta` is in `out` and `print`. A run does not record it. */
  meta?: unknown;
  /** Variables that the step itself writes. */
  writes?: Record<string, unknown>;
}

/** What a token may do; each role may do what the smaller ones may. */
export type CallerRole = 'viewer' | 'operator' | 'builder';

/** A run at one event (C-02, K-30). It says where a run stands; a run goes on from its events, not from this. */
export interface Checkpoint {
  /** `signalbox_checkpoint`. */
  _type: string;
  /** 1. */
  _version: number;
  /** The run. */
  runId: string;
  /** Its workflow. */
  workflowId: string;
  /** SHA-256 of the definition it is pinned to. */
  version: string;
  /** Where it stands. */
  status: RunStatus;
  /** The event it is taken after. */
  eventSeq: number;
  /** Time of that event, RFC 3339. */
  createdAt: string;
  /** The first step that is to run or is running, with its path; null when there is none. */
  currentStepId: string | null;
  /** The run's input. */
  params: unknown;
  /** Variables. */
  variables: unknown;
  /** Steps at the top that have ended well, in the order of the file. */
  completedSteps: string[];
  /** Branches that have ended, by the step that holds them, with its path. */
  completedBranches: Record<string, string[]>;
  /** Iterations that have ended, by the loop, with its path. */
  loopProgress: Record<string, number[]>;
  /** Files that the run has written. */
  artifacts: string[];
  /** `meta` of the data that passes between its steps. */
  meta: CheckpointMeta;
  /** Tasks that wait for a person. */
  openTasks: string[];
  /** The original of a re-run. */
  parentRunId?: string;
}

/** `meta` of an ExecutionPayload, at this event. */
export interface CheckpointMeta {
  /** When the run started, RFC 3339. */
  startTime: string;
  /** The step that executed last, in a container without its path. */
  lastNode?: string;
}

/** Asks for a checkpoint. */
export interface CheckpointOf {
  /** The run. */
  runId: string;
  /** After this event; the last one when absent. */
  at?: number;
}

/** How a client proves who it is at the token endpoint. A client without a secret sends its id only. */
export type ClientAuthentication = 'basic' | 'body';

/** What closing the window does while workflows are active. */
export type Closing = 'background' | 'quit';

/** The closed set of codes, each explained in `docs/diagnostics.md`. Codes may be added, never reused. */
export type Code = 'BAD_JSON' | 'UNKNOWN_TYPE' | 'UNKNOWN_PORT' | 'DANGLING_EDGE' | 'DUPLICATE_EDGE' | 'CYCLE' | 'BAD_ID' | 'BAD_FILE' | 'TOO_LARGE' | 'NOT_AVAILABLE' | 'MISSING_CONFIG' | 'UNKNOWN_CONFIG' | 'BAD_CONFIG' | 'BAD_MODE' | 'CEL_SYNTAX' | 'CEL_LIMIT' | 'UNKNOWN_NAME' | 'NOT_AN_ANCESTOR' | 'HANDLER_NEEDS_ERROR' | 'BAD_REENTRY' | 'CROSSES_CONTAINER' | 'BRANCHES_MEET' | 'NEWER_VERSION' | 'EMPTY_WORKFLOW' | 'AUDIT_RESERVED_EVENT' | 'CONTEXT_RACE' | 'RULE_UNREACHABLE' | 'STOP_IN_FORK' | 'HOST_FROM_DATA' | 'UNKNOWN_FIELD' | 'BAD_PARAM' | 'BAD_PARENT' | 'EMPTY_CONTAINER' | 'UNKNOWN_WORKFLOW' | 'SECRET_PLACE' | 'SECRET_MISSING' | 'SECRET_HOST' | 'MISSING_MODEL' | 'UNKNOWN_PROVIDER' | 'NO_PRICE' | 'UNGATED_EGRESS' | 'UNUSABLE_TOOL' | 'UNKNOWN_TOOL' | 'TOOL_ARGUMENTS' | 'UNUSABLE_SKILL' | 'NOT_TRANSLATED' | 'HANDLER_UNREACHABLE' | 'BAD_CRON' | 'NEVER_FIRES' | 'UNKNOWN_TIMEZONE' | 'MISSING_GRANT' | 'UNFIT_PARAMS' | 'BAD_FORM_PATH' | 'FORM_PATH_TAKEN' | 'BAD_FORM' | 'BAD_HOOK_PATH' | 'HOOK_PATH_TAKEN' | 'NO_RESPONSE' | 'SAME_FOR_ALL_ITEMS' | 'UNKNOWN_CONNECTOR' | 'UNKNOWN_OPERATION';

/** One of two runs that are compared. */
export interface ComparedRun {
  /** UUID v7. */
  runId: string;
  /** Id of the workflow. */
  workflowId: string;
  /** Its name at the start. */
  workflowName: string;
  /** Where it stands. */
  status: RunStatus;
  /** RFC 3339. */
  startedAt: string;
  /** RFC 3339. */
  endedAt?: string;
  /** From start to end, or until now. */
  durationMs: number;
  /** The run it was re-run from. */
  parentRunId?: string;
  /** The workspace that it belongs to. */
  workspace?: string;
  /** Its place in the queue of its workflow while it is `queued`, else in that of runs that wait for a worker; 1 is the next. */
  place?: number;
  /** The step that failed the run. */
  failedStepId?: string;
  /** Of a very long run only the values of its events up to here were compared. */
  valuesUntil?: number;
}

/** What a step came to in a run. */
export interface ComparedStep {
  /** Its state. */
  state: NodeState;
  /** Rounds. */
  visits: number;
  /** Calls. */
  attempts: number;
  /** Port → number of items; taken ports only. */
  ports: Record<string, number>;
}

/** A file to add. */
export interface ConnectorAdd {
  /** Text of an OpenAPI document, a GraphQL introspection or a connector file, as JSON or YAML. Empty: the GraphQL service at `address` is asked about itself. */
  text?: string;
  /** Address of a GraphQL endpoint. */
  address?: string;
  /** The secret that new steps begin with, as `secret://name`; a GraphQL endpoint is asked with it. */
  credential?: string;
  /** Name of the connector; default: the name in the file, or the title of the document. */
  name?: string;
  /** Replace an own connector of this name. */
  replace?: boolean;
}

/** A connector that was added. */
export interface ConnectorAdded {
  /** Its name in steps. */
  name: string;
  /** The name of the service. */
  title: string;
  /** Its file. */
  file: string;
  /** Number of operations. */
  operations: number;
  /** Operations of the document that were left out. */
  leftOut: number;
  /** What the document has and the connector does not, or has in another way. */
  findings: ConnectorFinding[];
  /** Findings that are not in the list. */
  moreFindings: number;
}

/** A connector of this machine. */
export interface ConnectorEntry {
  /** Its name in steps. */
  name: string;
  /** The name of the service. */
  title: string;
  /** What the service is. */
  description: string;
  /** Other words people search for. */
  keywords: string[];
  /** It is a file of this machine and does not come with the program. */
  own: boolean;
  /** Why its file cannot be used; then it has no operations. */
  problem?: string;
  /** Where the API is documented. */
  docs?: string;
  /** What secret the service needs; absent when it needs none. */
  credential?: string;
  /** The secret that new steps begin with, as `secret://name`. */
  usualCredential?: string;
  /** How people sign in to the service (OAuth 2). */
  signIn?: ConnectorSignIn;
  /** Variables of the service's address. */
  variables: ConnectorVariable[];
  /** Its operations, in the order of the file. */
  operations: ConnectorOperationEntry[];
}

/** What a document has and a connector does not. */
export interface ConnectorFinding {
  /** Where: a JSON Pointer into the document. */
  path: string;
  /** What, in a sentence. */
  message: string;
}

/** Which connector. */
export interface ConnectorName {
  /** Its name. */
  name: string;
}

/** An operation with its schemas. */
export interface ConnectorOperation {
  /** What it does, in a few words. */
  title: string;
  /** What it does. */
  description: string;
  /** It changes something. */
  writes: boolean;
  /** JSON Schema of its parameters, without references. */
  params: unknown;
  /** JSON Schema of what it passes on, without references; null when it is not known. */
  output: unknown;
  /** The fields that a GraphQL operation selects when a step names none; absent where there is nothing to select. */
  fields?: string;
}

/** An operation, as lists show it. */
export interface ConnectorOperationEntry {
  /** Its name in steps. */
  name: string;
  /** What it does, in a few words. */
  title: string;
  /** Group within the service. */
  group?: string;
  /** Still offered, but to be avoided. */
  deprecated: boolean;
}

/** Which operation. */
export interface ConnectorOperationGet {
  /** The connector. */
  connector: string;
  /** The operation. */
  operation: string;
}

/** How a person signs in to the service of a connector. */
export interface ConnectorSignIn {
  /** The service. */
  oauth: OAuthService;
  /** Hosts that tokens are sent to, beside the host of the token endpoint. */
  hosts: string[];
  /** Where a client is registered. */
  register?: string;
  /** The redirect address that is registered, where the service takes no other. */
  redirect?: string;
  /** What to know when registering one. */
  note?: string;
  /** An address that answers 200 to a GET with a good token. */
  testUrl?: string;
}

/** A variable of a service's address. */
export interface ConnectorVariable {
  /** Its name. */
  name: string;
  /** What it is. */
  description?: string;
  /** Its value when a step gives none; without it, a step must. */
  default?: string;
  /** The values that it may have; empty for any. */
  values: string[];
}

/** `context`: schema and initial values of the run-wide variables. */
export interface ContextDeclaration {
  /** JSON Schema (type object); every write is checked against it. */
  schema?: unknown;
  /** Values before the first step. */
  initial?: Record<string, unknown>;
}

/** What is changed before the failed step executes again. At most one of `edited`, `patch` and `expression`; with none of them the step gets its recorded input. */
export interface Correction {
  /** Data of the items of one failure, as a person has edited them. What was changed there is changed in the others where they have the same value in that place. */
  edited?: EditedInput;
  /** JSON Patch (RFC 6902) over the data of each item. A text value that begins with `=` is an expression over `item`. */
  patch?: unknown[];
  /** CEL over `item`, `items`, `params`, `context` and `error` that gives the new data of each item. */
  expression?: string;
  /** With which definition the new runs run. */
  definition?: RerunDefinition;
}

/** How a correction fits a failure. */
export type CorrectionFit = 'fits' | 'different' | 'not';

/** Steps and connected ports that are reached. */
export interface Coverage {
  /** Ids of steps that were called, or skipped by their condition. */
  steps: string[];
  /** `step.port` of connected ports that items left through. */
  ports: string[];
}

/** One thing to know about the errors of a workflow. */
export interface CoverageFinding {
  /** `RED_PORT_OPEN`, `RED_PORT_POLICY`, `RETRY_UNSAFE_WRITE`, `RULE_UNREACHABLE`. */
  code: string;
  /** Absent: only worth knowing. */
  severity?: Severity;
  /** JSON Pointer into the file. */
  path: string;
  /** The step. */
  stepId?: string;
  /** What and why. */
  message: string;
  /** What next. */
  hint: string;
  /** The button. */
  fix?: CoverageFix;
}

/** What one press does. */
export interface CoverageFix {
  /** The words on the button. */
  label: string;
  /** Edits of the document, as the editor knows them. */
  edits: Record<string, unknown>[];
  /** Instead of edits: a template that the editor puts at `port` (`human`, `explicit`). */
  template?: string;
  /** `node.port`. */
  port?: string;
}

/** What the last proof of a workflow says about a definition. */
export interface CoverageProof {
  /** When it ended, RFC 3339. */
  at: string;
  /** Of the faults that were tried, how many are handled, in percent. */
  score?: number;
  /** It is one of exactly this definition, positions aside. */
  isCurrent: boolean;
  /** Step → what it says; empty when the definition has changed. */
  steps: Record<string, StepProofState>;
}

/** What is reached of what there is. */
export interface CoverageReport {
  /** Steps that are reached. */
  stepsReached: number;
  /** All steps. */
  steps: number;
  /** Connected ports that are reached. */
  portsReached: number;
  /** All connected ports. */
  ports: number;
  /** Steps that no test reaches. */
  missingSteps: string[];
  /** Connected ports that no test reaches: `step.port`. */
  missingPorts: string[];
}

/** How many red ports lead somewhere. */
export interface CoverageScore {
  /** By a wire or a fallback. */
  wired: number;
  /** By the workflow's policy. */
  policy: number;
  /** All of them. */
  total: number;
}

/** A check of the data folder. */
export interface DataCheck {
  /** What can be repaired is repaired. */
  repair?: boolean;
}

/** One thing that is not as it should be. */
export interface DataFinding {
  /** `store`, `audit`, `indexes`, `library`, `files` or `permissions`. */
  area: string;
  /** How it stands. */
  state: DataState;
  /** What is wrong, one sentence. */
  message: string;
  /** What to do about it, or what was done. */
  hint: string;
}

/** What a check of the data folder found. */
export interface DataReport {
  /** Runs whose events were read. */
  runs: number;
  /** Audit entries that were verified. */
  auditEntries: number;
  /** Workflow files that were read. */
  workflows: number;
  /** Indexes that were checked. */
  indexes: number;
  /** Bytes of the database file. */
  storeBytes: number;
  /** Bytes of it that hold nothing. */
  freeBytes: number;
  /** Bytes that were given back to the disk. */
  freedBytes: number;
  /** What is wrong. */
  findings: DataFinding[];
}

/** How much room the data folder takes. */
export interface DataSize {
  /** The folder. */
  folder: string;
  /** Bytes of the database with its log: runs, tasks, the audit chain. */
  storeBytes: number;
  /** Bytes of it that hold nothing; they are used again. */
  freeBytes: number;
  /** Bytes of the other files: workflows, files of runs, indexes. */
  otherBytes: number;
}

/** How a finding stands. */
export type DataState = 'found' | 'repairable' | 'repaired';

/** A column. */
export interface DatabaseColumn {
  /** Its name. */
  name: string;
  /** Its type, as the database names it. */
  type: string;
}

/** A table or view. */
export interface DatabaseTable {
  /** Its schema, where the database has schemas. */
  schema?: string;
  /** Its name. */
  name: string;
  /** `table` or `view`. */
  kind: string;
  /** In their order. */
  columns: DatabaseColumn[];
  /** Names of the columns of the primary key. */
  primaryKey: string[];
}

/** Tables of a database. */
export interface DatabaseTables {
  /** At most 500. */
  tables: DatabaseTable[];
  /** How many there are. */
  total: number;
}

/** Asks for the tables of the database that a step names. */
export interface DatabaseTablesGet {
  /** Id of the workflow: a SQLite file lies in a folder that is allowed for it. */
  workflowId: string;
  /** Settings of the step; only those of the connection are used. */
  config: unknown;
}

/** What a day cost. */
export interface DayUsage {
  /** `2026-11-22`, in UTC. */
  day: string;
  /** Sums. */
  usage: Usage;
}

/** An error a kind may produce. */
export interface DeclaredError {
  /** ErrorPayload type. */
  type: ErrorType;
  /** `details.code`. */
  code: string;
  /** When it happens, in plain words. */
  when: string;
  /** Whether a retry may help. */
  retryable: boolean;
}

/** What the definition changed of a step. */
export type DefinitionChange = 'added' | 'removed' | 'changed' | 'inside';

/** What two definitions do differently: names, notes and places on the canvas do not matter. */
export interface DefinitionDifference {
  /** The runs ran the very same definition. */
  same: boolean;
  /** Steps. */
  steps: DefinitionStep[];
  /** Other parts: `params`, `context`, `settings`. */
  parts: string[];
}

/** One step that two definitions have differently. */
export interface DefinitionStep {
  /** The step. */
  stepId: string;
  /** How. */
  change: DefinitionChange;
  /** Of a changed one: where. `wires` are the ports that lead into it. */
  changes?: ValueDifference[];
}

/** Who answers tasks that are assigned to somebody else. */
export interface Delegation {
  /** Its id. */
  id: string;
  /** Whose tasks: `user:…`. */
  from: string;
  /** Who answers them, too: `user:…`. */
  to: string;
  /** RFC 3339. */
  startsAt: string;
  /** RFC 3339. */
  endsAt: string;
  /** It holds now. */
  active: boolean;
  /** Only tasks of this workflow (id); all when absent. */
  workflow?: string;
  /** Why. */
  notes?: string;
  /** Who made it. */
  madeBy: string;
}

/** Lets somebody answer in one's name for a time. */
export interface DelegationCreate {
  /** Who answers, too: `user:…`. */
  to: string;
  /** Whose tasks: the caller's when absent. Those of others need the role builder. */
  from?: string;
  /** RFC 3339; now when absent. */
  startsAt?: string;
  /** RFC 3339, at most a year after the start. */
  endsAt: string;
  /** Only tasks of this workflow (id). */
  workflow?: string;
  /** Why. */
  notes?: string;
}

/** Names a delegation. */
export interface DelegationEnd {
  /** Its id. */
  id: string;
}

/** Where a message stands. */
export type DeliveryState = 'waiting' | 'taken' | 'failed';

/** One finding with its place and the next step. */
export interface Diagnostic {
  /** What kind of finding. */
  code: Code;
  /** Error or warning. */
  severity: Severity;
  /** JSON Pointer into the file. */
  path: string;
  /** What is wrong and why, one sentence. */
  message: string;
  /** What to do next. */
  hint: string;
  /** A change of the file that mends it, where there is one that needs no choice. */
  fix?: Fix;
}

/** One thing that is not as the test says. */
export interface Difference {
  /** The step; none when it is about the whole run. */
  step?: string;
  /** What differs: `status`, `output/0/total`, `state`, `ports/true`, `call`, `assertion`. */
  field: string;
  /** What the test expects; absent when nothing. */
  expected?: unknown;
  /** What came; absent when nothing did. */
  actual?: unknown;
  /** The same in a sentence. */
  message: string;
}

/** Changes that were not saved. */
export interface Draft {
  /** As it stood in the editor. */
  document: Workflow;
  /** RFC 3339. */
  savedAt: string;
}

/** Keeps changes that are not saved yet. */
export interface DraftPut {
  /** Opaque id of the file. */
  ref: string;
  /** As it stands in the editor. */
  document: Workflow;
}

/** Ports read from an array field of the config. */
export interface DynamicPorts {
  /** Array field of the config. */
  from: string;
  /** Field of each element that holds the port id; absent where the elements are the ids. */
  id?: string;
  /** With fewer elements there are no such ports. */
  least?: number;
  /** The fixed port that they take the place of. */
  insteadOf?: string;
}

/** A wire from a port to a node. */
export interface Edge {
  /** `node.port`; the last dot separates. */
  from: PortRef;
  /** Target node id. */
  to: string;
}

/** An edited input. */
export interface EditedInput {
  /** The failure whose input it is. */
  failure: number;
  /** Data of its items. */
  input: unknown[];
}

/** What a call does outside the engine. */
export type Effects = 'none' | 'read' | 'write';

/** A request or an answer without fields. */
export type Empty = Record<string, never>;

/** Error coverage of a workflow. */
export interface ErrorCoverage {
  /** Worst first. */
  findings: CoverageFinding[];
  /** The number. */
  score: CoverageScore;
  /** The last proof of the workflow. */
  proof?: CoverageProof;
}

/** Payload of `error_handled`; stands before what it decides. */
export interface ErrorHandled {
  /** Node that failed. */
  originStepId: string;
  /** Rule name; `policy:<name>` for a policy's. */
  rule: string;
  /** What is really done. */
  action: string;
  /** The rule's action when it differs. */
  wanted?: string;
  /** A rule before it that could not be evaluated (K-10). */
  ruleError?: string;
  /** The failed slot, when a recovery node runs. */
  origin?: Origin;
}

/** `errorHandling` of a node. */
export interface ErrorHandling {
  /** The node's own retry; acts before everything else. */
  retryPolicy?: RetryPolicy;
  /** Node that takes over when the policy says fallback. */
  fallbackNodeId?: string;
  /** Repair of a ValidationError before anything else. */
  autoFix?: boolean;
  /** `INFO`, `WARN`, `ERROR`, `CRITICAL`. */
  humanReviewThreshold?: string;
}

/** The one error object of all components (E-04…E-17). The engine fills its own fields; a tool's claims go to `details.toolSuggested`. */
export interface ErrorPayload {
  /** One of six. */
  type: ErrorType;
  /** Plain words for a person. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** Node that failed. */
  originNode: string;
  /** Run that failed; always filled by the engine (K-03). */
  originRunId?: string;
  /** Automatic re-executions already made in this visit (K-04). */
  attempt?: number;
  /** Bound of retries. */
  maxAttempts?: number;
  /** When, RFC 3339. */
  timestamp: string;
  /** Advice. */
  suggestedAction?: SuggestedAction;
  /** Audit entry of this error: `audit:RUN:EVENT`. The query `ref:audit:RUN:EVENT` finds it. */
  provenanceRef?: string;
  /** Trace of the run, 32 hexadecimal digits (O-10): in a tracing program it leads to the spans of the run. */
  traceId?: string;
  /** Free; `code` is the finer cause, `input` the input that failed. */
  details?: Record<string, unknown>;
}

/** `settings.errorPolicy` (SEMANTICS 4, line 4). */
export type ErrorPolicy = NamedPolicy | RuleList;

/** The closed set of error types (K-02). Finer causes go to `details.code`. */
export type ErrorType = 'ToolError' | 'LLMError' | 'NetworkError' | 'ValidationError' | 'Timeout' | 'UnknownError';

/** `escalated`: nobody answered in time. */
export interface Escalated {
  /** Id of the task. */
  taskId: string;
  /** The failed slot, when a recovery node asked. */
  origin?: Origin;
  /** From 1. */
  level: number;
  /** What was done. */
  action: ExpiryAction;
  /** Who has it now. */
  to?: string;
  /** Until when they may answer. */
  expiresAt?: string;
  /** When they are reminded. */
  remindAt?: string[];
  /** What happens then. */
  onExpiry?: OnExpiry;
}

/** A call that runs as a test. */
export interface Example {
  /** What it shows. */
  title: string;
  /** The config. */
  config: unknown;
  /** Data of the input items. */
  input: unknown[];
  /** Port → data of the items that leave there; absent when `error` is given. */
  output?: Record<string, unknown[]>;
  /** Expected `details.code`. */
  error?: string;
}

/** What must come out. */
export interface Expectations {
  /** Status of the run: `completed`, `failed`, `cancelled`, or `paused` (it waits for a person). */
  status?: string;
  /** Step that ended the run with an error. */
  failedStep?: string;
  /** Code of that error. */
  errorCode?: string;
  /** Output of the run, whole. */
  output?: unknown[];
  /** Variables at the end; those that are not named are not checked. */
  context?: Record<string, unknown>;
  /** Step → state at the end. */
  steps?: Record<string, string>;
  /** Step → port → number of items that left there, over all its calls. */
  ports?: Record<string, Record<string, number>>;
  /** Steps that must not be called. */
  notCalled?: string[];
  /** Conditions in CEL over `status`, `output`, `params`, `context`, `nodes`, `steps`, `calls`, `error` and `durationMs`. */
  assertions?: string[];
}

/** What happens automatically when nobody answers in time. */
export type ExpiryAction = 'escalate' | 'abort' | 'retry' | 'skip';

/** One level of an escalation. */
export interface ExpiryPolicy {
  /** What happens. */
  action: ExpiryAction;
  /** Who gets the task: `user:…` or `group:…`. */
  to?: string;
  /** How long they have; the node's `ttlMs` when absent. */
  ttlMs?: number;
  /** What happens when they do not answer either. */
  then?: OnExpiry;
}

/** A line of an explanation. */
export interface ExplainedLine {
  /** Words; of an error, what the service said. */
  text: string;
  /** The step. */
  step?: string;
  /** Its title. */
  title?: string;
  /** The event. */
  seq?: number;
  /** The code of the error. */
  code?: string;
}

/** What a program is made of and what it will need. */
export interface ExportCheckList {
  /** Name of the program. */
  name: string;
  /** Title of the workflow. */
  title: string;
  /** System and processor that it runs on, `linux-x86_64`. */
  platform: string;
  /** Where its audit chain is kept. */
  audit: AuditKeeping;
  /** How it asks people; `none` when it never asks. */
  human: HumanReview;
  /** The address that tasks are sent to. */
  callback: string | null;
  /** Parts, and the kinds of steps that need them. */
  modules: Module[];
  /** What the machine must have. */
  needs: Needs;
  /** The workflow, then those that its steps call. */
  workflows: ExportedPart[];
  /** Connectors. */
  connectors: ExportedPart[];
  /** Bytes of the program; absent when it cannot be exported. */
  sizeBytes?: number;
}

/** What a person chooses for an export. */
export interface ExportChoices {
  /** What is written; `bundle` when absent. */
  target?: ExportTarget;
  /** Where the program keeps its audit chain; `sqlite` when absent. */
  audit?: AuditKeeping;
  /** How the program asks people; `none` when absent. */
  human?: HumanReview;
  /** The address that tasks are sent to, with `human` = `callback`. */
  callback?: string;
  /** With `target` = `bundle`, on Linux: a smaller file, which is decompressed into memory at each start. */
  compress?: boolean;
}

/** As what entries are exported. */
export type ExportFormat = 'pack' | 'csv' | 'jsonl';

/** Why a workflow cannot be exported. */
export interface ExportProblem {
  /** The code of the error. */
  code: string;
  /** The workflow, when it is not the one that is exported. */
  workflow?: string;
  /** Where in the file; empty when it is about no place. */
  path: string;
  /** What is wrong. */
  message: string;
  /** What to do. */
  hint: string;
  /** What is wrong, for who shows it in another language. */
  reason?: ExportReason;
  /** What it names: a field, a variable, a tool server, the number of a rule. */
  name?: string;
}

/** Why exported programs cannot do what a workflow asks. */
export type ExportReason =
  | 'people'
  | 'failures'
  | 'brokers'
  | 'module'
  | 'rule_people'
  | 'check_model'
  | 'check_people'
  | 'tool_people'
  | 'secret_address'
  | 'secret_field'
  | 'secret_setting'
  | 'secret_variable'
  | 'tool_server'
  | 'runner'
  | 'sources'
  | 'system';

/** What is written. */
export type ExportTarget = 'bundle' | 'container' | 'source';

/** A file of a program, by its hash. */
export interface ExportedPart {
  /** Id of the workflow, or name of the connector. */
  id: string;
  /** SHA-256 of the text, lowercase hex. */
  sha256: string;
}

/** An expression that compiles and works on the data of the last run, or why there is none. */
export interface ExpressionAnswer {
  /** The expression, without a leading `=`. */
  text?: string;
  /** What it gives. */
  preview?: Preview;
  /** Why there is no expression. */
  reason?: string;
  /** Answers that were not taken. */
  refused: ExpressionRefused[];
  /** What it cost. */
  usage: PlanUsage;
}

/** Asks for an expression. */
export interface ExpressionAsk {
  /** The workflow as the editor shows it. */
  document: Workflow;
  /** The step that the expression belongs to. */
  nodeId: string;
  /** What it should give, in words. */
  asked: string;
  /** The title of the field. */
  field?: string;
  /** What stands in the field now. */
  current?: string;
  /** It has to be true or false. */
  condition?: boolean;
  /** This run instead of the last one. */
  runId?: string;
  /** This iteration or branch of the run. */
  path?: string;
  /** Reference of the workflow file whose pinned outputs stand in place of what steps put out. */
  pins?: string;
  /** Index of the item to look at, 0 when absent. */
  item?: number;
}

/** How an expression is written. */
export type ExpressionKind = 'cel' | 'value';

/** One completion. */
export interface ExpressionName {
  /** What is inserted. */
  label: string;
  /** Its type as far as known. */
  type: string;
  /** What it is. */
  detail?: string;
  /** Its value in the last run; large values are cut. */
  sample?: unknown;
}

/** Names an expression of a node may use. */
export interface ExpressionNames {
  /** The workflow as the editor shows it. */
  document: Workflow;
  /** The node. */
  nodeId: string;
  /** This run instead of the last one. */
  runId?: string;
  /** This iteration or branch of the run; the last one in which the node was called when absent. */
  path?: string;
  /** Of a loop: what its `while` and `collect` see, where `_result` is what one iteration came to. */
  inside?: boolean;
  /** Reference of the workflow file: what is pinned for a step stands in place of what it put out. */
  pins?: string;
}

/** An expression to try on the last run's data. */
export interface ExpressionPreview {
  /** The workflow as the editor shows it. */
  document: Workflow;
  /** The node the expression belongs to. */
  nodeId: string;
  /** The expression. */
  text: string;
  /** How it is written. */
  kind: ExpressionKind;
  /** This run instead of the last one. */
  runId?: string;
  /** This iteration or branch of the run; the last one in which the node was called when absent. */
  path?: string;
  /** Index of the item to look at, 0 when absent. */
  item?: number;
  /** Reference of the workflow file: what is pinned for a step stands in place of what it put out. */
  pins?: string;
  /** For who looks at data and not at a text that is being typed: up to 2 MiB come whole, of a longer list its first elements. */
  whole?: boolean;
}

/** An answer that was not taken. */
export interface ExpressionRefused {
  /** The expression; empty when there was none. */
  text: string;
  /** Why. */
  problem: string;
}

/** An expression to try on data that is given with it. */
export interface ExpressionTry {
  /** The expression, in CEL. */
  text: string;
  /** The names that it sees: `item`, `items`, `nodes`, `params`, `context`, `run` and `error`, all optional. */
  data?: Record<string, unknown>;
}

/** One failure. */
export interface Failure {
  /** Its number. */
  failure: number;
  /** The run. */
  runId: string;
  /** The open task about it; none when the run has failed. */
  taskId?: string;
  /** The failed step, with its path. */
  stepId: string;
  /** RFC 3339. */
  at: string;
}

/** A group of failures: the same step of the same workflow with the same code, a message that differs only in values, and an input of the same shape. */
export interface FailureGroup {
  /** Its id. */
  group: string;
  /** Id of the workflow. */
  workflowId: string;
  /** Its name. */
  workflowName: string;
  /** The failed step, without iterations. */
  stepId: string;
  /** Its title in the newest failed run. */
  stepTitle?: string;
  /** Code of the error; may be empty. */
  code: string;
  /** The message, with `#`, `<id>`, `<time>`, `<path>`, `<url>` and `"…"` in the place of its values. */
  message: string;
  /** The newest message, with masks. */
  sample: string;
  /** Failures that nobody has dealt with. */
  open: number;
  /** All that are still stored. */
  total: number;
  /** RFC 3339. */
  firstAt: string;
  /** RFC 3339. */
  lastAt: string;
}

/** A group with what belongs to it. */
export interface FailureGroupDetails {
  /** Its id. */
  group: string;
  /** Id of the workflow. */
  workflowId: string;
  /** Its name. */
  workflowName: string;
  /** The failed step, without iterations. */
  stepId: string;
  /** Its title in the newest failed run. */
  stepTitle?: string;
  /** Code of the error; may be empty. */
  code: string;
  /** The message, with `#`, `<id>`, `<time>`, `<path>`, `<url>` and `"…"` in the place of its values. */
  message: string;
  /** The newest message, with masks. */
  sample: string;
  /** Failures that nobody has dealt with. */
  open: number;
  /** All that are still stored. */
  total: number;
  /** RFC 3339. */
  firstAt: string;
  /** RFC 3339. */
  lastAt: string;
  /** The shape of the input, one place with its type each: `/items/* /price number`. */
  shape: string[];
  /** The newest open failure. */
  newest?: Failure;
  /** Replays of this group, the newest first, at most 20. */
  replays: Replay2[];
  /** What three corrections of one kind suggest to the author. */
  suggestion?: FailureSuggestion;
}

/** Names a group. */
export interface FailureGroupGet {
  /** Its id. */
  group: string;
}

/** Which groups to list. */
export interface FailureGroupList {
  /** Only of this workflow (id). */
  workflow?: string;
  /** At most so many, 50 when absent, at most 200. */
  limit?: number;
  /** `next` of the page before. */
  after?: string;
}

/** A page of groups, those that failed last first. */
export interface FailureGroupPage {
  /** The groups. */
  groups: FailureGroup[];
  /** Asks for the next page. */
  next?: string;
  /** Groups of all pages. */
  total: number;
  /** Failures of before an upgrade are still being taken in. */
  filling: boolean;
}

/** Which failures of a group to list. */
export interface FailureList {
  /** The group. */
  group: string;
  /** `next` of the page before. */
  before?: number;
  /** At most so many, 100 when absent, at most 500. */
  limit?: number;
}

/** A page of open failures, the newest first. */
export interface FailurePage {
  /** The failures. */
  failures: Failure[];
  /** Asks for the next page. */
  next?: number;
}

/** Tries a correction on some failures of a group; nothing is started. */
export interface FailurePreview {
  /** The group. */
  group: string;
  /** The correction. */
  correction: Correction;
  /** The failure that the correction was made for; the others are compared with what it gives there. The newest when absent. */
  sample?: number;
  /** `next` of the piece before. */
  before?: number;
  /** At most so many, 50 when absent, at most 200. */
  limit?: number;
}

/** Tries a correction on one failure and shows the values. */
export interface FailurePreviewOne {
  /** The failure. */
  failure: number;
  /** The correction. */
  correction: Correction;
}

/** A piece of a preview. */
export interface FailurePreviewPage {
  /** What was tried. */
  tried: FailureTried[];
  /** Asks for the next piece. */
  next?: number;
}

/** A failure with what a correction makes of its input. */
export interface FailurePreviewed {
  /** Data of the items that the step got. */
  before: unknown[];
  /** Data of the items that it would get; absent when the correction does not fit. */
  after?: unknown[];
  /** Why the correction does not fit. */
  why?: string;
  /** Values are masked. */
  masked: boolean;
  /** Steps that execute again, write, and have done so before: done twice they may do the same a second time. */
  repeats: string[];
  /** Answers of people that could be kept. */
  answers: number;
}

/** A proposal that waits in the builder. */
export interface FailureProposed {
  /** Opaque id of the workflow file. */
  ref: string;
  /** The step that would stand before the failed one. */
  stepId: string;
}

/** A correction that was made again and again, as a step for the workflow. */
export interface FailureSuggestion {
  /** The replay whose rule it is. */
  replay: string;
  /** How often the rule was used. */
  times: number;
  /** Kind of the step that would stand before the failed one. */
  kind: string;
  /** Its settings. */
  config: unknown;
}

/** A failure that was tried. */
export interface FailureTried {
  /** Its number. */
  failure: number;
  /** Its run. */
  runId: string;
  /** How the correction fits. */
  fit: CorrectionFit;
  /** Why it does not, or what is different. */
  why?: string;
}

/** Names a result of a proof. */
export interface FaultName {
  /** The step that has the fault. */
  step: string;
  /** One of the faults of the result. */
  fault: string;
  /** Only the first call has it. */
  firstCallOnly?: boolean;
}

/** What one fault, or several that are handled alike, lead to. */
export interface FaultResult {
  /** The step that has the fault; `call/fetch` is a step of the workflow that `call` runs. */
  step: string;
  /** The faults: `Timeout TIMEOUT`, `crash`, `cancel`, `empty result`, `huge result`, `nobody answers`. */
  faults: string[];
  /** `true`: only the first call has it; `false`: every call for the same item does. */
  firstCallOnly: boolean;
  /** In a pair: the fault of a later step in the same run. */
  also?: SecondFault;
  /** What it leads to. */
  outcome: Outcome;
  /** What happens after it, in order: retries, rules, steps. */
  route: string[];
  /** The same in a sentence. */
  message: string;
  /** The step at which the run fails; absent when it does not. */
  failedStep?: string;
  /** The fault as a mock for a test file. */
  mock?: CallReply;
  /** Changes of the workflow that help. */
  fixes?: ProofFix[];
}

/** What happens to the calls of a step in one run of the builder: at most one of `error` and `output`. */
export interface FaultSpec {
  /** They fail with this code, one of those that the kind of the step declares. */
  error?: string;
  /** They have this result: port → data of its items. */
  output?: Record<string, unknown[]>;
  /** How long a call takes at least, milliseconds, at most an hour. The time limit of the step ends it. */
  delayMs?: number;
  /** Only the first attempt has it, so that a retry gets through. */
  firstCallOnly?: boolean;
}

/** Payload of `file_done` (R-27). The text itself is in the file. */
export interface FileDone {
  /** Artifact path; for a file in a granted folder the path that the step was given. */
  path: string;
  /** Bytes. */
  size_bytes: number;
  /** Present for a file in a granted folder, absent for an artifact. */
  granted?: GrantedFile;
}

/** Payload of `file_start` (R-27). */
export interface FileStart {
  /** Artifact path. */
  path: string;
}

/** Open tasks of a fingerprint. */
export interface FingerprintCount {
  /** The fingerprint. */
  fingerprint: string;
  /** Title of one of them. */
  title: string;
  /** How many. */
  count: number;
}

/** What became of a tick of a trigger. */
export interface Firing {
  /** When it was due, RFC 3339; of several that were skipped together the last one. */
  scheduledAt: string;
  /** When it fired or was skipped, RFC 3339. */
  firedAt: string;
  /** Whether it started a run. */
  outcome: FiringOutcome;
  /** The run. */
  runId?: string;
  /** Where the run stands; absent when it was deleted. */
  runStatus?: RunStatus;
  /** Why it was skipped. */
  reason?: string;
  /** How many ticks it stands for. */
  count: number;
}

/** Whether a firing started a run. */
export type FiringOutcome = 'fired' | 'skipped';

/** A change of the file that mends a finding. */
export interface Fix {
  /** What it does, in a few words: the text of a button. */
  title: string;
  /** JSON Pointer of what is set. */
  path: string;
  /** To what. */
  value: unknown;
}

/** A granted folder. */
export interface Folder {
  /** Absolute path. */
  folder: string;
  /** Only for this workflow; for all when absent. */
  workflowId?: string;
  /** What steps may do in it. */
  access: Access;
  /** Its workflows are listed in the library. */
  library: boolean;
}

/** Looks into a folder of the server that may be granted. */
export interface FolderBrowse {
  /** Absolute path as listed; the folders to begin with when absent. */
  folder?: string;
}

/** Grants a folder. */
export interface FolderGrant {
  /** What the dialog of the desktop shell handed out for the folder; in a browser, its path as `folder_browse` lists it. */
  folder: string;
  /** Only for this workflow; for all when absent. */
  workflowId?: string;
  /** What steps may do in it. */
  access: Access;
  /** List its workflows in the library. */
  library: boolean;
}

/** Folders of the server. */
export interface FolderListing {
  /** The folder that was looked into; absent for the list of folders to begin with. */
  folder?: string;
  /** The folder above it, when that may be granted, too. */
  parent?: string;
  /** Absolute paths by name, without hidden folders and links. */
  folders: string[];
  /** There are more than are listed. */
  more: boolean;
}

/** Takes a grant back. */
export interface FolderRevoke {
  /** Absolute path as listed. */
  folder: string;
  /** The workflow it was granted for. */
  workflowId?: string;
}

/** What a checkpoint of another program says of the run that it was taken of (K-30, ADR 38). */
export interface Foreign {
  /** Where it came from. */
  source: ImportedFrom;
  /** The step at the top where the run begins. */
  step: string;
  /** Data of the item that the run begins with: what the step before it made, as far as the checkpoint says. */
  item: unknown;
  /** Steps that ended there. They have no results here, only what they left in the variables. */
  completed: string[];
  /** First steps of the branches of `step` that ended there. */
  branches?: string[];
  /** How many iterations of `step` ended there, from the first one on. */
  iterations?: number;
  /** Other iterations of `step` that ended there. */
  ended?: number[];
}

/** A file that a step wrote into a granted folder, as it was right after. */
export interface GrantedFile {
  /** The workflow whose grants were used. */
  workflowId: string;
  /** The real path, without links. */
  place: string;
  /** Time of its last change, in milliseconds since 1970. */
  modifiedMs: number;
}

/** What would happen with an error. */
export interface HandlerDryRun {
  /** Rules of a handler or of a policy; empty means the default ones. */
  rules?: Rule[];
  /** A named policy instead of rules. */
  policy?: TriedPolicy;
  /** The error. */
  error: TriedError;
  /** Data of the item that failed. */
  item?: unknown;
  /** The step's `humanReviewThreshold`. */
  threshold?: string;
  /** The step's `autoFix`. */
  autoFix?: boolean;
  /** The step has a fallback of its own. */
  fallback?: boolean;
  /** Ports of the handler that lead somewhere; none for a policy. */
  wired?: string[];
  /** The step's kind: what its input should look like may be known. */
  kind?: string;
  /** The container around the step collects errors, and no handler decides. */
  collected?: boolean;
  /** Numbers of the back-off. */
  retry?: RetryPolicy;
  /** They are the step's own: as long as one is left, nobody else is asked. */
  ownRetry?: boolean;
}

/** What would happen. */
export interface HandlerDryRunResult {
  /** The rule that decides, or `policy:safe`, `policy:fail`, `default`; `own` for the step's own retry. */
  rule: string;
  /** Its place in the list, from 0. */
  index?: number;
  /** What is really done. */
  action: string;
  /** What the rule says, when that is something else. */
  wanted?: string;
  /** Every rule in order, also those after the one that decides. */
  why: RuleTried[];
  /** The pause before the next call, without jitter. */
  delayMs?: number;
  /** Pauses of all retries that may still follow, without jitter. */
  delays: number[];
}

/** A condition over the numbers of a workflow. */
export interface HealthAlert {
  /** Its id. */
  id: string;
  /** What it is called. */
  name: string;
  /** Id of the workflow; every workflow when absent. */
  workflowId?: string;
  /** CEL over the fields of [`HealthNumbers`]: `errorRate > 0.1 && runs >= 20`. */
  expression: string;
  /** Over so many days, today included, 1 to 366. */
  days: number;
}

/** Names an alert. */
export interface HealthAlertId {
  /** Its id. */
  id: string;
}

/** A new alert, or a change of one. */
export interface HealthAlertPut {
  /** Its id; a new alert gets one. */
  id?: string;
  /** What it is called. */
  name: string;
  /** Id of the workflow; every workflow when absent. */
  workflowId?: string;
  /** CEL over the fields of [`HealthNumbers`]: `errorRate > 0.1 && runs >= 20`. */
  expression: string;
  /** Over so many days, today included, 1 to 366. */
  days: number;
}

/** The alerts, and which of them are raised. */
export interface HealthAlerts {
  /** All alerts. */
  alerts: HealthAlert[];
  /** Those whose condition is true, the newest first. */
  raised: RaisedHealthAlert[];
}

/** One day. */
export interface HealthDay {
  /** `2026-11-22`, UTC. */
  day: string;
  /** Runs that completed. */
  completed: number;
  /** Runs that failed. */
  failed: number;
  /** Runs that were cancelled. */
  cancelled: number;
  /** As of [`HealthNumbers::p50_ms`]; absent without a run. */
  p50Ms?: number;
  /** As of [`HealthNumbers::p95_ms`]; absent without a run. */
  p95Ms?: number;
  /** What language models cost, millionths. */
  costMicros: number;
}

/** One workflow in the list. */
export interface HealthEntry {
  /** Id of the workflow. */
  workflowId: string;
  /** Its name at its newest start. */
  workflowName: string;
  /** The numbers. */
  numbers: HealthNumbers;
  /** Names of alerts whose condition is true. */
  alerts: string[];
}

/** How often calls of a step failed. */
export interface HealthError {
  /** The step; empty where it is not known, `…` for errors that are not told apart. */
  stepId: string;
  /** Code of the error. */
  code: string;
  /** Failed calls, repeated and handled ones included. */
  errors: number;
  /** Runs that it failed. */
  failed: number;
}

/** The health of one workflow. */
export interface HealthGet {
  /** Id of the workflow. */
  workflowId: string;
  /** Days, today included; 30 when absent, at most 366. */
  days?: number;
}

/** The health of all workflows. */
export interface HealthList {
  /** Days, today included; 30 when absent, at most 366. */
  days?: number;
}

/** Numbers about the ended runs of a workflow in some days, and what is open now. Tries of builders do not count. */
export interface HealthNumbers {
  /** Runs that completed or failed. */
  runs: number;
  /** Runs that completed. */
  completed: number;
  /** Runs that failed. */
  failed: number;
  /** Runs that were cancelled; they are in no other number. */
  cancelled: number;
  /** `failed` by `runs`, 0 to 1; 0 without a run. */
  errorRate: number;
  /** The duration that half of the runs did not exceed, milliseconds, waits included, with two digits that count; 0 without a run. */
  p50Ms: number;
  /** The duration that 95 % of the runs did not exceed. */
  p95Ms: number;
  /** What language models cost, millionths. */
  costMicros: number;
  /** Open tasks now. */
  openTasks: number;
  /** Age of the oldest of them, milliseconds; 0 without one. */
  oldestTaskMs: number;
  /** Of the faults that the last proof tried, how many are handled, in percent. */
  proofScore?: number;
}

/** All workflows with ended runs, those with the most first, at most 500. */
export interface HealthOverview {
  /** The first day, `2026-11-22`, UTC. */
  since: string;
  /** The workflows. */
  workflows: HealthEntry[];
}

/** What a listener has received. */
export interface HookHeard {
  /** Where it stands. */
  state: HookState;
  /** The event, as the webhook step would hand it on. Bytes of files are not kept. */
  event?: Record<string, unknown>;
  /** Requests that were refused for their credentials or signature. */
  refused: number;
  /** Why the last of them was. */
  reason?: string;
}

/** Listens for one request at the test address of a webhook step. */
export interface HookListen {
  /** Id of the workflow. */
  workflowId: string;
  /** The step. */
  nodeId: string;
  /** Its settings. */
  config: unknown;
}

/** Names a listener. */
export interface HookListener {
  /** What `hook_listen` gave. */
  listenId: string;
}

/** Somebody listens. */
export interface HookListening {
  /** Names the listener. */
  listenId: string;
  /** Where to send the request. */
  address: string;
  /** When it ends by itself, RFC 3339. */
  endsAt: string;
}

/** The address of a webhook step. */
export interface HookPreview {
  /** The address that starts runs while the workflow is active. */
  address?: string;
  /** The address for tests. */
  testAddress?: string;
  /** This process answers requests at these addresses. */
  answers: boolean;
  /** What is wrong with the settings; `path` points into them. */
  diagnostics: Diagnostic[];
}

/** Asks for the address of a webhook step. */
export interface HookPreviewRequest {
  /** Settings of a webhook step. */
  config: unknown;
}

/** Where a listener stands. */
export type HookState = 'listening' | 'received' | 'ended';

/** Who serves the commands. */
export type Host = 'desktop' | 'http';

/** How the steps of an exported program ask people. */
export type HumanReview = 'none' | 'terminal' | 'ui' | 'callback';

/** `human_task_closed`: nobody answered, and nobody has to any more. */
export interface HumanTaskClosed {
  /** Id of the task. */
  taskId: string;
  /** The failed slot, when a recovery node asked. */
  origin?: Origin;
}

/** `human_task_completed`. */
export interface HumanTaskCompleted {
  /** Id of the task. */
  taskId: string;
  /** The failed slot, when a recovery node asked. */
  origin?: Origin;
  /** What was chosen. */
  action: TaskAction;
  /** With `correct`: the whole corrected input. With `submit`: the values. */
  correctedInput?: unknown;
  /** With `alternative`: the step. */
  targetNodeId?: string;
  /** Why. */
  notes?: string;
  /** With `retry` of a step whose budget is used up: what the run may spend more, in millionths. */
  budgetMicros?: number;
  /** With `approve` of a call of a tool: how far it goes; this call when absent. */
  toolGrant?: ToolGrant;
  /** Who: `user:…`; absent when a policy decided. */
  operatorId?: string;
  /** In a re-run: the run in which this answer was given; nobody was asked again. */
  keptFrom?: string;
}

/** `human_task_continued`: its time passes again. */
export interface HumanTaskContinued {
  /** Id of the task. */
  taskId: string;
  /** The failed slot, when a recovery node asked. */
  origin?: Origin;
  /** RFC 3339: when the person said so. */
  continuedAt: string;
  /** RFC 3339; nobody decides after it. */
  expiresAt?: string;
  /** RFC 3339: the reminders that are left. */
  remindAt?: string[];
  /** How long it has waited for somebody else, all in all, milliseconds. */
  waitedMs: number;
  /** Who: `user:…`. */
  operatorId: string;
}

/** `human_task_created`: everything that the record begins with. */
export interface HumanTaskCreated {
  /** Id of the task. */
  taskId: string;
  /** The failed slot, when a recovery node asks. */
  origin?: Origin;
  /** What is asked. */
  kind: TaskKind;
  /** Why. */
  reason: TaskReason;
  /** One line. */
  title: string;
  /** What the person has to know, as the author wrote it. */
  instructions?: string;
  /** What may be answered, in the order of the buttons. */
  allowedActions: TaskAction[];
  /** Ways out for `alternative`. */
  alternatives?: Alternative[];
  /** Who has it: `user:…`. */
  assignee?: string;
  /** Who may take it: `group:…`. */
  candidateGroups?: string[];
  /** 0 to 100. */
  priority: number;
  /** How bad. */
  severity: Level;
  /** The same for failures of the same step for the same cause. */
  fingerprint: string;
  /** What failed. */
  error?: ErrorPayload;
  /** The input that failed, or the data that is shown. */
  input: unknown;
  /** Name → reference to bytes that came with it. */
  binary?: Record<string, BinaryRef>;
  /** What a corrected input, or a form, has to fit. */
  schema?: unknown;
  /** Fields that are masked, beside the usual ones. */
  redact?: string[];
  /** RFC 3339; nobody decides after it. */
  expiresAt?: string;
  /** A reminder each time after this long, milliseconds. */
  remindEveryMs?: number;
  /** RFC 3339, in order: reminders at half and at nine tenths of the time, when there is no `remindEveryMs`. */
  remindAt?: string[];
  /** The time to answer in working time of `settings.businessHours`, milliseconds; absent = by the clock. */
  businessTtlMs?: number;
  /** What happens at `expiresAt`. */
  onExpiry?: OnExpiry;
  /** How many failed slots this one task stands for; absent = one. */
  cases?: number;
  /** How many different people must approve; absent = one. */
  minApprovals?: number;
  /** Who started the run may not approve. */
  noSelfApproval?: boolean;
  /** The task of an earlier run that was re-opened as this one. */
  reopens?: string;
  /** The failed run that was sent to the inbox as this task. */
  sentFrom?: SentFrom;
}

/** `human_task_held`: the task waits for somebody else; its time stands still. */
export interface HumanTaskHeld {
  /** Id of the task. */
  taskId: string;
  /** The failed slot, when a recovery node asked. */
  origin?: Origin;
  /** RFC 3339: when the person said so. */
  heldAt: string;
  /** What is left of the time to answer (of the working time, where that counts), milliseconds. */
  remainingMs?: number;
  /** Who: `user:…`. */
  operatorId: string;
}

/** `human_task_reminded`: the person was reminded; nothing else changed. */
export interface HumanTaskReminded {
  /** Id of the task. */
  taskId: string;
  /** The failed slot, when a recovery node asked. */
  origin?: Origin;
  /** From 1. */
  reminder: number;
}

/** Something about one place of the file. */
export interface ImportFinding {
  /** How much it matters. */
  level: ImportLevel;
  /** What kind of finding, as in docs/formats.md. */
  code: string;
  /** Id of the foreign step. */
  step?: string;
  /** JSON Pointer into the foreign file. */
  path: string;
  /** What, one sentence. */
  message: string;
  /** What to do next. */
  hint: string;
}

/** How much a finding matters. */
export type ImportLevel = 'problem' | 'missing' | 'warning';

/** A text that is translated and not kept. */
export interface ImportPreview {
  /** A cURL command, or what a file of another program says. */
  text: string;
}

/** What a text would become. */
export interface ImportPreviewed {
  /** The workflow that an import would make. */
  workflow: unknown;
  /** What became of what. */
  report: ImportReport;
  /** The secret that was taken out of a cURL command and that its step names; this machine does not have it yet. */
  secret?: ImportedSecret;
}

/** What an import did. */
export interface ImportReport {
  /** The format that was read: `vl`. */
  format: string;
  /** Its version, as the file says it. */
  version?: string;
  /** Steps of the foreign file. */
  steps: number;
  /** Steps of the workflow that was made. */
  nodes: number;
  /** Step by step, in the order of the foreign file. */
  translated: ImportedStep[];
  /** What a person should know: problems first. */
  findings: ImportFinding[];
  /** Findings beyond those that are listed. */
  more: number;
  /** What is to be known of the whole, in sentences. */
  notes?: string[];
}

/** Whether a step that was imported can run. */
export type ImportStatus = 'green' | 'yellow' | 'red';

/** The checkpoint that a run began at. */
export interface ImportedFrom {
  /** Its `_type`. */
  type: string;
  /** Its `_version`. */
  version: number;
  /** The run that it was taken of, as the other program names it. */
  runId?: string;
  /** When, as it says. */
  createdAt?: string;
  /** Its fields that are not taken over, as JSON Pointers. */
  leftOut?: string[];
}

/** A secret of a command line, for the one who sent the line. */
export interface ImportedSecret {
  /** Its name, as the step names it. */
  name: string;
  /** How it is sent. */
  kind: SecretKind;
  /** The user or the header. */
  field?: string;
  /** The secret itself; empty where the shell would fill it in. */
  value: string;
  /** The host that the command sent it to; empty where the shell would fill it in. */
  host: string;
}

/** What became of a step. */
export interface ImportedStep {
  /** Id in the foreign file. */
  step: string;
  /** Ids of the steps that do its work here; none when nothing leads to it. */
  nodes: string[];
  /** The kind of the first one. */
  kind?: string;
  /** Whether it can run as it is. */
  status: ImportStatus;
}

/** What is in an index. */
export interface IndexDetails {
  /** The index. */
  index: IndexEntry;
  /** Its documents by their ids. */
  documents: IndexedDocument[];
  /** Asks for the next page. */
  next?: string;
}

/** An index. */
export interface IndexEntry {
  /** Its name. */
  name: string;
  /** Documents. */
  documents: number;
  /** Passages. */
  chunks: number;
  /** Passages with a vector. */
  vectors: number;
  /** The model of the vectors. */
  model?: string;
  /** How many numbers a vector has. */
  dimensions?: number;
  /** Bytes of its files. */
  bytes: number;
  /** When it was changed last, RFC 3339. */
  changedAt: string;
  /** Why it cannot be read. */
  problem?: string;
}

/** A passage that was found. */
export interface IndexPassage {
  /** Its text. */
  text: string;
  /** How well it fits, from 0 to 1. */
  score: number;
  /** Its place, from 1. */
  rank: number;
  /** Where it is: document, title, heading, page, first and last character. */
  source: unknown;
  /** Of the document. */
  metadata: unknown;
}

/** Names an index. */
export interface IndexRef {
  /** Its name. */
  name: string;
}

/** Looks for passages, as the step *Find passages* does. */
export interface IndexSearch {
  /** The index. */
  name: string;
  /** The question. */
  query: string;
  /** Most passages, 1 to 100; 5 when absent. */
  top?: number;
  /** Fields of the metadata with the value, or one of the values, that they must have. */
  filter?: Record<string, unknown>;
  /** The embedding model of the index: passages are found by their meaning, too. The question is sent to its provider. */
  embeddingModel?: string;
  /** Its provider; the default one when absent. */
  embeddingProvider?: string;
}

/** Asks what is in an index. */
export interface IndexShow {
  /** Its name. */
  name: string;
  /** Documents behind this id. */
  after?: string;
  /** At most so many, 50 when absent, never more than 500. */
  limit?: number;
}

/** A document of an index. */
export interface IndexedDocument {
  /** Its id. */
  id: string;
  /** Its title. */
  title?: string;
  /** Its metadata. */
  metadata?: Record<string, unknown>;
  /** Its passages. */
  chunks: number;
}

/** Payload of `input_edited`; the event stands on the call that waits. */
export interface InputEdited {
  /** From the input before to the new one (RFC 6902). */
  patch: Record<string, unknown>[];
  /** The new input: the item's data in `mode: each`, a list of all in `mode: all`. */
  input: unknown;
  /** Who: `user:…`. */
  operatorId?: string;
}

/** One item as it went into a call. */
export interface InputItem {
  /** Index in the activation's input. */
  item: number;
  /** Its data. */
  data: unknown;
}

/** How this program was installed. */
export type Installation = 'deb' | 'rpm' | 'tar' | 'appimage' | 'image' | 'source' | 'other';

/** One piece of work that travels the wires. Data is shared, never copied, inside a run. */
export interface Item {
  /** Unique per node output list. */
  id: string;
  /** Any JSON. */
  data: unknown;
  /** Name → reference to bytes (K-37). */
  binary?: Record<string, BinaryRef>;
  /** The error this item carries (K-01). */
  error?: ErrorPayload;
  /** Index of the input item it came from, or null. */
  pairedItem?: number;
}

/** One answer that is given again. */
export interface KeptAnswer {
  /** The step that asked, with its path; of a default task the failed step. */
  step: string;
  /** The failed step, when a recovery node asked. */
  origin?: string;
  /** Index of the item that was asked about. */
  item: number;
  /** The answer. */
  answer: Answer;
  /** The run in which it was given. */
  runId: string;
  /** Digest of what was asked. The answer is given again only to the same question about the same data; absent in runs that began with an older version. */
  asked?: string;
}

/** Where a secret key is. */
export type KeyPlace = 'file' | 'system';

/** Language of the window. */
export type Language = 'en' | 'zh';

/** A proof that came to its end. */
export interface LastProof {
  /** When, RFC 3339. */
  at: string;
  /** What it found. */
  report: ProofReport;
}

/** How bad an error is (K-06). */
export type Level = 'INFO' | 'WARN' | 'ERROR' | 'CRITICAL';

/** Payload of `llm_token` and `llm_thinking` (R-17, R-18). */
export interface LlmDelta {
  /** The next piece of text. */
  delta: string;
  /** It is the first of another answer: it does not go on where the last piece ended. */
  anew?: boolean;
}

/** Payload of `llm_done` (R-26). */
export interface LlmDone {
  /** Milliseconds of all questions of the call, tools between them included. */
  latency_ms: number;
  /** Why the model stopped: `stop`, `tool_use`, `max_tokens`, `refusal`. */
  finish_reason: string;
  /** The model that really answered. */
  model: string;
  /** What all questions of the call cost. */
  usage: LlmUsage;
  /** Tokens of its thoughts, where the provider tells. */
  thinking_tokens: number | null;
  /** It asked for tools. */
  has_tool_use: boolean;
  /** The provider, by its name on this machine. */
  provider?: string;
  /** What all questions of the call cost, in millionths; absent where a price is not known. */
  costMicros?: number;
}

/** Payload of `llm_error` (R-25). */
export interface LlmError {
  /** Plain words. */
  error: string;
  /** Error type, as in the ErrorPayload that follows. */
  type: ErrorType;
  /** Finer cause, as in the ErrorPayload that follows. */
  code: string;
  /** The same question may work later. */
  retryable: boolean;
  /** Milliseconds since the call began. */
  latency_ms: number;
  /** The model that answered questions of the call before it failed. */
  model?: string;
  /** What these questions cost. */
  usage?: LlmUsage;
  /** Tokens of its thoughts, where the provider tells. */
  thinking_tokens?: number;
  /** The provider, by its name on this machine. */
  provider?: string;
  /** What these questions cost, in millionths; absent where a price is not known. */
  costMicros?: number;
}

/** Payload of `llm_tool_result` (R-20). */
export interface LlmToolResult {
  /** [`LlmToolUse::tool_use_id`]. */
  tool_use_id: string;
  /** What the model gets to read. */
  content: string;
  /** The tool failed. */
  is_error: boolean;
}

/** Payload of `llm_tool_use` (R-19). */
export interface LlmToolUse {
  /** Names the request, so that its result finds it. */
  tool_use_id: string;
  /** The tool, as it was offered to the model. */
  name: string;
  /** Its arguments as the model wrote them; a text where they are no JSON. */
  input: unknown;
}

/** What a question cost (R-26, L-10). */
export interface LlmUsage {
  /** Tokens of the questions. */
  input_tokens: number;
  /** Tokens of the answers, thoughts included. */
  output_tokens: number;
  /** Both together. */
  total_tokens: number;
  /** The provider did not tell all of them: what it left out is estimated, rather too much than too little. */
  estimated?: boolean;
}

/** Personal data that a safety check replaced by placeholders (ADR 125). */
export interface MaskedData {
  /** Name of the safety check. */
  check: string;
  /** `email`, `phone`, `iban`, `card` or `nationalId`. */
  kind: string;
  /** How many places. */
  count: number;
}

/** How a node takes its items. */
export type Mode = 'each' | 'all';

/** Sets what models may cost on a day on this machine. */
export interface ModelBudgetSet {
  /** From midnight to midnight UTC, in the unit of the prices; no limit when absent. */
  perDay?: number;
}

/** A model of a provider. */
export interface ModelChoice {
  /** The provider. */
  provider: string;
  /** The model, as the provider names it. */
  model: string;
}

/** Chooses what steps get that name no model. */
export interface ModelDefaultSet {
  /** Nothing when absent: such steps do not run then. */
  default?: ModelChoice;
}

/** A model that a person chose of a provider. */
export interface ModelEntry {
  /** As the provider names it. */
  name: string;
  /** Price of a million tokens of questions, in the person's own currency. */
  inputPrice?: number;
  /** Price of a million tokens of answers. */
  outputPrice?: number;
}

/** A server on this machine that answers as a provider does. */
export interface ModelFound {
  /** A name for it. */
  name: string;
  /** What usually listens there. */
  title: string;
  /** How it is spoken to. */
  kind: ModelKind;
  /** Its address. */
  baseUrl: string;
  /** The models that it says it has. */
  models: string[];
}

/** How a provider is spoken to. */
export type ModelKind = 'anthropic' | 'openai' | 'ollama';

/** Models of a provider. */
export interface ModelNames {
  /** As the provider names them. */
  models: string[];
}

/** A provider. */
export interface ModelProvider {
  /** Its name. */
  name: string;
  /** How it is spoken to. */
  kind: ModelKind;
  /** Its address. */
  baseUrl: string;
  /** The secret that goes along: `secret://name`. */
  credential?: string;
  /** Models that a person chose. */
  models: ModelEntry[];
  /** A person at this machine keeps it: its address may be this machine or one of a private network. */
  here: boolean;
  /** Who kept it last. */
  changedBy: string;
  /** RFC 3339. */
  changedAt: string;
  /** What keeps it from being asked, as far as that shows without asking. */
  trouble?: string;
}

/** Names a provider. */
export interface ModelRef {
  /** The provider. */
  name: string;
}

/** Keeps a provider, or replaces it whole. */
export interface ModelSet {
  /** Letters, digits, `.`, `_` and `-`. */
  name: string;
  /** How it is spoken to. */
  kind: ModelKind;
  /** `https://…`; `http://` too, for this machine and the own network. */
  baseUrl: string;
  /** The secret that goes along: `secret://name`. The host of the address is one that it is for. */
  credential?: string;
  /** Models that a person chose, with their prices. */
  models?: ModelEntry[];
}

/** Asks a provider something small. */
export interface ModelTest {
  /** The provider. */
  name: string;
  /** The model that answers a word; when absent, the provider tells which models it has. */
  model?: string;
}

/** What came of it. */
export interface ModelTested {
  /** It can be used. */
  ok: boolean;
  /** In plain words. */
  message: string;
  /** What to do next. */
  hint?: string;
  /** The models that it says it has. */
  models: string[];
  /** How long it took, milliseconds. */
  tookMs: number;
}

/** One question to a model for a repair. */
export interface ModelTry {
  /** Which question of this healer in the visit of the origin, from 1. */
  number: number;
  /** So many it may ask. */
  of: number;
  /** Tokens of question and answer, where they are known. */
  tokens?: number;
  /** The answer where it was of no use; left out where it was long. */
  answer?: string;
  /** The provider asks to wait so long, milliseconds. */
  retryAfterMs?: number;
}

/** What a model cost. */
export interface ModelUsage {
  /** By its name on this machine; empty for one that a workflow names. */
  provider: string;
  /** The model that answered. */
  model: string;
  /** Sums. */
  usage: Usage;
}

/** How far back. */
export interface ModelUsageRequest {
  /** Days, today included; 30 when absent, at most 366. */
  days?: number;
}

/** The providers of this machine. */
export interface Models {
  /** By name. */
  providers: ModelProvider[];
  /** What steps get that name no model. */
  default?: ModelChoice;
  /** What models may cost on a day (UTC) on this machine, in millionths. */
  dayBudgetMicros?: number;
}

/** A part of the program that the workflow needs, and the kinds of steps that need it. `core` is in every program. */
export interface Module {
  /** `core`, `files`, `http`, `people`, `script`, `connectors`, `databases`, `mail`, `model`, `retrieval`, `tools`, `triggers`. */
  name: string;
  /** Kinds of steps, in alphabetical order. */
  kinds: string[];
}

/** The two named policies. */
export type NamedPolicy = 'safe' | 'fail';

/** A host that steps send requests to. */
export interface NeededAddress {
  /** Scheme, host and port of a fixed address; absent when the address is known only in the run. */
  origin?: string;
  /** `workflow/step` of those that use it. */
  steps: string[];
}

/** A folder that a step uses. */
export interface NeededFolder {
  /** A path as the step names it. */
  path: string;
  /** The workflow of the step. */
  workflow: string;
  /** `workflow/step`. */
  step: string;
  /** The step writes. */
  write: boolean;
}

/** An index of documents that steps search and that none of them makes. */
export interface NeededIndex {
  /** Its name. */
  name: string;
  /** `workflow/step` of those that search it. */
  steps: string[];
}

/** A language model that steps ask. */
export interface NeededModel {
  /** The provider that the configuration must have; absent: that of the default model. */
  provider?: string;
  /** The model; absent: the default model. */
  model?: string;
  /** `workflow/step` of those that ask it. */
  steps: string[];
}

/** A secret that steps send. */
export interface NeededSecret {
  /** `erp` of `secret://erp`. */
  name: string;
  /** Hosts of the fixed addresses that it is sent to; empty when an address is known only in the run. */
  hosts: string[];
  /** `workflow/step` of those that send it. */
  steps: string[];
  /** It is compared with what comes in, and sent nowhere. */
  stays?: boolean;
}

/** A tool server that steps call, as a person approved it on the machine that exported. */
export interface NeededToolServer {
  /** Its name in the configuration. */
  name: string;
  /** SHA-256 of what it said of each of its tools, by the name of the tool: another server, or another version, is not called. */
  tools: Record<string, string>;
  /** What a person said of its tools, by the name of the tool. */
  words?: Record<string, unknown>;
  /** `workflow/step` of those that call it. */
  steps: string[];
}

/** A step that starts runs by itself while the program serves. */
export interface NeededTrigger {
  /** Its kind, `trigger.webhook`. */
  kind: string;
  /** When or by what: times, a path of the server, a folder, an address. */
  by: string;
  /** `workflow/step`. */
  step: string;
  /** It is reached through the port of the program. */
  listens: boolean;
}

/** What the machine must have. */
export interface Needs {
  /** Params that a run cannot do without. */
  params: string[];
  /** Secrets. */
  secrets: NeededSecret[];
  /** Folders of fixed paths. */
  folders: NeededFolder[];
  /** Addresses. */
  addresses: NeededAddress[];
  /** Language models. */
  models?: NeededModel[];
  /** Tool servers. */
  toolServers?: NeededToolServer[];
  /** Indexes of documents. */
  indexes?: NeededIndex[];
  /** Steps that start runs by themselves. */
  triggers?: NeededTrigger[];
}

/** Which proxy requests go through, and which authorities are trusted in addition to those of the system. */
export interface NetworkSet {
  /** Which proxy. */
  proxy: ProxyChoice;
  /** Its address, such as `http://proxy.example.org:3128`. */
  address?: string;
  /** Hosts and networks that are asked without it: `intranet.example.org`, `10.0.0.0/8`. */
  exceptions?: string[];
  /** `secret://NAME`: user and password for the proxy. The secret must allow its host. */
  credential?: string;
  /** Certificates of authorities in PEM. */
  authorities?: string;
}

/** An address to try the settings with. */
export interface NetworkTest {
  /** An http or https address. */
  url: string;
}

/** What became of a request that was sent to try the settings. */
export interface NetworkTested {
  /** An answer came, whatever its status. */
  ok: boolean;
  /** `host:port` of the proxy that it went through; absent: the host was asked directly. */
  through?: string;
  /** Status of the answer. */
  status?: number;
  /** Why none came. */
  error?: string;
}

/** How connections leave this machine. */
export interface NetworkView {
  /** Which proxy. */
  proxy: ProxyChoice;
  /** Its address, as a person set it. */
  address?: string;
  /** Hosts and networks that are asked without it. */
  exceptions: string[];
  /** The secret that the proxy gets, `secret://NAME`. */
  credential?: string;
  /** Certificates of authorities in PEM. */
  authorities?: string;
  /** SHA-256 of each of them. */
  fingerprints: string[];
  /** `host:port` of the proxy that this process uses now; absent: it uses none. */
  inUse?: string;
  /** Why the settings or the variables cannot be used as they are. */
  error?: string;
}

/** One step of a workflow. */
export interface Node {
  /** Node kind, for example `http.request`. */
  type: string;
  /** Version of the kind; the newest when absent. */
  typeVersion?: number;
  /** Shown on the card; the kind's name when absent. */
  title?: string;
  /** Note for people. */
  description?: string;
  /** Not executed; items pass through `success`. */
  disabled?: boolean;
  /** CEL; false = skipped, items pass through `success`. */
  if?: string;
  /** Value shown in the log after the step. */
  print?: unknown;
  /** Name → value; when present the item data becomes that object. */
  in?: Record<string, unknown>;
  /** Settings of the kind, checked against the descriptor's schema. */
  config?: unknown;
  /** `$name[.path]` writes the context, `/path` an artifact of the run. */
  out?: Record<string, unknown>;
  /** Context names the node may write. */
  writes?: string[];
  /** Own retry policy, fallback, thresholds. */
  errorHandling?: ErrorHandling;
  /** Time limit of one call in milliseconds. */
  timeoutMs?: number;
  /** Template; makes POST and PATCH safe to repeat. */
  idempotencyKey?: string;
  /** Guard settings. */
  guardrails?: unknown;
  /** Id of the container the node stands in. */
  parent?: string;
  /** Pinned output, port → list of data. Only in the definition that a test run is pinned to; a file with it is refused (ADR 102). */
  pinned?: unknown;
  /** A fault that a person put in for one run, a [`crate::StepFault`]. Only in the definition that such a run is pinned to; a file with it is refused (ADR 144). */
  fault?: unknown;
  /** `each` or `all`; the kind's default when absent. */
  mode?: Mode;
}

/** One node kind. */
export interface NodeDescriptor {
  /** The kind's name, for example `http.request`. */
  type: string;
  /** Version of the kind, from 1. */
  version: number;
  /** Shown to people, sentence case. */
  title: string;
  /** One or two plain sentences. */
  description: string;
  /** Other words people search for. */
  aliases: string[];
  /** Words of the jobs that people do with it, in English and Simplified Chinese. The search knows them; they are not shown. */
  keywords: string[];
  /** Tile colour and group: `start`, `data`, `logic`, `ai`, `error`, `person`, `system`. */
  category: string;
  /** What it is good for, in words that programs look for: `sink`, `compliance`, `tamper_proof`. */
  capabilities?: string[];
  /** Name of a lucide icon. */
  icon: string;
  /** What the engine does for it. */
  role: Role;
  /** Default mode first, then the others allowed. */
  modes: Mode[];
  /** A switch of the config that, when it is on, makes the default mode `all`. */
  allWhen?: string;
  /** What a call does outside. */
  effects: ByConfig;
  /** After an interruption. */
  replay: ByConfig2;
  /** Has an input bar (triggers have none). */
  input: boolean;
  /** Schema of one item's data (mode `each`), or of all items' data (mode `all`). */
  inputSchema?: unknown;
  /** Fixed ports in order, the error port last when there is one. */
  ports: Port[];
  /** Ports that the config declares: one per element of an array field. */
  dynamicPorts?: DynamicPorts;
  /** JSON Schema of `config` with `x-ui` hints. */
  config: unknown;
  /** Errors it may produce. */
  errors: DeclaredError[];
  /** Default numbers for retries; they take effect only where a policy or a rule retries. */
  retryPolicy?: RetryPolicy;
  /** Default time limit of one call in milliseconds. */
  timeoutMs?: number;
  /** One line under the title on the card: a template over config fields, `{name}`. */
  summary?: string;
  /** Kinds that hand the same items on keep `Item.error`. */
  keepsError: boolean;
  /** Examples that run as tests. */
  examples: Example[];
}

/** State of a node (R-02 and K-26). The order is from best to worst, for the summary over several paths. */
export type NodeState = 'SKIPPED' | 'SUCCEEDED' | 'ERROR_HANDLED' | 'PENDING' | 'RUNNING' | 'RETRYING' | 'AWAITING_HITL' | 'CANCELLED' | 'FAILED';

/** Faults that were not tried, and why. */
export interface NotTried {
  /** The step; none when it is about all. */
  step?: string;
  /** How many faults; absent when they cannot be counted. */
  faults?: number;
  /** Why. */
  reason: string;
}

/** A client that a person registered at a service. */
export interface OAuthClient {
  /** How tokens are got. */
  grant: OAuthGrant;
  /** The client id. */
  clientId: string;
  /** The service. */
  service: OAuthService;
  /** The redirect address on this machine that was registered, for example `http://localhost:8400/callback`; without it, a free port of 127.0.0.1, or the address of the server. */
  redirect?: string;
  /** The user of a mailbox (XOAUTH2). */
  user?: string;
}

/** How tokens are got for the first time. */
export type OAuthGrant = 'authorizationCode' | 'deviceCode' | 'clientCredentials' | 'serviceAccount';

/** How a service gives tokens. */
export interface OAuthService {
  /** Where a person signs in (authorization code with PKCE). */
  authorizationUrl?: string;
  /** Where a code for another device is requested (RFC 8628). */
  deviceUrl?: string;
  /** Where tokens are given. */
  tokenUrl: string;
  /** Where tokens are taken back (RFC 7009). */
  revocationUrl?: string;
  /** The issuer that the browser must come back from (RFC 9207); without it, the host of the authorization address. */
  issuer?: string;
  /** The rights to ask for. */
  scopes?: string[];
  /** What separates scopes; a space when it is absent. */
  scopeSeparator?: string;
  /** Further parameters of the sign-in, or of the token request where no person signs in; none of them is secret. */
  parameters?: Record<string, string>;
  /** How the client proves who it is at the token endpoint. */
  clientAuthentication?: ClientAuthentication;
}

/** What happens when nobody answers in time: `"escalate"`, `"abort"`, `"retry"`, `"skip"`, or an object that says more. */
export type OnExpiry = ExpiryAction | ExpiryPolicy;

/** How a stopped run goes on. */
export type Onward = 'continue' | 'step';

/** A file chosen in the system's dialog. */
export interface OpenPath {
  /** What the dialog of the desktop shell handed out for the file. */
  path: string;
}

/** An open workflow. */
export interface OpenWorkflow {
  /** Opaque id of the file. */
  ref: string;
  /** The file. */
  path: string;
  /** Its folder. */
  folder: string;
  /** Content hash. */
  revision: string;
  /** What the file says. */
  document: Workflow;
  /** What the validator says about it. */
  diagnostics: Diagnostic[];
  /** Changes that were not saved. */
  draft?: Draft;
  /** Why the file cannot be read any more: then the document is the draft. In plain words, with the place. */
  unreadable?: string;
  /** The file cannot be written; save under another name. */
  readOnly: boolean;
}

/** The failed slot that a recovery node works on. */
export interface Origin {
  /** The node whose call failed. */
  stepId: string;
  /** Where in nested containers; left out at the top. */
  path?: string;
  /** Item index; left out when there is one item. */
  item?: number;
  /** Round of the slot. */
  visit: number;
  /** Attempt of the failed call. */
  attempt: number;
}

/** What a fault leads to, the worst that applies. */
export type Outcome =
  | 'noEffect'
  | 'recovered'
  | 'handled'
  | 'asksPerson'
  | 'cancelled'
  | 'endsFailed'
  | 'losesItems'
  | 'overBudget'
  | 'repeatsWrite'
  | 'neverEnds';

/** Pairs of faults. */
export interface PairsReport {
  /** What was tried: error handling that fails as well, and a fault after a retry. */
  results: FaultResult[];
  /** Those of them that are handled. */
  handled: number;
  /** Pairs of faults of two steps that were not tried. */
  leftOut: number;
}

/** Size or state of a pane. */
export type PaneState = boolean | number;

/** An error of a past run. */
export interface PastError {
  /** The run. */
  runId: string;
  /** When, RFC 3339. */
  at: string;
  /** The step that failed. */
  stepId: string;
  /** What happened. */
  error: ErrorPayload;
}

/** Whose errors. */
export interface PastErrors {
  /** Id of the workflow. */
  workflowId: string;
  /** Only of these steps. */
  nodeIds?: string[];
}

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | {
    op: 'add';
    path: string;
    value: unknown;
  }
  | {
    op: 'remove';
    path: string;
  }
  | {
    op: 'replace';
    path: string;
    value: unknown;
  }
  | {
    op: 'move';
    from: string;
    path: string;
  }
  | {
    op: 'copy';
    from: string;
    path: string;
  }
  | {
    op: 'test';
    path: string;
    value: unknown;
  };

/** Why a run stopped. */
export type PauseReason = 'breakpoint' | 'step' | 'request';

/** `pause_rejected` (H-28): an answer by token was not taken. It is not stored, so it has no `seq`. */
export interface PauseRejected {
  /** The node that waits, when the token says which. */
  nodeId?: string;
  /** Which request. */
  requestId?: string;
  /** Why. */
  reason: Rejection;
}

/** `pause_resumed` (H-26). */
export interface PauseResumed {
  /** The node. */
  nodeId: string;
  /** Which request. */
  requestId?: string;
  /** RFC 3339. */
  resumedAt: string;
  /** What came with it. */
  payload?: unknown;
}

/** `pause_start` (H-25). */
export interface PauseStart {
  /** The node. */
  nodeId: string;
  /** Id of the task; the secret that resumes is another thing (K-19). */
  waitToken: string;
  /** Why it waits. */
  reason?: string;
  /** RFC 3339. */
  expireAt?: string;
}

/** `pause_timeout` (H-27). */
export interface PauseTimeout {
  /** Id of the task. */
  taskId: string;
  /** The node. */
  nodeId: string;
  /** RFC 3339. */
  expiredAt: string;
  /** The port that the items leave through. */
  timeoutAction: string;
}

/** A step that waits for a person (H-30). */
export interface PausedAt {
  /** The step. */
  nodeID: string;
  /** What `POST /workflow/{id}/resume` takes; counts once. Empty when the caller may not answer. */
  token: string;
}

/** What a person does with a task. */
export interface PersonAction {
  /** The step that asks; for a task about an error without a step of its own, the step that failed. */
  step: string;
  /** As of [`CallReply::path`]. */
  path?: string;
  /** How long after the task was created, milliseconds. */
  afterMs?: number;
  /** An answer (`retry`, `correct`, `skip`, `alternative`, `abort`, `approve`, `reject`, `submit`), or `hold` or `continue`. */
  action: string;
  /** With `correct`: the corrected input. With `submit`: the values. */
  input?: unknown;
  /** With `alternative`: the step. */
  target?: string;
  /** With `approve` of a tool call: how far it goes. */
  grant?: ToolGrant;
  /** With `retry` of a step whose budget is used up: what the run may spend more, in millionths. */
  budgetMicros?: number;
  /** Why. */
  notes?: string;
  /** Who: `user:…`. */
  by?: string;
}

/** The output of a step that runs in the builder use instead of calling it. */
export interface Pin {
  /** Port → data of its items, in order. Never `error`. */
  ports: Record<string, unknown[]>;
  /** The run that it came from; absent when a person wrote it. */
  runId?: string;
  /** RFC 3339. */
  pinnedAt: string;
}

/** All pinned outputs of a workflow. */
export interface PinList {
  /** By id of the step. */
  steps: Record<string, Pin>;
  /** Where they are kept: a file beside the workflow. */
  file: string;
}

/** One try. */
export interface PlanAttempt {
  /** From 1 on. */
  number: number;
  /** What was found. */
  issues: PlanIssue[];
  /** What the correction changed. */
  changes: PlanChange[];
}

/** A step that a try reaches out with. */
export interface PlanCall {
  /** The step. */
  step: string;
  /** Its title. */
  title: string;
  /** `read` or `write`. */
  effect: string;
  /** Method and host, tool, or path. */
  target: string;
  /** It is called; a sample stands for its output otherwise. */
  real: boolean;
}

/** One change of a correction. */
export interface PlanChange {
  /** JSON Pointer into the workflow. */
  at: string;
  /** What was there. */
  before?: unknown;
  /** What is there now. */
  after?: unknown;
}

/** Asks what a workflow does, or why a run failed. */
export interface PlanExplain {
  /** The workflow as the editor shows it, also with errors. */
  document: unknown;
  /** The run; what the workflow does when absent. */
  runId?: string;
}

/** What a workflow does, or why a run failed. */
export interface PlanExplanation {
  /** The run. */
  runId?: string;
  /** Its status. */
  status?: string;
  /** A line for each step or event. */
  lines: ExplainedLine[];
}

/** One thing that a try found. */
export interface PlanIssue {
  /** The step. */
  step: string;
  /** The code of the error. */
  code: string;
  /** Plain words. */
  message: string;
  /** What was guessed. */
  attempted: string[];
  /** What was there. */
  available: string[];
}

/** A message of the conversation. */
export interface PlanMessage {
  /** `person`, `planner`, or `agent`. */
  by: string;
  /** RFC 3339. */
  at: string;
  /** Words. */
  text: string;
  /** How a plan ended. */
  outcome?: string;
  /** The tries. */
  attempts?: PlanAttempt[];
  /** What is wrong with the last answer of the model. */
  findings?: string[];
  /** What differs from what was asked for. */
  intentChanges?: string[];
  /** Steps that follow from a sample and were not checked. */
  unchecked?: string[];
  /** Steps that it is about. */
  steps?: string[];
  /** The run that it is about. */
  runId?: string;
  /** Events of that run. */
  events?: number[];
  /** What it cost. */
  usage?: PlanUsage;
}

/** A proposal. */
export interface PlanProposal {
  /** The workflow that it changes, as it was. */
  base: Workflow;
  /** The workflow that is proposed. */
  document: Workflow;
  /** Its content hash. */
  revision: string;
  /** Who made it: `planner`, or the person whose agent did. */
  by: string;
  /** RFC 3339. */
  at: string;
  /** What a try would call, and how. */
  calls: PlanCall[];
}

/** Accepts or rejects a proposal, or one step of it. */
export interface PlanSettle {
  /** The workflow. */
  ref: string;
  /** The proposal that was shown. */
  revision: string;
  /** The workflow before. */
  before: Workflow;
  /** The workflow with what was accepted; the same as before when nothing was. */
  after: Workflow;
  /** The proposal with what is still open; absent when nothing is. */
  rest?: Workflow;
}

/** Asks for a change of a workflow, or asks about it. */
export interface PlanStart {
  /** The workflow. */
  ref: string;
  /** It as the editor shows it. */
  document: Workflow;
  /** It with the changes that are proposed and still open, when the plan is to go on from there. */
  from?: Workflow;
  /** What it should do, or the question. */
  text: string;
  /** It is a question, not a change. */
  asks?: boolean;
  /** The run that the question is about. */
  runId?: string;
}

/** Agrees to a try of the proposal. */
export interface PlanTry {
  /** The workflow. */
  ref: string;
  /** The proposal whose calls were listed. */
  revision: string;
  /** Steps that write and may be called. */
  allowed?: string[];
}

/** What questions cost. */
export interface PlanUsage {
  /** Questions that were answered. */
  questions: number;
  /** Tokens of the questions. */
  inputTokens: number;
  /** Tokens of the answers. */
  outputTokens: number;
  /** Money in millionths, where the price of the model is known. */
  costMicros?: number;
}

/** The planner of a workflow. */
export interface PlanView {
  /** The model that is asked; absent when none is chosen. */
  model?: ModelChoice;
  /** What is under way. */
  working?: PlanWorking;
  /** The conversation, oldest first. */
  messages: PlanMessage[];
  /** What waits for a person. */
  proposal?: PlanProposal;
}

/** What is under way. */
export interface PlanWorking {
  /** `outline`, `generate`, `repair`, `runtime_fix`, `metadata`, `explain`, or `try`. */
  stage: string;
  /** The question has at most so many tokens. */
  questionTokens: number;
  /** What the steps will do, in words. */
  steps: string[];
  /** The draft as far as it is written. */
  draft?: Workflow;
  /** What the try calls. */
  calls: PlanCall[];
  /** The tries so far. */
  attempts: PlanAttempt[];
  /** What it cost so far. */
  usage: PlanUsage;
}

/** An item of a source. */
export interface PollItem {
  /** As the source lists it. */
  item: unknown;
  /** The active trigger has taken it already. */
  seen: boolean;
}

/** Asks the source of a step once. */
export interface PollTest {
  /** Id of the workflow. */
  workflowId: string;
  /** The step. */
  nodeId: string;
  /** Its settings. */
  config: unknown;
  /** The workflow as it is edited, for the default values of its params and the workflows that it names; that of the library when absent. */
  document?: unknown;
}

/** What a source lists. */
export interface PollTested {
  /** The first items, at most 100. */
  items: PollItem[];
  /** How many there are. */
  total: number;
  /** The largest cursor, where the settings have one. */
  cursor?: unknown;
  /** The run that listed them, where the source is a workflow. */
  runId?: string;
}

/** One output port. */
export interface Port {
  /** Port id, for example `success`. */
  id: string;
  /** Shown inside the card when there is more than one success port. */
  title?: string;
  /** Schema of the item data that leaves here. */
  schema?: unknown;
}

/** `node.port`. */
export type PortRef = string;

/** What an expression gives. */
export type Preview =
  | {
    state: 'value';
    /** The result; large values are cut. */
    value: unknown;
    /** How many items went in. */
    itemCount: number;
    /** Which one this is. */
    item: number;
    /** The run whose data was used; empty where only pinned output was. */
    runId: string;
    /** That run in words. */
    runLabel: string;
    /** Steps before this one, or this one, put out what is pinned. */
    pinned?: boolean;
  }
  | {
    state: 'no_data';
  }
  | {
    state: 'error';
    /** What is wrong. */
    message: string;
    /** Character, from 0. */
    position?: number;
  };

/** A change of the workflow that helps. */
export interface ProofFix {
  /** The words on the button. */
  label: string;
  /** Edits of the document, as the editor knows them. */
  edits: Record<string, unknown>[];
  /** Instead of edits: a template that the editor puts at `port`. */
  template?: string;
  /** `step.port` of the template. */
  port?: string;
}

/** How far a proof is. */
export interface ProofProgress {
  /** Faults and pairs that were run. */
  done: number;
  /** All of them; 0 before the first run. */
  total: number;
}

/** What a proof found. */
export interface ProofReport {
  /** Id of the workflow. */
  workflow: string;
  /** SHA-256 of the definition that was proved, without positions. */
  definition: string;
  /** The runs without a fault. */
  base: BaseRun[];
  /** Of the tried faults without pairs, how many are handled, in percent; none when nothing was tried. */
  score?: number;
  /** Faults that were tried. */
  tried: number;
  /** Simulated runs. */
  runs: number;
  /** Outcome → number of faults. */
  totals: Record<string, number>;
  /** By step, in the order of the file. */
  results: FaultResult[];
  /** Step → its faults; steps that can have none are absent. */
  steps: Record<string, StepProof>;
  /** Two faults in one run. */
  pairs: PairsReport;
  /** What was not tried. */
  notTried: NotTried[];
}

/** Saves a fault of a proof as a test beside its workflow. */
export interface ProofSaveTest {
  /** The workflow file. */
  ref: string;
  /** What the editor shows; the file when absent. */
  document?: Workflow;
  /** What the test shows. */
  name: string;
  /** The fault. */
  fault: FaultName;
  /** The second fault of a pair. */
  also?: FaultName;
}

/** Proves a workflow in the background. */
export interface ProofStart {
  /** The workflow file. */
  ref: string;
  /** What the editor shows, saved or not; the file when absent. */
  document?: Workflow;
  /** Most pairs of faults in one run, 50 when absent, at most 1000. */
  pairs?: number;
}

/** How the proof of a workflow stands. */
export interface ProofView {
  /** How far the one is that is under way. */
  running?: ProofProgress;
  /** Why the last try came to nothing. */
  problem?: string;
  /** The last one that ended. */
  last?: LastProof;
}

/** Which proxy requests go through. */
export type ProxyChoice = 'environment' | 'none' | 'address';

/** A run that goes. */
export interface PrunedRun {
  /** The run. */
  runId: string;
  /** Its workflow. */
  workflowId: string;
  /** The workflow's name. */
  workflowName: string;
  /** How it ended. */
  status: string;
  /** RFC 3339. */
  endedAt: string;
  /** About how much room it takes. */
  bytes: number;
}

/** An alert whose condition is true for a workflow. */
export interface RaisedHealthAlert {
  /** Id of the alert. */
  alertId: string;
  /** Its name. */
  name: string;
  /** The condition. */
  expression: string;
  /** Id of the workflow. */
  workflowId: string;
  /** Name of the workflow. */
  workflowName: string;
  /** Since when, RFC 3339. */
  since: string;
}

/** Why an answer by token was not taken (K-19). */
export type Rejection = 'not_paused' | 'bad_token' | 'already_answered' | 'expired' | 'invalid_payload';

/** What happens to a call that a crash interrupted. */
export type Replay = 'safe' | 'ask';

/** A replay. */
export interface Replay2 {
  /** Its id. */
  replay: string;
  /** Its group. */
  group: string;
  /** Where it stands. */
  status: ReplayStatus;
  /** Why it was started. */
  reason: string;
  /** Who started it. */
  by: string;
  /** RFC 3339. */
  startedAt: string;
  /** RFC 3339. */
  endedAt?: string;
  /** Why it was paused, when no person did. */
  problem?: string;
  /** Failures that were not dealt with yet. */
  waiting: number;
  /** Failures whose runs have begun. */
  started: number;
  /** Failures that somebody else dealt with meanwhile. */
  skipped: number;
  /** Failures that the correction does not fit; they stay in the group. */
  refused: number;
  /** Failures that were taken back before they began; they are in the group again. */
  removed: number;
  /** Of the runs that have begun: ended well. */
  completed: number;
  /** Of the runs that have begun: failed again. */
  failed: number;
  /** Of the runs that have begun: wait for a person. */
  paused: number;
  /** Of the runs that have begun: under way. */
  running: number;
  /** Of the runs that have begun: cancelled. */
  cancelled: number;
  /** Most runs that begin in a second. */
  rate: number;
  /** Most runs of it under way at once. */
  concurrency: number;
  /** Answers of people are given again. */
  keepAnswers: boolean;
  /** Also those for which the correction gives something different. */
  includeDifferent: boolean;
  /** How it corrects: `recorded`, `edited`, `patch` or `expression`. */
  rule: string;
  /** With which definition its runs run. */
  definition: RerunDefinition;
}

/** A failure of a replay. */
export interface ReplayItem {
  /** Its number. */
  failure: number;
  /** The original. */
  runId: string;
  /** The run that began. */
  newRunId?: string;
  /** Why it was skipped or refused. */
  why?: string;
}

/** A page of failures of a replay. */
export interface ReplayItemPage {
  /** The failures. */
  items: ReplayItem[];
  /** Asks for the next page. */
  next?: number;
}

/** Where a failure of a replay stands. */
export type ReplayItemState = 'waiting' | 'started' | 'skipped' | 'refused' | 'removed';

/** Which failures of a replay to list. */
export interface ReplayItems {
  /** The replay. */
  replay: string;
  /** Which ones. */
  state: ReplayItemState;
  /** `next` of the page before. */
  after?: number;
  /** At most so many, 100 when absent, at most 500. */
  limit?: number;
}

/** Which replays to list. */
export interface ReplayList {
  /** Only of this group. */
  group?: string;
}

/** Names a replay. */
export interface ReplayRef {
  /** Its id. */
  replay: string;
}

/** Starts a replay. */
export interface ReplayStart {
  /** The group. */
  group: string;
  /** The correction. */
  correction?: Correction;
  /** The failure that the correction was made for; the newest when absent. */
  sample?: number;
  /** Only these failures; all open ones of the group when absent. At most 10,000. */
  only?: number[];
  /** Also those for which the correction gives something different. */
  includeDifferent?: boolean;
  /** Answers of people are given again where they fit; else the people are asked again. */
  keepAnswers?: boolean;
  /** Most runs that begin in a second, 50 when absent, at most 10,000. */
  rate?: number;
  /** Most runs of it under way at once, 20 when absent, at most 500. */
  concurrency?: number;
  /** Why; stands in the audit chain. */
  reason: string;
}

/** Where a replay stands. */
export type ReplayStatus = 'running' | 'paused' | 'done' | 'stopped' | 'undone';

/** Stops a replay. */
export interface ReplayStop {
  /** Its id. */
  replay: string;
  /** Also cancels the runs that it has begun and that have not ended. */
  cancelRuns?: boolean;
}

/** An answer that could be given again. */
export interface RerunAnswer {
  /** The step that asked, or that failed. */
  stepId: string;
  /** What was chosen. */
  action: string;
  /** Who chose. */
  operatorId?: string;
}

/** Which definition a re-run has. */
export type RerunDefinition = 'original' | 'current';

/** Looks at a re-run; nothing is started. */
export interface RerunLook {
  /** The original. */
  runId: string;
  /** The step; inside a loop with its iteration: `loop[17]/step`. */
  stepId: string;
  /** The step, at the top, that it ends after: what does not lead to it does not run; for builders. */
  until?: string;
  /** With which definition. */
  definition?: RerunDefinition;
  /** With `current`: what the editor shows. The file of the library when absent. */
  document?: Workflow;
  /** With `current`: opaque id of the workflow file whose pinned outputs are used; for builders. */
  pins?: string;
}

/** What a re-run would be. */
export interface RerunPlan {
  /** The step, with its path. */
  stepId: string;
  /** The original has not ended, it is paused: it is cancelled, and what it asks is asked in the new run where that comes to it. One without open tasks stands stopped at a step. */
  waits: boolean;
  /** The definition that was looked at is that of the original. */
  sameDefinition: boolean;
  /** Variables before the step. */
  context: Record<string, unknown>;
  /** Params of the original. */
  params: unknown;
  /** Data of the items that the step got. */
  input: unknown[];
  /** What becomes of each step. */
  steps: RerunStep[];
  /** Answers of people that could be given again. */
  answers: RerunAnswer[];
  /** Values are masked: those that are changed must be typed again. */
  masked: boolean;
  /** What the plan was made of: the original as far as it had come, and the definition. Only to be handed back. */
  of: string;
}

/** What a re-run has of its original. `context` of the test then holds all variables. */
export interface RerunStart {
  /** The step that it begins at, with its path. */
  from: string;
  /** Events of the original that stand, and the input of the step: `base` of the first event of the re-run. */
  base: Record<string, unknown>;
}

/** The new run. */
export interface RerunStarted {
  /** Its id. */
  runId: string;
  /** Where it stands. */
  status: RunStatus;
}

/** One step of a plan. */
export interface RerunStep {
  /** The step. */
  stepId: string;
  /** Its title, or its id. */
  title: string;
  /** Its kind. */
  kind: string;
  /** What becomes of it. */
  fate: StepFate;
  /** What the definition changed. */
  change: StepChange;
  /** What it does outside. */
  effect: StepEffect;
  /** Done twice it may do the same a second time. */
  repeats: boolean;
  /** Calls in the original. */
  calls: number;
  /** A person was asked about it. */
  asks: boolean;
}

/** Retry arithmetic of K-13. All fields optional in a file; the defaults are of K-13. */
export interface RetryPolicy {
  /** Automatic re-executions allowed per visit; 0 to 100. */
  maxAttempts?: number;
  /** Shape of the delay. */
  backoff?: Backoff;
  /** First delay in milliseconds. */
  initialDelayMs?: number;
  /** Cap of the delay in milliseconds. */
  maxDelayMs?: number;
  /** Full jitter: uniform from 0 to the delay, from the run's seed. */
  jitter?: boolean;
}

/** Payload of `retry_scheduled`. */
export interface RetryScheduled {
  /** The next attempt. */
  attempt: number;
  /** The delay really used, milliseconds. */
  delayMs: number;
}

/** A retry policy to draw. */
export interface RetryTimeline {
  /** The policy. */
  policy: RetryPolicy;
}

/** A file's content hash now. */
export interface Revision {
  /** Content hash; null = the file is gone. */
  revision: string | null;
}

/** What the engine itself does for a kind besides calling it. */
export type Role =
  | 'step'
  | 'trigger'
  | 'stop'
  | 'wait'
  | 'approval'
  | 'form'
  | 'pause'
  | 'recovery'
  | 'loop'
  | 'parallel'
  | 'subworkflow'
  | 'break';

/** One routing rule. */
export interface Rule {
  /** Shown in the log. */
  name: string;
  /** CEL over `error`, `err`, `ctx`, `item`, `items`, `context`, `params`, `run`, `workflow`, `nodes`. */
  when: string;
  /** `retry`, `auto_fix`, `human_review`, `escalate`, `fallback`, `abort`, `error_as_context`. */
  action: string;
}

/** `{rules: […]}`. */
export interface RuleList {
  /** Rules in order; the first whose `when` is true decides. */
  rules: Rule[];
}

/** A finding about one rule. */
export interface RuleProblem {
  /** Which rule, from 0. */
  index: number;
  /** Error or warning. */
  severity: Severity;
  /** As of the validator. */
  code: string;
  /** What and why. */
  message: string;
  /** What next. */
  hint: string;
  /** Character in the condition. */
  position?: number;
}

/** A rule of error handling that the last decisions suggest (UX D2.14). */
export interface RuleSuggestion {
  /** How many decisions in a row were the same. */
  decisions: number;
  /** Its name. */
  name: string;
  /** Its condition, CEL. */
  when: string;
  /** What it does. */
  action: string;
}

/** What one rule said. */
export interface RuleTried {
  /** Name of the rule. */
  rule: string;
  /** Its condition. */
  when: string;
  /** The condition is true. */
  matched: boolean;
  /** Why it could not be asked. */
  error?: string;
}

/** Rules to look at. */
export interface RulesCheck {
  /** In order. */
  rules: Rule[];
  /** Wired ports of the handler; absent for the policy of a workflow. */
  wired?: string[];
}

/** The bytes whole. */
export interface RunBinary {
  /** In base64. */
  bytesBase64: string;
}

/** Bytes that an item of a run names. */
export interface RunBinaryGet {
  /** The run. */
  runId: string;
  /** `sha256` of the reference. */
  sha256: string;
}

/** Sets the breakpoints of a run: these, no others. */
export interface RunBreakpoints {
  /** The run. */
  runId: string;
  /** Before which calls it stops. */
  breakpoints: Breakpoint[];
}

/** What two runs differ in. Only what differs is listed; large values are cut. */
export interface RunComparison {
  /** The first run. */
  a: ComparedRun;
  /** The second run. */
  b: ComparedRun;
  /** Nothing below is different, and both ended alike. How long they took does not count. */
  same: boolean;
  /** They are runs of one workflow. Of two different ones only steps with the same id can be laid beside each other. */
  sameWorkflow: boolean;
  /** Values are masked: what is hidden in both runs was not compared. */
  masked: boolean;
  /** What their definitions do differently. */
  definition: DefinitionDifference;
  /** What they were started with. */
  params: ValueDifference[];
  /** Steps that differ, in the order in which the first run came to them. */
  steps: StepDifference[];
  /** Variables as they stand at the end. */
  context: ValueDifference[];
  /** What the runs put out. */
  output: ValueDifference[];
  /** How many more there are than are listed, by the name of the list; lists that are whole are not named. */
  leftOut?: Record<string, number>;
}

/** A loop, a parallel or a sub-workflow at one path. */
export interface RunContainer {
  /** Where the container itself stands; empty at the top. */
  path: string;
  /** Its node. */
  stepId: string;
  /** How many iterations or branches it has, when that is known. */
  total: number | null;
  /** How many ended well. */
  done: number;
  /** How many have begun and not ended. */
  running: number;
  /** How many ended with an error, or were cut off. */
  failed: number;
}

/** Where a run stands that somebody looks into. */
export interface RunDebug {
  /** Where it stands. */
  status: RunStatus;
  /** Where and why it stopped; absent while it goes on. */
  stopped?: Stopped;
  /** Calls under way that end before it stands still. */
  underWay: number;
  /** Before which calls it stops. */
  breakpoints: Breakpoint[];
  /** Calls that begin when it goes on, the one that it stopped at first. */
  waiting: WaitingCall[];
}

/** One run with everything to draw it. */
export interface RunDetails {
  /** The definition that the run pinned. First, so that its text can be put into the text of the rest. */
  definition: Workflow;
  /** UUID v7. */
  runId: string;
  /** Id of the workflow. */
  workflowId: string;
  /** Where it stands. */
  status: RunStatus;
  /** The run it was re-run from. */
  parentRunId?: string;
  /** The checkpoint of another program that it began at. */
  importedFrom?: ImportedFrom;
  /** RFC 3339. */
  startedAt: string;
  /** RFC 3339. */
  endedAt?: string;
  /** Milliseconds from start to end, or to the last event. */
  durationMs: number;
  /** The final context. */
  context: Record<string, unknown>;
  /** Data of the items that entered a Stop or left through an unwired `success` port. */
  output: unknown[];
  /** The error that failed the run. */
  error?: ErrorPayload;
  /** The step that failed the run. */
  failedStepId?: string;
  /** Where it stands stopped, until somebody lets it go on. */
  stopped?: Stopped;
  /** Ids of open tasks. */
  openTasks: string[];
  /** Node id → state and counts. */
  steps: Record<string, StepSummary>;
  /** Name of the workflow at the start. */
  workflowName: string;
  /** Newest event. */
  lastSeq: number;
  /** Its place in the queue of its workflow while it is `queued`, else in that of runs that wait for a worker; 1 is the next. */
  place?: number;
  /** The run's input. */
  params: unknown;
  /** Some process drives it now. */
  driven: boolean;
  /** Why it stands still although nothing in it has failed (disk full, a fault of the program). */
  trouble?: RunTrouble;
  /** The step that a re-run began at, with its path. */
  resumedFrom?: string;
  /** Steps whose result a re-run has from its original, in a container with their paths; the first 10,000. */
  kept?: string[];
  /** The run that asks a person about the failure of this one, while it has not ended, and the task with which it asks. */
  sentAs?: TaskLink;
  /** Values that may be personal or secret are masked. */
  masked: boolean;
  /** The caller may say why they need to see them (`run_reveal`). */
  mayReveal: boolean;
}

/** Compares two runs. */
export interface RunDiff {
  /** The first one. */
  runId: string;
  /** The second one. */
  with: string;
}

/** Compares one step of two runs. */
export interface RunDiffStep {
  /** The first one. */
  runId: string;
  /** The second one. */
  with: string;
  /** The step; inside a loop with its iteration: `loop[17]/step`. */
  stepId: string;
}

/** Gives a call that waits in a stopped run another input. */
export interface RunEditInput {
  /** The run. */
  runId: string;
  /** The step that waits. */
  stepId: string;
  /** Where it stands; left out at the top. */
  path?: string;
  /** Item index, when the step has several items. */
  item?: number;
  /** The item's data; a list of the data of all items where the step takes them together. */
  input: unknown;
  /** Nothing is kept: only whether it would fit, and what would change. */
  check?: boolean;
}

/** Events of a run. */
export interface RunEventsAfter {
  /** The run. */
  runId: string;
  /** Events with a larger `seq`. */
  after: number;
  /** At most this many, 1,000 when absent. */
  limit?: number;
  /** Only those of this iteration or branch, with what is further in: `each[3]`, `par/left`. */
  path?: string;
}

/** A file that a run wrote. */
export interface RunFile {
  /** The event that says so. `GET /workflow/{id}/files/{seq}` returns the file. */
  seq: number;
  /** The step. */
  stepId: string | null;
  /** The path as the step was given it. */
  path: string;
  /** The file name. */
  name: string;
  /** The real path of a file in a granted folder; absent for an artifact, which is kept with the run. */
  place: string | null;
  /** Bytes, as it was written. */
  size: number;
  /** When it was written. */
  writtenAt: string;
  /** What became of it. */
  state: RunFileState;
  /** Why it cannot be read. */
  reason: string | null;
}

/** What became of a file that a run wrote. */
export type RunFileState = 'same' | 'changed' | 'gone' | 'refused';

/** Files that a run wrote. */
export interface RunFiles {
  /** The file written last is the first; a file that was written several times is there once. */
  files: RunFile[];
  /** The run wrote more, earlier. */
  more: boolean;
}

/** Names a run. */
export interface RunId {
  /** UUID v7. */
  runId: string;
}

/** Whether the input fits. */
export interface RunInputEdited {
  /** From the input before to the new one (RFC 6902). */
  patch: Record<string, unknown>[];
}

/** Filters of the run history. */
export interface RunList {
  /** Id of a workflow. */
  workflow?: string;
  /** Status. */
  status?: RunStatus;
  /** Part of the workflow's name, of the run id or of the error. */
  text?: string;
  /** Only re-runs that began from this run. */
  parent?: string;
  /** Only of this workspace. */
  workspace?: string;
  /** At most this many, 50 when absent, 500 at most. */
  limit?: number;
  /** `next` of the page before. */
  before?: string;
}

/** A page of the history, newest first. */
export interface RunPage {
  /** The runs. */
  runs: RunRow[];
  /** For `before` of the next page. */
  next?: string;
}

/** One iteration, branch or sub-workflow. */
export interface RunPath {
  /** `each[3]`, `par/left`, `each[3]/inner[0]`. */
  path: string;
  /** Its first event. */
  firstSeq: number;
  /** Its last event so far, without those further in. */
  lastSeq: number;
  /** It has not ended. */
  running: boolean;
  /** It ended with an error, or was cut off. */
  failed: boolean;
  /** A person is asked, here or further in. */
  waiting: boolean;
  /** It stands from the original of a re-run and has no events here but the first; 10,000 of them at most. */
  kept: boolean;
}

/** Up to 1,000 iterations and branches in the order in which they began. */
export interface RunPathPage {
  /** Iterations of loops, branches of parallels, sub-workflows. */
  paths: RunPath[];
  /** The containers at the top and those that `paths` are about, by their node, behind their path and `/` further in. */
  containers: Record<string, RunContainer>;
  /** There are more: ask again with `after` = `firstSeq` of the last. */
  truncated: boolean;
}

/** Iterations and branches of a run. */
export interface RunPaths {
  /** The run. */
  runId: string;
  /** Those that began after this event; all when absent. */
  after?: number;
}

/** Starts a re-run. */
export interface RunRerun {
  /** The original. */
  runId: string;
  /** The step; inside a loop with its iteration: `loop[17]/step`. */
  stepId: string;
  /** `$name` is a variable, `name` a param. What is not named stays. */
  overrides?: Record<string, unknown>;
  /** Data of the items that the step gets; the recorded ones when absent. */
  input?: unknown[];
  /** The step, at the top, that it ends after: what does not lead to it does not run; for builders. */
  until?: string;
  /** With which definition. */
  definition?: RerunDefinition;
  /** With `current`: what the editor shows. The file of the library when absent. */
  document?: Workflow;
  /** With `current`: opaque id of the workflow file whose pinned outputs are used; for builders. */
  pins?: string;
  /** Answers of people to steps that execute again are given again where they fit; else the people are asked again. */
  keepAnswers?: boolean;
  /** Comes back on every event. */
  clientRunToken?: string;
  /** Before which calls it stops; for builders. */
  breakpoints?: Breakpoint[];
  /** [`RerunPlan::of`] of the plan that was looked at: refused with `PLAN_CHANGED` when it would be another one now. */
  seen?: string;
}

/** Shows a run without masks. */
export interface RunReveal {
  /** The run. */
  runId: string;
  /** Why; it is recorded. */
  reason: string;
}

/** The run is shown without masks to this caller. */
export interface RunRevealed {
  /** RFC 3339; then the masks are back. */
  until: string;
}

/** One run of the history. */
export interface RunRow {
  /** UUID v7. */
  runId: string;
  /** Id of the workflow. */
  workflowId: string;
  /** Its name at the start. */
  workflowName: string;
  /** Where it stands. */
  status: RunStatus;
  /** RFC 3339. */
  startedAt: string;
  /** RFC 3339. */
  endedAt?: string;
  /** From start to end, or until now. */
  durationMs: number;
  /** The run it was re-run from. */
  parentRunId?: string;
  /** The workspace that it belongs to. */
  workspace?: string;
  /** Its place in the queue of its workflow while it is `queued`, else in that of runs that wait for a worker; 1 is the next. */
  place?: number;
  /** The step that failed the run. */
  failedStepId?: string;
  /** What went wrong. */
  errorMessage?: string;
  /** Its code. */
  errorCode?: string;
  /** Only a part was to run: the step it ends after, as "Run to here" asks for. Absent for a whole run. */
  until?: string;
  /** What its questions to language models cost; absent when it asked none. */
  usage?: Usage;
  /** Tasks of it that are open in the inbox; absent when there are none. A `paused` run with one waits for a person. */
  openTaskCount?: number;
}

/** A run that becomes a test beside its workflow in the library. */
export interface RunSaveTest {
  /** The run. */
  runId: string;
  /** What it shows. */
  name: string;
  /** Keep hidden values as they are; secrets of this machine stay hidden. */
  unmasked?: boolean;
  /** The test holds the files of the run that have at most 256 KiB. Nothing in them is masked. */
  files?: boolean;
}

/** Has a person asked about the call that failed a run, by a new run. */
export interface RunSend {
  /** The failed run. */
  runId: string;
  /** Why, for who answers; it is recorded. */
  reason?: string;
}

/** Where the question stands. */
export interface RunSent {
  /** The failed run. */
  runId: string;
  /** The run that asks; it goes on with the answer. */
  sentRunId: string;
  /** Where that run stands. */
  status: RunStatus;
  /** Its task; absent when it has not asked yet. */
  taskId?: string;
  /** It was there already; nothing was begun. */
  already: boolean;
}

/** Starts a run of `document` (what the editor shows, saved or not) or of the file `ref`. With both, `document` runs as what `ref` holds: sub-workflows are looked for beside that file, then in the library. */
export interface RunStart {
  /** The workflow itself. */
  document?: Workflow;
  /** Opaque id of its file. */
  ref?: string;
  /** The run's input. */
  params: Record<string, unknown>;
  /** The client's own name for the run: comes back on every event, and means nothing else. */
  clientRunToken?: string;
  /** The same start sent again with the same key gives the same run, for 24 hours; another start with it is refused. */
  idempotencyKey?: string;
  /** Before which calls it stops; for builders. */
  breakpoints?: Breakpoint[];
  /** It stops before its first call; for builders. */
  paused?: boolean;
  /** The step, at the top, that it ends after: what does not lead to it does not run; for builders. */
  until?: string;
  /** Steps with a pinned output are not called, and put that out; for builders, with `ref`. */
  pinned?: boolean;
  /** Faults of steps for this run only, by id of the step; for builders. */
  faults?: Record<string, FaultSpec>;
  /** A checkpoint of another program that it begins at (`vl_workflow_checkpoint`); for builders. */
  checkpoint?: unknown;
  /** What is changed of the checkpoint: `$name` is a variable, `_name` a local one, `name` a param. */
  overrides?: Record<string, unknown>;
}

/** A run that was started. */
export interface RunStarted {
  /** UUID v7. */
  runId: string;
  /** The limits of the workflow leave no room for it now: it waits for its turn. Absent when it has started. */
  queued?: boolean;
}

/** Status of a run. */
export type RunStatus = 'created' | 'queued' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

/** Data of a node in its last run. */
export interface RunStepData {
  /** Id of the workflow. */
  workflowId: string;
  /** The node. */
  nodeId: string;
  /** This run instead of the last one in which the node was called. */
  runId?: string;
  /** This iteration or branch of the run; the last one in which the node was called when absent. */
  path?: string;
}

/** A run, or the last call of a step in it. */
export interface RunTraceOf {
  /** The run. */
  runId: string;
  /** A step of it. */
  stepId?: string;
  /** Where the step was called, within containers. */
  path?: string;
  /** The item that it was called with. */
  item?: number;
}

/** What leads to a run or a step in a tracing program. */
export interface RunTraceView {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits; absent when the step was not called. */
  spanId?: string;
  /** Its address in the tracing program of the settings. */
  url?: string;
  /** This process sends spans now. */
  sending: boolean;
}

/** Why a run stands still. */
export interface RunTrouble {
  /** `DISK_FULL`, `STORE_FAILED`, `INTERNAL`, `WAITS_FOR_WORKER`. */
  code: string;
  /** In words. Of a run that waits for a worker: why runs are not handed over now, if that is so. */
  message: string;
}

/** What a run cost. Steps that a re-run kept were paid by its original, and are not in it. */
export interface RunUsage {
  /** The run. */
  runId: string;
  /** Of all steps. */
  total: Usage;
  /** Steps that asked models. */
  steps: StepUsage[];
}

/** Which ended runs go. A run goes when one of the rules says so; at least one is needed. */
export interface RunsPrune {
  /** Those that ended before so many days. */
  olderThanDays?: number;
  /** All but so many that ended last. */
  keep?: number;
  /** The oldest, until the others take at most so many megabytes (1,000,000 bytes). */
  mostMegabytes?: number;
  /** Only runs of this workflow are looked at. */
  workflow?: string;
}

/** What went, or would go. */
export interface RunsPruned {
  /** They were deleted. */
  deleted: boolean;
  /** Ended runs that were looked at. */
  ended: number;
  /** How many go. */
  count: number;
  /** About how many bytes they take. */
  bytes: number;
  /** Bytes by which the database became shorter. */
  freedBytes: number;
  /** The oldest of those that go, at most 20. */
  oldest: PrunedRun[];
}

/** One sample of the gallery. */
export interface Sample {
  /** For `workflow_create`. */
  id: string;
  /** In plain words. */
  title: string;
  /** One or two sentences. */
  description: string;
  /** Number of nodes. */
  steps: number;
  /** What it shows, a few words each. */
  traits: string[];
  /** What has to be set up on this machine before it runs; empty when nothing has. */
  needs: SampleNeed[];
  /** The workflow. */
  document: Workflow;
}

/** Something that has to be set up before a sample runs. */
export interface SampleNeed {
  /** What it is. */
  kind: SampleNeedKind;
  /** The name of the tool server. */
  name?: string;
  /** It is set up. */
  ready: boolean;
}

/** What a sample does not run without. */
export type SampleNeedKind = 'model' | 'pricedModel' | 'toolServer';

/** A file's content hash after a save. */
export interface Saved {
  /** Content hash. */
  revision: string;
}

/** A test beside its workflow. */
export interface SavedTest {
  /** File name. */
  file: string;
  /** What it shows; the file name when it cannot be read. */
  name: string;
  /** Why it cannot be read. */
  problem?: string;
}

/** A view of the caller's own and how many tasks it shows. */
export interface SavedViewCount {
  /** Its name. */
  name: string;
  /** What it shows. */
  filter: TaskFilter;
  /** How many. */
  count: number;
}

/** When a schedule would fire. */
export interface SchedulePreview {
  /** The next times. */
  next: ScheduledTime[];
  /** What is wrong with the settings; `path` points into them. */
  diagnostics: Diagnostic[];
}

/** Asks when a schedule would fire. */
export interface SchedulePreviewRequest {
  /** Settings of a schedule step. */
  config: unknown;
  /** So many times, 5 when absent, at most 100. */
  count?: number;
  /** After this moment (RFC 3339); now when absent. */
  from?: string;
}

/** A moment. */
export interface ScheduledTime {
  /** RFC 3339. */
  utc: string;
  /** As the clocks of the time zone show it: `2026-11-30T08:00:00+01:00[Europe/Berlin]`. */
  local: string;
}

/** The second fault of a pair. */
export interface SecondFault {
  /** The step that has it, in every call. */
  step: string;
  /** The faults that are handled alike. */
  faults: string[];
}

/** Chooses where the key is kept. */
export interface SecretChoose {
  /** The place. */
  key: SecretKeyPlace;
  /** For `passphrase`. */
  passphrase?: SecretText;
  /** For `file`, from the command line only: the key file, which is made when it is not there. */
  identityFile?: string;
  /** Give up secrets that cannot be opened; their file is kept under another name. */
  discard?: boolean;
}

/** A secret without its value. */
export interface SecretEntry {
  /** The name in `secret://name`. */
  name: string;
  /** How it is sent. */
  kind: SecretKind;
  /** The user of `basic` and `ssh`, the name of `header` and `query`, the access key id of `aws`, the account of `azure`, the scopes of `google`. */
  field?: string;
  /** The region of `aws`. */
  region?: string;
  /** The service of `aws`, as it is named in signatures. */
  service?: string;
  /** Fingerprints of keys by which the server is known, of `ssh`: `SHA256:…`, separated by spaces. */
  hostKey?: string;
  /** How tokens are got, of `oauth2`. */
  oauth?: OAuthClient;
  /** Who is signed in, of `oauth2`. */
  signIn?: SecretSignIn;
  /** Where it may be sent. */
  hosts: string[];
  /** When it was first set. */
  createdAt: string;
  /** When it was last set. */
  updatedAt: string;
  /** When a step last got it. */
  lastUsedAt?: string;
}

/** Where the key of the secrets is kept. */
export type SecretKeyPlace = 'system' | 'passphrase' | 'file';

/** How a secret is sent. */
export type SecretKind =
  | 'bearer'
  | 'basic'
  | 'header'
  | 'query'
  | 'oauth2'
  | 'aws'
  | 'certificate'
  | 'ssh'
  | 'azure'
  | 'sas'
  | 'google';

/** Names a secret. */
export interface SecretName {
  /** The name in `secret://name`. */
  name: string;
}

/** Keeps a secret, or replaces it whole: who changes where it may go has to know it. */
export interface SecretSet {
  /** The name in `secret://name`. */
  name: string;
  /** How it is sent. */
  kind: SecretKind;
  /** The user of `basic` and `ssh`, the name of `header` and `query`, the access key id of `aws`, the account of `azure`, the scopes of `google`. */
  field?: string;
  /** The region of `aws`. */
  region?: string;
  /** The service of `aws`, as it is named in signatures. */
  service?: string;
  /** Fingerprints of keys by which the server is known, of `ssh`: `SHA256:…`, separated by spaces. Without one a test tells it. */
  hostKey?: string;
  /** How tokens are got, of `oauth2`. */
  oauth?: OAuthClient;
  /** Where it may be sent. */
  hosts: string[];
  /** The secret. */
  value: SecretText;
}

/** A sign-in with a secret. Tokens are never told. */
export interface SecretSignIn {
  /** Where it stands. */
  state: SecretSignInState;
  /** Why it ended, or why the last attempt came to nothing; without a full stop. */
  message?: string;
  /** Until when the browser or the code is waited for, RFC 3339. */
  waitsUntil?: string;
  /** The code that a person enters. */
  userCode?: string;
  /** Where the code is entered. */
  page?: string;
  /** Who signed in. */
  by?: string;
  /** When, RFC 3339. */
  at?: string;
  /** When the access token runs out, RFC 3339. */
  expires?: string;
  /** The rights (scopes) that it has, as far as they were told. */
  scopes: string[];
  /** It is renewed without a person. */
  renews: boolean;
}

/** Takes what the browser came back with, from whoever copied it. */
export interface SecretSignInFinish {
  /** The secret. */
  name: string;
  /** The address at which the browser ended. */
  address: string;
}

/** Where a sign-in with a secret stands. */
export type SecretSignInState = 'wanted' | 'waiting' | 'signedIn' | 'ended';

/** What became of signing out. */
export interface SecretSignedOut {
  /** The secret, to which nobody is signed in. */
  secret: SecretEntry;
  /** The service took the tokens back. */
  revoked: boolean;
  /** Why it did not, when it was asked. */
  note?: string;
}

/** A sign-in that has begun. */
export interface SecretSigningIn {
  /** The secret. */
  name: string;
  /** For the person's browser; absent when the program signed in as itself, which is done then. */
  address?: string;
  /** Until when the browser or the code is waited for, RFC 3339. */
  until?: string;
  /** The code that a person enters at the address. */
  userCode?: string;
  /** The browser was opened with it. */
  opened: boolean;
}

/** Whether secrets can be used now. */
export type SecretState = 'notChosen' | 'ready' | 'locked' | 'unavailable';

/** How the secrets stand. */
export interface SecretStatus {
  /** Whether they can be used. */
  state: SecretState;
  /** Where the key is kept; absent = not chosen. */
  key?: SecretKeyPlace;
  /** That place, for people. */
  keyAt?: string;
  /** The encrypted file. */
  file: string;
  /** What keeps them from being used. */
  message?: string;
  /** What to do about it. */
  hint?: string;
  /** What the system's key store is called. */
  system: string;
  /** Why it cannot be chosen. */
  systemTrouble?: string;
}

/** Tries a secret. */
export interface SecretTest {
  /** The secret. */
  name: string;
  /** Where to send it with a GET, or the server to sign in to: `postgres://HOST/DATABASE`, `mqtts://HOST`, `imaps://HOST`, `sftp://HOST` and others (docs/secrets.md); without it, it is only looked up, and its token is got. */
  url?: string;
  /** The authority that signed the certificate of a database, broker or mail server (PEM), instead of those that the machine trusts. */
  rootCertificate?: string;
}

/** What became of trying a secret. */
export interface SecretTested {
  /** It can be used. */
  good: boolean;
  /** What the service answered with. */
  status?: number;
  /** What was found, in a sentence. */
  message: string;
  /** What to do about it. */
  hint?: string;
  /** The code that a step would fail with. */
  code?: string;
  /** The fingerprint of the key that the server showed, when the secret does not know it. */
  hostKey?: string;
}

/** A secret text in a request. It has no `Debug`, and what does not fit it is not quoted. */
export type SecretText = string;

/** Trusts the key of a server from now on. */
export interface SecretTrust {
  /** The secret, of the type `ssh`, that knows no key yet. */
  name: string;
  /** The fingerprint, `SHA256:…`, as the administrator of the server has confirmed it. */
  hostKey: string;
}

/** Opens secrets. */
export interface SecretUnlock {
  /** The passphrase, for secrets under one. Without it the key store of the system is asked, which may ask the person. */
  passphrase?: SecretText;
}

/** A workflow that uses a secret. */
export interface SecretUse {
  /** Its id. */
  workflowId: string;
  /** Its name. */
  name: string;
  /** The reference of its file in the library; absent when an active version uses the secret and no file there does. */
  ref?: string;
  /** An active version uses it, as a workflow of its own or as a sub-workflow. */
  active: boolean;
  /** Titles of the steps, or their ids. */
  steps: string[];
}

/** The call that failed a run, about which a person is asked in a new run (ADR 58). */
export interface Sent {
  /** The failed run. */
  runId: string;
  /** The failed step, with its path. */
  step: string;
  /** Index of the item that failed. */
  item: number;
  /** What failed it. */
  error: ErrorPayload;
  /** Why it was sent, in the words of who sent it. */
  reason?: string;
  /** Who sent it: `user:…`. */
  by: string;
}

/** A failed run that a person sent to the inbox (ADR 58). */
export interface SentFrom {
  /** The failed run. */
  runId: string;
  /** Who sent it: `user:…`. */
  by: string;
  /** Why, in their words. */
  reason?: string;
}

/** Names a session. */
export interface SessionRef {
  /** Its id. */
  id: string;
}

/** `settings` of a workflow. */
export interface Settings {
  /** What an unwired red port does. Absent means `fail`. */
  errorPolicy?: ErrorPolicy;
  /** Default model name. */
  model?: unknown;
  /** Tools that its agents have unless they name others (K-40): `server/tool`, `learn_name`. */
  tools?: string[];
  /** Rules over the tools that its models call (ADR 51): [`crate::ToolRule`]s. */
  toolRules?: unknown;
  /** Folder of its skills, one Markdown file each (K-59), inside a granted folder. */
  skills?: string;
  /** What its questions to language models may cost: `{perRun, perDay}`, in the unit of the prices (ADR 50). */
  budget?: unknown;
  /** How many of its runs are under way at once: `{max, key, onLimit: queue|skip|cancel_oldest}` (ADR 93). */
  concurrency?: unknown;
  /** How many of its runs start in a time: `{count, perMs}` (ADR 93). */
  rateLimit?: unknown;
  /** How many megabytes of memory the items may take that one step needs at once or hands on: 16 to 65,536; 1,024 when it is not said (ADR 165). */
  stepMemoryMb?: unknown;
  /** Node id of a chain that runs once after an abort. */
  onAbort?: string;
  /** Audit rules (K-60). */
  auditRules?: unknown;
  /** Working time: `{timezone, hours: {mon: ["09:00-17:00"]}, holidays: ["2026-12-25"]}`. */
  businessHours?: unknown;
}

/** New settings. */
export interface SettingsSet {
  /** All of them. */
  settings: AppSettings;
}

/** How serious a diagnostic is. */
export type Severity = 'error' | 'warning';

/** A new sink: a file in a folder, or a server. */
export interface SinkAdd {
  /** How the Audit step names it: small letters, digits, `-` and `_`. Absent: its kind, with a number when that is taken. */
  name?: string;
  /** Handle of a folder that the system's dialog gave; the file is made in it. */
  folder?: string;
  /** What stands at the address. */
  kind?: SinkKind;
  /** The address of a server, such as `postgresql://user@db.example/audit`. */
  url?: string;
  /** `secret://NAME`: who Signalbox is there. It must allow the host of the address. */
  credential?: string;
  /** The authority that signed the certificate of the server (PEM), instead of those that the system trusts. */
  ca?: string;
  /** A person on this machine allows an address of this machine. */
  allowLocal?: boolean;
}

/** What a sink is. */
export type SinkKind = 'file' | 'postgres' | 's3' | 'elasticsearch' | 'syslog' | 'kafka';

/** Pauses a sink, or continues it. */
export interface SinkPause {
  /** Its id. */
  id: string;
  /** Nothing is copied to it until it is continued. */
  paused: boolean;
}

/** Names a sink. */
export interface SinkRef {
  /** Its id. */
  id: string;
}

/** Whether a sink would take entries now. Nothing was sent to it. */
export interface SinkTest {
  /** It would. */
  ok: boolean;
  /** Why it would not. */
  error?: string;
}

/** A skill that agents of a workflow may unlock. */
export interface SkillEntry {
  /** The tool that unlocks it: `learn_…`. */
  name: string;
  /** Its description, or its heading and first words. */
  about: string;
  /** Why it cannot be read: a model that unlocks it learns nothing. */
  unusable?: string;
}

/** Asks for the skills of a folder. */
export interface SkillList {
  /** Id of the workflow that is granted the folder. */
  workflowId: string;
  /** `settings.skills`. */
  folder: string;
}

/** How many runs may be started. A number that is absent is no limit. */
export interface StartQuota {
  /** In a minute of the clock. */
  perMinute?: number;
  /** In a day of UTC. */
  perDay?: number;
  /** Runs that have not ended; not for tokens. */
  atOnce?: number;
  /** In a minute of the clock by one person; not for tokens. */
  personPerMinute?: number;
  /** In a day of UTC by one person; not for tokens. */
  personPerDay?: number;
}

/** What a workspace or a token has started. */
export interface StartsMade {
  /** In this minute of the clock. */
  minute: number;
  /** In this day of UTC. */
  day: number;
  /** Runs that have not ended; 0 for a token. */
  open: number;
}

/** What the definition changed of a step. */
export type StepChange = 'none' | 'changed' | 'added' | 'removed' | 'incompatible';

/** One step of two runs. */
export interface StepComparison {
  /** In the first run; absent when it has none. */
  a?: StepValues;
  /** In the second run. */
  b?: StepValues;
  /** What differs. */
  differs: Aspect[];
  /** Values are masked: what is hidden in both runs was not compared. */
  masked: boolean;
}

/** How many items there are. */
export interface StepCounts {
  /** That went in. */
  input: number;
  /** Port → that came out there. */
  output: Record<string, number>;
}

/** What went into a node and what came out. */
export interface StepData {
  /** The run. */
  runId: string;
  /** The iteration or branch; absent at the top. */
  path?: string;
  /** When the run began, RFC 3339. */
  startedAt: string;
  /** How many items went in and came out: the lists may have the first of them only. */
  counts: StepCounts;
  /** Items as they went in; large values are cut. */
  input: StepInput[];
  /** Port → items; large values are cut. */
  output: Record<string, Item[]>;
  /** The last error. */
  error?: ErrorPayload;
  /** Evaluated config of the last call. */
  config: unknown;
}

/** A step that differs. */
export interface StepDifference {
  /** The step. */
  stepId: string;
  /** The iteration, branch or sub-workflow; absent at the top. */
  path?: string;
  /** In the first run; absent when it has none. */
  a?: ComparedStep;
  /** In the second run. */
  b?: ComparedStep;
  /** What differs. */
  differs: Aspect[];
  /** Where its values differ. */
  changes?: StepValueDifference[];
  /** How many more places there are. */
  leftOut?: number;
}

/** Payload of `step_done` (R-13). */
export interface StepDone {
  /** Read-back of `out`, or null without `out`. */
  outputs: Record<string, unknown> | null;
  /** The port, when all items took one. */
  selected?: string;
  /** Port → number of items; taken ports only. */
  ports: Record<string, number>;
  /** Port → items. */
  items: Record<string, Item[]>;
  /** The failed slot, when a recovery node runs. */
  origin?: Origin;
  /** The items are pinned output; the step was not called (ADR 102). */
  pinned?: boolean;
  /** What safety checks masked in the result. */
  masked?: MaskedData[];
}

/** What a step does outside. */
export type StepEffect = 'none' | 'read' | 'write';

/** Payload of `step_error` (R-14). */
export interface StepError {
  /** The completed error. */
  error: ErrorPayload;
  /** The failed slot, when a recovery node runs. */
  origin?: Origin;
  /** The step waits for a person who allows a call of a tool, and goes on with this conversation (ADR 51). */
  held?: unknown;
}

/** What becomes of a step. */
export type StepFate = 'kept' | 'again' | 'open' | 'left' | 'gone';

/** One item as it went into a call. */
export interface StepInput {
  /** Index in the activation's input. */
  item: number;
  /** Its data. */
  data: unknown;
}

/** Payload of `step_interrupted`. */
export interface StepInterrupted {
  /** `unknown` when it may have happened. */
  effect?: string;
  /** The failed slot, when a recovery node runs. */
  origin?: Origin;
}

/** Names a step of a workflow file. */
export interface StepOfRef {
  /** Opaque id of the workflow file. */
  ref: string;
  /** The step. */
  stepId: string;
}

/** Payload of `step_print` (R-16). */
export interface StepPrint {
  /** What was printed. */
  value: unknown;
}

/** What the faults of one step came to. */
export interface StepProof {
  /** Faults that were tried, without pairs. */
  tried: number;
  /** Those of them that are handled. */
  handled: number;
  /** Faults that no run without a fault reaches. */
  notReached: number;
}

/** What a proof says about a step. */
export type StepProofState = 'proved' | 'unhandled' | 'notReached';

/** Payload of `step_skipped` (R-15). */
export interface StepSkipped {
  /** The condition that was false, or `disabled`. */
  condition: string;
}

/** Payload of `step_start` (R-12). */
export interface StepStart {
  /** Node kind. */
  type: string;
  /** `title` of the node when it has one. */
  meta: Record<string, unknown>;
  /** Evaluated `in`, or null without `in`. */
  resolvedInputs: unknown;
  /** Evaluated config of the first item of the call. */
  config: unknown;
  /** Evaluated configs of the other items of a batch whose config differs: item index → config. */
  configs?: Record<string, unknown>;
  /** The items as they go into the code. */
  input: InputItem[];
  /** So many items go in that are not told again: the step reads the list of its wires where it lies, and `input` is empty (ADR 157). */
  inputItems?: number;
  /** Idempotency key of a `write`. */
  idempotencyKey?: string;
  /** When a wait is over, milliseconds since 1970. */
  dueMs?: number;
  /** The failed slot, when a recovery node runs. */
  origin?: Origin;
  /** The step is not called: its pinned output follows (ADR 102). */
  pinned?: boolean;
  /** A person put a fault into the call (ADR 144). */
  faulted?: boolean;
  /** What safety checks masked in the input and the settings. */
  masked?: MaskedData[];
}

/** One node in a [`RunSummary`]. */
export interface StepSummary {
  /** Worst over paths. */
  state: NodeState;
  /** Opened visits, summed over slots and paths. */
  visits: number;
  /** Calls, summed over slots and paths. */
  attempts: number;
  /** Its output was pinned: it was not called. */
  pinned?: boolean;
  /** A person put a fault into it for this run. */
  faulted?: boolean;
}

/** What a step cost. */
export interface StepUsage {
  /** The step, over all its calls in this run. */
  stepId: string;
  /** Sums. */
  usage: Usage;
  /** By model. */
  models: ModelUsage[];
}

/** One place where the values of a step differ. */
export interface StepValueDifference {
  /** `input`, `config`, `output` or `error`. */
  part: Aspect;
  /** JSON Pointer of the place. */
  pointer: string;
  /** What stands there in the first run; absent when nothing does. */
  a?: unknown;
  /** In the second run. */
  b?: unknown;
}

/** The values of a step in one run, as far as 200 items or calls; large ones are cut. */
export interface StepValues {
  /** Its state. */
  state: NodeState;
  /** Rounds. */
  visits: number;
  /** Calls. */
  attempts: number;
  /** Port → number of items; taken ports only. */
  ports: Record<string, number>;
  /** Data of its items. */
  input: unknown[];
  /** What its settings came to in each call. */
  config: unknown[];
  /** Port → data of the items. */
  output: Record<string, unknown[]>;
  /** The last error of each call that had one. */
  error: unknown[];
}

/** Where and why a run stands stopped, in its summary. */
export interface Stopped {
  /** Why. */
  reason: PauseReason;
  /** RFC 3339. */
  since: string;
  /** The node whose call would have begun. */
  stepId?: string;
  /** Where it stands; left out at the top. */
  path?: string;
  /** Item index; left out when there is one item. */
  item?: number;
  /** The breakpoint's wire, `node.port`. */
  from?: string;
  /** The breakpoint's condition. */
  condition?: string;
  /** Why it could not be evaluated. */
  conditionError?: string;
  /** Who asked: `user:…`. */
  operatorId?: string;
}

/** Advice of the failing side; used only by a rule that names it (K-05). */
export type SuggestedAction = 'retry' | 'fallback' | 'escalate' | 'human_review' | 'abort' | 'auto_fix';

/** Who proposes a correction. */
export type SuggestionSource = 'rule' | 'history' | 'llm';

/** A task with everything that helps to decide. Values that may be personal are masked: their text is `•••N•`, the same number for the same value. */
export interface Task {
  /** Its id. */
  id: string;
  /** What is asked. */
  kind: TaskKind;
  /** Why. */
  reason: TaskReason;
  /** Where it stands. */
  state: TaskState;
  /** From 1, +1 with each change. */
  revision: number;
  /** The run that waits for it. */
  runId: string;
  /** Id of its workflow. */
  workflowId: string;
  /** Name of the workflow when the run started. */
  workflowName: string;
  /** The step that it is about: the failed one, else the one that asks. */
  nodeId: string;
  /** Its title in the workflow. */
  nodeTitle: string;
  /** The step that asks. */
  stepId: string;
  /** Where in nested containers. */
  path?: string;
  /** Item index. */
  item?: number;
  /** Round of the slot. */
  visit: number;
  /** Attempt of the call. */
  attempt: number;
  /** One line. */
  title: string;
  /** How bad. */
  severity: Level;
  /** 0 to 100. */
  priority: number;
  /** The same for failures of the same step for the same cause. */
  fingerprint: string;
  /** Open tasks with this fingerprint, counted up to 1,000. */
  sameCount: number;
  /** Type of the error. */
  errorType?: string;
  /** Its code. */
  errorCode?: string;
  /** Its message. */
  errorMessage?: string;
  /** Who has it. */
  assignee?: string;
  /** Who may take it. */
  candidateGroups: string[];
  /** Who works on it now. */
  claimedBy?: string;
  /** Until when, RFC 3339; claiming again prolongs it. */
  claimExpiresAt?: string;
  /** Hidden until then, RFC 3339. */
  snoozedUntil?: string;
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339; nobody decides after it, unless it is escalated then. */
  expiresAt?: string;
  /** Since when it waits for somebody else, RFC 3339; its time stands still. */
  heldSince?: string;
  /** What is left of its time then, milliseconds. */
  remainingMs?: number;
  /** Reminders so far. */
  reminders: number;
  /** Escalations so far. */
  escalationLevel: number;
  /** Failed slots that this one task stands for. */
  cases: number;
  /** How many different people must approve; 1 = whoever decides first. */
  minApprovals: number;
  /** How many have approved, where several must. */
  approvals: number;
  /** What may be answered, in the order of the buttons. */
  allowedActions: TaskAction[];
  /** Who decided. */
  decidedBy?: string;
  /** When it was decided or closed, RFC 3339. */
  decidedAt?: string;
  /** What was decided. */
  action?: TaskAction;
  /** Where it stands in other services. */
  elsewhere?: TaskCopy[];
  /** The failed slot, when a recovery step asks. */
  origin?: Origin;
  /** What the author wrote for the person. */
  instructions?: string;
  /** What failed. */
  error?: ErrorPayload;
  /** The input that failed, or the data that is shown. Masked values may stand in a corrected input as they are: they keep their value. */
  input: unknown;
  /** What a corrected input, or a form, has to fit. */
  schema?: unknown;
  /** Where the run goes on, for each answer that a wire of the asking step decides about. */
  ways: TaskWay[];
  /** Ways out for `alternative`. */
  alternatives: Alternative[];
  /** JSON Pointers of what is masked in `input`. */
  redacted: string[];
  /** The caller may see it, with a reason (`task_reveal`). */
  mayReveal: boolean;
  /** The last events of the run, oldest first. */
  trace: TaskTrace[];
  /** The context of the run now; large values are cut. */
  variables: Record<string, unknown>;
  /** What the steps before put out; large values are cut. */
  upstream: TaskUpstream[];
  /** Corrections to take with one click. */
  suggestions: TaskSuggestion[];
  /** What happened to the task, oldest first. */
  history: TaskEvent[];
  /** One-time, for who may answer; only when it was asked for. */
  secret?: string;
  /** What was decided. */
  decision?: TaskDecision;
  /** Files in the input and in the error, at most 50. */
  attachments: TaskAttachment[];
  /** Who has approved, where several must, in the order of their votes. */
  votes: TaskVote[];
  /** Who started the run may not approve. */
  noSelfApproval: boolean;
  /** Who started the run, when that is known. */
  startedBy?: string;
  /** The ended task of an earlier run that this one asks again. */
  reopens?: TaskLink;
  /** What asks this one again, the newest. */
  reopenedAs?: TaskLink;
  /** The failed run that a person sent to the inbox as this task. */
  sentFrom?: SentFrom;
}

/** What may be answered (K-16). `approve`, `reject` belong to approvals, `submit` to forms and pauses. */
export type TaskAction = 'retry' | 'correct' | 'skip' | 'alternative' | 'abort' | 'approve' | 'reject' | 'submit';

/** A file that a task is about. */
export interface TaskAttachment {
  /** Where it stands: a JSON Pointer that begins with `/input` or `/error`. */
  id: string;
  /** Its name, without folders. */
  name: string;
  /** Its media type. */
  mime: string;
  /** Bytes. */
  size: number;
}

/** Asks for a file of a task; that is recorded. */
export interface TaskAttachmentGet {
  /** The task. */
  taskId: string;
  /** `id` of the attachment. */
  id: string;
}

/** What became of each. */
export interface TaskBatch {
  /** Stands in the audit entry of each. */
  batchId: string;
  /** One per task, in the order of the request. */
  results: TaskBatchResult[];
}

/** What became of one. */
export interface TaskBatchResult {
  /** The task. */
  taskId: string;
  /** It was answered. */
  ok: boolean;
  /** Why not. */
  error?: ApiError;
}

/** Failures of the same step for the same cause, or the same question. */
export interface TaskCause {
  /** The same for all of them. */
  fingerprint: string;
  /** The title of the newest. */
  title: string;
  /** Id of its workflow. */
  workflowId: string;
  /** Its name. */
  workflowName: string;
  /** The step. */
  nodeId: string;
  /** Its title. */
  nodeTitle: string;
  /** That came. */
  created: number;
  /** That are open. */
  open: number;
  /** That people decided. */
  decided: number;
  /** How long it took them for one of two, milliseconds. */
  medianMs?: number;
  /** What they decided. */
  actions: ActionCount[];
  /** A rule that would have decided the same. */
  suggestion?: RuleSuggestion;
}

/** Whether a corrected input fits. */
export interface TaskCheck {
  /** It fits. */
  valid: boolean;
  /** What does not. */
  violations: TaskViolation[];
  /** From the input that failed to this one (RFC 6902). */
  patch: PatchOperation[];
}

/** A corrected input to look at. */
export interface TaskCheckRequest {
  /** The task. */
  taskId: string;
  /** The whole corrected input, or the values of the form. */
  correctedInput: unknown;
}

/** Says something about a task. */
export interface TaskComment {
  /** The task. */
  taskId: string;
  /** What. */
  text: string;
}

/** A person's answer. */
export interface TaskComplete {
  /** The task. */
  taskId: string;
  /** What is chosen. */
  action: TaskAction;
  /** With `correct`: the whole corrected input. With `submit`: the values. */
  correctedInput?: unknown;
  /** With `alternative`: one of the task's targets. */
  targetNodeId?: string;
  /** With `retry` of a step whose budget is used up: what the run may spend more, in millionths. */
  budgetMicros?: number;
  /** With `approve` of a call of a tool: how far it goes; this call when absent. */
  toolGrant?: ToolGrant;
  /** Why. */
  notes?: string;
  /** The revision that the person saw: refused when the task has changed since. */
  revision?: number;
  /** The same id again gives the first answer again. */
  requestId?: string;
  /** Taken only when it is the caller. */
  operatorId?: string;
}

/** One answer for several tasks. */
export interface TaskCompleteMany {
  /** The tasks, at most 1,000. */
  taskIds: string[];
  /** What is chosen. */
  action: TaskAction;
  /** With `correct`: the corrected input of every one of them. */
  correctedInput?: unknown;
  /** With `correct`: what is changed in each one's own input (RFC 6902). */
  patch?: PatchOperation[];
  /** Why. */
  notes?: string;
  /** The same id again gives the first answers again; it is the batch id, then. */
  requestId?: string;
}

/** An answer that stands. */
export interface TaskCompleted {
  /** The task. */
  taskId: string;
  /** Its run. */
  runId: string;
  /** Where the task stands now. */
  state: TaskState;
  /** A process drove the run when it was answered; false = it goes on when one takes it up (`resume`). */
  driven: boolean;
  /** How many people have approved, where several must. The run waits until it is `minApprovals`. */
  approvals?: number;
  /** How many must. */
  minApprovals?: number;
}

/** What was sent now. */
export interface TaskCopiesSent {
  /** How many tasks were tried. */
  tried: number;
}

/** A task at a destination. */
export interface TaskCopy {
  /** Its id. */
  id: string;
  /** The destination (id). */
  destination: string;
  /** What people call the destination. */
  name: string;
  /** The task. */
  taskId: string;
  /** The task's title. */
  title: string;
  /** How it stands. */
  state: TaskCopyState;
  /** Its name at the service, such as `ABC-12`; absent before it was created. */
  externalId?: string;
  /** Its address at the service. */
  link?: string;
  /** Why it does not stand there as it is here. */
  error?: string;
  /** How often that was tried. */
  attempts: number;
  /** When it was tried last, RFC 3339. */
  triedAt?: string;
  /** When it is tried again, RFC 3339. */
  againAt?: string;
  /** Why a decision from there was not taken. */
  note?: string;
  /** How often the link in it was opened, by people or by programs that look at links. */
  opened: number;
}

/** Asks where tasks stand. */
export interface TaskCopyLog {
  /** At this destination (id); at all when absent. */
  id?: string;
  /** At most so many, 50 when absent, never more than 500. */
  limit?: number;
}

/** Names a task at a destination. */
export interface TaskCopyRef {
  /** Its id. */
  id: string;
}

/** How it stands with a task at a destination. */
export type TaskCopyState = 'waiting' | 'current' | 'failed' | 'closed';

/** How many tasks stand where. All but `done` count open ones. */
export interface TaskCounts {
  /** All, snoozed ones too. */
  open: number;
  /** Assigned to me or claimed by me. */
  mine: number;
  /** Nobody has it. */
  unassigned: number;
  /** Its time ends today. */
  dueToday: number;
  /** Its time has ended. */
  overdue: number;
  /** Hidden until later. */
  snoozed: number;
  /** Not open any more. */
  done: number;
  /** Most first, at most 50. */
  byWorkflow: WorkflowCount[];
  /** Those of several tasks, most first, at most 50. */
  byFingerprint: FingerprintCount[];
  /** The caller's own views, in the order in which they were saved. */
  saved: SavedViewCount[];
}

/** For whom to count. */
export interface TaskCountsRequest {
  /** End of the caller's day (RFC 3339), 24 hours from now when absent. */
  dayEnd?: string;
}

/** A decision. */
export interface TaskDecision {
  /** What was chosen. */
  action: TaskAction;
  /** With `correct` and `submit`. */
  correctedInput?: unknown;
  /** With `alternative`. */
  targetNodeId?: string;
  /** From the input that failed to the corrected one (RFC 6902). */
  patch?: unknown;
  /** What the run may spend more, in millionths. */
  budgetMicros?: number;
  /** How far an approval of a call of a tool goes. */
  toolGrant?: ToolGrant;
  /** Why. */
  notes?: string;
  /** Who; `system` when a policy decided. */
  operatorId: string;
  /** RFC 3339. */
  at: string;
  /** From the creation of the task. */
  durationMs: number;
  /** Through which door: `app`, `cli`, `rest`, `policy`, `run`. */
  via: string;
  /** For whom, when the task was somebody else's. */
  onBehalfOf?: string;
}

/** Which values of the service are decisions. */
export interface TaskDecisionRules {
  /** `secret://NAME`: signs the webhooks of the service, or is sent with them. */
  secret: string;
  /** Value of the service to answer (`approve`, `reject`, `retry`, `skip`, `abort`); those of the connector when it is empty. */
  values?: Record<string, string>;
}

/** A service that tasks are copied to. */
export interface TaskDestination {
  /** Its id. */
  id: string;
  /** What people call it. */
  name: string;
  /** Name of the service. */
  service: string;
  /** The address of the service, or the recipients of mail. */
  place: string;
  /** Its settings, as they were given. */
  config: TaskDestinationAdd;
  /** The path of this program that takes decisions from there (`POST`). */
  decisionsPath?: string;
  /** Values of the service that are decisions, and what they mean. */
  decisions?: Record<string, string>;
  /** Who made it. */
  madeBy: string;
  /** RFC 3339. */
  madeAt: string;
  /** Tasks that are sent, or sent again. */
  waiting: number;
  /** Tasks that were given up. */
  failed: number;
  /** Open tasks that stand there. */
  open: number;
  /** How often the address of decisions was only looked at; that decides nothing. */
  opened: number;
  /** It cannot be used: why. */
  problem?: string;
}

/** Sends tasks to a service from now on: by a connector, or by mail. */
export interface TaskDestinationAdd {
  /** What people call it, such as "Jira". */
  name: string;
  /** A connector whose file has the section `tasks`. */
  connector?: string;
  /** Or a mail server. */
  mail?: TaskMail;
  /** `secret://NAME`: who Signalbox is there. It must allow the host. */
  credential?: string;
  /** Another address of the service. */
  server?: string;
  /** Variables of the connector's address. */
  variables?: Record<string, string>;
  /** Settings of the connector's section `tasks`. */
  settings?: Record<string, string>;
  /** Texts instead of those of the connector, by name. */
  templates?: Record<string, string>;
  /** Only tasks of these workflows (ids); of all when it is empty. */
  workflows?: string[];
  /** Only tasks of these people and groups (`user:…`, `group:…`); of all when it is empty. */
  assignees?: string[];
  /** Only tasks of at least this priority, 0 to 100. */
  minPriority?: number;
  /** Decisions that are taken from there; none when it is absent. */
  decisions?: TaskDecisionRules;
  /** The address of this program for people, such as `https://signalbox.example`: links lead to its inbox. Links of the desktop application when it is absent. */
  publicUrl?: string;
  /** A person on this machine allows an address of this machine. */
  allowLocal?: boolean;
}

/** A variable or a setting. */
export interface TaskDestinationField {
  /** Its name. */
  name: string;
  /** Shown to people. */
  title: string;
  /** What it is. */
  description: string;
  /** Its value when none is given; without it, one must be. */
  default?: string;
}

/** What a destination can be. */
export interface TaskDestinationKind {
  /** Name of the connector. */
  connector: string;
  /** Name of the service. */
  title: string;
  /** What a task becomes there. */
  description: string;
  /** Variables of its address. */
  variables: TaskDestinationField[];
  /** Its settings. */
  settings: TaskDestinationField[];
  /** Its texts. */
  templates: Record<string, string>;
  /** The service can be addressed without a credential. */
  anonymous: boolean;
  /** What a person sets up in the service to decide there; absent where nothing comes back. */
  decisions?: string;
  /** Values that are decisions when a destination names none. */
  values: Record<string, string>;
}

/** Names a destination. */
export interface TaskDestinationRef {
  /** Its id. */
  id: string;
}

/** Whether a destination can be used. */
export interface TaskDestinationTest {
  /** It can. */
  ok: boolean;
  /** Why it cannot. */
  error?: string;
}

/** One thing that happened to a task. */
export interface TaskEvent {
  /** RFC 3339. */
  at: string;
  /** Who: `user:…` or `system`. */
  by: string;
  /** What. */
  what: TaskEventKind;
  /** In words. */
  text?: string;
}

/** What happened to a task. */
export type TaskEventKind = 'created' | 'claimed' | 'released' | 'reassigned' | 'commented' | 'snoozed' | 'held' | 'continued' | 'reminded' | 'escalated' | 'revealed' | 'approved' | 'opened' | 'suggested' | 'decided' | 'closed' | 'reopened' | 'sent';

/** A file. */
export interface TaskFile {
  /** Its name. */
  name: string;
  /** Its media type. */
  mime: string;
  /** Its bytes. */
  bytesBase64: string;
}

/** What a saved view shows. */
export interface TaskFilter {
  /** Which half, `open` when absent. */
  state?: TaskScope;
  /** Which view. */
  view?: TaskView;
  /** Id of a workflow. */
  workflow?: string;
  /** Failures of the same step for the same cause. */
  fingerprint?: string;
  /** Part of title, error, step, workflow or run. */
  text?: string;
  /** In which order. */
  sort?: TaskSort;
}

/** Names a task. */
export interface TaskGet {
  /** The task. */
  taskId: string;
  /** Also give a new one-time secret that answers it (role operator). */
  secret?: boolean;
}

/** Says that a task waits for somebody else, or that it does no more. */
export interface TaskHold {
  /** The task. */
  taskId: string;
  /** It waits; its time stands still. */
  held: boolean;
  /** For whom, or why. */
  notes?: string;
}

/** What is asked. */
export type TaskKind = 'decision' | 'approval' | 'form' | 'pause';

/** A task and its run. */
export interface TaskLink {
  /** The run. */
  runId: string;
  /** The task; absent when the run has not asked yet. */
  taskId?: string;
}

/** Which tasks to list. */
export interface TaskList {
  /** Which half, `open` when absent. */
  state?: TaskScope;
  /** Which view; everything, snoozed tasks too, when absent. */
  view?: TaskView;
  /** Id of a workflow. */
  workflow?: string;
  /** Failures of the same step for the same cause. */
  fingerprint?: string;
  /** Of this run. */
  runId?: string;
  /** Part of title, error, step, workflow or run. */
  text?: string;
  /** In which order open ones, `urgent` when absent. */
  sort?: TaskSort;
  /** End of the caller's day (RFC 3339), 24 hours from now when absent. */
  dayEnd?: string;
  /** At most this many, 50 when absent, 500 at most. */
  limit?: number;
  /** `next` of the page before. */
  after?: string;
}

/** A mail server and the people who get messages about tasks. */
export interface TaskMail {
  /** Name or address of the SMTP server, without a port. */
  host: string;
  /** `tls`, `starttls` or `none`; `tls` when it is absent. */
  security?: string;
  /** The usual one of `security` when it is absent. */
  port?: number;
  /** Who signs in; the user that is kept with the secret when it is absent. */
  user?: string;
  /** Language of the messages, `en` or `zh`; English when it is absent. */
  language?: string;
  /** Certificate authorities (PEM) instead of those of the system. */
  ca?: string;
  /** One address. */
  from: string;
  /** Addresses. */
  to: string[];
}

/** What an address hears of. */
export type TaskNews =
  | 'task.created'
  | 'task.overdue'
  | 'task.escalated'
  | 'task.answered'
  | 'task.closed'
  | 'workflow.failed'
  | 'workflow.health';

/** A page of tasks. */
export interface TaskPage {
  /** The tasks. */
  tasks: TaskRow[];
  /** For `after` of the next page. */
  next?: string;
  /** Tasks of all pages. */
  total: number;
}

/** What one person decided. */
export interface TaskPerson {
  /** Who: `user:…`. */
  person: string;
  /** How many. */
  decided: number;
  /** How long it took for one of two, milliseconds. */
  medianMs: number;
}

/** Why it is asked. */
export type TaskReason = 'error' | 'interrupted' | 'step' | 'tool_call' | 'question';

/** Gives a task to somebody. */
export interface TaskReassign {
  /** The task. */
  taskId: string;
  /** `user:…` or `group:…`. */
  to: string;
  /** Why. */
  notes?: string;
}

/** Names a task. */
export interface TaskRef {
  /** The task. */
  taskId: string;
}

/** Has an ended task asked again, by a new run. */
export interface TaskReopen {
  /** The task. */
  taskId: string;
  /** Why; it is recorded. */
  reason: string;
}

/** What became of it. */
export interface TaskReopened {
  /** The ended task. */
  taskId: string;
  /** The new run. */
  runId: string;
  /** Where it stands. */
  status: RunStatus;
  /** The new task; absent when the new run has not asked yet. */
  newTaskId?: string;
}

/** Asks for masked values. */
export interface TaskReveal {
  /** The task. */
  taskId: string;
  /** Why; it is recorded. */
  reason: string;
}

/** Values without masks. */
export interface TaskRevealed {
  /** The input that failed, or the data that is shown. */
  input: unknown;
  /** What failed. */
  error?: ErrorPayload;
}

/** One task as lists show it. Texts that may hold personal data are masked. */
export interface TaskRow {
  /** Its id. */
  id: string;
  /** What is asked. */
  kind: TaskKind;
  /** Why. */
  reason: TaskReason;
  /** Where it stands. */
  state: TaskState;
  /** From 1, +1 with each change. */
  revision: number;
  /** The run that waits for it. */
  runId: string;
  /** Id of its workflow. */
  workflowId: string;
  /** Name of the workflow when the run started. */
  workflowName: string;
  /** The step that it is about: the failed one, else the one that asks. */
  nodeId: string;
  /** Its title in the workflow. */
  nodeTitle: string;
  /** The step that asks. */
  stepId: string;
  /** Where in nested containers. */
  path?: string;
  /** Item index. */
  item?: number;
  /** Round of the slot. */
  visit: number;
  /** Attempt of the call. */
  attempt: number;
  /** One line. */
  title: string;
  /** How bad. */
  severity: Level;
  /** 0 to 100. */
  priority: number;
  /** The same for failures of the same step for the same cause. */
  fingerprint: string;
  /** Open tasks with this fingerprint, counted up to 1,000. */
  sameCount: number;
  /** Type of the error. */
  errorType?: string;
  /** Its code. */
  errorCode?: string;
  /** Its message. */
  errorMessage?: string;
  /** Who has it. */
  assignee?: string;
  /** Who may take it. */
  candidateGroups: string[];
  /** Who works on it now. */
  claimedBy?: string;
  /** Until when, RFC 3339; claiming again prolongs it. */
  claimExpiresAt?: string;
  /** Hidden until then, RFC 3339. */
  snoozedUntil?: string;
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339; nobody decides after it, unless it is escalated then. */
  expiresAt?: string;
  /** Since when it waits for somebody else, RFC 3339; its time stands still. */
  heldSince?: string;
  /** What is left of its time then, milliseconds. */
  remainingMs?: number;
  /** Reminders so far. */
  reminders: number;
  /** Escalations so far. */
  escalationLevel: number;
  /** Failed slots that this one task stands for. */
  cases: number;
  /** How many different people must approve; 1 = whoever decides first. */
  minApprovals: number;
  /** How many have approved, where several must. */
  approvals: number;
  /** What may be answered, in the order of the buttons. */
  allowedActions: TaskAction[];
  /** Who decided. */
  decidedBy?: string;
  /** When it was decided or closed, RFC 3339. */
  decidedAt?: string;
  /** What was decided. */
  action?: TaskAction;
}

/** Which half of the inbox. */
export type TaskScope = 'open' | 'done' | 'all';

/** Hides a task. */
export interface TaskSnooze {
  /** The task. */
  taskId: string;
  /** RFC 3339; a time that has passed shows a hidden one again, and is refused for another. */
  until: string;
}

/** In which order open tasks are listed. */
export type TaskSort = 'urgent' | 'due';

/** Where a task stands. */
export type TaskState = 'open' | 'done' | 'expired' | 'cancelled' | 'superseded';

/** How many, how old, how long, about what, and who. */
export interface TaskStats {
  /** Since when, RFC 3339. */
  since: string;
  /** That came. */
  created: number;
  /** That are open. */
  open: number;
  /** That people decided. */
  decided: number;
  /** That nobody decided in time. */
  expired: number;
  /** How long it took people for one of two, milliseconds; time on hold does not count. */
  medianMs?: number;
  /** How old one of two open ones is, milliseconds. */
  medianAgeMs?: number;
  /** How old the oldest open one is, milliseconds. */
  oldestMs?: number;
  /** What people decided, most often first. */
  actions: ActionCount[];
  /** By workflow, most first. */
  workflows: WorkflowTasks[];
  /** By cause, most first, at most 50. */
  causes: TaskCause[];
  /** Who decided, most first. */
  people: TaskPerson[];
  /** There are more than were looked at. */
  part: boolean;
}

/** Of which tasks. */
export interface TaskStatsRequest {
  /** Those that are open, or came or were decided since then (RFC 3339); of the last 30 days when absent. */
  since?: string;
  /** Of this workflow (id). */
  workflow?: string;
}

/** A correction to take with one click. */
export interface TaskSuggestion {
  /** Who proposes it. */
  source: SuggestionSource;
  /** The whole corrected input. */
  correctedInput: unknown;
  /** Why. */
  rationale: string;
  /** It fits the schema. */
  valid: boolean;
  /** What is changed, one sentence each. */
  changes: string[];
}

/** One event of the run in plain words. */
export interface TaskTrace {
  /** Its place in the run. */
  seq: number;
  /** The step; empty for the run itself. */
  stepId: string;
  /** Its title. */
  title: string;
  /** Type of the event. */
  event: string;
  /** A `step_error` that is a question to a person, and no fault: the step waits for the answer. */
  asks: boolean;
  /** RFC 3339. */
  at: string;
  /** In words. */
  summary: string;
}

/** What a step before put out. */
export interface TaskUpstream {
  /** The step. */
  stepId: string;
  /** Its title. */
  title: string;
  /** Port → items. */
  output: unknown;
}

/** A view of the inbox. */
export type TaskView = 'all' | 'mine' | 'unassigned' | 'due_today' | 'overdue' | 'snoozed';

/** Names a view of the caller's own. */
export interface TaskViewForget {
  /** Its name. */
  name: string;
}

/** A view of a person's own. */
export interface TaskViewSave {
  /** Its name; a view of the same name is replaced. */
  name: string;
  /** What it shows. */
  filter: TaskFilter;
}

/** One reason why an input does not fit. */
export interface TaskViolation {
  /** JSON Pointer; empty for the whole. */
  path: string;
  /** In plain words. */
  message: string;
}

/** One of several approvals. */
export interface TaskVote {
  /** Who: `user:…`. */
  by: string;
  /** RFC 3339. */
  at: string;
  /** Why. */
  notes?: string;
  /** For whom, when the task was somebody else's. */
  onBehalfOf?: string;
}

/** Where an answer leads, by the wires of the step that asks. */
export interface TaskWay {
  /** The answer. */
  action: TaskAction;
  /** The failed step runs again. */
  again: boolean;
  /** Else the steps where the run goes on, by their titles. */
  steps: string[];
}

/** How spans are sent. */
export type TelemetryProtocol = 'http' | 'grpc';

/** Whether and where spans of runs are sent. */
export interface TelemetrySet {
  /** They are sent. */
  on: boolean;
  /** Address of the collector, such as `http://localhost:4318`; over HTTP `/v1/traces` is added when it has no path. */
  endpoint?: string;
  /** How. */
  protocol?: TelemetryProtocol;
  /** `secret://NAME`: the header that the collector asks for. It must allow the host of the address. */
  credential?: string;
  /** Address of a trace in a tracing program, with `{traceId}` and, where it has one, `{spanId}`. */
  link?: string;
}

/** What became of one span that was sent to try the settings. */
export interface TelemetryTest {
  /** The collector took it. */
  ok: boolean;
  /** Where it was sent. */
  endpoint: string;
  /** The trace to look for. */
  traceId: string;
  /** Why it did not arrive. */
  error?: string;
}

/** How spans are sent, and what became of those of this process. */
export interface TelemetryView {
  /** They are to be sent. */
  on: boolean;
  /** Address of the collector. */
  endpoint?: string;
  /** How. */
  protocol: TelemetryProtocol;
  /** The secret that is sent, `secret://NAME`. */
  credential?: string;
  /** Address of a trace in a tracing program. */
  link?: string;
  /** Environment variables that decide instead of the settings; empty: the settings decide. */
  variables: string[];
  /** This process sends spans now. */
  sending: boolean;
  /** Spans that arrived since this process started. */
  sent: number;
  /** Spans that did not arrive, and groups of events that found the queue full. */
  dropped: number;
  /** Why the last spans did not arrive, or why none can be sent. */
  error?: string;
}

/** A ready workflow for a job. */
export interface Template {
  /** For `sampleId` of `workflow_create`. */
  id: string;
  /** In plain words. */
  title: string;
  /** One sentence. */
  description: string;
  /** `reports`, `sales`, `finance`, `support`, `operations`, `people`, `data` or `monitoring`. */
  category: string;
  /** Words of the job that it is found by, in English and Chinese. */
  words: string[];
  /** What has to be filled in or set up. */
  needs: TemplateNeed[];
  /** Number of nodes. */
  steps: number;
  /** The workflow. */
  document: Workflow;
  /** The workflow with sample data: it calls nothing and asks nobody. For `run_start`. */
  sample: Workflow;
}

/** Something that has to be filled in or set up. */
export interface TemplateNeed {
  /** What it is. */
  kind: TemplateNeedKind;
  /** In plain words, with the step. */
  text: string;
}

/** What a template does not work without. */
export type TemplateNeedKind = 'address' | 'folder' | 'secret' | 'model' | 'connector';

/** One test of a workflow. */
export interface TestFile {
  /** Version of the format, 1. */
  signalboxTest: number;
  /** What it shows. */
  name: string;
  /** File name of the workflow, in the folder of the test. */
  workflow: string;
  /** SHA-256 of the definition that was recorded. Another one is no failure; differences then say what no longer fits. */
  definition?: string;
  /** Time at the start of the run, RFC 3339. */
  startedAt: string;
  /** 16 hex digits from which every delay of a retry is computed. */
  seed?: string;
  /** Input of the run. */
  params?: Record<string, unknown>;
  /** Initial variables besides those of the file. */
  context?: Record<string, unknown>;
  /** Step that the run ends after. */
  until?: string;
  /** The run begins in the middle of the workflow, as the re-run did that was saved. */
  rerun?: RerunStart;
  /** Answers of the outside, by step and call. Each is used once. */
  calls?: CallReply[];
  /** What people do, in order. */
  people?: PersonAction[];
  /** The run is cancelled so many milliseconds after its start. */
  cancelAfterMs?: number;
  /** Replies that take the place of the recorded ones, and of the code of steps without effects. The first that fits is used. */
  mocks?: CallReply[];
  /** What must come out; what is absent is not checked. */
  expect?: Expectations;
  /** Base64 by SHA-256: the bytes that `binary` of the calls and mocks names. */
  bytes?: Record<string, string>;
}

/** A test of a workflow. */
export interface TestGet {
  /** The workflow. */
  ref: string;
  /** File name of the test. */
  file: string;
}

/** A test as its file has it. */
export interface TestOpened {
  /** File name. */
  file: string;
  /** What the file says. */
  test: TestFile;
  /** SHA-256 of the file, for saving it. */
  revision: string;
}

/** A test that was run. */
export interface TestOutcome {
  /** File name. */
  file: string;
  /** What it came to. */
  result?: TestResult;
  /** Why it could not be run. */
  problem?: string;
}

/** Tests that were run. */
export interface TestReport {
  /** In the order of their files. */
  tests: TestOutcome[];
  /** What they reach together. */
  coverage?: CoverageReport;
}

/** What a test came to. */
export interface TestResult {
  /** Name of the test. */
  name: string;
  /** Everything is as expected. */
  passed: boolean;
  /** What is not. */
  differences: Difference[];
  /** What is worth knowing and no failure: the workflow changed since, answers that were not needed. */
  notes: string[];
  /** Simulated time from start to end, milliseconds. */
  simulatedMs: number;
  /** Steps and ports that the test reached. */
  coverage: Coverage;
}

/** Which tests of a workflow are run. */
export interface TestRun {
  /** The workflow. */
  ref: string;
  /** File names; all when absent. */
  files?: string[];
}

/** A test that was changed. */
export interface TestSave {
  /** The workflow. */
  ref: string;
  /** File name of the test. */
  file: string;
  /** What the file is to say. */
  test: TestFile;
  /** The `revision` that was changed; another one is a conflict. */
  baseRevision: string;
}

/** A test that was written. */
export interface TestSaved {
  /** File name. */
  file: string;
  /** What a person should know about it, one sentence each. */
  notes: string[];
}

/** Colours. */
export type Theme = 'system' | 'light' | 'dark';

/** One attempt of a drawn retry policy. */
export interface TimelineStep {
  /** From 1. */
  attempt: number;
  /** Wait before it, without jitter. */
  delayMs: number;
}

/** Makes a token. */
export interface TokenAdd {
  /** What people call it: 1 to 100 letters, digits, `.`, `_`, `-` and `@`; no other token has it. */
  name: string;
  /** What it may do. */
  role: CallerRole;
  /** How many days it lasts, 1 to 3,650; absent: until it is revoked. */
  expiresDays?: number;
  /** The workspaces that it is limited to; absent: it is not. The role is then viewer or operator. */
  workspaces?: string[];
  /** How many runs it may start. */
  quota?: StartQuota;
}

/** A token that was made. */
export interface TokenAdded {
  /** The token. It is not shown again. */
  token: string;
  /** What is known of it. */
  entry: AccessToken;
}

/** Names a token. */
export interface TokenName {
  /** Its name. */
  name: string;
}

/** A tool of a server. */
export interface Tool {
  /** The registered server. */
  server: string;
  /** The tool at its server. */
  name: string;
  /** For people. */
  title?: string;
  /** What the server says of it. */
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: unknown;
  /** JSON Schema of the structured answer. */
  outputSchema?: unknown;
  /** It says that it changes nothing. */
  readOnly: boolean;
  /** It says that twice is as once. */
  idempotent: boolean;
  /** It says that it may destroy. */
  destructive: boolean;
  /** It says that it reaches out into the world. */
  openWorld: boolean;
  /** What it answers may be private. */
  bearsSecrets: boolean;
  /** What it is given may leave this machine, or reach others. */
  isEgress: boolean;
  /** What it answers may be written by others. */
  isUntrusted: boolean;
  /** Why it is never called, whatever was approved. */
  unusable?: string;
  /** What is guessed of the three, whatever a person says. */
  guess: ToolGuess;
  /** What a person on this machine says of them; what is absent is guessed. */
  said?: ToolWord;
}

/** Payload of `tool_done` (R-23). */
export interface ToolDone {
  /** The tool. */
  name: string;
  /** Its normalised answer, bound as `_result` (T-08, T-09). */
  output: unknown;
  /** The answer in one line. */
  outputSummary: string;
  /** The answer as it came, bound as `_toolResult`. */
  toolResult: unknown;
}

/** Payload of `tool_error` (R-24). */
export interface ToolError {
  /** The tool. */
  name: string;
  /** What went wrong. */
  error: ErrorPayload;
  /** The step goes on all the same (T-07). */
  allowError: boolean;
  /** What stands in place of the answer; null when the step fails. */
  output: unknown;
  /** The answer as it came, if there was one. */
  toolResult: unknown;
}

/** How far an approval of a call of a tool goes. */
export type ToolGrant = 'once' | 'run';

/** What is guessed of a tool by the credential of its server, its place, and its hints (ADR 41). */
export interface ToolGuess {
  /** Its server was given a credential. */
  bearsSecrets: boolean;
  /** Its server is far, or does not say that it keeps to its own. */
  isEgress: boolean;
  /** Always: nothing that a server says makes its answers an instruction. */
  isUntrusted: boolean;
}

/** Payload of `tool_message` (R-22): a tool's own log and progress notices (K-57). */
export interface ToolMessage {
  /** The tool. */
  name: string;
  /** `info`, `warn`, `error` or `progress`. */
  level: string;
  /** Words. */
  message: string;
  /** What else it told. */
  data: unknown;
}

/** A registered server. */
export interface ToolServer {
  /** Its name; steps name it. */
  name: string;
  /** How it is started or reached. */
  definition: ToolServerDefinition;
  /** Where it stands. */
  state: ToolServerState;
  /** The hash of how it is now, for an approval; absent before it was asked. */
  hash?: string;
  /** Its name and version, as it says. */
  server?: string;
  /** When it was asked last, RFC 3339. */
  seenAt?: string;
  /** The tools that it had then. */
  tools: Tool[];
  /** What differs from what was approved. */
  changes: ToolServerChange[];
  /** Who approved it. */
  approvedBy?: string;
  /** When, RFC 3339. */
  approvedAt?: string;
  /** Why it could not be asked last. */
  trouble?: ToolServerTrouble;
  /** Signing in there; absent when nobody was asked to. */
  signIn?: ToolServerSignIn;
  /** Variables of this program that its process gets besides its own. */
  passedOn: string[];
  /** Who registered it. */
  madeBy: string;
  /** RFC 3339. */
  madeAt: string;
}

/** Approves a server as it was shown. */
export interface ToolServerApprove {
  /** Its name. */
  name: string;
  /** The hash of what was shown. */
  hash: string;
}

/** A difference between what was approved and what a server is now. */
export interface ToolServerChange {
  /** The tool; absent for the server itself. */
  tool?: string;
  /** What of it: `command`, `args`, `description`, `inputSchema` … */
  field: string;
  /** As it was approved. */
  before?: string;
  /** As it is now. */
  after?: string;
}

/** Starts or reaches a server and asks what it is. */
export interface ToolServerConnect {
  /** Its name. */
  name: string;
  /** How it is started or reached, as the person saw it: this approves exactly that, in the window or at the terminal. Not needed when that was approved before. */
  start?: ToolServerDefinition;
}

/** How a server is started or reached. */
export type ToolServerDefinition =
  | {
    transport: 'stdio';
    /** A program, by its path or its name. No shell reads it. */
    command: string;
    /** Its arguments, each as it is. */
    args?: string[];
    /** Variable → plain text, or `secret://name`. */
    env?: Record<string, string>;
    /** The folder that it works in; the person's own folder when absent. */
    cwd?: string;
  }
  | {
    transport: 'http';
    /** `http://` or `https://`. */
    url: string;
    /** The secret that goes along: `secret://name`. */
    credential?: string;
    /** As whom this program signs in there, when the server wants more than its word for it. */
    signIn?: ToolSignIn;
  };

/** Registers the servers of a pasted `mcp.json`. */
export interface ToolServerImport {
  /** The text: `{"mcpServers": {…}}`. */
  text: string;
}

/** Names a server. */
export interface ToolServerName {
  /** Its name. */
  name: string;
}

/** Says of a tool of an approved server what it does with data (ADR 64). */
export interface ToolServerSay {
  /** The server. */
  name: string;
  /** The hash of what was approved. */
  hash: string;
  /** The tool, as its server names it. */
  tool: string;
  /** All that is said of it from now on; what is absent is guessed. */
  word: ToolWord;
  /** Whoever makes the rules looser than what is guessed has read what that means. */
  understood?: boolean;
}

/** Registers a server, or changes how it is started or reached; it is asked and approved afterwards. */
export interface ToolServerSet {
  /** A new name, or one that is there. */
  name: string;
  /** How it is started or reached. */
  definition: ToolServerDefinition;
}

/** Signing in to a server. Tokens are never told. */
export interface ToolServerSignIn {
  /** Where it stands. */
  state: ToolServerSignInState;
  /** Why it ended, or why the last attempt came to nothing; without a full stop. */
  message?: string;
  /** The rights (scopes) that the server wants. */
  wants: string[];
  /** Until when the browser is waited for, RFC 3339. */
  waitsUntil?: string;
  /** Who signed in here. */
  by?: string;
  /** When, RFC 3339. */
  at?: string;
  /** At which authorization server. */
  issuer?: string;
  /** The rights (scopes) that it has, as far as they were told. */
  scopes: string[];
  /** When the token that there is runs out, RFC 3339. */
  expires?: string;
  /** It is renewed without a person. */
  renews: boolean;
}

/** Takes what the browser came back with, from whoever copied it. */
export interface ToolServerSignInFinish {
  /** The server. */
  name: string;
  /** The address that the browser was sent to: `http://127.0.0.1:…/callback?code=…&state=…`. */
  address: string;
}

/** Where signing in to a server stands. */
export type ToolServerSignInState = 'wanted' | 'waiting' | 'signedIn' | 'more' | 'ended';

/** Somebody signed out. */
export interface ToolServerSignedOut {
  /** The server as it stands now. */
  server: ToolServer;
  /** The authorization server has taken the tokens back. */
  revoked: boolean;
  /** Why it has not, when it was asked. */
  note?: string;
}

/** A sign-in that has begun. */
export interface ToolServerSigningIn {
  /** The server. */
  name: string;
  /** For the person's browser; absent when the program signed in as itself, which is done then. */
  address?: string;
  /** Until when the browser is waited for, RFC 3339. */
  until?: string;
  /** The browser was opened with it. */
  opened: boolean;
}

/** Where a server stands. */
export type ToolServerState = 'new' | 'approved' | 'changed';

/** Why a server could not be asked. */
export interface ToolServerTrouble {
  /** Plain words. */
  message: string;
  /** Last lines of its error output. */
  stderr?: string;
  /** RFC 3339. */
  at: string;
}

/** What came of an import. */
export interface ToolServersImported {
  /** Names of the servers that are registered now. None of them is approved. */
  added: string[];
  /** What was left out, or has to be done, a sentence each. */
  notes: string[];
}

/** As whom this program signs in (OAuth). What is absent is asked of the authorization server. */
export interface ToolSignIn {
  /** The client that the authorization server knows this program as. */
  clientId?: string;
  /** Its secret: `secret://name`, allowed for the host of the authorization server. */
  clientSecret?: string;
  /** Its private key instead of a secret (`private_key_jwt`): `secret://name`, PKCS #8 on one line. */
  privateKey?: string;
  /** The https address of a client id metadata document, for authorization servers that read them. */
  clientMetadata?: string;
  /** The only authorization server that may be used, by its issuer; it may stand in the own network then. */
  issuer?: string;
  /** The program signs in as itself (client credentials): no person is asked. */
  unattended?: boolean;
}

/** Payload of `tool_start` (R-21). */
export interface ToolStart {
  /** The tool. */
  name: string;
  /** Its arguments. */
  input: unknown;
  /** The arguments in one line. */
  inputSummary: string;
}

/** A person's own word on a tool. What is absent is guessed. */
export interface ToolWord {
  /** What it answers may be private. */
  bearsSecrets?: boolean;
  /** What it is given may leave this machine, or reach others. */
  isEgress?: boolean;
  /** What it answers may be written by others. */
  isUntrusted?: boolean;
}

/** What an expression gives on the data that came with it. */
export type Tried =
  | {
    state: 'value';
    /** The result; large values are cut. */
    value: unknown;
  }
  | {
    state: 'error';
    /** What is wrong. */
    message: string;
    /** Character, from 0. */
    position?: number;
  };

/** An error to try the rules on. */
export interface TriedError {
  /** One of six. */
  type: ErrorType;
  /** Plain words. */
  message?: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** Re-executions already made. */
  attempt?: number;
  /** Bound of re-executions. */
  maxAttempts?: number;
  /** Free; `code` is the finer cause. */
  details?: Record<string, unknown>;
}

/** The named policies. */
export type TriedPolicy = 'safe' | 'fail';

/** A trigger of an active workflow. */
export interface Trigger {
  /** `<workflow>.<step>`. */
  triggerId: string;
  /** Id of the workflow. */
  workflowId: string;
  /** Its name. */
  workflowName: string;
  /** The step. */
  nodeId: string;
  /** Kind of the step. */
  kind: string;
  /** Title of the step. */
  title?: string;
  /** The active version. */
  version: string;
  /** Settings of the step. */
  config: unknown;
  /** The address of a webhook. */
  address?: string;
  /** When it fires next. */
  next: ScheduledTime[];
  /** What it came to last. */
  last?: Firing;
  /** Why it could not fire last. */
  problem?: string;
  /** What the runs of its workflow came to, whatever started them. */
  activity: WorkflowActivity;
}

/** A trigger with its history. */
export interface TriggerDetails {
  /** `<workflow>.<step>`. */
  triggerId: string;
  /** Id of the workflow. */
  workflowId: string;
  /** Its name. */
  workflowName: string;
  /** The step. */
  nodeId: string;
  /** Kind of the step. */
  kind: string;
  /** Title of the step. */
  title?: string;
  /** The active version. */
  version: string;
  /** Settings of the step. */
  config: unknown;
  /** The address of a webhook. */
  address?: string;
  /** When it fires next. */
  next: ScheduledTime[];
  /** What it came to last. */
  last?: Firing;
  /** Why it could not fire last. */
  problem?: string;
  /** What the runs of its workflow came to, whatever started them. */
  activity: WorkflowActivity;
  /** The last firings, the newest first. */
  firings: Firing[];
}

/** Fires a trigger now. */
export interface TriggerFire {
  /** `<workflow>.<step>`. */
  triggerId: string;
  /** Replaces fields of the event. */
  payload?: Record<string, unknown>;
}

/** Which triggers to list. */
export interface TriggerList {
  /** Only of this workflow. */
  workflowId?: string;
}

/** Names a trigger. */
export interface TriggerRef {
  /** `<workflow>.<step>`. */
  triggerId: string;
}

/** A newer release. */
export interface UpdateFound {
  /** Its version. */
  version: string;
  /** Its date. */
  date: string;
  /** It, or a release before it that this machine does not have, closes a security hole. */
  security: boolean;
  /** What is new: language → plain text. */
  notes: Record<string, string>;
  /** Address of its page. */
  page?: string;
  /** Commands that bring it, for how this program was installed; none: see the page. */
  commands: string[];
}

/** Why a list of releases was not used. */
export interface UpdateTrouble {
  /** For programs. */
  code: string;
  /** What is wrong. */
  message: string;
  /** What to do. */
  hint: string;
}

/** Whether and where newer releases are looked for. */
export interface UpdatesSet {
  /** Once a day. */
  on: boolean;
  /** Address of the signed list. */
  address?: string;
  /** Public key of who signs it: PEM, or 64 hexadecimal digits. */
  key?: string;
  /** The address may be one of this machine. */
  local?: boolean;
}

/** Whether there is a newer release, as far as the last check knows. */
export interface UpdatesView {
  /** The list is asked for once a day. */
  on: boolean;
  /** Its address. */
  address?: string;
  /** Public key of who signs it. */
  key?: string;
  /** Short names of the keys. */
  keyIds: string[];
  /** The address may be one of this machine. */
  local: boolean;
  /** The version of this program. */
  version: string;
  /** How it was installed. */
  installation: Installation;
  /** When a list was accepted last. */
  checkedAt?: string;
  /** When a list was asked for last. */
  triedAt?: string;
  /** Why the last list was not used. */
  trouble?: UpdateTrouble;
  /** The newest release, if it is newer than this program. */
  update?: UpdateFound;
}

/** Sums over calls of models. */
export interface Usage {
  /** Calls that a model answered. */
  calls: number;
  /** Tokens of questions. */
  inputTokens: number;
  /** Tokens of answers, thoughts included. */
  outputTokens: number;
  /** Tokens of thoughts, where providers tell. */
  thinkingTokens: number;
  /** What has a price, in millionths. */
  costMicros: number;
  /** Calls of models whose price nobody told: they are not in `costMicros`. */
  unpriced: number;
}

/** What models cost on this machine. */
export interface UsageReport {
  /** The first day of it, in UTC. */
  since: string;
  /** Since midnight, UTC. */
  today: Usage;
  /** Of all days. */
  total: Usage;
  /** Days on which a model answered, the newest first. */
  days: DayUsage[];
  /** The dearest first. */
  workflows: WorkflowUsage[];
  /** The dearest first. */
  models: ModelUsage[];
}

/** A person who is signed in. */
export interface UserSession {
  /** Names the session. */
  id: string;
  /** The name under which the person acts: `user:…`. */
  person: string;
  /** As the identity provider shows the person. */
  shownName?: string;
  /** The person's address. */
  email?: string;
  /** What the person may do. */
  role: CallerRole;
  /** The identity provider. */
  issuer: string;
  /** When the person signed in, RFC 3339. */
  since: string;
  /** When the session was used last, to the minute, RFC 3339. */
  usedAt: string;
  /** It is the session of this request. */
  own: boolean;
  /** Roles in workspaces. */
  workspaces?: WorkspaceRole[];
  /** The person sees nothing outside of them. */
  limited: boolean;
}

/** A workflow to look at, and where it stands. */
export interface ValidateDocument {
  /** The workflow. */
  document: Workflow;
  /** Opaque id of its file: sub-workflows are looked for beside it, then in the library. */
  ref?: string;
}

/** One place where two values differ. */
export interface ValueDifference {
  /** JSON Pointer of the place. */
  pointer: string;
  /** What stands there in the first run; absent when nothing does. */
  a?: unknown;
  /** In the second run. */
  b?: unknown;
}

/** A value that was cut on the wire. */
export interface ValueRef {
  /** `ref` of the cut value. */
  ref: string;
}

/** Payload of `var_changed` (R-29). */
export interface VarChanged {
  /** With `$`. */
  name: string;
  /** Absent when it was unset. */
  oldValue?: unknown;
  /** The new value. */
  newValue: unknown;
}

/** Through which door a caller came. */
export type Via = 'app' | 'cli' | 'rest' | 'destination';

/** A call that waits. */
export interface WaitingCall {
  /** Its step. */
  stepId: string;
  /** Where it stands; left out at the top. */
  path?: string;
  /** Item index, when the step has several items. */
  item?: number;
  /** Automatic re-executions before it. */
  attempt: number;
  /** What it would get. */
  input: unknown;
  /** What its kind takes. */
  schema?: unknown;
  /** `run_edit_input` takes another one. */
  editable: boolean;
}

/** An address that hears of tasks. */
export interface Webhook {
  /** Its id. */
  id: string;
  /** The address without its query. */
  url: string;
  /** What it hears of. */
  events: TaskNews[];
  /** The secret that signs: `secret://name`. */
  secret: string;
  /** Who made it. */
  madeBy: string;
  /** RFC 3339. */
  madeAt: string;
  /** Messages that are sent, or sent again. */
  waiting: number;
  /** Messages that were given up. */
  failed: number;
}

/** Tells an address of tasks from now on. */
export interface WebhookAdd {
  /** `https://…`; `http://` too, for the own network. */
  url: string;
  /** What it hears of; everything when absent. */
  events?: TaskNews[];
  /** The secret that signs: `secret://name`. The host of the address is one that it is for. */
  secret: string;
  /** The address may be one of this machine: said by a person in the window or at the terminal. */
  allowLocal?: boolean;
}

/** Has a message sent again. */
export interface WebhookAgain {
  /** Its id. */
  id: string;
}

/** One message to an address. */
export interface WebhookDelivery {
  /** Its id, `webhook-id` of each attempt. */
  id: string;
  /** The address (id). */
  webhook: string;
  /** What it tells. */
  event: string;
  /** The task; empty when it tells of a workflow. */
  taskId: string;
  /** Where it stands. */
  state: DeliveryState;
  /** RFC 3339. */
  madeAt: string;
  /** How often it was sent. */
  attempts: number;
  /** When it was sent last, RFC 3339. */
  triedAt?: string;
  /** When it is sent again, RFC 3339. */
  againAt?: string;
  /** What the address answered last. */
  status?: number;
  /** Why it was not taken. */
  error?: string;
}

/** Asks what was told. */
export interface WebhookLog {
  /** To this address (id); to all when absent. */
  id?: string;
  /** At most so many, 50 when absent, never more than 500. */
  limit?: number;
}

/** Names an address. */
export interface WebhookRef {
  /** Its id. */
  id: string;
}

/** What was sent now. */
export interface WebhooksSent {
  /** How many messages were tried. */
  tried: number;
}

/** Who the caller is. */
export interface Who {
  /** `user:…`. */
  operatorId: string;
  /** What the caller may do. */
  role: CallerRole;
  /** Through which door. */
  via: Via;
  /** Roles in workspaces; absent: the role holds for everything. */
  workspaces?: WhoWorkspaces;
}

/** Roles in workspaces. */
export interface WhoWorkspaces {
  /** The caller sees nothing outside of them. */
  limited: boolean;
  /** The roles, by workspace. */
  roles: WorkspaceRole[];
}

/** One workflow file. */
export interface Workflow {
  /** File version, 1. */
  signalbox: number;
  /** `[A-Za-z0-9][A-Za-z0-9._-]{0,99}`. */
  id: string;
  /** Shown to people. */
  name: string;
  /** What the workflow is for. */
  description?: string;
  /** JSON Schema of the run's input. A property with `x-practice: true` is filled by the host. */
  params?: unknown;
  /** The run-wide variables. */
  context?: ContextDeclaration;
  /** JSON Schemas by name, such as `/schemas/order.schema.json`: for `has_schema`, and for settings that take a schema by its name. */
  schemas?: Record<string, unknown>;
  /** Policies of the whole workflow. */
  settings?: Settings;
  /** Node id → node, in the order of the file (which decides every tie). */
  nodes: Record<string, Node>;
  /** Wires, in the order of the file. */
  edges: Edge[];
  /** View state: node id → `[x, y]`. */
  layout?: Record<string, unknown>;
}

/** Activates a version of a workflow: its triggers start runs with it. */
export interface WorkflowActivate {
  /** The file, as `workflow_list` names it. */
  ref?: string;
  /** Or the id of a workflow of the library. */
  workflowId?: string;
  /** The workflow as the editor shows it; `ref` then says where it stands. */
  document?: Workflow;
  /** A version that was active before, instead of what the file holds now. */
  version?: string;
}

/** What the runs of a workflow came to. */
export interface WorkflowActivity {
  /** Runs that started in the last 24 hours. */
  runs: number;
  /** Those of them that failed. */
  failed: number;
  /** The newest of those. */
  lastFailedRunId?: string;
  /** Runs that wait for their turn now. */
  waiting: number;
}

/** Payload of `workflow_cancelled` (R-11). */
export interface WorkflowCancelled {
  /** Milliseconds since `workflow_start`. */
  duration_ms: number;
  /** The re-run that took its place while it waited for a person. */
  supersededBy?: string;
}

/** A checkpoint from which a run can start (C-01, C-02). */
export interface WorkflowCheckpoint {
  /** `vl_workflow_checkpoint`. */
  _type: 'vl_workflow_checkpoint';
  /** 2. */
  _version: 2;
  /** The run that it was taken of. */
  workflowID: string;
  /** The step where a run begins; of a run that has completed the step that ended last; null when no step has run. */
  currentStepID: string | null;
  /** As in `WorkflowSnapshot`. */
  status: 'running' | 'completed' | 'failed' | 'stopped' | 'paused';
  /** The run's input. */
  params: Record<string, unknown>;
  /** `STRING`, `INT`, `FLOAT`, `BOOL`, `OBJECT`, and lists of these such as `[STRING]`. */
  paramTypes: Record<string, string>;
  /** Variables, as `$name`. */
  variables: Record<string, unknown>;
  /** Their types. */
  varTypes: Record<string, string>;
  /** Variables whose names begin with `_`, and `_result`: what the step is handed, several items as a list. */
  localVars: Record<string, unknown>;
  /** Paths of files that the run has written, each with the address of its content on this server. */
  artifacts: Record<string, string>;
  /** Steps at the top that have ended and do not run again, in the order in which they ended. */
  completedSteps: string[];
  /** First steps of branches that have ended, by the step that they begin at. */
  completedBranches: Record<string, string[]>;
  /** How many iterations of a loop have ended; of a parallel loop all or none. */
  loopProgress: Record<string, number>;
  /** Number of the event it is taken after. */
  eventSeq: number;
  /** Version of the workflow format. */
  version: string;
  /** Time of that event, RFC 3339. */
  createdAt: string;
}

/** Payload of `workflow_continued`. */
export interface WorkflowContinued {
  /** How far. */
  mode: Onward;
  /** Who: `user:…`. */
  operatorId?: string;
}

/** Open tasks of a workflow. */
export interface WorkflowCount {
  /** Id of the workflow. */
  id: string;
  /** Its name. */
  name: string;
  /** How many. */
  count: number;
}

/** A new workflow. */
export interface WorkflowCreate {
  /** Its name. */
  name?: string;
  /** Copy of this sample or template instead of an empty workflow. */
  sampleId?: string;
  /** The zone of who creates it, like `Europe/Berlin`: schedules and business hours of the sample mean its clock. */
  timezone?: string;
}

/** Payload of `workflow_done` (R-09). */
export interface WorkflowDone {
  /** Milliseconds since `workflow_start`. */
  duration_ms: number;
  /** Set when a Stop ended the run. */
  stop_id?: string;
}

/** A copy under a new name. */
export interface WorkflowDuplicate {
  /** Opaque id of the file. */
  ref: string;
  /** Name of the copy. */
  name: string;
}

/** One file of the library. */
export interface WorkflowEntry {
  /** Opaque id of the file. */
  ref: string;
  /** Id of the workflow. */
  id: string;
  /** Its name. */
  name: string;
  /** What it is for. */
  description?: string;
  /** The folder. */
  folder: string;
  /** The file. */
  path: string;
  /** Content hash. */
  revision: string;
  /** Number of nodes. */
  nodes: number;
  /** RFC 3339. */
  modifiedAt: string;
  /** There are changes that were not saved. */
  hasDraft: boolean;
  /** Why the file cannot be opened. */
  problem?: string;
  /** The newest run of this workflow. */
  lastRun?: RunRow;
  /** The day of the last run that ended, `YYYY-MM-DD`, when the runs of this workflow were deleted. */
  ranBefore?: string;
}

/** Writes an export into a folder. */
export interface WorkflowExport {
  /** The workflow file. */
  ref: string;
  /** What a person chose. */
  choices: ExportChoices;
  /** Handle of the folder that a person chose; a folder with the name of the program is made in it. */
  folder: string;
}

/** Checks an export; nothing is written. */
export interface WorkflowExportCheck {
  /** The workflow file. */
  ref: string;
  /** What a person chose. */
  choices: ExportChoices;
}

/** What an export would be. */
export interface WorkflowExportChecked {
  /** Absent when the workflow has errors. */
  checkList?: ExportCheckList;
  /** Why it cannot be exported; empty when it can. */
  problems: ExportProblem[];
  /** How the program is started, as a person types it in the folder of the file; absent with problems. */
  start?: string;
  /** Name of the file that is downloaded; absent with problems. */
  fileName?: string;
}

/** An export that was written. */
export interface WorkflowExported {
  /** The file, or the folder of the project. */
  path: string;
  /** Bytes. */
  sizeBytes: number;
  /** SHA-256, lowercase hex. */
  sha256: string;
  /** How it is started, as a person types it. */
  start: string;
}

/** Payload of `workflow_failed` (R-10). */
export interface WorkflowFailed {
  /** The error that ended the run. */
  error: ErrorPayload;
  /** Node that failed. */
  failed_step_id: string;
  /** Milliseconds since `workflow_start`. */
  duration_ms: number;
  /** `max_attempts_exceeded`, `no_fallback`, `aborted_by_operator`, … */
  reason?: string;
}

/** A failure of an active workflow that people are told of: one in an hour for each workflow. */
export interface WorkflowFailure {
  /** Id of the workflow. */
  workflowId: string;
  /** Its name. */
  workflowName: string;
  /** The run that failed; none when the source of a trigger did. */
  runId?: string;
  /** RFC 3339. */
  failedAt: string;
}

/** The health of one workflow. */
export interface WorkflowHealth {
  /** Id of the workflow. */
  workflowId: string;
  /** Its name at its newest start. */
  workflowName: string;
  /** Of all days together. */
  numbers: HealthNumbers;
  /** Each day, the oldest first, today last. */
  days: HealthDay[];
  /** What failed, what failed most runs first, at most 50. */
  errors: HealthError[];
  /** Alerts whose condition is true. */
  alerts: RaisedHealthAlert[];
}

/** A file of another program that becomes a workflow of the library. One of `text` and `path` is given. */
export interface WorkflowImport {
  /** What the file says. */
  text?: string;
  /** What the dialog of the desktop shell handed out for the file. */
  path?: string;
  /** Name of the workflow when its file has none. */
  name?: string;
  /** Tool server of this machine that its tool steps call. */
  toolServer?: string;
}

/** A workflow that was imported. */
export interface WorkflowImported {
  /** As it stands in the library now. */
  workflow: OpenWorkflow;
  /** What became of what. */
  report: ImportReport;
}

/** Names a workflow. */
export interface WorkflowNamed {
  /** Its id. */
  workflowId: string;
}

/** Payload of `workflow_paused`: nothing begins any more until `workflow_continued`. The event stands on the call that would have begun next, or on the run when a person asked. */
export interface WorkflowPaused {
  /** Why. */
  reason: PauseReason;
  /** The breakpoint's wire. */
  from?: string;
  /** The breakpoint's condition. */
  condition?: string;
  /** Why the condition could not be evaluated; it counts as true. */
  conditionError?: string;
  /** Who asked: `user:…`. */
  operatorId?: string;
  /** The failed slot, when a recovery node would have run. */
  origin?: Origin;
}

/** Pins the output of a step: what it put out in a run (`runId`), data of one's own (`ports`), or what another step has pinned (`fromStep`). One of the three. */
export interface WorkflowPin {
  /** Opaque id of the workflow file. */
  ref: string;
  /** The step. */
  stepId: string;
  /** Port → data of its items. */
  ports?: Record<string, unknown[]>;
  /** The run whose output is taken. */
  runId?: string;
  /** The iteration or branch of the run; the last one in which the step was called when absent. */
  path?: string;
  /** Another step whose pinned output is taken, with where it came from: its id was changed to this one. */
  fromStep?: string;
}

/** Payload of `workflow_resumed`. */
export type WorkflowResumed = Record<string, unknown>;

/** Writes a file. */
export interface WorkflowSave {
  /** Opaque id of the file. */
  ref: string;
  /** What to write. */
  document: Workflow;
  /** Revision the changes were made on; empty when the file is gone. */
  baseRevision: string;
  /** Write although the file changed outside. */
  overwrite?: boolean;
}

/** Where a run stands (R-44). */
export interface WorkflowSnapshot {
  /** The run. */
  runID: string;
  /** `running`, `completed`, `failed`, `stopped` or `paused`. A run that waits in the queue is `running`, a cancelled one `stopped`. */
  status: 'running' | 'completed' | 'failed' | 'stopped' | 'paused';
  /** The first step that is to run or is running, without its place in containers; of a failed run the one that failed; null when there is none. */
  currentStepID: string | null;
  /** From the start to the end, or until now, milliseconds. */
  elapsedMs: number;
  /** The run's input. */
  params: Record<string, unknown>;
  /** Variables, as `$name`. */
  variables: Record<string, unknown>;
  /** Variables whose names begin with `_`, and `_result`: what the next step is handed. */
  localVars: Record<string, unknown>;
  /** Paths of files that the run has written, the newest 1,000. */
  artifacts: string[];
  /** The step that waits for a person; null when none does. */
  paused: PausedAt | null;
  /** Number of the newest event. */
  eventSeq: number;
  /** Version of the workflow format. */
  version: string;
}

/** Payload of `workflow_start` (R-08). */
export interface WorkflowStart {
  /** Name of the workflow. */
  name: string;
  /** SHA-256 of the pinned definition, hex. */
  version: string;
  /** The run's input. */
  params: unknown;
  /** 16 hex digits; every delay is a function of it. */
  seed: string;
  /** Initial context values given at the start besides the file's. */
  context?: Record<string, unknown>;
  /** What started the run, when not a person on this machine: `rest`, `webhook`, `schedule`. */
  startedBy?: string;
  /** Step that a re-run begins at. */
  resumedFrom?: string;
  /** Step that the run ends after; whatever else does not lead to it does not run. */
  until?: string;
  /** Original of a re-run. */
  parentRunId?: string;
  /** Last event of the original that is part of the base. */
  baseSeq?: number;
  /** What a re-run has of its original. `context` then holds all variables, not only some beside the file's. */
  base?: Base;
}

/** The tasks of one workflow. */
export interface WorkflowTasks {
  /** Its id. */
  workflowId: string;
  /** Its name. */
  workflowName: string;
  /** That came. */
  created: number;
  /** That are open. */
  open: number;
  /** That people decided. */
  decided: number;
  /** How long it took them for one of two, milliseconds. */
  medianMs?: number;
}

/** What a workflow cost. */
export interface WorkflowUsage {
  /** Its id. */
  workflowId: string;
  /** Sums. */
  usage: Usage;
}

/** A version of a workflow that is active, or was. */
export interface WorkflowVersion {
  /** Content hash. */
  version: string;
  /** It is the active one. */
  active: boolean;
  /** When it was activated last, RFC 3339. */
  activatedAt: string;
  /** Who activated it last. */
  activatedBy: string;
  /** The workflow; null when it is lost. */
  document: Workflow | null;
}

/** A workspace. */
export interface Workspace {
  /** Its name. */
  name: string;
  /** Ids of its workflows. */
  workflows: string[];
  /** How many runs it may start. */
  quota: StartQuota;
  /** How many it has started. */
  started: StartsMade;
  /** RFC 3339. */
  madeAt: string;
}

/** Puts a workflow into a workspace. Its earlier runs stay where they are. */
export interface WorkspaceAssign {
  /** Id of the workflow. */
  workflowId: string;
  /** The workspace; absent: none. */
  workspace?: string;
}

/** Names a workspace. */
export interface WorkspaceName {
  /** Its name. */
  name: string;
}

/** Makes a workspace, or gives it another quota. */
export interface WorkspacePut {
  /** Its name: 1 to 60 small letters, digits and hyphens. */
  name: string;
  /** How many runs it may start. */
  quota?: StartQuota;
}

/** A role in a workspace. */
export interface WorkspaceRole {
  /** The workspace. */
  name: string;
  /** What the caller may do there. */
  role: CallerRole;
}

/** What every event has besides its type and payload. */
export interface RunEventHead {
  runId: string;
  seq?: number;
  live?: boolean;
  ts: string;
  stepId: string | null;
  path?: string;
  item?: number;
  visit?: number;
  attempt?: number;
  clientRunToken?: string;
  /** The trace of the run; in events as they are shown, not in the log. */
  traceId?: string;
}

/** All types of events next to each other, as in JSON. */
export type RunEventBody =
  | {
    type: 'workflow_start';
    payload: WorkflowStart;
  }
  | {
    type: 'workflow_done';
    payload: WorkflowDone;
  }
  | {
    type: 'workflow_failed';
    payload: WorkflowFailed;
  }
  | {
    type: 'workflow_cancelled';
    payload: WorkflowCancelled;
  }
  | {
    type: 'workflow_resumed';
    payload: WorkflowResumed;
  }
  | {
    type: 'breakpoints_set';
    payload: BreakpointsSet;
  }
  | {
    type: 'workflow_paused';
    payload: WorkflowPaused;
  }
  | {
    type: 'workflow_continued';
    payload: WorkflowContinued;
  }
  | {
    type: 'input_edited';
    payload: InputEdited;
  }
  | {
    type: 'step_start';
    payload: StepStart;
  }
  | {
    type: 'step_done';
    payload: StepDone;
  }
  | {
    type: 'step_error';
    payload: StepError;
  }
  | {
    type: 'step_interrupted';
    payload: StepInterrupted;
  }
  | {
    type: 'step_skipped';
    payload: StepSkipped;
  }
  | {
    type: 'var_changed';
    payload: VarChanged;
  }
  | {
    type: 'retry_scheduled';
    payload: RetryScheduled;
  }
  | {
    type: 'error_handled';
    payload: ErrorHandled;
  }
  | {
    type: 'auto_fix_attempt';
    payload: AutoFixAttempt;
  }
  | {
    type: 'human_task_created';
    payload: HumanTaskCreated;
  }
  | {
    type: 'human_task_completed';
    payload: HumanTaskCompleted;
  }
  | {
    type: 'human_task_reminded';
    payload: HumanTaskReminded;
  }
  | {
    type: 'human_task_held';
    payload: HumanTaskHeld;
  }
  | {
    type: 'human_task_continued';
    payload: HumanTaskContinued;
  }
  | {
    type: 'human_task_closed';
    payload: HumanTaskClosed;
  }
  | {
    type: 'escalated';
    payload: Escalated;
  }
  | {
    type: 'pause_timeout';
    payload: PauseTimeout;
  }
  | {
    type: 'step_print';
    payload: StepPrint;
  }
  | {
    type: 'pause_start';
    payload: PauseStart;
  }
  | {
    type: 'pause_resumed';
    payload: PauseResumed;
  }
  | {
    type: 'pause_rejected';
    payload: PauseRejected;
  }
  | {
    type: 'file_start';
    payload: FileStart;
  }
  | {
    type: 'file_done';
    payload: FileDone;
  }
  | {
    type: 'llm_token';
    payload: LlmDelta;
  }
  | {
    type: 'llm_thinking';
    payload: LlmDelta;
  }
  | {
    type: 'llm_tool_use';
    payload: LlmToolUse;
  }
  | {
    type: 'llm_tool_result';
    payload: LlmToolResult;
  }
  | {
    type: 'llm_done';
    payload: LlmDone;
  }
  | {
    type: 'llm_error';
    payload: LlmError;
  }
  | {
    type: 'tool_start';
    payload: ToolStart;
  }
  | {
    type: 'tool_message';
    payload: ToolMessage;
  }
  | {
    type: 'tool_done';
    payload: ToolDone;
  }
  | {
    type: 'tool_error';
    payload: ToolError;
  };

/** One entry of a run's log. */
export type RunEvent = RunEventHead & RunEventBody;

export type RunEventType = RunEvent['type'];

/** Request and answer of every command. */
export interface Commands {
  /** Returns version, host and data folder. */
  app_info: { request: Empty; response: AppInfo };
  /** Lists the step kinds with their descriptors. */
  catalog_list: { request: Empty; response: NodeDescriptor[] };
  /** Lists the connectors with their operations. */
  connector_list: { request: Empty; response: ConnectorEntry[] };
  /** Returns an operation of a connector with the schemas of its parameters and its result. */
  connector_operation: { request: ConnectorOperationGet; response: ConnectorOperation };
  /** Adds a connector from a connector file, an OpenAPI document or a GraphQL introspection; only a GraphQL endpoint that is named is asked. */
  connector_add: { request: ConnectorAdd; response: ConnectorAdded };
  /** Removes an own connector; runs keep the operations they began with. */
  connector_remove: { request: ConnectorName; response: Empty };
  /** Lists the indexes of documents. */
  index_list: { request: Empty; response: IndexEntry[] };
  /** Returns an index with its documents. */
  index_show: { request: IndexShow; response: IndexDetails };
  /** Finds passages of an index. */
  index_search: { request: IndexSearch; response: IndexPassage[] };
  /** Deletes an index; documents and runs are kept. */
  index_delete: { request: IndexRef; response: IndexEntry[] };
  /** Lists the samples of the gallery. */
  sample_list: { request: Empty; response: Sample[] };
  /** Lists the templates: ready workflows by job. */
  template_list: { request: Empty; response: Template[] };
  /** Lists the workflows of the library. */
  workflow_list: { request: Empty; response: WorkflowEntry[] };
  /** Opens a workflow file with its draft and diagnostics. */
  workflow_open: { request: ByRef; response: OpenWorkflow };
  /** Opens a file chosen in the system dialog. */
  workflow_open_path: { request: OpenPath; response: OpenWorkflow };
  /** Creates a workflow in the library, empty or from a sample. */
  workflow_create: { request: WorkflowCreate; response: OpenWorkflow };
  /** Saves a workflow; CONFLICT if the file was changed outside. */
  workflow_save: { request: WorkflowSave; response: Saved };
  /** Copies a workflow under a new name. */
  workflow_duplicate: { request: WorkflowDuplicate; response: OpenWorkflow };
  /** Checks what a workflow needs as a program, and what keeps it from being exported; nothing is written. */
  workflow_export_check: { request: WorkflowExportCheck; response: WorkflowExportChecked };
  /** Writes a workflow as a program into a folder that was chosen in the system dialog. */
  workflow_export: { request: WorkflowExport; response: WorkflowExported };
  /** Imports a file of another program as a new workflow, with a report. */
  workflow_import: { request: WorkflowImport; response: WorkflowImported };
  /** Translates a cURL command or a file of another program and returns what it would become; nothing is saved. */
  import_preview: { request: ImportPreview; response: ImportPreviewed };
  /** Deletes a workflow; its runs are kept. */
  workflow_delete: { request: ByRef; response: Empty };
  /** Returns the current content hash of a file, to detect changes from outside. */
  workflow_revision: { request: ByRef; response: Revision };
  /** Lists the pinned outputs of a workflow. */
  workflow_pins: { request: ByRef; response: PinList };
  /** Pins the output of a step for runs in the builder; active runs never use it. */
  workflow_pin: { request: WorkflowPin; response: Pin };
  /** Removes the pinned output of a step. */
  workflow_unpin: { request: StepOfRef; response: Empty };
  /** Saves a draft of unsaved changes. */
  draft_put: { request: DraftPut; response: Empty };
  /** Discards the draft of unsaved changes. */
  draft_discard: { request: ByRef; response: Empty };
  /** Validates a workflow; nothing is run. */
  workflow_validate: { request: ValidateDocument; response: Diagnostic[] };
  /** Returns the conversation with the planner about a workflow, its proposal, and what is under way. */
  plan_get: { request: ByRef; response: PlanView };
  /** Asks the default model for a change of a workflow, or a question about it or a run; nothing is run, and no file is changed. */
  plan_start: { request: PlanStart; response: PlanView };
  /** Tries a proposal: reads are run for real, writes only where they are allowed by name. */
  plan_try: { request: PlanTry; response: PlanView };
  /** Cancels the plan of a workflow; the last valid draft is kept as the proposal. */
  plan_cancel: { request: ByRef; response: PlanView };
  /** Records which part of a proposal a person accepted or rejected. */
  plan_settle: { request: PlanSettle; response: PlanView };
  /** Deletes the conversation with the planner about a workflow, and its proposal. */
  plan_forget: { request: ByRef; response: Empty };
  /** Explains what a workflow does, or why a run failed, with its steps and events; no model is asked. */
  plan_explain: { request: PlanExplain; response: PlanExplanation };
  /** Starts a run. */
  run_start: { request: RunStart; response: RunStarted };
  /** Starts a new run with the definition and input of an earlier one. */
  run_again: { request: RunId; response: RunStarted };
  /** Lists groups of failed runs and open error tasks that are alike, those that failed last first. */
  failure_groups: { request: FailureGroupList; response: FailureGroupPage };
  /** Returns a group of failures with its replays, and the step that three corrections of one kind suggest. */
  failure_group: { request: FailureGroupGet; response: FailureGroupDetails };
  /** Lists the open failures of a group, newest first. */
  failure_members: { request: FailureList; response: FailurePage };
  /** Tries a correction on some failures of a group; nothing is started. */
  failure_preview: { request: FailurePreview; response: FailurePreviewPage };
  /** Tries a correction on one failure and returns its input before and after; nothing is started. */
  failure_preview_one: { request: FailurePreviewOne; response: FailurePreviewed };
  /** Proposes the correction that was used three times as a step of the workflow; a person accepts it in the builder. */
  failure_propose: { request: FailureGroupGet; response: FailureProposed };
  /** Replays the failures of a group from their failed step with one correction. */
  replay_start: { request: ReplayStart; response: Replay2 };
  /** Lists replays, those under way first. */
  replay_list: { request: ReplayList; response: Replay2[] };
  /** Returns a replay with its progress. */
  replay_get: { request: ReplayRef; response: Replay2 };
  /** Lists the failures of a replay by what became of them. */
  replay_items: { request: ReplayItems; response: ReplayItemPage };
  /** Pauses a replay: no more runs begin until it is resumed. */
  replay_pause: { request: ReplayRef; response: Replay2 };
  /** Resumes a paused replay. */
  replay_resume: { request: ReplayRef; response: Replay2 };
  /** Stops a replay: no more runs begin, and those that have begun are cancelled if wanted. */
  replay_stop: { request: ReplayStop; response: Replay2 };
  /** Takes back what a replay has not begun; what has begun goes on. */
  replay_undo: { request: ReplayRef; response: Replay2 };
  /** Lists runs, newest first. */
  run_list: { request: RunList; response: RunPage };
  /** Returns a run with its pinned definition. */
  run_get: { request: RunId; response: RunDetails };
  /** Lists the events of a run; values over 10,240 characters are truncated. */
  run_events: { request: RunEventsAfter; response: RunEvent[] };
  /** Returns the model usage of a run by step and model. */
  run_usage: { request: RunId; response: RunUsage };
  /** Lists iterations and branches of a run with the progress of their containers. */
  run_paths: { request: RunPaths; response: RunPathPage };
  /** Shows the masked values of a run for 15 minutes; the reason is recorded. */
  run_reveal: { request: RunReveal; response: RunRevealed };
  /** Returns the full value of a truncated one. */
  run_value: { request: ValueRef; response: unknown };
  /** Returns a binary value of a run; not available while the run is masked. */
  run_binary: { request: RunBinaryGet; response: RunBinary };
  /** Lists the files that a run wrote, and whether they are still as it wrote them; not available while the run is masked. */
  run_files: { request: RunId; response: RunFiles };
  /** Compares two runs. */
  run_diff: { request: RunDiff; response: RunComparison };
  /** Returns the values of a step in two runs. */
  run_diff_step: { request: RunDiffStep; response: StepComparison };
  /** Plans a re-run from a step; nothing is started. */
  rerun_look: { request: RerunLook; response: RerunPlan };
  /** Starts a new run from a step of another one. */
  run_rerun: { request: RunRerun; response: RerunStarted };
  /** Sends a failed run to the inbox: a new run reuses the completed steps and asks a person about the failed call. */
  run_send: { request: RunSend; response: RunSent };
  /** Saves a run as a test of its workflow: its input, the answers of the outside world, people's decisions, and what must come out. */
  run_save_test: { request: RunSaveTest; response: TestSaved };
  /** Lists the tests of a workflow. */
  test_list: { request: ByRef; response: SavedTest[] };
  /** Returns a test of a workflow: its mocks, recorded answers and expectations. */
  test_get: { request: TestGet; response: TestOpened };
  /** Saves a changed test of a workflow to its file. */
  test_save: { request: TestSave; response: TestSaved };
  /** Runs tests of a workflow in memory, with recorded answers and simulated time; nothing outside is called. */
  test_run: { request: TestRun; response: TestReport };
  /** Runs a workflow in memory once for each fault that its steps may have, and reports what becomes of it. */
  workflow_prove: { request: ByRef; response: ProofReport };
  /** Returns the last proof of a workflow, and how far the one is that is under way. */
  proof_get: { request: ByRef; response: ProofView };
  /** Proves the error handling of a workflow in the background, as the editor shows it; nothing outside is called. */
  proof_start: { request: ProofStart; response: ProofView };
  /** Cancels the proof of a workflow; the last one that ended is kept. */
  proof_cancel: { request: ByRef; response: ProofView };
  /** Saves a fault of a proof as a test of its workflow: with a mock, and what comes of it. */
  proof_save_test: { request: ProofSaveTest; response: TestSaved };
  /** Returns how all workflows do: success, durations, cost, open tasks, proof scores. */
  health_list: { request: HealthList; response: HealthOverview };
  /** Returns how a workflow does by day, and which steps fail with which error. */
  health_get: { request: HealthGet; response: WorkflowHealth };
  /** Lists the alerts about the health of workflows, and which of them are raised. */
  health_alerts: { request: Empty; response: HealthAlerts };
  /** Sets an alert: a condition over the health of a workflow or of every workflow; recorded. */
  health_alert_put: { request: HealthAlertPut; response: HealthAlerts };
  /** Removes an alert; recorded. */
  health_alert_remove: { request: HealthAlertId; response: HealthAlerts };
  /** Returns the state of a run, now or after an event. */
  run_checkpoint: { request: CheckpointOf; response: Checkpoint };
  /** Returns a run as WorkflowSnapshot of the VL workflow format. */
  run_snapshot: { request: RunId; response: WorkflowSnapshot };
  /** Returns the state of a run as a checkpoint of the VL workflow format, from which a run can start; not available while the run is masked. */
  run_checkpoint_vl: { request: CheckpointOf; response: WorkflowCheckpoint };
  /** Cancels a run. */
  run_cancel: { request: RunId; response: Empty };
  /** Deletes an ended run. */
  run_delete: { request: RunId; response: Empty };
  /** Resumes a run that no process is executing. */
  run_resume: { request: RunId; response: Empty };
  /** Returns where a run is stopped, its breakpoints and the waiting calls. */
  run_debug: { request: RunId; response: RunDebug };
  /** Replaces the breakpoints of a run. */
  run_breakpoints: { request: RunBreakpoints; response: Empty };
  /** Pauses a run: running calls finish, no new call starts. */
  run_pause: { request: RunId; response: Empty };
  /** Continues a stopped run to the next breakpoint. */
  run_continue: { request: RunId; response: Empty };
  /** Continues a stopped run by one call. */
  run_step: { request: RunId; response: Empty };
  /** Replaces the input of a call that waits in a stopped run. */
  run_edit_input: { request: RunEditInput; response: RunInputEdited };
  /** Returns input, output and settings of a step in its last run. */
  run_step_data: { request: RunStepData; response: StepData | null };
  /** Asks the default model for an expression and evaluates it on the data of the last run; nothing is changed. */
  expression_ask: { request: ExpressionAsk; response: ExpressionAnswer };
  /** Cancels the caller's request for an expression. */
  expression_cancel: { request: Empty; response: Empty };
  /** Evaluates an expression on the data of the last run. */
  expression_preview: { request: ExpressionPreview; response: Preview };
  /** Evaluates an expression on data that is given with it. */
  expression_try: { request: ExpressionTry; response: Tried };
  /** Lists the names that an expression of a step can use. */
  expression_names: { request: ExpressionNames; response: ExpressionName[] };
  /** Computes the wait times of a retry policy. */
  retry_timeline: { request: RetryTimeline; response: TimelineStep[] };
  /** Reports where the error ports of a workflow lead, and the risks. */
  error_coverage: { request: ByDocument; response: ErrorCoverage };
  /** Validates error handling rules. */
  rules_check: { request: RulesCheck; response: RuleProblem[] };
  /** Tests which rule matches an error and what follows; nothing is run. */
  handler_dry_run: { request: HandlerDryRun; response: HandlerDryRunResult };
  /** Lists errors of past runs of a workflow. */
  past_errors: { request: PastErrors; response: PastError[] };
  /** Returns who the caller is. */
  who: { request: Empty; response: Who };
  /** Lists tasks. */
  task_list: { request: TaskList; response: TaskPage };
  /** Counts the tasks of each view. */
  task_counts: { request: TaskCountsRequest; response: TaskCounts };
  /** Returns task statistics of a period, and suggested rules. */
  task_stats: { request: TaskStatsRequest; response: TaskStats };
  /** Returns a task with everything needed to decide, masked. */
  task_get: { request: TaskGet; response: Task };
  /** Checks a corrected input; nothing is stored. */
  task_check: { request: TaskCheckRequest; response: TaskCheck };
  /** Answers a task; only the first answer counts. */
  task_complete: { request: TaskComplete; response: TaskCompleted };
  /** Gives the same answer to several tasks, one by one. */
  task_complete_many: { request: TaskCompleteMany; response: TaskBatch };
  /** Claims a task for 15 minutes. */
  task_claim: { request: TaskRef; response: TaskRow };
  /** Releases a claimed task. */
  task_release: { request: TaskRef; response: TaskRow };
  /** Reassigns a task. */
  task_reassign: { request: TaskReassign; response: TaskRow };
  /** Adds a comment to a task. */
  task_comment: { request: TaskComment; response: TaskRow };
  /** Snoozes a task. */
  task_snooze: { request: TaskSnooze; response: TaskRow };
  /** Puts a task on hold, which pauses its deadline, or continues it. */
  task_hold: { request: TaskHold; response: TaskRow };
  /** Reopens an ended task: a new run reuses all earlier results and asks again. */
  task_reopen: { request: TaskReopen; response: TaskReopened };
  /** Saves a view of the caller. */
  task_view_save: { request: TaskViewSave; response: Empty };
  /** Deletes a view of the caller. */
  task_view_forget: { request: TaskViewForget; response: Empty };
  /** Lists the delegations to and from the caller. */
  delegation_list: { request: Empty; response: Delegation[] };
  /** Lets another person answer the caller's tasks for a time. */
  delegation_create: { request: DelegationCreate; response: Delegation };
  /** Ends a delegation now. */
  delegation_end: { request: DelegationEnd; response: Empty };
  /** Asks the default model for a correction; this costs money, is recorded and changes nothing. */
  task_suggest: { request: TaskRef; response: TaskSuggestion };
  /** Cancels a model suggestion. */
  task_unsuggest: { request: TaskRef; response: Empty };
  /** Downloads a file of a task; the download is recorded. */
  task_attachment: { request: TaskAttachmentGet; response: TaskFile };
  /** Reveals masked values; the reason is recorded. */
  task_reveal: { request: TaskReveal; response: TaskRevealed };
  /** Lists audit entries, newest first. */
  audit_list: { request: AuditList; response: AuditPage };
  /** Counts the entries by event, level and actor. */
  audit_facets: { request: AuditFacetsRequest; response: AuditFacets };
  /** Returns an entry with its bytes and recomputed hash. */
  audit_get: { request: AuditGet; response: AuditRecordView };
  /** Verifies the audit chain. */
  audit_verify: { request: AuditVerify; response: AuditVerdict };
  /** Returns the result of the last verification, and the signing key. */
  audit_status: { request: Empty; response: AuditStatus };
  /** Chooses where the signing key of the audit chain is kept. */
  audit_key_choose: { request: AuditKeyChoose; response: AuditStatus };
  /** Lists the anchors of the audit chain. */
  audit_anchors: { request: Empty; response: AuditAnchor[] };
  /** Adds an anchor: a folder or an address for checkpoints. */
  audit_anchor_add: { request: AnchorAdd; response: AuditAnchor[] };
  /** Removes an anchor; checkpoints already there are kept. */
  audit_anchor_remove: { request: AnchorRef; response: AuditAnchor[] };
  /** Sends a checkpoint to every anchor now. */
  audit_anchor_now: { request: Empty; response: AuditAnchor[] };
  /** Lists the places to which audit entries are copied, and how far each is. */
  audit_sinks: { request: Empty; response: AuditSinkView[] };
  /** Copies every audit entry to a file in a folder, or to a server, from now on. */
  audit_sink_add: { request: SinkAdd; response: AuditSinkView[] };
  /** Stops copying to a place; what it holds is kept. */
  audit_sink_remove: { request: SinkRef; response: AuditSinkView[] };
  /** Pauses copying to a place, or continues where it stopped. */
  audit_sink_pause: { request: SinkPause; response: AuditSinkView[] };
  /** Checks whether a place would take entries now; sends none. */
  audit_sink_test: { request: SinkRef; response: SinkTest };
  /** Copies waiting entries now. */
  audit_sink_now: { request: Empty; response: AuditSinkView[] };
  /** Returns how long entries are kept, and what was removed so far. */
  audit_retention: { request: Empty; response: AuditRetention };
  /** Sets how long entries are kept. */
  audit_retention_set: { request: AuditRetentionSet; response: AuditRetention };
  /** Removes old entries now; a signed entry replaces them. */
  audit_retention_now: { request: Empty; response: AuditRetained };
  /** Exports entries; the export is recorded. */
  audit_export: { request: AuditExport; response: AuditExported };
  /** Records an audit entry in the caller's name. */
  audit_record: { request: AuditRecord; response: AuditRecorded };
  /** Accepts that the end of the chain is missing, with a reason; from then on the chain is judged by the entries it has. */
  audit_accept_cut: { request: AuditAcceptCut; response: AuditRecorded };
  /** Erases the payload of an entry; the chain stays valid, and the erasure is recorded. */
  audit_erase: { request: AuditErase; response: AuditRecorded };
  /** Returns where the encryption key is kept and whether the secrets are usable. */
  secret_status: { request: Empty; response: SecretStatus };
  /** Lists names, kinds and hosts of the secrets, never values. */
  secret_list: { request: Empty; response: SecretEntry[] };
  /** Stores or replaces a secret. */
  secret_set: { request: SecretSet; response: SecretEntry };
  /** Deletes a secret. */
  secret_delete: { request: SecretName; response: Empty };
  /** Chooses where the encryption key of the secrets is kept. */
  secret_choose: { request: SecretChoose; response: SecretStatus };
  /** Unlocks the secrets until the program ends, with their passphrase or through the system key store. */
  secret_unlock: { request: SecretUnlock; response: SecretStatus };
  /** Returns how much room the data folder takes. */
  data_size: { request: Empty; response: DataSize };
  /** Reads the whole data folder, says what is wrong, and repairs what can be repaired when asked to. */
  data_check: { request: DataCheck; response: DataReport };
  /** Says which ended runs the rules would delete. */
  run_prune_preview: { request: RunsPrune; response: RunsPruned };
  /** Deletes the ended runs that the rules name. */
  run_prune: { request: RunsPrune; response: RunsPruned };
  /** Returns when backups are made automatically, and what became of the last one. */
  backup_schedule: { request: Empty; response: BackupSchedule };
  /** Sets when backups are made automatically; the folder is chosen in the window or at the terminal. */
  backup_schedule_set: { request: BackupScheduleSet; response: BackupSchedule };
  /** Starts a sign-in to the service of a secret: returns the address for the person's browser, or a code. */
  secret_sign_in: { request: SecretName; response: SecretSigningIn };
  /** Finishes a sign-in with the address at which the browser ended. */
  secret_sign_in_finish: { request: SecretSignInFinish; response: SecretEntry };
  /** Signs out of the service of a secret and revokes the tokens. */
  secret_sign_out: { request: SecretName; response: SecretSignedOut };
  /** Gets a secret as a step does, and sends it to an address, or signs in to a server, where one is given. */
  secret_test: { request: SecretTest; response: SecretTested };
  /** Notes the key of an SSH server in a secret that knew none. */
  secret_trust: { request: SecretTrust; response: SecretEntry };
  /** Lists the workflows and steps that use a secret. */
  secret_uses: { request: SecretName; response: SecretUse[] };
  /** Returns the proxy and the certificate authorities of this machine. */
  network_get: { request: Empty; response: NetworkView };
  /** Sets the proxy and the certificate authorities; on this machine only. */
  network_set: { request: NetworkSet; response: NetworkView };
  /** Sends a request to an address by the proxy and the authorities of the settings, and returns what became of it. */
  network_test: { request: NetworkTest; response: NetworkTested };
  /** Returns whether newer releases are looked for, and what the last check found. */
  updates_get: { request: Empty; response: UpdatesView };
  /** Sets whether and where newer releases are looked for; on this machine only. */
  updates_set: { request: UpdatesSet; response: UpdatesView };
  /** Asks for the list of releases now. */
  updates_check: { request: Empty; response: UpdatesView };
  /** Returns whether and where spans of runs are sent, and what became of them. */
  telemetry_get: { request: Empty; response: TelemetryView };
  /** Sets whether and where spans of runs are sent; on this machine only. */
  telemetry_set: { request: TelemetrySet; response: TelemetryView };
  /** Sends one span to the collector and returns what became of it. */
  telemetry_test: { request: Empty; response: TelemetryTest };
  /** Returns the trace of a run and the span of a step in it. */
  run_trace: { request: RunTraceOf; response: RunTraceView };
  /** Lists the services that tasks are copied to. */
  task_destination_list: { request: Empty; response: TaskDestination[] };
  /** Lists the connectors that take tasks, with their settings. */
  task_destination_kinds: { request: Empty; response: TaskDestinationKind[] };
  /** Adds a destination: a service that tasks are copied to. */
  task_destination_add: { request: TaskDestinationAdd; response: TaskDestination[] };
  /** Removes a destination; what stands at the service stays there. */
  task_destination_remove: { request: TaskDestinationRef; response: TaskDestination[] };
  /** Tests a destination: reads from the service, or sends a test mail. */
  task_destination_test: { request: TaskDestinationRef; response: TaskDestinationTest };
  /** Lists where tasks stand at their destinations, newest first. */
  task_copy_log: { request: TaskCopyLog; response: TaskCopy[] };
  /** Sends a task to its destination again. */
  task_copy_again: { request: TaskCopyRef; response: TaskCopy };
  /** Sends due tasks to their destinations now. */
  task_copy_send: { request: Empty; response: TaskCopiesSent };
  /** Lists the webhooks. */
  webhook_list: { request: Empty; response: Webhook[] };
  /** Adds a webhook: an address to notify about tasks. */
  webhook_add: { request: WebhookAdd; response: Webhook[] };
  /** Removes a webhook and its waiting messages. */
  webhook_remove: { request: WebhookRef; response: Webhook[] };
  /** Lists webhook messages, newest first. */
  webhook_log: { request: WebhookLog; response: WebhookDelivery[] };
  /** Sends a webhook message again. */
  webhook_again: { request: WebhookAgain; response: WebhookDelivery };
  /** Sends due webhook messages now. */
  webhook_send: { request: Empty; response: WebhooksSent };
  /** Lists the model providers and the default model. */
  model_list: { request: Empty; response: Models };
  /** Adds or replaces a model provider. */
  model_set: { request: ModelSet; response: Models };
  /** Removes a model provider; its secret is kept. */
  model_delete: { request: ModelRef; response: Models };
  /** Sets the default model, for steps that name none. */
  model_default_set: { request: ModelDefaultSet; response: Models };
  /** Sets the daily model budget of this machine. */
  model_budget_set: { request: ModelBudgetSet; response: Models };
  /** Tests a provider by listing its models, or a model by asking for one word. */
  model_test: { request: ModelTest; response: ModelTested };
  /** Lists the models of a provider. */
  model_names: { request: ModelRef; response: ModelNames };
  /** Finds model servers on this machine. */
  model_discover: { request: Empty; response: ModelFound[] };
  /** Returns model usage and costs by day, workflow and model. */
  model_usage: { request: ModelUsageRequest; response: UsageReport };
  /** Lists the tool servers, their state, and what differs from what was approved. */
  tool_server_list: { request: Empty; response: ToolServer[] };
  /** Adds or changes a tool server. */
  tool_server_set: { request: ToolServerSet; response: ToolServer };
  /** Adds the servers of a pasted mcp.json. */
  tool_server_import: { request: ToolServerImport; response: ToolServersImported };
  /** Deletes a tool server and its approval. */
  tool_server_delete: { request: ToolServerName; response: Empty };
  /** Connects to a tool server and loads its tools. */
  tool_server_connect: { request: ToolServerConnect; response: ToolServer };
  /** Starts a sign-in to a tool server: returns the address for the person's browser. */
  tool_server_sign_in: { request: ToolServerName; response: ToolServerSigningIn };
  /** Finishes a sign-in with the address at which the browser ended. */
  tool_server_sign_in_finish: { request: ToolServerSignInFinish; response: ToolServer };
  /** Signs out of a tool server and revokes the tokens. */
  tool_server_sign_out: { request: ToolServerName; response: ToolServerSignedOut };
  /** Approves a tool server as it was shown. */
  tool_server_approve: { request: ToolServerApprove; response: ToolServer };
  /** States whether a tool reads private data, can send data out, or returns untrusted text. */
  tool_server_say: { request: ToolServerSay; response: ToolServer };
  /** Lists the tools that steps can call. */
  tool_list: { request: Empty; response: Tool[] };
  /** Lists the skills that agents of a workflow can learn. */
  skill_list: { request: SkillList; response: SkillEntry[] };
  /** Activates a version of a workflow: its triggers start runs; changes of the file stay a draft until they are activated. */
  workflow_activate: { request: WorkflowActivate; response: Activation };
  /** Deactivates a workflow: its triggers start no more runs; running ones continue. */
  workflow_deactivate: { request: WorkflowNamed; response: Activation };
  /** Workflows that are active, and those that were. */
  activation_list: { request: Empty; response: Activation[] };
  /** The versions of a workflow that are active, or were; the newest first. */
  workflow_versions: { request: WorkflowNamed; response: WorkflowVersion[] };
  /** Triggers of active workflows, and when they fire next. */
  trigger_list: { request: TriggerList; response: Trigger[] };
  /** One trigger and its last firings. */
  trigger_get: { request: TriggerRef; response: TriggerDetails };
  /** Failures of active workflows in the last 24 hours: one in an hour for each workflow. */
  failure_list: { request: Empty; response: WorkflowFailure[] };
  /** Fires a trigger now, in addition to its schedule. */
  trigger_fire: { request: TriggerFire; response: RunStarted };
  /** When a schedule would fire. */
  schedule_preview: { request: SchedulePreviewRequest; response: SchedulePreview };
  /** Asks the source of a New items step once, and shows what it lists; a workflow as the source runs for it. */
  poll_test: { request: PollTest; response: PollTested };
  /** Tables and columns of the database that a step names, read only. */
  database_tables: { request: DatabaseTablesGet; response: DatabaseTables };
  /** The address of a webhook step. */
  hook_preview: { request: HookPreviewRequest; response: HookPreview };
  /** Listens for one request at the test address of a webhook step, for three minutes; it starts nothing. */
  hook_listen: { request: HookListen; response: HookListening };
  /** What was received at a test address. */
  hook_heard: { request: HookListener; response: HookHeard };
  /** Stops listening at a test address. */
  hook_stop: { request: HookListener; response: Empty };
  /** Lists the access tokens of the server; the tokens themselves are not kept. */
  token_list: { request: Empty; response: AccessToken[] };
  /** Makes an access token, which is shown once; recorded. */
  token_add: { request: TokenAdd; response: TokenAdded };
  /** Revokes an access token; open answers to it end. */
  token_revoke: { request: TokenName; response: Empty };
  /** Lists who is signed in to the server. */
  session_list: { request: Empty; response: UserSession[] };
  /** Ends the session of a person now; recorded. */
  session_end: { request: SessionRef; response: Empty };
  /** Lists the workspaces with their workflows, quotas, and what they have started. */
  workspace_list: { request: Empty; response: Workspace[] };
  /** Makes a workspace, or gives it another quota; recorded. */
  workspace_put: { request: WorkspacePut; response: Workspace[] };
  /** Removes a workspace without workflows; recorded. */
  workspace_remove: { request: WorkspaceName; response: Workspace[] };
  /** Moves a workflow into a workspace, or out of it; recorded. */
  workspace_assign: { request: WorkspaceAssign; response: Workspace[] };
  /** Returns the caller's settings: theme, panes, keys, saved queries. */
  settings_get: { request: Empty; response: AppSettings };
  /** Saves the caller's settings. */
  settings_set: { request: SettingsSet; response: Empty };
  /** Lists granted folders. */
  folder_list: { request: Empty; response: Folder[] };
  /** Lists the subfolders of a folder of the server that may be granted; without a folder, the folders to begin with. */
  folder_browse: { request: FolderBrowse; response: FolderListing };
  /** Grants a folder that was chosen in the system dialog or in folder_browse; recorded. */
  folder_grant: { request: FolderGrant; response: Empty };
  /** Revokes a grant; recorded. */
  folder_revoke: { request: FolderRevoke; response: Empty };
}

export type CommandName = keyof Commands;

export interface CommandInfo {
  kind: 'query' | 'action';
  role: CallerRole;
  /** About the whole server: refused to access that is limited to workspaces. */
  wholeServer: boolean;
  hosts: readonly Host[];
  /** Queries that show something old after this command. */
  stale: readonly CommandName[];
}

export const commands: Record<CommandName, CommandInfo> = {
  app_info: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  catalog_list: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  connector_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  connector_operation: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  connector_add: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['connector_list', 'connector_operation'] },
  connector_remove: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['connector_list', 'connector_operation'] },
  index_list: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  index_show: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  index_search: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  index_delete: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['index_list', 'index_show', 'audit_list'] },
  sample_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  template_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  workflow_list: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  workflow_open: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  workflow_open_path: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop'], stale: ['workflow_list'] },
  workflow_create: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workflow_list'] },
  workflow_save: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workflow_list', 'workflow_open', 'workflow_revision', 'workflow_pins'] },
  workflow_duplicate: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workflow_list'] },
  workflow_export_check: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  workflow_export: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop'], stale: [] },
  workflow_import: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workflow_list'] },
  import_preview: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  workflow_delete: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workflow_list', 'workflow_open', 'workflow_revision', 'workflow_pins'] },
  workflow_revision: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  workflow_pins: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  workflow_pin: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workflow_pins'] },
  workflow_unpin: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workflow_pins'] },
  draft_put: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  draft_discard: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workflow_list', 'workflow_open'] },
  workflow_validate: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  plan_get: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  plan_start: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['plan_get', 'audit_list'] },
  plan_try: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['plan_get', 'run_list', 'audit_list'] },
  plan_cancel: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['plan_get'] },
  plan_settle: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['plan_get', 'audit_list'] },
  plan_forget: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['plan_get'] },
  plan_explain: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  run_start: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['run_list', 'workflow_list'] },
  run_again: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['run_list', 'workflow_list'] },
  failure_groups: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  failure_group: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  failure_members: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  failure_preview: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  failure_preview_one: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  failure_propose: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['failure_group', 'plan_get', 'workflow_open', 'audit_list'] },
  replay_start: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['failure_groups', 'failure_group', 'failure_members', 'replay_list', 'replay_get', 'run_list', 'task_list', 'task_counts', 'audit_list'] },
  replay_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  replay_get: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  replay_items: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  replay_pause: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['failure_group', 'replay_list', 'replay_get', 'audit_list'] },
  replay_resume: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['failure_group', 'replay_list', 'replay_get', 'audit_list'] },
  replay_stop: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['failure_groups', 'failure_group', 'failure_members', 'replay_list', 'replay_get', 'run_list', 'audit_list'] },
  replay_undo: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['failure_groups', 'failure_group', 'failure_members', 'replay_list', 'replay_get', 'audit_list'] },
  run_list: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_get: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_events: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_usage: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_paths: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_reveal: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['run_get', 'run_list', 'run_step_data', 'audit_list'] },
  run_value: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_binary: { kind: 'query', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_files: { kind: 'query', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_diff: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_diff_step: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  rerun_look: { kind: 'query', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_rerun: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['run_list', 'run_get', 'task_list', 'task_counts', 'task_get', 'audit_list'] },
  run_send: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['run_list', 'run_get', 'task_list', 'task_counts', 'task_get', 'audit_list'] },
  run_save_test: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['test_list'] },
  test_list: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  test_get: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  test_save: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['test_list', 'test_get'] },
  test_run: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  workflow_prove: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  proof_get: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  proof_start: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['proof_get'] },
  proof_cancel: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['proof_get'] },
  proof_save_test: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['test_list'] },
  health_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  health_get: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  health_alerts: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  health_alert_put: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['health_alerts', 'health_list', 'health_get', 'audit_list'] },
  health_alert_remove: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['health_alerts', 'health_list', 'health_get', 'audit_list'] },
  run_checkpoint: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_snapshot: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_checkpoint_vl: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  run_cancel: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['run_list', 'run_get', 'audit_list'] },
  run_delete: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['run_list', 'run_get', 'run_step_data', 'workflow_list'] },
  run_resume: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['run_list', 'run_get'] },
  run_debug: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  run_breakpoints: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['run_debug', 'audit_list'] },
  run_pause: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['run_debug', 'run_list', 'run_get', 'audit_list'] },
  run_continue: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['run_debug', 'run_list', 'run_get', 'audit_list'] },
  run_step: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['run_debug', 'run_list', 'run_get', 'audit_list'] },
  run_edit_input: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['run_debug', 'audit_list'] },
  run_step_data: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  expression_ask: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  expression_cancel: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  expression_preview: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  expression_try: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  expression_names: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  retry_timeline: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  error_coverage: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  rules_check: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  handler_dry_run: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  past_errors: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  who: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  task_list: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  task_counts: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  task_stats: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  task_get: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  task_check: { kind: 'query', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  task_complete: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_list', 'task_counts', 'task_get', 'run_get', 'run_list', 'audit_list'] },
  task_complete_many: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_list', 'task_counts', 'task_get', 'run_get', 'run_list', 'audit_list'] },
  task_claim: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_list', 'task_counts', 'task_get'] },
  task_release: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_list', 'task_counts', 'task_get'] },
  task_reassign: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_list', 'task_counts', 'task_get'] },
  task_comment: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_get'] },
  task_snooze: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_list', 'task_counts', 'task_get'] },
  task_hold: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_list', 'task_counts', 'task_get', 'run_get', 'audit_list'] },
  task_reopen: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_list', 'task_counts', 'task_get', 'run_list', 'run_get', 'audit_list'] },
  task_view_save: { kind: 'action', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_counts'] },
  task_view_forget: { kind: 'action', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_counts'] },
  delegation_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  delegation_create: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['delegation_list', 'task_list', 'task_counts'] },
  delegation_end: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['delegation_list', 'task_list', 'task_counts'] },
  task_suggest: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_get', 'audit_list'] },
  task_unsuggest: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  task_attachment: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_get', 'audit_list'] },
  task_reveal: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['task_get', 'audit_list'] },
  audit_list: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  audit_facets: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  audit_get: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  audit_verify: { kind: 'action', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_status'] },
  audit_status: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  audit_key_choose: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_status', 'audit_list'] },
  audit_anchors: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  audit_anchor_add: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_anchors', 'audit_status', 'audit_list'] },
  audit_anchor_remove: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_anchors', 'audit_status', 'audit_list'] },
  audit_anchor_now: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_anchors', 'audit_status', 'audit_list'] },
  audit_sinks: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  audit_sink_add: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_sinks', 'audit_list'] },
  audit_sink_remove: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_sinks', 'audit_list'] },
  audit_sink_pause: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_sinks', 'audit_list'] },
  audit_sink_test: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  audit_sink_now: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_sinks', 'audit_list'] },
  audit_retention: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  audit_retention_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_retention', 'audit_list'] },
  audit_retention_now: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_retention', 'audit_list', 'audit_facets', 'audit_status'] },
  audit_export: { kind: 'action', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_list', 'audit_status'] },
  audit_record: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['audit_list'] },
  audit_accept_cut: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_list', 'audit_status'] },
  audit_erase: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['audit_list', 'audit_get', 'audit_status'] },
  secret_status: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  secret_list: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  secret_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['secret_list', 'model_list', 'audit_list'] },
  secret_delete: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['secret_list', 'model_list', 'audit_list'] },
  secret_choose: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['secret_status', 'secret_list', 'model_list', 'audit_list'] },
  secret_unlock: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['secret_status', 'secret_list', 'model_list'] },
  data_size: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  data_check: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['data_size'] },
  run_prune_preview: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  run_prune: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['run_list', 'run_get', 'run_step_data', 'workflow_list', 'data_size'] },
  backup_schedule: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  backup_schedule_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['backup_schedule', 'audit_list'] },
  secret_sign_in: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['secret_list', 'audit_list'] },
  secret_sign_in_finish: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['secret_list', 'audit_list'] },
  secret_sign_out: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['secret_list', 'audit_list'] },
  secret_test: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['secret_list', 'audit_list'] },
  secret_trust: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['secret_list', 'audit_list'] },
  secret_uses: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  network_get: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  network_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['network_get', 'audit_list'] },
  network_test: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  updates_get: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  updates_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['updates_get', 'audit_list'] },
  updates_check: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['updates_get'] },
  telemetry_get: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  telemetry_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['telemetry_get', 'run_trace'] },
  telemetry_test: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['telemetry_get'] },
  run_trace: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  task_destination_list: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  task_destination_kinds: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  task_destination_add: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['task_destination_list', 'task_copy_log', 'audit_list'] },
  task_destination_remove: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['task_destination_list', 'task_copy_log', 'task_get', 'audit_list'] },
  task_destination_test: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  task_copy_log: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  task_copy_again: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['task_destination_list', 'task_copy_log', 'task_get', 'audit_list'] },
  task_copy_send: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['task_destination_list', 'task_copy_log', 'task_get'] },
  webhook_list: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  webhook_add: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['webhook_list', 'webhook_log', 'audit_list'] },
  webhook_remove: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['webhook_list', 'webhook_log', 'audit_list'] },
  webhook_log: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  webhook_again: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['webhook_list', 'webhook_log', 'audit_list'] },
  webhook_send: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['webhook_list', 'webhook_log'] },
  model_list: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  model_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['sample_list', 'model_list', 'model_names', 'audit_list', 'workflow_validate', 'workflow_open'] },
  model_delete: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['sample_list', 'model_list', 'model_names', 'audit_list', 'workflow_validate', 'workflow_open'] },
  model_default_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['sample_list', 'model_list', 'audit_list', 'workflow_validate', 'workflow_open'] },
  model_budget_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['model_list', 'audit_list', 'workflow_validate', 'workflow_open'] },
  model_test: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  model_names: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  model_discover: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  model_usage: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  tool_server_list: { kind: 'query', role: 'operator', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  tool_server_set: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['sample_list', 'tool_server_list', 'tool_list', 'audit_list', 'workflow_validate', 'workflow_open'] },
  tool_server_import: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['tool_server_list', 'audit_list', 'workflow_validate', 'workflow_open'] },
  tool_server_delete: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['sample_list', 'tool_server_list', 'tool_list', 'audit_list', 'workflow_validate', 'workflow_open'] },
  tool_server_connect: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['sample_list', 'tool_server_list', 'tool_list', 'audit_list', 'workflow_validate', 'workflow_open'] },
  tool_server_sign_in: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['tool_server_list', 'audit_list'] },
  tool_server_sign_in_finish: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['tool_server_list', 'tool_list', 'audit_list'] },
  tool_server_sign_out: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['tool_server_list', 'tool_list', 'audit_list'] },
  tool_server_approve: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['sample_list', 'tool_server_list', 'tool_list', 'audit_list', 'workflow_validate', 'workflow_open'] },
  tool_server_say: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['tool_server_list', 'tool_list', 'audit_list', 'workflow_validate', 'workflow_open'] },
  tool_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  skill_list: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  workflow_activate: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['activation_list', 'workflow_versions', 'trigger_list', 'trigger_get', 'audit_list'] },
  workflow_deactivate: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['activation_list', 'workflow_versions', 'trigger_list', 'trigger_get', 'audit_list'] },
  activation_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  workflow_versions: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  trigger_list: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  trigger_get: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  failure_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  trigger_fire: { kind: 'action', role: 'operator', wholeServer: false, hosts: ['desktop', 'http'], stale: ['trigger_list', 'trigger_get', 'run_list', 'audit_list'] },
  schedule_preview: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  poll_test: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['run_list'] },
  database_tables: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  hook_preview: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  hook_listen: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['http'], stale: [] },
  hook_heard: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['http'], stale: [] },
  hook_stop: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['http'], stale: [] },
  token_list: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  token_add: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['token_list', 'audit_list'] },
  token_revoke: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['token_list', 'audit_list'] },
  session_list: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  session_end: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['session_list', 'audit_list'] },
  workspace_list: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  workspace_put: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workspace_list', 'audit_list'] },
  workspace_remove: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workspace_list', 'audit_list'] },
  workspace_assign: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['workspace_list', 'audit_list'] },
  settings_get: { kind: 'query', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: [] },
  settings_set: { kind: 'action', role: 'viewer', wholeServer: false, hosts: ['desktop', 'http'], stale: ['settings_get'] },
  folder_list: { kind: 'query', role: 'viewer', wholeServer: true, hosts: ['desktop', 'http'], stale: [] },
  folder_browse: { kind: 'query', role: 'builder', wholeServer: true, hosts: ['http'], stale: [] },
  folder_grant: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['folder_list', 'workflow_list', 'skill_list', 'workflow_validate', 'workflow_open', 'audit_list'] },
  folder_revoke: { kind: 'action', role: 'builder', wholeServer: true, hosts: ['desktop', 'http'], stale: ['folder_list', 'workflow_list', 'skill_list', 'workflow_validate', 'workflow_open', 'audit_list'] },
};

/** How a command reaches its host. */
export type Rpc = <C extends CommandName>(
  command: C,
  request: Commands[C]['request'],
) => Promise<Commands[C]['response']>;
