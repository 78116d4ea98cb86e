/** What a step got in earlier runs, to run it with that again. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { loadFullValue } from '../../api/load-full-value.ts';
import { formatDateTime, t, tn } from '../../i18n/index.ts';
import { writeExact } from '../../json/exact-json.ts';
import { Select } from '../../kit/index.ts';
import { shortRunId } from '../../shared/run-status.tsx';

interface Earlier { runId: string; startedAt: string; items: unknown[] }

/** Runs that are looked at for an input. */
const LOOKED_AT = 12;

/** Inputs of the newest runs that called the step, each once. */
async function earlierInputs(workflowId: string, nodeId: string, not: { runId: string; items: readonly unknown[] }, signal: AbortSignal): Promise<Earlier[]> {
  const { runs } = await call('run_list', { workflow: workflowId, limit: LOOKED_AT }, signal);
  const known = new Set([writeExact(not.items)]);
  const found: Earlier[] = [];
  for (const { runId } of runs) {
    if (runId === not.runId) continue;
    const data = await call('run_step_data', { workflowId, nodeId, runId }, signal).catch(() => null);
    if (!data || data.input.length === 0) continue;
    const items = (await loadFullValue(data.input.map((one) => one.data))) as unknown[];
    const text = writeExact(items);
    if (known.has(text)) continue;
    known.add(text);
    found.push({ runId, startedAt: data.startedAt, items });
  }
  return found;
}

const OWN = '';

export function InputHistory({ workflowId, nodeId, runId, items, chosen, onChoose }: {
  workflowId: string; nodeId: string; runId: string;
  /** What the plan has. */
  items: readonly unknown[];
  /** The run whose input was taken. */
  chosen: string | undefined;
  /** `undefined`: the input of the plan again. */
  onChoose(run: string | undefined, items: unknown[] | undefined): void;
}) {
  const { data } = useQuery({
    queryKey: ['step inputs', workflowId, nodeId, runId],
    queryFn: ({ signal }) => earlierInputs(workflowId, nodeId, { runId, items }, signal),
    staleTime: 0, gcTime: 0, structuralSharing: false,
  });
  if (!data || data.length === 0) return null;
  return (
    <div className="rr-row">
      <span className="rr-label">{t('rerun.history')}</span>
      <Select label={t('rerun.history')} value={chosen ?? OWN}
        onChange={(run) => onChoose(run === OWN ? undefined : run, data.find((one) => one.runId === run)?.items)}
        options={[{ value: OWN, label: t('rerun.history.own', { run: shortRunId(runId) }) }, ...data.map((one) => ({ value: one.runId, label: t('rerun.history.run', { run: shortRunId(one.runId), time: formatDateTime(one.startedAt) }), hint: tn('data.items', one.items.length) }))]} />
    </div>
  );
}
