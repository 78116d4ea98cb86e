import type { ReactNode } from 'react';
import { isPartial } from '../../run/event-gap.ts';
import { CONTAINERS } from '../../run/run-paths.ts';
import type { NodeRun, RunView } from '../../run/run-state.ts';
import { failedCall } from '../../run/run-location.ts';
import { tally } from '../../api/diagnostics.ts';
import type { Diagnostic } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { useShownNow } from '../../kit/use-now.ts';
import { useFieldFaults } from '../../schema-form/index.ts';
import { shortRunId, StatusBadge } from '../../shared/run-status.tsx';
import { formatDuration, formatNumber, t, tn } from '../../i18n/index.ts';
import { Icon, Kbd, keysOf, SignalIcon, useAllActions } from '../../kit/index.ts';

/** One line that says what happens now. */
export function nowText(view: RunView): string {
  const name = (node: NodeRun) => node.title ?? node.id;
  if (view.status === 'completed') return t('statusbar.completed', { time: formatDuration(view.durationMs) });
  if (view.status === 'cancelled') return t('statusbar.cancelled', { time: formatDuration(view.durationMs) });
  if (view.status === 'failed') {
    const step = view.failedStepId ? view.nodes[view.failedStepId] : undefined;
    return t('statusbar.failed', { step: failedCall(view)?.title ?? (step ? name(step) : (view.failedStepId ?? '')), message: plain(view.error?.message ?? '') });
  }
  // What a frame does is what the steps in it do.
  const nodes = Object.values(view.nodes).filter((node) => !CONTAINERS.has(node.kind ?? ''));
  const running = nodes.filter((node) => node.state === 'running');
  if (running.length > 1) return tn('statusbar.runningMany', running.length);
  if (running[0]) return t('statusbar.running', { name: name(running[0]) });
  const retrying = nodes.find((node) => node.state === 'retrying');
  if (retrying) return t('statusbar.retrying', { name: name(retrying) });
  const waiting = nodes.find((node) => node.state === 'waiting');
  if (waiting) return t('statusbar.waiting', { name: name(waiting) });
  return '';
}

/** Milliseconds of a run that still goes on, once a second. */
export function useElapsed(view: RunView | null): number {
  const running = view !== null && view.moment === undefined && view.status !== 'completed' && view.status !== 'failed' && view.status !== 'cancelled';
  const now = useShownNow(running);
  if (!view) return 0;
  return running && view.startedMs !== undefined ? Math.max(view.durationMs, now - view.startedMs) : view.durationMs;
}

export function StatusBar({ view, loading = false, reading, logOpen, onToggleLog, diagnostics, onProblems, problemsOpen, extra }: {
  view: RunView | null; /** The run is there, its events are not yet. */ loading?: boolean; /** So many events of the run are read. */ reading?: { at: number; of: number } | undefined; logOpen: boolean; onToggleLog(): void; diagnostics: Diagnostic[] | null; onProblems(): void; problemsOpen: boolean; extra?: ReactNode;
}) {
  const elapsed = useElapsed(view);
  const fields = useFieldFaults();
  const toggle = useAllActions().find((action) => action.id === 'view.log');
  const keys = toggle ? keysOf(toggle)[0] : undefined;
  const { faults, warnings, todos, empty } = tally(diagnostics ?? []);
  return (
    <footer className="wb-status">
      <button type="button" className="plain" aria-expanded={logOpen} onClick={onToggleLog}>
        <Icon name={logOpen ? 'down' : 'up'} size={12} /><b>{t('builder.log')}</b>
      </button>
      {loading ? <span className="grow row" aria-busy="true" aria-label={t('run.loading')}><span className="sk" style={{ width: 72 }} /><span className="sk" style={{ width: 160 }} /></span> : view && reading ? (
        <>
          <span title={view.runId}>{t('run.title', { id: shortRunId(view.runId) })}</span>
          <span className="vr" />
          <span className="grow row gap1" aria-busy="true"><SignalIcon signal="run" /><span className="ell">{t('statusbar.reading', { n: formatNumber(reading.at), of: formatNumber(reading.of) })}</span>
            <progress className="wb-reading" aria-label={t('run.loading')} max={reading.of} value={reading.at} /></span>
        </>
      ) : view ? (
        <>
          <StatusBadge status={view.status} openTaskCount={view.tasks.length} />
          <span title={view.runId}>{t('run.title', { id: shortRunId(view.runId) })}</span>
          <span>{isPartial(view) ? t('gap.calls', { n: formatNumber(view.calls.length) }) : tn('statusbar.steps', view.calls.length)}, {formatDuration(elapsed)}</span>
          {nowText(view) === '' ? null : <span className="vr" />}
          <span className="grow ell" role="status" title={nowText(view)}>{nowText(view)}</span>
        </>
      ) : <span className="grow t3">{t('statusbar.ready')}</span>}
      {extra}
      {diagnostics ? (
        <button type="button" className="plain" aria-expanded={problemsOpen} onClick={onProblems}>
          {faults + warnings > 0 ? <><SignalIcon signal={faults ? 'err' : 'warn'} />{tn('builder.problems', faults + warnings)}</> : null}
          {todos > 0 ? <><Icon name="pencil" size={12} />{tn('todo.count', todos)}</> : null}
          {fields > 0 ? <><SignalIcon signal="warn" />{tn('builder.fields', fields)}</> : null}
          {diagnostics.length === 0 && fields > 0 ? null : diagnostics.length === 0 ? <><Icon name="check" size={12} />{t('builder.noProblems')}</> : faults + warnings + todos === 0 && empty ? t('todo.nothing') : null}
        </button>
      ) : null}
      {keys ? <span className="row gap1"><Kbd keys={keys} />{logOpen ? t('statusbar.close') : t('statusbar.open')}</span> : null}
    </footer>
  );
}
