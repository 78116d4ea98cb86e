import { useMemo } from 'react';
import { useCommand } from '../../api/queries.ts';
import { EVERY, inChoice, slotKey } from '../../run/run-paths.ts';
import { cardsOf, foldRun, isTerminal, type CallCard, type RunEventLike, type RunView } from '../../run/run-state.ts';
import type { ApiError } from '../../api/error.ts';
import { readError } from '../../run/run-error.ts';
import type { RunError } from '../../run/run-types.ts';
import type { Item, Pin, Workflow } from '../../api/types.ts';
import { splitPort } from '../../shared/step-ids.ts';

export interface StepValues {
  /** `waiting`: the run stands right before the call; `kept`: a re-run has them from another run, `runId`; `pinned`: of no run;
   * `arrives`: what the steps before it would hand it now, `pinned` or from a run. */
  source: 'live' | 'last' | 'waiting' | 'kept' | 'pinned' | 'arrives' | 'arrivesPinned';
  runId: string;
  startedAt: string;
  /** the iteration or branch whose values these are */
  path?: string | undefined;
  input: { item: number; data: unknown }[];
  output: Record<string, Item[]>;
  /** How many items there are, where more went in or came out than `input` and `output` have. */
  counts?: StepCounts | undefined;
  config: unknown;
  error?: RunError | undefined;
  running: boolean;
}

export interface StepCounts {
  input: number;
  /** port → items */
  output: { readonly [port: string]: number };
}

export type StepDataState =
  | { kind: 'loading' }
  | { kind: 'failed'; error: ApiError }
  | { kind: 'none' }
  /** The run on the screen did not call this step; `reading`: as far as its events are read. */
  | { kind: 'not_called'; yet: boolean; reading?: boolean | undefined }
  /** Its calls are among the events that are not loaded: so many, or those of the iteration that is looked at. */
  | { kind: 'not_loaded'; calls?: number | undefined }
  /** It was called in the original of this re-run, whose values are too large to be here. */
  | { kind: 'kept'; runId: string }
  | { kind: 'data'; values: StepValues };

/** Places of the step on this canvas: one of another file may have the same id. */
function isHere(view: RunView, nodeId: string): (path: string | null | undefined) => boolean {
  const slots = new Set(view.slotsOf.get(nodeId)?.values());
  return (path) => !path || slots.has(slotKey(nodeId, path));
}

/** The newest call of each item of a step, put together in item order; `at`: in the iteration of this path, where it was called there. */
export function valuesOfCards(view: RunView, nodeId: string, at?: string): StepValues | null {
  const here = isHere(view, nodeId);
  const cards = cardsOf(view, nodeId).filter((card) => card.status !== 'skipped' && here(card.path));
  const last = (at === undefined ? undefined : cards.findLast((card) => card.path === at)) ?? cards.at(-1);
  if (!last) return null;
  // Items of one path belong together; the newest path is the one to look at.
  const newest = new Map<string, CallCard>();
  for (const card of cards) if (card.path === last.path) newest.set(String(card.item ?? ''), card);
  const ordered = [...newest.values()].toSorted((a, b) => (a.item ?? 0) - (b.item ?? 0));
  const output: Record<string, Item[]> = {};
  const counts = { input: 0, output: {} as Record<string, number> };
  for (const card of ordered) {
    counts.input += card.inputItems ?? card.input.length;
    for (const [port, items] of Object.entries(card.items ?? {})) output[port] = [...(output[port] ?? []), ...(items as Item[])];
    for (const [port, count] of Object.entries(card.ports ?? {})) counts.output[port] = (counts.output[port] ?? 0) + count;
  }
  const failed = ordered.findLast((card) => card.error !== undefined && !card.question && card.status !== 'done');
  return {
    source: 'live',
    runId: view.runId,
    startedAt: last.startedAt,
    path: last.path,
    input: ordered.flatMap((card) => card.input),
    output,
    counts,
    config: last.config,
    error: failed?.error,
    running: ordered.some((card) => card.endSeq === undefined),
  };
}

/** What a re-run has of a step from its original: its first event brings along what is kept. */
export function valuesKept(view: RunView, nodeId: string): StepValues | null {
  const { base } = (view.events[0]?.payload ?? {}) as { base?: { events?: unknown } };
  const all = Array.isArray(base?.events) ? (base.events as RunEventLike[]) : [];
  const here = isHere(view, nodeId);
  const own = all.filter((event) => event.stepId === nodeId && here(event.path) && inChoice(event.path, view.choice ?? EVERY));
  const runId = own.at(-1)?.runId ?? '';
  const values = valuesOfCards(foldRun(own.map((event, i) => ({ ...event, runId, seq: i + 1 }))), nodeId);
  return values && { ...values, source: 'kept' };
}

/** What pinned output of the steps before a step would bring it; null when something else comes, too. */
export function arrivesPinned(document: Workflow, nodeId: string, pins: { readonly [step: string]: Pin } | undefined): unknown[] | null {
  const wires = document.edges.filter((edge) => edge.to === nodeId).map((edge) => splitPort(edge.from));
  if (!pins || wires.length === 0 || wires.some(({ node }) => pins[node] === undefined)) return null;
  const items = wires.flatMap(({ node, port }) => pins[node]?.ports[port] ?? []);
  return items.length > 0 ? items : null;
}

/** The data of a step that did not run: what would arrive there, from pinned output or from the last run of the steps before it. */
export function useArriving(document: Workflow, nodeId: string, run: RunView | null | undefined, state: StepDataState, pins: { readonly [step: string]: Pin } | undefined, pinFile?: string): StepDataState {
  const pinned = useMemo(() => arrivesPinned(document, nodeId, pins), [document, nodeId, pins]);
  const empty = state.kind === 'none' || (state.kind === 'not_called' && !state.yet);
  const wired = document.edges.some((edge) => edge.to === nodeId);
  const runId = run != null && run.lastSeq > 0 ? run.runId : undefined;
  // Asked again with the wires, not with every letter that is typed into a setting.
  const asked = useMemo(() => ({ document, nodeId, text: 'items', kind: 'cel' as const, whole: true, ...(runId === undefined ? {} : { runId }), ...(pinFile === undefined ? {} : { pins: pinFile }) }), [nodeId, runId, pinFile, document.edges]); // eslint-disable-line react/exhaustive-deps
  const { data } = useCommand('expression_preview', asked, { enabled: empty && wired && pinned === null, staleTime: 0 });
  return useMemo<StepDataState>(() => {
    const values = (source: 'arrives' | 'arrivesPinned', of: string, items: readonly unknown[], count?: number): StepDataState => ({
      kind: 'data', values: { source, runId: of, startedAt: '', input: items.map((one, item) => ({ item, data: one })), output: {}, ...(count === undefined ? {} : { counts: { input: count, output: {} } }), config: undefined, running: false },
    });
    if (!empty && !(state.kind === 'data' && state.values.source === 'last')) return state;
    if (pinned) {
      const arriving = values('arrivesPinned', '', pinned);
      return state.kind === 'data' && arriving.kind === 'data' ? { kind: 'data', values: { ...state.values, source: 'arrivesPinned', input: arriving.values.input } } : arriving;
    }
    if (empty && data?.state === 'value' && Array.isArray(data.value) && data.value.length > 0) return values(data.pinned === true ? 'arrivesPinned' : 'arrives', data.runId, data.value, data.itemCount);
    return state;
  }, [empty, state, pinned, data]);
}

/** Whether a step shows what it will get, and not what the run on the screen gave it: then pinned outputs of earlier steps count. */
export const showsNext = (state: StepDataState): boolean => state.kind !== 'data' || state.values.source === 'last' || state.values.source.startsWith('arrives');

/** Data of the run on the screen, else of the last run that called the step. */
export function useStepData(workflowId: string, nodeId: string, run: RunView | null | undefined, at?: string): StepDataState {
  const live = run != null && run.lastSeq > 0;
  const stored = useCommand('run_step_data', { workflowId, nodeId }, { enabled: !live });
  const version = run?.version ?? 0;
  const stopped = live && run.stopped !== null && run.moment === undefined && !run.callsOf.has(nodeId);
  // Of a run that is loaded in part the host knows the last call; what is chosen of its iterations is read with them (`useRounds`).
  const missing = live && run.moment === undefined && run.choice === undefined && (run.nodes[nodeId]?.unloaded ?? 0) > 0 && !run.callsOf.has(nodeId);
  const last = useCommand('run_step_data', { workflowId, nodeId, runId: run?.runId ?? '' }, { enabled: missing });
  const waiting = useCommand('run_debug', { runId: run?.runId ?? '' }, { enabled: stopped, staleTime: 0, gcTime: 0 }).data?.waiting.find((one) => one.stepId === nodeId);
  return useMemo<StepDataState>(() => {
    if (live && run) {
      const values = valuesOfCards(run, nodeId, at);
      if (values) return { kind: 'data', values };
      if (stopped && waiting) return { kind: 'data', values: { source: 'waiting', runId: run.runId, startedAt: '', path: waiting.path, input: [{ item: waiting.item ?? 0, data: waiting.input }], output: {}, config: undefined, running: false } };
      if (missing && last.data) return { kind: 'data', values: { source: 'live', running: false, ...last.data, error: readError(last.data.error) } };
      if (missing && last.error) return { kind: 'failed', error: last.error };
      if (missing && last.data === undefined) return { kind: 'loading' };
      const unloaded = run.nodes[nodeId]?.unloaded ?? 0;
      if (unloaded > 0) return { kind: 'not_loaded', ...(run.choice ? {} : { calls: unloaded }) };
      if (run.nodes[nodeId]?.state !== 'kept') return { kind: 'not_called', yet: run.behind === true || !isTerminal(run.status), reading: run.behind };
      const kept = valuesKept(run, nodeId);
      if (kept) return { kind: 'data', values: kept };
      return run.parentRunId === undefined ? { kind: 'not_called', yet: false } : { kind: 'kept', runId: run.parentRunId };
    }
    if (stored.error) return { kind: 'failed', error: stored.error };
    if (stored.data === undefined) return { kind: 'loading' };
    if (stored.data === null) return { kind: 'none' };
    return { kind: 'data', values: { source: 'last', running: false, ...stored.data, error: readError(stored.data.error) } };
    // The cards of a run change in place: its version says when.
  }, [live, run, version, nodeId, at, stopped, waiting, missing, last.data, last.error, stored.error, stored.data]); // eslint-disable-line react/exhaustive-deps
}
