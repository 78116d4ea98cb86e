import { useMemo, useRef, useState } from 'react';
import { act, useCommand, usePermission } from '../api/queries.ts';
import type { Sample, WorkflowEntry } from '../api/types.ts';
import { Gallery, type Loaded } from '../features/gallery/gallery.tsx';
import { localTimeZone, t } from '../i18n/index.ts';
import { Button, ConfirmDialog, keysOf, toast, useActions, useAllActions, type Action } from '../kit/index.ts';
import { forgetSession } from './builder/session.ts';
import { attempt, createWorkflow, importFile, openFile, runWhenOpen } from './commands.ts';
import { Screen } from './frame.tsx';
import { showTemplates } from './parts/templates-dialog.tsx';
import { TourOffer } from './parts/tour.tsx';
import { UpdateNotice } from './parts/updates.tsx';
import { useForeignDrop } from './parts/use-foreign-drop.ts';
import { hashOf, navigate } from './router.ts';

type Result<T> = { data: T | undefined; error: Loaded<T>['error']; refetch(): unknown };
function loaded<T>(query: Result<T>): Loaded<T> {
  return { data: query.data, error: query.error, retry: () => void query.refetch() };
}

export function GalleryScreen() {
  const may = usePermission();
  const samples = useCommand('sample_list', {}, { staleTime: Infinity, enabled: may('sample_list') });
  const workflows = useCommand('workflow_list', {}, { refetchInterval: 5_000 });
  const runs = useCommand('run_list', { limit: 12 }, { refetchInterval: 3_000 });
  const [busy, setBusy] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<WorkflowEntry | null>(null);
  const actions = useAllActions();
  const newAction = actions.find((action) => action.id === 'app.new');
  const openSampleNow = useRef((_sample: Sample) => {});
  const list = useMemo(() => workflows.data && [...workflows.data].sort((a, b) => lastUse(b).localeCompare(lastUse(a))), [workflows.data]);

  async function withBusy(name: string, work: () => Promise<unknown>) {
    setBusy(name);
    await work();
    setBusy(null);
  }
  const openSample = (sample: Sample, run: boolean) => void withBusy(`${run ? 'run' : 'open'}:${sample.id}`, async () => {
    const made = await attempt(() => act('workflow_create', { sampleId: sample.id, timezone: localTimeZone() }));
    if (!made) return;
    if (run) runWhenOpen(made.ref);
    navigate({ screen: 'workflow', ref: made.ref });
  });
  openSampleNow.current = (sample) => { if (busy === null) openSample(sample, true); };
  const makes = may('workflow_create');
  useForeignDrop(makes);
  const featured = makes ? samples.data?.[0] : undefined;
  const actionList = useMemo<Action[]>(() => (featured ? [{
    // Enter belongs to the strong button as long as nothing else has the focus.
    id: 'gallery.runSample', title: t('action.runSample'), keys: ['Enter'], group: t('group.app'), icon: 'play',
    when: () => document.activeElement === document.body, run: () => openSampleNow.current(featured),
  }] : []), [featured]);
  useActions(actionList);
  const duplicate = (entry: WorkflowEntry) => void withBusy('duplicate', async () => {
    const name = t('gallery.copyName', { name: entry.name });
    if (await attempt(() => act('workflow_duplicate', { ref: entry.ref, name }))) toast({ signal: 'ok', text: t('gallery.duplicated', { name }) });
  });
  const remove = (entry: WorkflowEntry) => void withBusy('delete', async () => {
    const done = await attempt(() => act('workflow_delete', { ref: entry.ref }));
    setDeleting(null);
    if (!done) return;
    forgetSession(entry.ref);
    toast({ signal: 'ok', text: t('gallery.deleted', { name: entry.name }) });
  });

  return (
    <Screen title={t('gallery.title')} bar={makes ? <>
      <span className="vr" />
      <Button icon="folder" onClick={() => void openFile()}>{t('gallery.open')}</Button>
      <Button busy={busy === 'import'} disabled={busy !== null} onClick={() => void importFile((work) => withBusy('import', work))}>{t('import.action')}</Button>
      <Button icon="grid" onClick={showTemplates}>{t('templates.title')}</Button>
      <Button icon="plus" disabled={busy !== null} onClick={() => void withBusy('new', () => createWorkflow())}>{t('gallery.new')}</Button>
    </> : undefined}>
      <UpdateNotice />
      <Gallery notice={makes ? <TourOffer /> : undefined} may={may} samples={loaded(samples)} workflows={{ ...loaded(workflows), data: list }}
        runs={{ data: runs.data?.runs, error: runs.error, retry: () => void runs.refetch() }}
        busy={busy} newKeys={newAction ? keysOf(newAction)[0] : undefined} runHref={(runId) => hashOf({ screen: 'run', runId })}
        onRunSample={(sample) => openSample(sample, true)} onOpenSample={(sample) => openSample(sample, false)}
        onTemplates={showTemplates} onNew={() => void withBusy('new', () => createWorkflow())} onOpen={(entry) => navigate({ screen: 'workflow', ref: entry.ref })}
        onDuplicate={duplicate} onDelete={setDeleting} onShowRuns={(entry) => navigate(entry ? { screen: 'runs', workflow: entry.id } : { screen: 'runs' })} />
      <ConfirmDialog open={deleting !== null} danger busy={busy === 'delete'} title={t('gallery.deleteTitle')}
        text={t('gallery.deleteText', { name: deleting?.name ?? '', folder: deleting?.folder ?? '' })} confirm={t('gallery.deleteYes')} cancel={t('common.cancel')} late={t('common.noAnswer')}
        onConfirm={() => { if (deleting) remove(deleting); }} onClose={() => setDeleting(null)} />
    </Screen>
  );
}

function lastUse(entry: WorkflowEntry): string {
  const run = entry.lastRun?.startedAt ?? '';
  return run > entry.modifiedAt ? run : entry.modifiedAt;
}
