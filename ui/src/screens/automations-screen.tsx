/** Every trigger that starts runs by itself: when next, what came of it, and how to stop it. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { Automations } from '../features/automations/automations.tsx';
import { HistoryDialog } from '../features/automations/history-dialog.tsx';
import { VersionsDialog } from '../features/automations/versions-dialog.tsx';
import { useAsyncAction } from '../shared/use-async-action.ts';
import { RunsArt } from '../features/gallery/gallery.tsx';
import { plain } from '../text/letters.ts';
import { t, tn } from '../i18n/index.ts';
import { Banner, Button, ConfirmDialog, EmptyState, Skeleton } from '../kit/index.ts';
import { Screen } from './frame.tsx';
import { navigate } from './router.ts';

type Open = { what: 'history' | 'versions' | 'off'; trigger: Trigger } | { what: 'offAll' } | { what: 'onAll' };

export function AutomationsScreen({ ask }: { ask?: 'deactivate' | undefined }) {
  const may = usePermission();
  const query = useCommand('trigger_list', {}, { refetchInterval: 3_000 });
  const workflows = useCommand('workflow_list', {});
  const activations = useCommand('activation_list', {}, { refetchInterval: 10_000 });
  const inactive = (activations.data ?? []).filter((one) => !one.active);
  const { busy, run } = useAsyncAction();
  const [own, setOpen] = useState<Open | null>(null);
  const triggers = query.data;
  const ids = [...new Set(triggers?.map((one) => one.workflowId))];
  // The address asks, for example from the tray: nothing is deactivated without an answer here.
  const open: Open | null = own ?? (ask && ids.length > 0 && may('workflow_deactivate') ? { what: 'offAll' } : null);
  const close = () => {
    setOpen(null);
    if (ask) navigate({ screen: 'automations' }, true);
  };
  const openRun = (runId: string) => navigate({ screen: 'run', runId });
  const openWorkflow = (trigger: Trigger) => {
    const file = workflows.data?.find((one) => one.id === trigger.workflowId);
    if (file) navigate({ screen: 'workflow', ref: file.ref });
    else navigate({ screen: 'workflows' });
  };
  const runNow = (trigger: Trigger) => void run(() => act('trigger_fire', { triggerId: trigger.triggerId }), ({ queued }) => t(queued ? 'automations.queuedNow' : 'automations.ranNow'));
  const deactivate = async (list: readonly string[], done: string) => {
    const all = async () => {
      for (const workflowId of list) await act('workflow_deactivate', { workflowId });
    };
    if (await run(all, done)) close();
  };
  const activateAll = async () => {
    const all = async () => {
      for (const { workflowId, version } of inactive) await act('workflow_activate', { workflowId, version });
    };
    if (await run(all, t('automations.resumedAll'))) close();
  };
  const resume = inactive.length > 0 && may('workflow_activate') ? <Button small icon="play" onClick={() => setOpen({ what: 'onAll' })}>{t('automations.resumeAll')}</Button> : null;
  return (
    <Screen title={t('automations.title')}>
      {query.error ? (
        <Banner signal="err" title={query.error.message} actions={<Button small icon="retry" onClick={() => void query.refetch()}>{t('common.tryAgain')}</Button>}><span className="s t2">{query.error.hint}</span></Banner>
      ) : null}
      {triggers === undefined ? (query.error ? null : <div style={{ padding: 16 }}><Skeleton rows={4} /></div>) : triggers.length === 0 ? (
        <div className="am-body"><EmptyState art={<RunsArt />} title={t('automations.none')} text={t('automations.noneText')} actions={<><Button icon="flow" onClick={() => navigate({ screen: 'workflows' })}>{t('automations.toWorkflows')}</Button>{resume}</>} /></div>
      ) : (
        <>
          <div className="am-bar">
            <span className="s t2 grow" role="status">{tn('automations.n', triggers.length)}</span>
            {inactive.length > 0 ? <span className="s t3">{tn('automations.inactive', inactive.length)}</span> : null}
            {resume}
            {may('workflow_deactivate') ? <Button small icon="pause" onClick={() => setOpen({ what: 'offAll' })}>{t('automations.pauseAll')}</Button> : null}
          </div>
          <Automations triggers={triggers} may={may} onOpenWorkflow={openWorkflow} onOpenRun={openRun} onQueue={(trigger) => navigate({ screen: 'runs', workflow: trigger.workflowId, queued: true })} onRunNow={runNow}
            onHistory={(trigger) => setOpen({ what: 'history', trigger })} onVersions={(trigger) => setOpen({ what: 'versions', trigger })} onDeactivate={(trigger) => setOpen({ what: 'off', trigger })} />
        </>
      )}
      {open?.what === 'history' ? <HistoryDialog trigger={open.trigger} onOpenRun={openRun} onClose={close} /> : null}
      {open?.what === 'versions' ? <VersionsDialog workflowId={open.trigger.workflowId} name={open.trigger.workflowName} onClose={close} /> : null}
      {open?.what === 'off' ? (
        <ConfirmDialog open busy={busy} title={t('activate.offTitle', { name: plain(open.trigger.workflowName) })} text={t('activate.offText')} confirm={t('activate.off')} cancel={t('common.cancel')} late={t('common.noAnswer')}
          onConfirm={() => void deactivate([open.trigger.workflowId], t('activate.offDone', { name: plain(open.trigger.workflowName) }))} onClose={close} />
      ) : null}
      {open?.what === 'onAll' ? (
        <ConfirmDialog open busy={busy} title={t('automations.resumeAllTitle')} text={t('automations.resumeAllText', { names: inactive.map((one) => plain(one.workflowName)).join(', ') })} confirm={t('automations.resumeAll')} cancel={t('common.cancel')} late={t('common.noAnswer')}
          onConfirm={() => void activateAll()} onClose={close} />
      ) : null}
      {open?.what === 'offAll' ? (
        <ConfirmDialog open danger busy={busy} title={t('automations.pauseAllTitle')} text={tn('automations.pauseAllText', ids.length)} confirm={t('automations.pauseAll')} cancel={t('common.cancel')} late={t('common.noAnswer')}
          onConfirm={() => void deactivate(ids, t('automations.pausedAll'))} onClose={close} />
      ) : null}
    </Screen>
  );
}
