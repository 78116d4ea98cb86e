/** How long the audit chain keeps its records: the choice, what went so far, and what keeps records from going. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { shortRunId } from '../../shared/run-status.tsx';
import { attempt, useAsyncAction } from '../../shared/use-async-action.ts';
import { Section } from '../../shared/settings-section.tsx';
import { formatDateTime, formatNumber, t, tn } from '../../i18n/index.ts';
import { Button, ConfirmDialog, Icon, Select, toast } from '../../kit/index.ts';
import { navigate } from '../router.ts';

const DAYS = [30, 90, 365, 3_650] as const;
const FOREVER = '';

export function RetentionSection() {
  const found = useCommand('audit_retention', {});
  const mayChange = usePermission()('audit_retention_set');
  const { busy, run } = useAsyncAction();
  /** A shorter time is asked about first: what goes does not come back. */
  const [asked, setAsked] = useState<number | 'now' | null>(null);
  const policy = found.data;
  if (!policy) return null;
  const days = policy.keepDays;
  const choices = [...new Set([...DAYS, ...(days === undefined ? [] : [days])])].sort((a, b) => a - b);
  const set = (keepDays: number | undefined) => run(() => act('audit_retention_set', keepDays === undefined ? {} : { keepDays }), t('retention.set'));
  const remove = () => run(async () => {
    const done = await act('audit_retention_now', {});
    toast({ signal: 'ok', text: done.removed ? tn('retention.done', done.removed) : t('retention.nothing'), ...(done.record === undefined ? {} : { detail: t('retention.stands', { seq: done.record }) }) });
  });
  async function confirm() {
    if (asked === 'now') await remove();
    else if (asked !== null) await set(asked);
    setAsked(null);
  }
  return (
    <Section id="retention" title={t('retention.title')} hint={t('retention.hint')}>
      <div className="box">
        <div className="line">
          <Icon name="chain" className="t2" />
          <div className="grow col">
            <span>{t('retention.keep')}</span>
            <span className="s t3">{policy.record === undefined || policy.at === undefined ? t('retention.none') : t('retention.gone', { n: formatNumber(policy.removed), at: formatDateTime(policy.at) })}</span>
          </div>
          {policy.record === undefined ? null : <Button small variant="ghost" onClick={() => navigate({ screen: 'audit', seq: policy.record })}>{t('retention.record', { seq: policy.record })}</Button>}
          <span className="set-choice"><Select label={t('retention.keep')} value={days === undefined ? FOREVER : String(days)} disabled={busy || !mayChange} onChange={(next) => { if (next === FOREVER) void set(undefined); else setAsked(Number(next)); }}
            options={[{ value: FOREVER, label: t('retention.forever') }, ...choices.map((n) => ({ value: String(n), label: n % 365 === 0 ? tn('retention.years', n / 365) : tn('retention.days', n) }))]} /></span>
        </div>
        {policy.held && days !== undefined ? (
          <div className="line"><Icon name="person" className="c-wait" /><span className="s t2 grow">{t('retention.held', { id: shortRunId(policy.held.runId) })}</span><Button small variant="ghost" onClick={() => navigate({ screen: 'run', runId: policy.held?.runId ?? '' })}>{t('audit.openRun')}</Button></div>
        ) : null}
      </div>
      {days === undefined || !mayChange ? null : <div className="row wrap"><Button icon="x" busy={busy} onClick={() => setAsked('now')}>{t('retention.now')}</Button></div>}
      {asked === null ? null : (
        <ConfirmDialog open danger busy={busy} title={t('retention.ask', { days: asked === 'now' ? days ?? 0 : asked })} text={t('retention.askText')} confirm={t(asked === 'now' ? 'retention.now' : 'retention.use')} cancel={t('common.cancel')} late={t('common.noAnswer')}
          onConfirm={() => void attempt(confirm)} onClose={() => setAsked(null)} />
      )}
    </Section>
  );
}
