/** The history of all runs. Filters and rows; what happens with a run is the screen's. */
import './runs.css';
import { useMemo, type ReactNode } from 'react';
import type { RunRow, RunStatus } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatDateTime, formatDuration, t, tn } from '../../i18n/index.ts';
import { Badge, Button, EmptyState, Icon, IconButton, Menu, Segmented, Select, Skeleton, TextInput, VirtualList } from '../../kit/index.ts';
import { asTree } from './tree.ts';
import { SpentCell } from '../../shared/model-cost.tsx';
import { outcomeText, shortRunId, stateText, statusText, StatusIcon } from '../../shared/run-status.tsx';

type RunCommand = 'run_rerun' | 'run_resume' | 'run_cancel' | 'run_delete';
export interface RunFilters { workflow: string; status: RunStatus | ''; text: string }
export interface RunsProps {
  runs: RunRow[] | undefined;
  more: boolean;
  filters: RunFilters;
  workflows: { id: string; name: string }[];
  selected: string | null;
  failure: ReactNode;
  empty: ReactNode;
  onFilters(filters: RunFilters): void;
  /** Whether this person may do something with a run. */
  may(what: RunCommand): boolean;
  onSelect(runId: string): void;
  onOpen(runId: string): void;
  onMore(): void;
  onCancel(run: RunRow): void;
  onResume(run: RunRow): void;
  onDelete(run: RunRow): void;
  onCopyId(run: RunRow): void;
  onRerun(run: RunRow): void;
  onCompare(run: RunRow): void;
}

const STATUSES: (RunStatus | '')[] = ['', 'queued', 'running', 'paused', 'completed', 'failed', 'cancelled'];

export function RunHistory(props: RunsProps) {
  const { runs, filters, onFilters } = props;
  const filtered = Boolean(filters.workflow || filters.status || filters.text);
  const clear = () => onFilters({ workflow: '', status: '', text: '' });
  return (
    <>
      <div className="r-bar" role="search">
        <TextInput className="find" icon="search" type="search" value={filters.text} placeholder={t('runs.filterText')} aria-label={t('runs.filterText')}
          onChange={(text) => onFilters({ ...filters, text })} />
        <div className="which">
          <Select label={t('runs.filterWorkflow')} value={filters.workflow} onChange={(workflow) => onFilters({ ...filters, workflow })}
            options={[{ value: '', label: t('runs.allWorkflows') }, ...props.workflows.map((entry) => ({ value: entry.id, label: entry.name }))]} />
        </div>
        <Segmented label={t('runs.filterStatus')} value={filters.status} onChange={(status) => onFilters({ ...filters, status })}
          options={STATUSES.map((status) => ({ value: status, label: status ? statusText(status) : t('runs.all') }))} />
        {filtered ? <Button small variant="ghost" icon="x" onClick={clear}>{t('runs.clear')}</Button> : null}
        {runs ? <span className="s t3 end" role="status">{tn('runs.shown', runs.length)}{props.more ? `, ${t('runs.more')}` : ''}</span> : null}
      </div>
      {props.failure}
      <div className="r-body">
        {runs && runs.length === 0 ? (
          filtered
            ? <EmptyState title={t('runs.noneFound')} text={t('runs.noneFoundText')} actions={<Button icon="x" onClick={clear}>{t('runs.clear')}</Button>} />
            : props.empty
        ) : (
          <>
            <div className="r-head" aria-hidden="true">
              <span />
              <span>{t('runs.colWorkflow')}</span>
              <span>{t('runs.colResult')}</span>
              <span className="r-opt">{t('runs.colStarted')}</span>
              <span className="r-opt r-num">{t('runs.colCost')}</span>
              <span className="r-num">{t('runs.colTook')}</span>
              <span className="r-opt">{t('runs.colRun')}</span>
              <span />
            </div>
            {runs ? <Rows {...props} runs={runs} /> : props.failure ? null : <div style={{ padding: '0 16px' }}><Skeleton rows={12} /></div>}
          </>
        )}
      </div>
    </>
  );
}

function Rows({ runs: newest, selected, more, onSelect, onOpen, onMore, ...rest }: RunsProps & { runs: RunRow[] }) {
  const tree = useMemo(() => asTree(newest), [newest]);
  const runs = tree.map((one) => one.run);
  const at = runs.findIndex((run) => run.runId === selected);
  return (
    <VirtualList grid clickOpens className="r-list" label={t('runs.list')} items={runs} rowHeight={28} keyOf={(run) => run.runId} selected={at < 0 ? undefined : at}
      onSelect={(index) => { const run = runs[index]; if (run) onSelect(run.runId); }}
      onOpen={(index) => { const run = runs[index]; if (run) onOpen(run.runId); }}
      onEnd={more ? onMore : undefined}
      row={(run, index) => (
        <div className="r-row" role="presentation">
          <span role="gridcell"><StatusIcon {...run} /></span>
          <span role="gridcell" className="ell" title={plain(run.workflowName)} style={{ fontWeight: 600, paddingLeft: (tree[index]?.depth ?? 0) * 16 }}>
            {run.parentRunId ? <span className="t3 r-tree" title={t('rerun.ofShort', { run: shortRunId(run.parentRunId) })}><Icon name="back" size={12} /></span> : null}<bdi><Pieces text={run.workflowName} /></bdi>
            {run.until === undefined ? null : <> <Badge>{t('runs.partial')}</Badge></>}
            {run.parentRunId ? <span className="s t3 r-of"> {t('rerun.ofShort', { run: shortRunId(run.parentRunId) })}</span> : null}
          </span>
          <span role="gridcell" className="ell t2" title={plain(run.errorMessage ?? outcomeText(run))}><Pieces text={run.errorMessage ? `${stateText(run)}: ${run.errorMessage}` : outcomeText(run)} /></span>
          <span role="gridcell" className="r-opt t2 nw">{formatDateTime(run.startedAt)}</span>
          <span role="gridcell" className="r-opt r-num t2 ell">{run.usage ? <SpentCell spent={run.usage} /> : null}</span>
          <span role="gridcell" className="r-num t2 nw">{run.status === 'running' || run.status === 'created' || run.status === 'queued' ? t('runs.soFar', { time: formatDuration(run.durationMs) }) : formatDuration(run.durationMs)}</span>
          <span role="gridcell" className="r-opt mono t3">{shortRunId(run.runId)}</span>
          <RowMenu run={run} onOpen={onOpen} {...rest} />
        </div>
      )} />
  );
}

function RowMenu({ run, may, onOpen, onCancel, onResume, onDelete, onCopyId, onRerun, onCompare }: Pick<RunsProps, 'may' | 'onOpen' | 'onCancel' | 'onResume' | 'onDelete' | 'onCopyId' | 'onRerun' | 'onCompare'> & { run: RunRow }) {
  const open = run.status === 'running' || run.status === 'created' || run.status === 'queued' || run.status === 'paused';
  return (
    <span role="gridcell" onClick={(event) => event.stopPropagation()} onDoubleClick={(event) => event.stopPropagation()}>
      <Menu trigger={<IconButton small icon="dots" label={t('common.actions', { name: `${plain(run.workflowName)} ${shortRunId(run.runId)}` })} />} entries={[
        { id: 'open', label: t('runs.open'), icon: 'flow', onSelect: () => onOpen(run.runId) },
        ...(may('run_rerun') ? [{ id: 'rerun', label: t('rerun.openMore'), icon: 'retry' as const, disabled: run.status === 'running' || run.status === 'created' || run.status === 'queued', onSelect: () => onRerun(run) }] : []),
        { id: 'compare', label: t('compare.open'), icon: 'swap', onSelect: () => onCompare(run) },
        { id: 'copy', label: t('runs.copyId'), icon: 'copy', onSelect: () => onCopyId(run) },
        ...(open && run.status !== 'queued' && may('run_resume') ? [{ id: 'resume', label: t('runs.resume'), icon: 'play' as const, onSelect: () => onResume(run) }] : []),
        ...(open && may('run_cancel') ? [{ id: 'cancel', label: t('runs.cancel'), icon: 'stop' as const, onSelect: () => onCancel(run) }] : []),
        ...(may('run_delete') ? [null, { id: 'delete', label: t('runs.delete'), icon: 'x' as const, danger: true, disabled: open, onSelect: () => onDelete(run) }] : []),
      ]} />
    </span>
  );
}
