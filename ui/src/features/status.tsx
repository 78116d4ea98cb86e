/** How a run's status is shown, in every list and bar. */
import type { RunRow, RunStatus } from '../api/types.ts';
import { t } from '../i18n/index.ts';
import { Badge, SignalIcon, type Signal } from '../kit/index.ts';

const SIGNAL: { [S in RunStatus]: Signal } = {
  created: 'wait', running: 'run', paused: 'wait', completed: 'ok', failed: 'err', cancelled: 'stop',
};

export function statusText(status: RunStatus): string {
  return t(`status.${status}`);
}
export function StatusBadge({ status }: { status: RunStatus }) {
  return <Badge signal={SIGNAL[status]}>{statusText(status)}</Badge>;
}
export function StatusIcon({ status }: { status: RunStatus }) {
  return <SignalIcon signal={SIGNAL[status]} />;
}
/** What went wrong in plain words, where the row knows it. The row has only the id of the step, which says less. */
export function outcomeText(run: RunRow): string {
  return run.status === 'failed' && run.errorMessage ? run.errorMessage : statusText(run.status);
}
/** Runs are named by the end of their id: the start is the time, alike for all of a day. */
export function shortRunId(runId: string): string {
  return runId.replace(/-/g, '').slice(-6);
}
