import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { call } from '../api/client.ts';
import type { ApiError } from '../api/error.ts';
import { act, useCommand, usePermission } from '../api/queries.ts';
import type { Commands, RunRow } from '../api/types.ts';
import { inOrder } from '../features/compare/choose.ts';
import { ChooseDialog } from '../features/compare/choose-dialog.tsx';
import { RunsArt } from '../features/gallery/gallery.tsx';
import { RunHistory, type RunFilters } from '../features/runs/runs.tsx';
import { plain } from '../text/letters.ts';
import { t } from '../i18n/index.ts';
import { failedPlace } from '../features/rerun/failed-place.ts';
import { rerunSteps } from '../features/rerun/steps.ts';
import { RerunDialog } from '../features/rerun/rerun-dialog.tsx';
import { namesIn } from '../shared/format-path.ts';
import { useCatalog } from '../shared/use-catalog.ts';
import { titleOf } from '../features/node-panel/index.ts';
import { Banner, Button, ConfirmDialog, Dialog, EmptyState, Skeleton, toast } from '../kit/index.ts';
import { attempt, copyText } from './commands.ts';
import { Screen } from './frame.tsx';
import { RunsViews } from './parts/runs-views.tsx';
import { navigate } from './router.ts';

const PAGE = 100;

export function RunsScreen({ workflow, queued = false }: { workflow: string | undefined; queued?: boolean | undefined }) {
  const [filters, setFilters] = useState<RunFilters>({ workflow: workflow ?? '', status: queued ? 'queued' : '', text: '' });
  useEffect(() => setFilters((old) => ({ ...old, workflow: workflow ?? '', ...(queued ? { status: 'queued' } : {}) })), [workflow, queued]);
  const [selected, setSelected] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<RunRow | null>(null);
  const [rerun, setRerun] = useState<RunRow | null>(null);
  const [comparing, setComparing] = useState<RunRow | null>(null);
  const [busy, setBusy] = useState(false);
  const may = usePermission();
  const text = useDeferredValue(filters.text.trim());
  const request = useMemo(() => ({
    limit: PAGE,
    ...(filters.workflow ? { workflow: filters.workflow } : {}),
    ...(filters.status ? { status: filters.status } : {}),
    ...(text ? { text } : {}),
  }), [filters.workflow, filters.status, text]);
  const query = useInfiniteQuery<Commands['run_list']['response'], ApiError, { pages: Commands['run_list']['response'][] }, unknown[], string | undefined>({
    queryKey: ['run_list', request, 'pages'],
    queryFn: ({ pageParam, signal }) => call('run_list', { ...request, ...(pageParam ? { before: pageParam } : {}) }, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next,
    // Live while something runs, else now and then: another process may start one.
    refetchInterval: (state) => (state.state.data?.pages.some((page) => page.runs.some((run) => run.status === 'running')) ? 1_000 : 3_000),
    placeholderData: (old) => old,
  });
  const workflows = useCommand('workflow_list', {});
  const runs = useMemo(() => query.data?.pages.flatMap((page) => page.runs), [query.data]);
  const names = useMemo(() => {
    const map = new Map(workflows.data?.map((entry) => [entry.id, plain(entry.name)]));
    for (const run of runs ?? []) if (!map.has(run.workflowId)) map.set(run.workflowId, plain(run.workflowName));
    if (filters.workflow && !map.has(filters.workflow)) map.set(filters.workflow, filters.workflow);
    return [...map].map(([id, name]) => ({ id, name }));
  }, [workflows.data, runs, filters.workflow]);

  async function remove(run: RunRow) {
    setBusy(true);
    const done = await attempt(() => act('run_delete', { runId: run.runId }));
    setBusy(false);
    setDeleting(null);
    if (done) toast({ signal: 'ok', text: t('runs.deleted') });
  }
  const later = async (run: RunRow, command: 'run_cancel' | 'run_resume') => {
    if (await attempt(() => act(command, { runId: run.runId }))) toast({ signal: 'ok', text: command === 'run_cancel' ? t('runs.cancelled') : t('runs.resumed') });
  };
  return (
    <Screen title={t('runs.title')} bar={<>{may('failure_groups') ? <RunsViews on="runs" /> : null}{may('health_list') ? <Button icon="signal" onClick={() => navigate({ screen: 'health', ...(filters.workflow ? { workflow: filters.workflow } : {}) })}>{t('health.open')}</Button> : null}</>}>
      <RunHistory runs={runs} more={query.hasNextPage} filters={filters} workflows={names} selected={selected}
        failure={query.error ? (
          <Banner signal="err" title={query.error.message} actions={<Button small icon="retry" onClick={() => void query.refetch()}>{t('common.tryAgain')}</Button>}>
            <span className="s t2">{query.error.hint}</span>
          </Banner>
        ) : null}
        empty={<EmptyState art={<RunsArt />} title={t('runs.none')} text={t('runs.noneText')}
          actions={<Button icon="flow" onClick={() => navigate({ screen: 'workflows' })}>{t('runs.toGallery')}</Button>} />}
        onFilters={setFilters} onSelect={setSelected} onOpen={(runId) => navigate({ screen: 'run', runId })}
        onMore={() => { if (query.hasNextPage && !query.isFetching) void query.fetchNextPage(); }}
        may={may} onCancel={(run) => void later(run, 'run_cancel')} onResume={(run) => void later(run, 'run_resume')} onDelete={setDeleting}
        onCopyId={(run) => void copyText(run.runId)} onRerun={setRerun} onCompare={setComparing} />
      <ConfirmDialog open={deleting !== null} danger busy={busy} title={t('runs.deleteTitle')} text={t('runs.deleteText', { name: plain(deleting?.workflowName ?? '') })}
        confirm={t('runs.deleteYes')} cancel={t('common.cancel')} late={t('common.noAnswer')} onConfirm={() => { if (deleting) void remove(deleting); }} onClose={() => setDeleting(null)} />
      {comparing ? <ChooseDialog run={comparing} onChoose={(id) => navigate({ screen: 'compare', ...inOrder(comparing.runId, id) })} onClose={() => setComparing(null)} /> : null}
      {rerun ? <HistoryRerun run={rerun} onClose={() => setRerun(null)} /> : null}
    </Screen>
  );
}

/** From the history no step is chosen yet: the one that failed, else the first that ran. */
function HistoryRerun({ run, onClose }: { run: RunRow; onClose(): void }) {
  const details = useCommand('run_get', { runId: run.runId });
  const catalog = useCatalog();
  const failed = details.error ?? catalog.error;
  const steps = useMemo(() => {
    if (!details.data || !catalog.data) return null;
    const { definition, steps: known, kept } = details.data;
    return rerunSteps(definition, (id) => (known[id]?.attempts ?? 0) > 0 || (kept?.includes(id) ?? false), catalog.data);
  }, [details.data, catalog.data]);
  const ended = details.data?.failedStepId === undefined ? undefined : details.data;
  // In a loop or in another file it has a place; where its log cannot be read, the list begins at the first.
  const place = useQuery({ queryKey: ['run_events', run.runId, 'failed'], queryFn: async () => (ended && await failedPlace(ended)) ?? null, enabled: ended !== undefined, staleTime: Infinity });
  const first = place.data ?? steps?.[0]?.name;
  const definition = details.data?.definition;
  if (first !== undefined && steps && definition && !(ended && place.isPending)) {
    return <RerunDialog runId={run.runId} step={first} steps={steps} titleOf={namesIn(null, definition, (id) => titleOf(definition, id, catalog.data))} definition={definition} onClose={onClose} onStarted={(runId) => navigate({ screen: 'run', runId })} />;
  }
  return (
    <Dialog open onClose={onClose} title={t('rerun.openMore')} closeLabel={t('common.cancel')} footer={<Button onClick={onClose} keys="Escape">{t('common.cancel')}</Button>}>
      {failed ? <Banner signal="err" title={failed.message}><span className="s t2">{failed.hint}</span></Banner> : steps ? <p className="t2">{t('rerun.nothingRan')}</p> : <Skeleton rows={3} />}
    </Dialog>
  );
}
