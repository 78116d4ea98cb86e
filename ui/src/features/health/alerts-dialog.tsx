/** Alerts about the health of workflows: conditions over its numbers, set by people who build. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { errorText, toApiError, type ApiError } from '../../api/error.ts';
import type { HealthAlert } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatNumber, t } from '../../i18n/index.ts';
import { Button, Dialog, Field, IconButton, Select, SignalIcon, TextInput } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';

const NEW: HealthAlert = { id: '', name: '', expression: 'errorRate > 0.1 && runs >= 20', days: 7 };

export function AlertsDialog({ workflows, workflow, onClose }: {
  workflows: readonly { id: string; name: string }[];
  /** The one that is looked at: a new alert is about it. */
  workflow: string | undefined;
  onClose(): void;
}) {
  const { data } = useCommand('health_alerts', {});
  const may = usePermission()('health_alert_put');
  const [edited, setEdited] = useState<HealthAlert | null>(null);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<ApiError | null>(null);
  const doing = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setFailed(null);
    try {
      await work();
      setEdited(null);
    } catch (cause) {
      setFailed(toApiError(cause));
    }
    setBusy(false);
  };
  const nameOf = (id: string | undefined | null) => (id ? workflows.find((one) => one.id === id)?.name ?? id : t('health.alertEvery'));
  const raised = new Set(data?.raised.map((one) => one.alertId));
  const change = (part: Partial<HealthAlert>) => setEdited((old) => (old ? { ...old, ...part } : old));
  const { workflowId, ...every } = edited ?? NEW;
  return (
    <Dialog open onClose={onClose} title={t('health.alerts')} closeLabel={t('common.close')} width={640} footer={<Button onClick={onClose} keys="Escape">{t('common.close')}</Button>}>
      <div className="hl-alerts">
        <span className="s t2">{t('health.alertsText')}</span>
        {data?.alerts.length === 0 ? <span>{t('health.alertsNone')}</span> : (
          <ul>
            {data?.alerts.map(({ id = '', ...one }) => (
              <li key={id}>
                <SignalIcon signal={raised.has(id) ? 'err' : 'idle'} />
                <span className="grow col"><b><Pieces text={one.name} /></b><code className="s t2"><Pieces text={one.expression} /></code><span className="s t3">{nameOf(one.workflowId)}, {t('health.days', { n: formatNumber(one.days) })}</span></span>
                {may ? <><IconButton small icon="pencil" label={t('health.alertEdit', { name: plain(one.name) })} onClick={() => setEdited({ id, ...one })} />
                  <IconButton small icon="x" label={t('health.alertRemove', { name: plain(one.name) })} disabled={busy} onClick={() => void doing(() => act('health_alert_remove', { id }))} /></> : null}
              </li>
            ))}
          </ul>
        )}
        {edited === null ? (may ? <span><Button small icon="plus" onClick={() => setEdited({ ...NEW, name: t('health.alertFirst'), ...(workflow === undefined ? {} : { workflowId: workflow }) })}>{t('health.alertAdd')}</Button></span> : null) : (
          <form className="hl-form" onSubmit={(event) => { event.preventDefault(); void doing(() => act('health_alert_put', edited)); }}>
            <Field label={t('health.alertName')}>{({ id }) => <TextInput id={id} value={edited.name} maxLength={100} onChange={(name) => change({ name })} />}</Field>
            <Field label={t('health.alertWhen')} hint={t('health.alertWhenHint')} error={failed ? errorText(failed) : undefined}>
              {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} mono value={edited.expression} onChange={(expression) => change({ expression })} />}
            </Field>
            <Field label={t('health.alertDays')}>{({ id }) => <TextInput id={id} inputMode="numeric" value={edited.days === 0 ? '' : String(edited.days)} onChange={(text) => change({ days: Number(text.replace(/\D/g, '').slice(0, 3)) })} />}</Field>
            <Field label={t('health.alertOf')}>
              {({ id }) => <Select id={id} label={t('health.alertOf')} value={workflowId ?? ''} onChange={(next) => setEdited(next === '' ? every : { ...every, workflowId: next })}
                options={[{ value: '', label: t('health.alertEvery') }, ...workflows.map((one) => ({ value: one.id, label: one.name }))]} />}
            </Field>
            <span className="row gap1"><Button type="submit" variant="primary" busy={busy} disabled={edited.name.trim() === '' || edited.expression.trim() === '' || edited.days === 0}>{t('health.alertSave')}</Button><Button onClick={() => { setEdited(null); setFailed(null); }}>{t('common.cancel')}</Button></span>
          </form>
        )}
      </div>
    </Dialog>
  );
}
