// What the tasks of a time say together, and the rules that decisions suggest (D2.14). A quiet view: nothing here is urgent.

import { useMemo, useState } from 'react';
import { useCommand } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { formatDuration, formatNumber, t, tn } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Icon, Segmented, Skeleton } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { doneText, whoText } from './words.ts';
import './stats.css';

export type Stats = Commands['task_stats']['response'];
export type Cause = Stats['causes'][number];

const DAYS = ['7', '30', '90'] as const;
const DAY_MS = 86_400_000;
/** All rows of the time are gone through: not at each change that is told. */
const POLL_MS = 30_000;
const took = (ms: number | undefined) => (ms === undefined ? '' : formatDuration(ms));

export function StatsView({ mayAuthor, onSuggest, onCause }: { mayAuthor: boolean; onSuggest(cause: Cause): void; onCause(fingerprint: string): void }) {
  const [days, setDays] = useState<(typeof DAYS)[number]>('30');
  const [now] = useState(() => Date.now());
  const since = useMemo(() => new Date(now - Number(days) * DAY_MS).toISOString(), [now, days]);
  const found = useCommand('task_stats', { since }, { placeholderData: (old) => old, refetchInterval: POLL_MS });
  const stats = found.data;
  return (
    <div className="ib-stats" role="region" aria-label={t('inbox.stats')}>
      <div className="row">
        <Segmented<(typeof DAYS)[number]> small label={t('inbox.stats.period')} value={days} onChange={setDays} options={DAYS.map((value) => ({ value, label: t('inbox.stats.days', { n: value }) }))} />
        {stats?.part ? <span className="s t2">{t('inbox.stats.part')}</span> : null}
      </div>
      {found.error ? <Banner signal="err" title={found.error.message} actions={<Button small icon="retry" onClick={() => void found.refetch()}>{t('common.tryAgain')}</Button>}><span className="s t2">{found.error.hint}</span></Banner> : null}
      {!stats ? <Skeleton rows={6} /> : stats.created + stats.open + stats.decided + stats.expired === 0
        ? <EmptyState title={t('inbox.stats.none')} text={t('inbox.stats.noneText')} />
        : <Figures stats={stats} mayAuthor={mayAuthor} onSuggest={onSuggest} onCause={onCause} />}
    </div>
  );
}

function Figures({ stats, mayAuthor, onSuggest, onCause }: { stats: Stats; mayAuthor: boolean; onSuggest(cause: Cause): void; onCause(fingerprint: string): void }) {
  const figures: [string, string][] = [
    [t('inbox.stats.created'), formatNumber(stats.created)], [t('inbox.stats.decided'), formatNumber(stats.decided)], [t('inbox.stats.openNow'), formatNumber(stats.open)],
    ...(stats.expired ? [[t('inbox.stats.expired'), formatNumber(stats.expired)] as [string, string]] : []),
    ...(stats.medianMs === undefined ? [] : [[t('inbox.stats.median'), took(stats.medianMs)] as [string, string]]),
    ...(stats.oldestMs === undefined ? [] : [[t('inbox.stats.oldest'), took(stats.oldestMs)] as [string, string]]),
  ];
  const all = Math.max(1, stats.actions.reduce((sum, one) => sum + one.count, 0));
  return (
    <>
      <dl className="ib-figures">{figures.map(([name, value]) => <div key={name}><dt className="s t2">{name}</dt><dd>{value}</dd></div>)}</dl>
      {stats.actions.length ? (
        <section className="field"><h3 className="lab">{t('inbox.stats.share')}</h3>
          <ul className="ib-share" aria-label={t('inbox.stats.share')}>
            {stats.actions.map((one) => (
              <li key={one.action}><span>{doneText(one.action)}</span><span className="bar4" aria-hidden="true"><i style={{ width: `${String(Math.round((one.count / all) * 100))}%` }} /></span><span className="s t2 nw">{t('inbox.stats.of', { n: formatNumber(one.count), part: Math.round((one.count / all) * 100) })}</span></li>
            ))}
          </ul>
        </section>
      ) : null}
      <section className="field"><h3 className="lab">{t('inbox.stats.causes')}</h3>
        <table className="table" aria-label={t('inbox.stats.causes')}>
          <thead><tr><th>{t('inbox.stats.cause')}</th><th>{t('inbox.stats.workflow')}</th><Numbers /><th>{t('inbox.stats.did')}</th></tr></thead>
          <tbody>{stats.causes.map((cause) => <CauseRow key={cause.fingerprint} cause={cause} mayAuthor={mayAuthor} onSuggest={onSuggest} onCause={onCause} />)}</tbody>
        </table>
      </section>
      <div className="ib-halves">
        <section className="field"><h3 className="lab">{t('inbox.stats.workflows')}</h3>
          <table className="table" aria-label={t('inbox.stats.workflows')}>
            <thead><tr><th>{t('inbox.stats.workflow')}</th><Numbers /></tr></thead>
            <tbody>{stats.workflows.map((one) => <tr key={one.workflowId}><td><SafeText line text={one.workflowName} /></td><Counted one={one} /></tr>)}</tbody>
          </table>
        </section>
        {stats.people.length ? (
          <section className="field"><h3 className="lab">{t('inbox.stats.people')}</h3>
            <table className="table" aria-label={t('inbox.stats.people')}>
              <thead><tr><th>{t('inbox.stats.person')}</th><th className="fig">{t('inbox.stats.decided')}</th><th className="fig">{t('inbox.stats.median')}</th></tr></thead>
              <tbody>{stats.people.map((one) => <tr key={one.person}><td title={plain(whoText(one.person))}><SafeText line text={whoText(one.person)} /></td><td className="fig">{formatNumber(one.decided)}</td><td className="fig">{took(one.medianMs)}</td></tr>)}</tbody>
            </table>
          </section>
        ) : null}
      </div>
    </>
  );
}

const Numbers = () => <><th className="fig">{t('inbox.stats.created')}</th><th className="fig">{t('inbox.stats.openNow')}</th><th className="fig">{t('inbox.stats.decided')}</th><th className="fig">{t('inbox.stats.median')}</th></>;
const Counted = ({ one }: { one: Stats['workflows'][number] | Cause }) => <><td className="fig">{formatNumber(one.created)}</td><td className="fig">{formatNumber(one.open)}</td><td className="fig">{formatNumber(one.decided)}</td><td className="fig">{took(one.medianMs)}</td></>;

function CauseRow({ cause, mayAuthor, onSuggest, onCause }: { cause: Cause; mayAuthor: boolean; onSuggest(cause: Cause): void; onCause(fingerprint: string): void }) {
  const rule = cause.suggestion;
  return (
    <>
      <tr className={rule ? 'with-rule' : undefined}>
        <td><button type="button" className="link ell" title={t('inbox.stats.show')} onClick={() => onCause(cause.fingerprint)}><SafeText line text={cause.title} /></button></td>
        <td className="t2"><SafeText line text={`${cause.workflowName}, ${cause.nodeTitle}`} /></td>
        <Counted one={cause} />
        <td className="t2">{cause.actions.map((one) => `${doneText(one.action)} ${formatNumber(one.count)}`).join(', ')}</td>
      </tr>
      {rule ? (
        <tr className="rule"><td colSpan={7}>
          <div className="well row">
            <Icon name="wrench" className="t2" />
            <span className="grow col"><span>{tn(`inbox.rule.alike.${rule.action === 'retry' ? 'retry' : 'abort'}`, rule.decisions)}</span><code className="s t2"><SafeText text={t('inbox.rule.when', { action: rule.action, when: rule.when })} cut={400} /></code></span>
            {mayAuthor ? <Button small icon="plus" onClick={() => onSuggest(cause)}>{t('inbox.rule.add')}</Button> : <span className="s t3">{t('inbox.rule.author')}</span>}
          </div>
        </td></tr>
      ) : null}
    </>
  );
}
