/** The data folder: how much room it takes and whether it is sound, and old runs, which are shown before they are deleted. */
import { useState } from 'react';
import { act, invalidate, queryClient, useCommand, usePermission } from '../../api/queries.ts';
import { call } from '../../api/client.ts';
import type { Commands } from '../../api/types.ts';
import { formatBytes, formatCount, formatDateTime, t, tn } from '../../i18n/index.ts';
import { Button, ConfirmDialog, Icon, TextInput } from '../../kit/index.ts';
import { NotRead, Section } from '../../shared/settings-section.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';

type Report = Commands['data_check']['response'];
type Finding = Report['findings'][number];
type Pruned = Commands['run_prune']['response'];
type Rules = Commands['run_prune']['request'];

const LOOK: Record<Finding['state'], { icon: 'errd' | 'check'; tone: string }> = {
  found: { icon: 'errd', tone: 'c-err' }, repairable: { icon: 'errd', tone: 'c-wait' }, repaired: { icon: 'check', tone: 'c-ok' },
};

export function DataSection() {
  const size = useCommand('data_size', {});
  const mayCheck = usePermission()('data_check');
  const { busy, run } = useAsyncAction();
  const [report, setReport] = useState<Report | null>(null);
  const check = (repair: boolean) => run(async () => { setReport(await act('data_check', { repair })); });
  const now = size.data;
  const repairable = report?.findings.some((finding) => finding.state === 'repairable') ?? false;
  return (
    <Section id="data" title={t('data.title')} hint={t('data.hint')}>
      {now ? (
        <div className="box">
          <div className="line">
            <Icon name="folder" className="t2" />
            <div className="grow col"><span>{t('data.sizes', { store: formatBytes(now.storeBytes), other: formatBytes(now.otherBytes) })}</span><span className="s t3">{now.folder}{now.freeBytes > 0 ? ` · ${t('data.free', { size: formatBytes(now.freeBytes) })}` : ''}</span></div>
            {mayCheck ? <Button small busy={busy} onClick={() => void check(false)}>{t('data.check')}</Button> : null}
          </div>
          {report ? (
            <div className="line" role="status">
              <Icon name={report.findings.length === 0 ? 'check' : 'errd'} className={report.findings.length === 0 ? 'c-ok' : 'c-wait'} />
              <span className="grow">{report.findings.length === 0 ? t('data.sound') : tn('data.found', report.findings.length)} <span className="s t3">{t('data.read', { runs: formatCount(report.runs), entries: formatCount(report.auditEntries), workflows: formatCount(report.workflows) })}</span></span>
              {repairable && mayCheck ? <Button small busy={busy} onClick={() => void check(true)}>{t('data.repair')}</Button> : null}
            </div>
          ) : null}
          {report?.findings.map((finding) => (
            <div className="line" key={`${finding.area} ${finding.message}`}>
              <Icon name={LOOK[finding.state].icon} className={LOOK[finding.state].tone} />
              <div className="grow col"><span>{finding.message}</span><span className="s t3">{finding.hint}</span></div>
              <span className="s t2">{t(`data.state.${finding.state}`)}</span>
            </div>
          ))}
        </div>
      ) : <NotRead error={size.error} retry={size.refetch} />}
    </Section>
  );
}

/** A whole number, nothing for an empty field, `null` for anything else. */
function whole(text: string): number | undefined | null {
  if (text.trim() === '') return undefined;
  return /^\d{1,9}$/.test(text.trim()) ? Number(text.trim()) : null;
}

const FIELDS = ['olderThanDays', 'keep', 'mostMegabytes'] as const;

export function OldRunsSection() {
  const may = usePermission();
  const { busy, run } = useAsyncAction();
  const [typed, setTyped] = useState<Record<(typeof FIELDS)[number], string>>({ olderThanDays: '', keep: '', mostMegabytes: '' });
  /** What the rules in the fields delete; gone as soon as they change. */
  const [preview, setPreview] = useState<{ rules: Rules; of: Pruned } | null>(null);
  const [asked, setAsked] = useState(false);
  if (!may('run_prune')) return null;
  const numbers = FIELDS.map((field) => whole(typed[field]));
  const isReady = numbers.some((number) => typeof number === 'number') && !numbers.includes(null);
  const rules = Object.fromEntries(FIELDS.flatMap((field, index) => (typeof numbers[index] === 'number' ? [[field, numbers[index]]] : []))) as Rules;
  const look = () => run(async () => {
    const of = await call('run_prune_preview', rules);
    setPreview({ rules, of });
  });
  async function remove() {
    const chosen = preview?.rules;
    if (!chosen) return;
    await run(() => act('run_prune', chosen), (done) => tn('prune.done', done.count));
    setAsked(false);
    setPreview(null);
    await invalidate('data_size');
    await queryClient.invalidateQueries({ queryKey: ['run_list'] });
  }
  const of = preview?.of;
  return (
    <Section id="old-runs" title={t('prune.title')} hint={t('prune.hint')}>
      <form className="box" onSubmit={(event) => { event.preventDefault(); if (isReady) void look(); }}>
        {FIELDS.map((field, index) => (
          <label className="line" key={field}>
            <span className="grow">{t(`prune.${field}`)}</span>
            <TextInput className="set-choice" inputMode="numeric" value={typed[field]} invalid={numbers[index] === null} aria-label={t(`prune.${field}`)} onChange={(text) => { setTyped({ ...typed, [field]: text }); setPreview(null); }} />
          </label>
        ))}
        <div className="line">
          <span className="grow s t3" role="status">{of === undefined ? t('prune.rules') : of.count === 0 ? t('prune.none', { n: formatCount(of.ended) }) : t('prune.goes', { n: formatCount(of.count), ended: formatCount(of.ended), size: formatBytes(of.bytes) })}</span>
          <Button small busy={busy} disabled={!isReady} type="submit">{t('prune.preview')}</Button>
          {of && of.count > 0 ? <Button small variant="danger" busy={busy} onClick={() => setAsked(true)}>{tn('prune.delete', of.count)}</Button> : null}
        </div>
        {of?.oldest.map((one) => (
          <div className="line" key={one.runId}><span className="grow">{one.workflowName}</span><span className="s t3">{formatDateTime(one.endedAt)}</span><span className="s t2">{formatBytes(one.bytes)}</span></div>
        ))}
        {of && of.count > of.oldest.length ? <div className="line"><span className="s t3">{tn('prune.more', of.count - of.oldest.length)}</span></div> : null}
      </form>
      {asked && of ? (
        <ConfirmDialog open danger busy={busy} title={tn('prune.ask', of.count)} text={t('prune.askText')} confirm={tn('prune.delete', of.count)} cancel={t('common.cancel')} late={t('common.noAnswer')} onConfirm={() => void remove()} onClose={() => setAsked(false)} />
      ) : null}
    </Section>
  );
}
