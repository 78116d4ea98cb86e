/** How workflows do: one line each, or one of them with its days and its errors. What is pressed is the screen's. */
import { Fragment } from 'react';
import type { HealthEntry, HealthNumbers, WorkflowHealth } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatDateTime, formatDuration, formatMoney, formatNumber, t } from '../../i18n/index.ts';
import { Banner, Button, SignalIcon } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { DayChart } from './charts.tsx';
import './health.css';

const percent = (part: number, of: number): string => (of === 0 ? '–' : t('health.percent', { n: formatNumber(Math.floor((part / of) * 100)) }));
const took = (numbers: HealthNumbers, ms: number): string => (numbers.runs === 0 ? '–' : formatDuration(ms));
const cost = (micros: number): string => (micros === 0 ? '–' : formatMoney(micros));
const proof = (score: number | undefined | null): string => (score === undefined || score === null ? t('health.notProved') : t('health.percent', { n: formatNumber(score) }));

export function HealthTable({ entries, onOpen }: { entries: readonly HealthEntry[]; onOpen(workflowId: string): void }) {
  return (
    <table className="hl-table" aria-label={t('health.list')}>
      <thead><tr>
        <th>{t('health.workflow')}</th><th className="fig">{t('health.runs')}</th><th className="fig">{t('health.success')}</th><th className="fig">{t('health.median')}</th><th className="fig">{t('health.p95')}</th>
        <th className="fig">{t('health.cost')}</th><th className="fig">{t('health.tasks')}</th><th className="fig">{t('health.oldest')}</th><th className="fig">{t('health.proof')}</th>
      </tr></thead>
      <tbody>
        {entries.map(({ workflowId, workflowName, numbers, alerts }) => (
          <tr key={workflowId}>
            <td><span className="row gap1"><button type="button" className="link ell" onClick={() => onOpen(workflowId)}><Pieces text={workflowName} /></button>
              {alerts.map((name) => <span key={name} className="s c-err row gap1" title={plain(name)}><SignalIcon signal="err" />{plain(name)}</span>)}</span></td>
            <td className="fig">{formatNumber(numbers.runs)}</td>
            <td className={`fig ${numbers.failed > 0 ? 'c-err' : ''}`}>{percent(numbers.completed, numbers.runs)}</td>
            <td className="fig">{took(numbers, numbers.p50Ms)}</td><td className="fig">{took(numbers, numbers.p95Ms)}</td>
            <td className="fig">{cost(numbers.costMicros)}</td><td className="fig">{formatNumber(numbers.openTasks)}</td>
            <td className="fig">{numbers.openTasks === 0 ? '–' : formatDuration(numbers.oldestTaskMs)}</td>
            <td className="fig">{proof(numbers.proofScore)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function HealthDetail({ health, titleOf, onRuns }: { health: WorkflowHealth; titleOf(stepId: string): string; onRuns(): void }) {
  const { numbers, days } = health;
  const names = days.map((one) => one.day);
  const n = formatNumber(days.length);
  const figures: [string, string][] = [
    [t('health.runs'), formatNumber(numbers.runs)], [t('health.success'), percent(numbers.completed, numbers.runs)], [t('health.failed'), formatNumber(numbers.failed)],
    [t('health.median'), took(numbers, numbers.p50Ms)], [t('health.p95'), took(numbers, numbers.p95Ms)],
    ...(numbers.costMicros > 0 ? [[t('health.cost'), cost(numbers.costMicros)] as [string, string]] : []),
    [t('health.tasks'), formatNumber(numbers.openTasks)], ...(numbers.openTasks > 0 ? [[t('health.oldest'), formatDuration(numbers.oldestTaskMs)] as [string, string]] : []),
    [t('health.proof'), proof(numbers.proofScore)],
  ];
  const whole = (value: number): string => (Number.isInteger(value) ? formatNumber(value) : '');
  return (
    <>
      {health.alerts.map((one) => (
        <Banner key={one.alertId} signal="err" title={plain(one.name)}><span className="s t2"><Pieces text={t('health.raisedText', { expression: one.expression, when: formatDateTime(one.since) })} /></span></Banner>
      ))}
      <dl className="hl-figures">{figures.map(([name, value]) => <div key={name}><dt className="s t2">{name}</dt><dd>{value}</dd></div>)}</dl>
      <div className="hl-charts">
        <DayChart kind="bars" title={t('health.chart.runs')} days={names} label={whole}
          text={t('health.chart.runsText', { completed: formatNumber(numbers.completed), failed: formatNumber(numbers.failed), n })}
          series={[{ name: t('health.completed'), tone: 'ok', values: days.map((one) => one.completed) }, { name: t('health.failed'), tone: 'err', values: days.map((one) => one.failed) }, { name: t('health.cancelled'), tone: 'off', values: days.map((one) => one.cancelled) }]} />
        <DayChart kind="lines" title={t('health.chart.took')} days={names} label={(value) => formatDuration(Math.round(value))}
          text={t('health.chart.tookText', { p50: took(numbers, numbers.p50Ms), p95: took(numbers, numbers.p95Ms) })}
          series={[{ name: t('health.median'), tone: 'p50', values: days.map((one) => one.p50Ms ?? undefined) }, { name: t('health.p95'), tone: 'p95', values: days.map((one) => one.p95Ms ?? undefined) }]} />
        {numbers.costMicros > 0 ? (
          <DayChart kind="bars" title={t('health.chart.cost')} days={names} label={formatMoney} text={t('health.chart.costText', { cost: formatMoney(numbers.costMicros), n })}
            series={[{ name: t('health.cost'), tone: 'cost', values: days.map((one) => one.costMicros) }]} />
        ) : null}
      </div>
      <details>
        <summary className="s t2">{t('health.table')}</summary>
        <table className="hl-table" aria-label={t('health.chart.runs')}>
          <thead><tr><th>{t('health.day')}</th><th className="fig">{t('health.completed')}</th><th className="fig">{t('health.failed')}</th><th className="fig">{t('health.cancelled')}</th><th className="fig">{t('health.median')}</th><th className="fig">{t('health.p95')}</th><th className="fig">{t('health.cost')}</th></tr></thead>
          <tbody>
            {days.toReversed().map((one) => (
              <tr key={one.day}><td>{one.day}</td><td className="fig">{formatNumber(one.completed)}</td><td className="fig">{formatNumber(one.failed)}</td><td className="fig">{formatNumber(one.cancelled)}</td>
                <td className="fig">{one.p50Ms === undefined || one.p50Ms === null ? '–' : formatDuration(one.p50Ms)}</td><td className="fig">{one.p95Ms === undefined || one.p95Ms === null ? '–' : formatDuration(one.p95Ms)}</td><td className="fig">{cost(one.costMicros)}</td></tr>
            ))}
          </tbody>
        </table>
      </details>
      <section className="col gap1">
        <div className="row"><h3 className="grow">{t('health.errors')}</h3><Button small icon="runs" onClick={onRuns}>{t('health.showRuns')}</Button></div>
        {health.errors.length === 0 ? <span className="s t2">{t('health.errorsNone')}</span> : (
          <table className="hl-table" aria-label={t('health.errors')}>
            <thead><tr><th>{t('health.step')}</th><th>{t('health.code')}</th><th className="fig">{t('health.errorCalls')}</th><th className="fig">{t('health.errorRuns')}</th></tr></thead>
            <tbody>
              {health.errors.map((one) => (
                <Fragment key={`${one.stepId} ${one.code}`}>
                  <tr><td>{one.stepId === '' ? t('health.unknownStep') : one.stepId === '…' ? t('health.otherErrors') : <Pieces text={titleOf(one.stepId)} />}</td><td className="mono"><Pieces text={one.code} /></td><td className="fig">{formatNumber(one.errors)}</td><td className="fig">{formatNumber(one.failed)}</td></tr>
                </Fragment>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </>
  );
}
