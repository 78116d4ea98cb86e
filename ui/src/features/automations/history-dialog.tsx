/** When a trigger fires next, and what came of it before. */
import './automations.css';
import '../../shared/schedule/schedule.css';
import { useCommand } from '../../api/queries.ts';
import type { Firing, Trigger } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { formatDateTime, t, tn } from '../../i18n/index.ts';
import { Button, Dialog, Skeleton } from '../../kit/index.ts';
import { Fault } from '../../shared/form-error.tsx';
import { StatusBadge } from '../../shared/run-status.tsx';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { isAtLimit, whenText } from './automations.tsx';
import { localText } from '../../shared/schedule/use-schedule-preview.ts';

export function HistoryDialog({ trigger, onOpenRun, onClose }: { trigger: Trigger; onOpenRun(runId: string): void; onClose(): void }) {
  const { data, error } = useCommand('trigger_get', { triggerId: trigger.triggerId }, { refetchInterval: 3_000 });
  const firings = data?.firings;
  // A row of the list has room for its beginning only.
  const { problem } = data ?? trigger;
  return (
    <Dialog open onClose={onClose} width={560} title={t('automations.historyTitle', { name: plain(trigger.workflowName) })} closeLabel={t('common.close')} footer={<Button onClick={onClose}>{t('common.close')}</Button>}>
      {problem === undefined ? null : <p className={isAtLimit(data ?? trigger) ? 't2' : 'c-err'}><SafeText text={problem} /></p>}
      <div className="schedule-next">
        <b>{whenText(trigger)}</b>
        <span className="s t3">{t('schedule.next')}</span>
        {(data ?? trigger).next.length > 0 ? <ol className="s t2">{(data ?? trigger).next.map((one) => <li key={one.utc}>{localText(one.local)}</li>)}</ol> : <span className="s t2">{t(trigger.kind === 'trigger.schedule' ? 'schedule.never' : 'automations.onEvent')}</span>}
      </div>
      {error ? <Fault error={error} /> : firings === undefined ? <Skeleton rows={3} /> : firings.length === 0 ? <p className="t2">{t('automations.historyNone')}</p> : (
        <table className="am-history">
          <thead><tr><th scope="col">{t('automations.historyDue')}</th><th scope="col">{t('automations.historyResult')}</th><th /></tr></thead>
          <tbody>{firings.map((one) => <Row key={`${one.scheduledAt} ${one.firedAt}`} firing={one} onOpenRun={onOpenRun} />)}</tbody>
        </table>
      )}
    </Dialog>
  );
}

function Row({ firing, onOpenRun }: { firing: Firing; onOpenRun(runId: string): void }) {
  const { runId, count } = firing;
  return (
    <tr>
      <td>{formatDateTime(firing.scheduledAt)}</td>
      <td>{firing.outcome === 'skipped' ? (firing.reason === 'UIDVALIDITY_CHANGED' ? t('automations.renumbered') : firing.reason === 'RUN_LIMIT' || firing.reason === 'QUEUE_FULL' || firing.reason === 'QUOTA_REACHED' ? t('automations.limit') : tn('automations.missed', count)) : firing.runStatus ? <StatusBadge status={firing.runStatus} /> : t('automations.fired')}</td>
      <td>{runId === undefined ? null : <Button small variant="ghost" onClick={() => onOpenRun(runId)}>{t('runs.open')}</Button>}</td>
    </tr>
  );
}
