/** The list of triggers of active workflows. What happens with one is the screen's. */
import './automations.css';
import type { Trigger } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatAgo, formatDuration, t, tn } from '../../i18n/index.ts';
import { IconButton, Menu, SignalIcon, VirtualList } from '../../kit/index.ts';
import { useNow } from '../../kit/use-now.ts';
import { StatusIcon, statusText } from '../../shared/run-status.tsx';
import { scheduleOf, scheduleText } from '../../shared/schedule/schedule-model.ts';
import { localText } from '../../shared/schedule/use-schedule-preview.ts';

export interface AutomationsProps {
  triggers: readonly Trigger[];
  may(what: 'trigger_fire' | 'workflow_deactivate'): boolean;
  onOpenWorkflow(trigger: Trigger): void;
  onOpenRun(runId: string): void;
  /** The runs of a workflow that wait. */
  onQueue(trigger: Trigger): void;
  onRunNow(trigger: Trigger): void;
  onHistory(trigger: Trigger): void;
  onVersions(trigger: Trigger): void;
  onDeactivate(trigger: Trigger): void;
}

export function Automations({ triggers, ...rest }: AutomationsProps) {
  const now = useNow(30_000);
  return (
    <div className="am-body">
      <div className="am-head" aria-hidden="true">
        <span>{t('automations.colName')}</span>
        <span className="am-opt">{t('automations.colWhen')}</span>
        <span>{t('automations.colNext')}</span>
        <span>{t('automations.colLast')}</span>
        <span>{t('automations.colDay')}</span>
        <span />
      </div>
      <VirtualList grid clickOpens className="am-list" label={t('automations.list')} items={[...triggers]} rowHeight={36} keyOf={(one) => one.triggerId}
        onOpen={(index) => { const one = triggers[index]; if (one) rest.onHistory(one); }}
        row={(one) => (
          <div className="am-row" role="presentation">
            <span role="gridcell" className="ell" title={plain(one.workflowName)}><b><bdi><Pieces text={one.workflowName} /></bdi></b> <span className="t3"><Pieces text={one.title ?? one.nodeId} /></span></span>
            <span role="gridcell" className="ell t2 am-opt" title={whenText(one)}>{whenText(one)}</span>
            <span role="gridcell" className="ell t2 nw">{nextText(one, now)}</span>
            <span role="gridcell" className="ell t2"><Last trigger={one} now={now} /></span>
            <Day trigger={one} onOpenRun={rest.onOpenRun} onQueue={rest.onQueue} />
            <RowMenu trigger={one} {...rest} />
          </div>
        )} />
    </div>
  );
}

/** "Every weekday at 08:00, Europe/Berlin", or what it waits for. */
export function whenText({ kind, config, address }: Pick<Trigger, 'kind' | 'config' | 'address'>): string {
  if (address !== undefined) return address;
  const { cron, every, timezone, path } = config as { cron?: unknown; every?: unknown; timezone?: unknown; path?: unknown };
  if (kind === 'trigger.form') return t('automations.form', { path: String(path) });
  if (kind === 'trigger.error') return t('automations.onFailure');
  if (kind === 'trigger.file_watch') {
    const { glob, path } = config as { glob?: unknown; path?: unknown };
    return t('automations.onFile', { glob: plain(typeof glob === 'string' ? glob : '*'), path: plain(String(path)) });
  }
  if (kind === 'trigger.mail') {
    const { host, mailbox } = config as { host?: unknown; mailbox?: unknown };
    return t('automations.onMail', { host: plain(String(host)), mailbox: plain(typeof mailbox === 'string' && mailbox !== '' ? mailbox : 'INBOX') });
  }
  if (kind === 'trigger.message') {
    const { host, topic } = config as { host?: unknown; topic?: unknown };
    return t('automations.onMessage', { host: plain(String(host)), topic: plain(String(topic)) });
  }
  if (kind === 'trigger.poll') {
    const { url, source } = config as { url?: unknown; source?: { kind?: unknown; workflow?: unknown } };
    if (source?.kind === 'workflow') return t('automations.onItemsOf', { workflow: plain(String(source.workflow)), every: scheduleText(scheduleOf({ every })) });
    return t('automations.onItems', { url: plain(String(url)), every: scheduleText(scheduleOf({ every })) });
  }
  return t('automations.inZone', { text: scheduleText(scheduleOf({ cron, every })), zone: typeof timezone === 'string' && timezone !== '' ? timezone : 'UTC' });
}

function nextText({ next }: Trigger, now: number): string {
  const [first] = next;
  if (!first) return t('automations.nextNone');
  return t('automations.nextIn', { when: localText(first.local), time: formatDuration(Math.max(0, Date.parse(first.utc) - now)) });
}

/** Codes of starts that were left out because the limits of the workflow say so: nothing is wrong. */
const AT_LIMIT = new Set(['RUN_LIMIT', 'QUEUE_FULL', 'QUOTA_REACHED']);

/** What came of the runs of a day, each number one press from what it counts. */
function Day({ trigger, onOpenRun, onQueue }: { trigger: Trigger; onOpenRun(runId: string): void; onQueue(trigger: Trigger): void }) {
  const { runs, failed, lastFailedRunId, waiting } = trigger.activity;
  const name = plain(trigger.workflowName);
  return (
    <span role="gridcell" className="ell t2 nw am-day">
      {tn('automations.runs', runs)}
      {failed > 0 && lastFailedRunId !== undefined ? <>, <button type="button" className="link c-err" aria-label={t('automations.openFailed', { name })} onClick={(event) => { event.stopPropagation(); onOpenRun(lastFailedRunId); }}>{tn('automations.failed', failed)}</button></> : null}
      {waiting > 0 ? <>, <button type="button" className="link" aria-label={t('automations.openQueued', { name })} onClick={(event) => { event.stopPropagation(); onQueue(trigger); }}>{tn('automations.queued', waiting)}</button></> : null}
    </span>
  );
}

/** The last start was left out by the limits of the workflow. */
export const isAtLimit = ({ last }: Pick<Trigger, 'last'>): boolean => last?.outcome === 'skipped' && AT_LIMIT.has(last.reason ?? '');

function Last({ trigger: { last, problem }, now }: { trigger: Trigger; now: number }) {
  if (last && isAtLimit({ last })) return <span title={problem}>{t('automations.limit')}, {formatAgo(last.firedAt, now)}</span>;
  if (problem !== undefined) return <span className="c-err" title={problem}><SignalIcon signal="err" /> {problem}</span>;
  if (!last) return t('automations.lastNone');
  const ago = formatAgo(last.firedAt, now);
  if (last.outcome === 'skipped') return `${t('automations.skipped')}, ${ago}`;
  return last.runStatus ? <><StatusIcon status={last.runStatus} /> {statusText(last.runStatus)}, {ago}</> : `${t('automations.fired')}, ${ago}`;
}

function RowMenu({ trigger, may, onOpenWorkflow, onOpenRun, onRunNow, onHistory, onVersions, onDeactivate }: Omit<AutomationsProps, 'triggers' | 'onQueue'> & { trigger: Trigger }) {
  const runId = trigger.last?.runId;
  return (
    <span role="gridcell" onClick={(event) => event.stopPropagation()} onDoubleClick={(event) => event.stopPropagation()}>
      <Menu trigger={<IconButton small icon="dots" label={t('common.actions', { name: plain(trigger.workflowName) })} />} entries={[
        ...(may('trigger_fire') ? [{ id: 'run', label: t('automations.runNow'), icon: 'play' as const, onSelect: () => onRunNow(trigger) }] : []),
        { id: 'history', label: t('automations.history'), icon: 'clock', onSelect: () => onHistory(trigger) },
        ...(runId === undefined ? [] : [{ id: 'last', label: t('automations.openRun'), icon: 'runs' as const, onSelect: () => onOpenRun(runId) }]),
        { id: 'workflow', label: t('automations.openWorkflow'), icon: 'flow', onSelect: () => onOpenWorkflow(trigger) },
        { id: 'versions', label: t('activate.versions'), icon: 'book', onSelect: () => onVersions(trigger) },
        ...(may('workflow_deactivate') ? [null, { id: 'off', label: t('activate.off'), icon: 'pause' as const, onSelect: () => onDeactivate(trigger) }] : []),
      ]} />
    </span>
  );
}
