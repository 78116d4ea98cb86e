/** How workflows do over time, and the alerts about it. */
import { useMemo, useState } from 'react';
import { useCommand } from '../api/queries.ts';
import { RunsArt } from '../features/gallery/gallery.tsx';
import { AlertsDialog } from '../features/health/alerts-dialog.tsx';
import { HealthDetail, HealthTable } from '../features/health/health-view.tsx';
import { titleOf } from '../features/node-panel/index.ts';
import { formatNumber, t } from '../i18n/index.ts';
import { Banner, Button, EmptyState, Segmented, Skeleton } from '../kit/index.ts';
import { useCatalog } from '../shared/use-catalog.ts';
import { plain } from '../text/letters.ts';
import { Screen } from './frame.tsx';
import { navigate } from './router.ts';

const PERIODS = ['7', '30', '90'] as const;
/** Runs end all the time. */
const LOOK_MS = 15_000;

export function HealthScreen({ workflow }: { workflow: string | undefined }) {
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>('30');
  const [alerting, setAlerting] = useState(false);
  const days = Number(period);
  const list = useCommand('health_list', { days }, { refetchInterval: LOOK_MS, placeholderData: (old) => old, enabled: workflow === undefined || alerting });
  const one = useCommand('health_get', { workflowId: workflow ?? '', days }, { refetchInterval: LOOK_MS, placeholderData: (old) => old, enabled: workflow !== undefined });
  const alerts = useCommand('health_alerts', {}, { refetchInterval: LOOK_MS });
  const files = useCommand('workflow_list', {});
  const file = files.data?.find((entry) => entry.id === workflow);
  const shown = workflow === undefined ? list : one;
  const known = useMemo(() => {
    const names = new Map(files.data?.map((entry) => [entry.id, plain(entry.name)]));
    for (const entry of list.data?.workflows ?? []) if (!names.has(entry.workflowId)) names.set(entry.workflowId, plain(entry.workflowName));
    return [...names].map(([id, name]) => ({ id, name }));
  }, [files.data, list.data]);
  const count = alerts.data?.raised.length ?? 0;
  const empty = <EmptyState art={<RunsArt />} title={t('health.none')} text={t('health.noneText')} actions={<Button icon="flow" onClick={() => navigate({ screen: 'workflows' })}>{t('health.toWorkflows')}</Button>} />;
  const quiet = one.data !== undefined && one.data.numbers.runs + one.data.numbers.cancelled + one.data.numbers.openTasks === 0;
  return (
    <Screen title={t('health.title')} bar={<Button icon="bolt" onClick={() => setAlerting(true)}>{count > 0 ? t('health.alertsN', { n: formatNumber(count) }) : t('health.alerts')}</Button>}>
      <div className="hl" role="region" aria-label={t('health.title')}>
        <div className="hl-bar">
          {workflow === undefined ? null : <Button small icon="back" onClick={() => navigate({ screen: 'health' })}>{t('health.back')}</Button>}
          {workflow === undefined ? null : <h2 className="ell">{plain(file?.name ?? one.data?.workflowName ?? workflow)}</h2>}
          <Segmented<(typeof PERIODS)[number]> small label={t('health.period')} value={period} onChange={setPeriod} options={PERIODS.map((value) => ({ value, label: t('health.days', { n: value }) }))} />
        </div>
        {shown.error ? <Banner signal="err" title={shown.error.message} actions={<Button small icon="retry" onClick={() => void shown.refetch()}>{t('common.tryAgain')}</Button>}><span className="s t2">{shown.error.hint}</span></Banner> : null}
        {shown.data === undefined ? (shown.error ? null : <Skeleton rows={6} />)
          : workflow === undefined ? (list.data?.workflows.length === 0 ? empty : <HealthTable entries={list.data?.workflows ?? []} onOpen={(id) => navigate({ screen: 'health', workflow: id })} />)
            : quiet ? empty : one.data ? <Detail workflow={workflow} fileRef={file?.ref} health={one.data} /> : null}
      </div>
      {alerting ? <AlertsDialog workflows={known} workflow={workflow} onClose={() => setAlerting(false)} /> : null}
    </Screen>
  );
}

/** Steps by their titles, where the workflow is still there. */
function Detail({ workflow, fileRef, health }: { workflow: string; fileRef: string | undefined; health: Parameters<typeof HealthDetail>[0]['health'] }) {
  const catalog = useCatalog();
  const document = useCommand('workflow_open', { ref: fileRef ?? '' }, { enabled: fileRef !== undefined, staleTime: 60_000 }).data?.document;
  const name = (step: string) => (document !== undefined && Object.hasOwn(document.nodes, step) ? titleOf(document, step, catalog.data) : step);
  return <HealthDetail health={health} titleOf={name} onRuns={() => navigate({ screen: 'runs', workflow })} />;
}
