// The closed log: 32 px with the outcome of the run.

import { isTerminal, type RunView } from '../../api/run-state.ts';
import { formatDuration, formatTime, t, tn } from '../../i18n/index.ts';
import { Badge, Icon, Kbd } from '../../kit/index.ts';
import { useNow } from './use-now.ts';
import { RUN_SIGNAL, eventText, shortRun } from './words.ts';

export function RunFacts({ view }: { view: RunView }) {
  const live = !isTerminal(view.status) && view.startedMs !== undefined;
  const now = useNow(live);
  const time = formatDuration(live && view.startedMs !== undefined ? Math.max(0, now - view.startedMs) : view.durationMs);
  const steps = Object.values(view.nodes).filter((node) => node.calls > 0).length;
  return (
    <>
      <Badge signal={RUN_SIGNAL[view.status]}>{t(`log.status.${view.status}`)}</Badge>
      <span className="nw" title={view.runId}>{t('log.run', { id: shortRun(view.runId) })}</span>
      <span className="nw">{tn('log.steps', steps, { time })}</span>
    </>
  );
}

export function Problems({ count, onOpen }: { count: number; onOpen: (() => void) | undefined }) {
  const words = (
    <>
      <Icon name={count === 0 ? 'check' : 'warn'} size={12} className={count === 0 ? '' : 'c-err'} />
      {count === 0 ? t('log.noProblems') : tn('log.problems', count)}
    </>
  );
  if (!onOpen || count === 0) return <span className="row gap1 nw">{words}</span>;
  return <button type="button" className="log-link row gap1 nw" onClick={onOpen}>{words}</button>;
}

export function LogLine({ view, problems, onProblems, onOpen }: { view: RunView | null; problems: number; onProblems?: (() => void) | undefined; onOpen: () => void }) {
  const last = view?.events.at(-1);
  return (
    <footer className="logline">
      <button type="button" className="log-open row" aria-expanded={false} aria-label={t('log.openLog')} onClick={onOpen}>
        <Icon name="up" size={12} /><b>{t('log.title')}</b>
      </button>
      {view && view.lastSeq > 0 ? (
        <>
          <RunFacts view={view} />
          <span className="vr" />
          <span className="ell" role="status">{last ? `${formatTime(last.ts)} ${eventText(last, view)}` : ''}</span>
        </>
      ) : (
        <span className="t3">{view && view.runId !== '' ? t('log.starting') : t('log.noRun')}</span>
      )}
      <span className="end row nw">
        <Problems count={problems} onOpen={onProblems} />
        <span className="vr" />
        <button type="button" className="log-link row gap1" onClick={onOpen}><Kbd keys="Mod+J" />{t('log.open')}</button>
      </span>
    </footer>
  );
}
