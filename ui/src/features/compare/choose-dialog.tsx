/** Which run to compare a run with (C28). */
import './compare.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import { errorText } from '../../api/error.ts';
import { useCommand } from '../../api/queries.ts';
import type { RunDetails, RunRow } from '../../api/types.ts';
import { formatMoment, formatDuration, t } from '../../i18n/index.ts';
import { Dialog, EmptyState, Skeleton, VirtualList } from '../../kit/index.ts';
import { shortRunId, stateText, StatusIcon } from '../../shared/run-status.tsx';
import { candidatesOf, type Candidate } from './choose.ts';

/** Newest runs that are offered. */
const RECENT = 100;

export function ChooseDialog({ run, onChoose, onClose }: { run: Pick<RunDetails, 'runId' | 'workflowId' | 'parentRunId'>; onChoose(runId: string): void; onClose(): void }) {
  const recent = useCommand('run_list', { workflow: run.workflowId, limit: RECENT });
  const rows = recent.data?.runs;
  // An original may be older than what is listed.
  const missing = rows !== undefined && run.parentRunId !== undefined && !rows.some((row) => row.runId === run.parentRunId);
  const parent = useCommand('run_list', { text: run.parentRunId ?? '', limit: 1 }, { enabled: missing }).data?.runs;
  const found = useMemo(() => candidatesOf(run, [...(rows ?? []), ...(parent ?? [])]), [run, rows, parent]);
  const [at, setAt] = useState(0);
  // The list has the focus as soon as it is there.
  const box = useRef<HTMLDivElement>(null);
  const listed = found.length > 0;
  useEffect(() => { if (listed) box.current?.querySelector<HTMLElement>('.vlist')?.focus(); }, [listed]);
  return (
    <Dialog open onClose={onClose} title={t('compare.choose', { run: shortRunId(run.runId) })} closeLabel={t('common.close')} width={640}>
      {recent.error ? <EmptyState title={errorText(recent.error)} text={recent.error.hint} /> : !rows ? <Skeleton rows={6} />
        : found.length === 0 ? <EmptyState title={t('compare.chooseNone')} text={t('compare.chooseNoneText')} /> : (
          <div className="col cmp-choose" ref={box}>
            <p className="s t2">{t('compare.chooseText')}</p>
            <VirtualList<Candidate> className="cmp-runs" items={found} rowHeight={28} keyOf={(one) => one.run.runId} label={t('compare.runs')} selected={at} onSelect={setAt} clickOpens
              onOpen={(index) => { const one = found[index]; if (one) onChoose(one.run.runId); }}
              row={(one) => <Row one={one} />} />
          </div>
        )}
    </Dialog>
  );
}

function Row({ one: { run, kin } }: { one: Candidate }) {
  return (
    <div className="cmp-run s">
      <StatusIcon {...run} />
      <span className="mono">{shortRunId(run.runId)}</span>
      <span className="nw">{formatMoment(run.startedAt)}</span>
      <span className="grow ell t2" title={words(run)}>{words(run)}</span>
      {kin === 'recent' ? null : <span className="t2 nw">{t(`compare.of.${kin}`)}</span>}
      <span className="t3 nw cmp-took">{formatDuration(run.durationMs)}</span>
    </div>
  );
}

const words = (run: RunRow): string => (run.errorMessage ? `${stateText(run)}: ${run.errorMessage}` : stateText(run));
