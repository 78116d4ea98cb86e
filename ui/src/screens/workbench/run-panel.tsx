/** The right panel when no step is chosen in a run: the run itself and its variables. */
import { useState, type ReactNode } from 'react';
import { isCut } from '../../json/json.ts';
import { eventAt, isPartial } from '../../run/event-gap.ts';
import { readPath } from '../../run/run-paths.ts';
import { isTerminal, type RunDefinition, type RunView } from '../../run/run-state.ts';
import { Pieces } from '../../code/pieces.tsx';
import { SaveTest } from '../../features/workflow-tests/save-test.tsx';
import { RunFiles } from '../../code/RunFiles.tsx';
import { ValueView } from '../../code/ValueView.tsx';
import { formatDateTime, formatDuration, formatNumber, t } from '../../i18n/index.ts';
import { Skeleton, Tabs } from '../../kit/index.ts';
import { shortRunId, StatusBadge } from '../../shared/run-status.tsx';
import { useElapsed } from './status-bar.tsx';

type RunTab = 'run' | 'variables' | 'workflow';

/** `workflow`: what the panel shows without a run, as a tab of its own. */
export function RunPanel({ view, definition, loading = false, params, output, workflow }: { view: RunView; definition?: RunDefinition; loading?: boolean; params?: unknown; output?: unknown[]; workflow?: ReactNode }) {
  const [tab, setTab] = useState<RunTab>('run');
  const elapsed = useElapsed(view);
  const variables = Object.entries(view.variables);
  const changed = changedBy(view, definition);
  const input = params ?? view.params;
  const loaded = isPartial(view) ? <span className="s t3"> {t('gap.inLoaded')}</span> : null;
  return (
    <div className="wb-panel" data-scope="panel">
      <Tabs<RunTab> label={t('run.overview')} value={tab} onChange={setTab}
        tabs={[{ id: 'run', label: t('run.overview') }, { id: 'variables', label: t('run.variables'), ...(loading ? {} : { count: variables.length }) },
          ...(workflow ? [{ id: 'workflow' as const, label: t('run.tabWorkflow') }] : [])]}>
        {view.moment !== undefined && tab !== 'workflow' ? <div className="wb-head">{t('time.after', { n: formatNumber(view.lastSeq) })}</div> : null}
        {tab === 'workflow' ? workflow : loading ? <div className="wb-sec" aria-busy="true" aria-label={t('run.loading')}><Skeleton rows={6} height={20} /></div> : tab === 'run' ? (
          <>
            <div className="wb-sec">
              <dl className="kv">
                <dt>{t('runs.colState')}</dt><dd><StatusBadge status={view.status} openTaskCount={view.tasks.length} /></dd>
                <dt>{t('runs.colRun')}</dt><dd className="mono" title={view.runId}>{shortRunId(view.runId)}</dd>
                {view.startedAt ? <><dt>{t('run.startedAt')}</dt><dd>{formatDateTime(view.startedAt)}</dd></> : null}
                <dt>{t('run.duration')}</dt><dd>{formatDuration(elapsed)}</dd>
                <dt>{t('run.calls')}</dt><dd>{formatNumber(view.calls.length)}{loaded}</dd>
                <dt>{t('run.errors')}</dt><dd>{formatNumber(view.errors)}{loaded}</dd>
                <dt>{t('run.retries')}</dt><dd>{formatNumber(view.retries)}{loaded}</dd>
                {view.definitionHash ? <><dt>{t('run.version')}</dt><dd className="mono" title={view.definitionHash}>{view.definitionHash.slice(0, 12)}</dd></> : null}
              </dl>
            </div>
            {view.lastSeq > 0 ? <RunFiles className="wb-sec" runId={view.runId} version={view.status} title={<div className="wb-head">{t('files.title')}</div>} /> : null}
            {isTerminal(view.status) && view.runId !== '' && view.moment === undefined ? <div className="wb-sec"><SaveTest key={view.runId} runId={view.runId} name={definition?.name ?? ''} /></div> : null}
            <div className="wb-head">{t('run.params')}</div>
            <div className="wb-sec"><Value value={input} label={t('run.params')} /></div>
            {output ? (
              <>
                <div className="wb-head">{t('run.output')}</div>
                <div className="wb-sec">{output.length ? <Value value={output.length === 1 ? output[0] : output} label={t('run.output')} /> : <span className="s t2">{t('run.noOutput')}</span>}</div>
              </>
            ) : null}
          </>
        ) : variables.length ? (
          <div className="wb-vars">
            {variables.map(([name, value]) => [
              <code key={name} className={name === changed ? 'c-sel' : ''}>$<Pieces text={name.replace(/^\$/, '')} />{name === changed ? <> <span className="s t2 wb-changed">{t('time.changed')}</span></> : null}</code>,
              <code key={`${name}-value`} className="t2"><Pieces text={short(value)} /></code>,
            ])}
          </div>
        ) : <p className="wb-sec t2">{t('run.noVariables')}</p>}
      </Tabs>
    </div>
  );
}

/** The variable of the run that the event of this moment set: one of a called file is not among them. */
function changedBy(view: RunView, definition: RunDefinition | undefined): string | null {
  const event = view.moment === undefined ? undefined : eventAt(view, view.lastSeq);
  if (event?.path && readPath(event.path, definition).foreign) return null;
  const name = event?.type === 'var_changed' ? (event.payload as { name?: unknown } | null | undefined)?.name : undefined;
  return typeof name === 'string' ? (name.replace(/^\$/, '').split(/[.[]/)[0] ?? null) : null;
}

function short(value: unknown): string {
  const text = isCut(value) ? value.preview : JSON.stringify(value) ?? '';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
/** As a step shows its values: what the wire has cut can be loaded from here. */
function Value({ value, label }: { value: unknown; label: string }) {
  if (value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return <span className="s t3">—</span>;
  return <div className="wb-value" role="region" aria-label={label} tabIndex={0}><ValueView value={value} label={label} /></div>;
}
