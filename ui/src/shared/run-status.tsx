/** How a run's status is shown, in every list and bar. */
import type { RunRow, RunStatus } from '../api/types.ts';
import { t, tn } from '../i18n/index.ts';
import { Badge, SignalIcon, type Signal } from '../kit/index.ts';

const SIGNAL: { [S in RunStatus]: Signal } = {
  created: 'wait', queued: 'wait', running: 'run', paused: 'wait', completed: 'ok', failed: 'err', cancelled: 'stop',
};

export function statusText(status: RunStatus): string {
  return t(`status.${status}`);
}
/** What tells how a run stands: with tasks that are open it waits for a person, not for time. */
export type RunState = Pick<RunRow, 'status' | 'openTaskCount'> & { place?: number | undefined };
const asking = ({ status, openTaskCount = 0 }: RunState): number => (status === 'paused' ? openTaskCount : 0);
const signalOf = (run: RunState): Signal => (run.place !== undefined ? 'wait' : asking(run) > 0 ? 'person' : SIGNAL[run.status]);

export function stateText(run: RunState): string {
  const n = asking(run);
  if (run.place !== undefined) return t(run.status === 'queued' ? 'status.queuedAt' : 'status.waitsForWorker', { n: run.place });
  return n > 0 ? tn('status.asks', n) : statusText(run.status);
}
export function StatusBadge(run: RunState) {
  return <Badge signal={signalOf(run)}>{stateText(run)}</Badge>;
}
export function StatusIcon(run: RunState) {
  return <SignalIcon signal={signalOf(run)} />;
}
/** What went wrong in plain words, where the row knows it. The row has only the id of the step, which says less. */
export function outcomeText(run: RunRow): string {
  return run.status === 'failed' && run.errorMessage ? run.errorMessage : stateText(run);
}
/** Runs are named by the end of their id: the start is the time, alike for all of a day. */
export function shortRunId(runId: string): string {
  return runId.replace(/-/g, '').slice(-6);
}
