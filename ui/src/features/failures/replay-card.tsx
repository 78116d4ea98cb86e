/** One replay: how far it is, and what can be done about it. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { formatAgo, formatNumber, formatPerson, t } from '../../i18n/index.ts';
import { Banner, Button, ConfirmDialog, VirtualList } from '../../kit/index.ts';
import { shortRunId } from '../../shared/run-status.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { plain } from '../../text/letters.ts';

export type Replay = Commands['replay_get']['response'];

const COUNTS = ['waiting', 'completed', 'running', 'paused', 'failed', 'cancelled', 'skipped', 'refused', 'removed'] as const;

export function ReplayCard({ replay, onOpenRun }: { replay: Replay; onOpenRun(runId: string): void }) {
  const may = usePermission();
  const { busy, run } = useAsyncAction();
  const [stopping, setStopping] = useState(false);
  const [details, setDetails] = useState(false);
  const id = { replay: replay.replay };
  const open = replay.status === 'running' || replay.status === 'paused';
  const all = replay.waiting + replay.started + replay.skipped + replay.refused + replay.removed;
  const share = (n: number) => ({ width: `${String(all === 0 ? 0 : (n / all) * 100)}%` });
  const stop = async () => {
    if (await run(() => act('replay_stop', { ...id, cancelRuns: true }))) setStopping(false);
  };
  return (
    <article className="fl-card" aria-label={`${t(`failures.status.${replay.status}`)} ${formatAgo(replay.startedAt)}`}>
      <div className="fl-row">
        <b>{t(`failures.status.${replay.status}`)}</b>
        <span className="s t2" role="status">{t('failures.progress', { done: formatNumber(all - replay.waiting - replay.removed), all: formatNumber(all) })}</span>
        <span className="grow" />
        {open && may('replay_pause') ? (
          <>
            {replay.status === 'running'
              ? <Button small icon="pause" disabled={busy} onClick={() => void run(() => act('replay_pause', id))}>{t('failures.pause')}</Button>
              : <Button small icon="play" disabled={busy} onClick={() => void run(() => act('replay_resume', id))}>{t('failures.resume')}</Button>}
            <Button small icon="back" disabled={busy} onClick={() => void run(() => act('replay_undo', id))}>{t('failures.undo')}</Button>
            <Button small variant="danger" icon="x" disabled={busy} onClick={() => setStopping(true)}>{t('failures.stop')}</Button>
          </>
        ) : null}
      </div>
      <div className="fl-bars" aria-hidden="true">
        <i className="ok" style={share(replay.completed)} /><i style={share(replay.started - replay.completed - replay.failed)} /><i className="err" style={share(replay.failed)} />
      </div>
      <div className="fl-row s t2">{COUNTS.filter((name) => replay[name] > 0).map((name) => <span key={name}>{t(`failures.n.${name}`, { n: formatNumber(replay[name]) })}</span>)}</div>
      <span className="s t3 fl-message">{t('failures.by', { person: formatPerson(replay.by), time: formatAgo(replay.startedAt), reason: plain(replay.reason) })}</span>
      {replay.problem ? <Banner signal="warn" title={plain(replay.problem)} /> : null}
      {replay.skipped + replay.refused > 0 ? <Button small variant="ghost" icon="rows" aria-expanded={details} onClick={() => setDetails(!details)}>{t('failures.details')}</Button> : null}
      {details ? <Left replay={replay.replay} onOpenRun={onOpenRun} /> : null}
      <ConfirmDialog open={stopping} danger busy={busy} title={t('failures.stopTitle')} text={t('failures.stopText')} confirm={t('failures.stopYes')} cancel={t('common.cancel')} late={t('common.noAnswer')}
        onConfirm={() => void stop()} onClose={() => setStopping(false)} />
    </article>
  );
}

/** What did not begin, and why. */
function Left({ replay, onOpenRun }: { replay: string; onOpenRun(runId: string): void }) {
  const refused = useCommand('replay_items', { replay, state: 'refused', limit: 500 });
  const skipped = useCommand('replay_items', { replay, state: 'skipped', limit: 500 });
  const items = [...(refused.data?.items ?? []), ...(skipped.data?.items ?? [])];
  return (
    <div className="fl-rows">
      <VirtualList clickOpens label={t('failures.detailsList')} items={items} rowHeight={28} keyOf={(item) => String(item.failure)} onOpen={(index) => { const item = items[index]; if (item) onOpenRun(item.runId); }}
        row={(item) => <div className="fl-line fit"><span className="mono t2">{shortRunId(item.runId)}</span><span /><span className="ell" title={plain(item.why ?? '')}>{plain(item.why ?? '')}</span></div>} />
    </div>
  );
}
