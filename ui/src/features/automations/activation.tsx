/** Activation in the builder's title bar: the workflow starts by itself with the version that was activated. */
import './automations.css';
import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { toApiError, type ApiError } from '../../api/error.ts';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Diagnostic, NodeDescriptor, Trigger, Workflow } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { formatDateTime, formatPerson, t, tn } from '../../i18n/index.ts';
import { Badge, Button, ConfirmDialog, Dialog, DialogCancel, toast, type MenuEntry } from '../../kit/index.ts';
import { DiffView } from '../../shared/diff-view.tsx';
import { showError } from '../../shared/use-async-action.ts';
import { Fault } from '../../shared/form-error.tsx';
import { sameDocument } from './same-document.ts';
import { localText } from '../../shared/schedule/use-schedule-preview.ts';
import { VersionsDialog } from './versions-dialog.tsx';

/** A step that starts the workflow without a person. */
export function startsByItself(document: Workflow, catalog: readonly NodeDescriptor[]): boolean {
  const kinds = new Set(catalog.filter((one) => one.role === 'trigger' && one.type !== 'trigger.manual').map((one) => one.type));
  return Object.values(document.nodes).some((node) => kinds.has(node.type));
}

type Open = 'publish' | 'activate' | 'off' | 'versions' | { refused: ApiError; problems: readonly Diagnostic[] };

export function useActivation({ document, current = () => document, fileRef, catalog, readOnly, pinned, onRestore, onShow }: {
  document: Workflow;
  /** What is activated: the document as it is at the press, where `document` follows what is typed. */
  current?: () => Workflow;
  fileRef: string;
  catalog: readonly NodeDescriptor[];
  readOnly: boolean;
  /** Titles of steps with pinned output: active runs call them. */
  pinned: readonly string[];
  onRestore(version: Workflow): void;
  /** Leads to what is missing: a diagnostic's path. */
  onShow(problem: Diagnostic): void;
}) {
  const may = usePermission();
  const list = useCommand('activation_list', {}, { refetchInterval: 10_000 });
  const activation = list.data?.find((one) => one.workflowId === document.id);
  const active = activation?.active ? activation : undefined;
  const versions = useCommand('workflow_versions', { workflowId: document.id }, { enabled: active !== undefined });
  const published = versions.data?.find((one) => one.active)?.document;
  const changed = useMemo(() => published !== undefined && published !== null && !sameDocument(published, document), [published, document]);
  const [open, setOpen] = useState<Open | null>(null);
  const [busy, setBusy] = useState(false);
  const name = plain(document.name);
  const automatic = useMemo(() => startsByItself(document, catalog), [document, catalog]);

  async function activate(done: string) {
    setBusy(true);
    try {
      const now = await act('workflow_activate', { document: current(), ref: fileRef });
      setOpen(null);
      const due = await firstDue(now.workflowId);
      toast({ signal: 'ok', text: done, ...(due === undefined ? {} : { detail: t('activate.doneNext', { when: due }) }) });
    } catch (cause) {
      const problems = problemsOf(cause);
      if (problems.length > 0) setOpen({ refused: toApiError(cause), problems });
      else showError(cause, t('activate.failed'));
    } finally {
      setBusy(false);
    }
  }
  async function deactivate() {
    setBusy(true);
    try {
      await act('workflow_deactivate', { workflowId: document.id });
      setOpen(null);
      toast({ signal: 'ok', text: t('activate.offDone', { name }) });
    } catch (cause) {
      showError(cause);
    } finally {
      setBusy(false);
    }
  }

  const who = active ? { who: formatPerson(active.activatedBy), when: formatDateTime(active.activatedAt) } : undefined;
  const mayActivate = may('workflow_activate') && !readOnly;
  const bar = active && who ? (
    changed ? (
      <span className="row nw activation-changed">
        <Badge signal="warn" title={t('activate.changedHint', who)}>{t('activate.changed')}</Badge>
        {mayActivate ? <Button busy={busy} onClick={() => setOpen('publish')}>{t('activate.publish')}</Button> : null}
      </span>
    ) : <Badge signal="ok" title={t('activate.activeHint', who)}>{t('activate.active')}</Badge>
  ) : automatic && mayActivate && list.data ? <Button icon="bolt" busy={busy} onClick={() => (pinned.length > 0 ? setOpen('activate') : void activate(t('activate.done', { name })))}>{t('activate.button')}</Button> : null;
  const entries: (MenuEntry | null)[] = [
    ...(activation || automatic ? [null, { id: 'versions', label: t('activate.versions'), icon: 'book' as const, onSelect: () => setOpen('versions') }] : []),
    ...(active && may('workflow_deactivate') ? [{ id: 'deactivate', label: t('activate.off'), icon: 'pause' as const, onSelect: () => setOpen('off') }] : []),
  ];
  const close = () => setOpen(null);
  const calls = pinned.length === 0 ? null : tn('pins.active', pinned.length, { steps: pinned.map(plain).join(', ') });
  const dialog = open === null ? null : open === 'versions' ? (
    <VersionsDialog workflowId={document.id} name={document.name} draft={document} onClose={close}
      onRestore={readOnly ? undefined : (version) => { onRestore(version); close(); toast({ signal: 'ok', text: t('activate.versionRestored') }); }} />
  ) : open === 'off' ? (
    <ConfirmDialog open busy={busy} title={t('activate.offTitle', { name })} text={t('activate.offText')} confirm={t('activate.off')} cancel={t('common.cancel')} late={t('common.noAnswer')} onConfirm={() => void deactivate()} onClose={close} />
  ) : open === 'activate' ? (
    <ConfirmDialog open busy={busy} title={t('pins.activateTitle', { name })} text={calls} confirm={t('activate.button')} cancel={t('common.cancel')} late={t('common.noAnswer')} onConfirm={() => void activate(t('activate.done', { name }))} onClose={close} />
  ) : open === 'publish' ? (
    <Dialog open onClose={close} width={840} busy={busy} title={t('activate.publishTitle', { name })} closeLabel={t('common.cancel')} footer={<>
      <DialogCancel onClick={close} late={t('common.noAnswer')}>{t('common.cancel')}</DialogCancel>
      <Button variant="primary" busy={busy} onClick={() => void activate(t('activate.published'))}>{t('activate.publish')}</Button>
    </>}>
      <p className="t2">{t('activate.publishText')}</p>
      {calls === null ? null : <p className="c-wait">{calls}</p>}
      {published ? <DiffView before={published} after={document} label={t('activate.publish')} /> : null}
    </Dialog>
  ) : (
    <Dialog open onClose={close} title={t('activate.refused', { name })} closeLabel={t('common.close')} footer={<Button onClick={close}>{t('common.close')}</Button>}>
      <Fault error={{ message: open.refused.message, hint: t('activate.refusedText') }} />
      <ul className="am-problems">
        {open.problems.map((one) => (
          <li key={`${one.code} ${one.path} ${one.message}`}>
            <span>{one.message}</span>
            {one.hint && one.hint !== one.message ? <span className="s t2">{one.hint}</span> : null}
            {one.path.startsWith('/nodes/') ? <Button small variant="ghost" onClick={() => { close(); onShow(one); }}>{t('activate.showStep')}</Button> : null}
          </li>
        ))}
      </ul>
    </Dialog>
  );
  return { bar, entries, dialog };

  async function firstDue(workflowId: string): Promise<string | undefined> {
    const triggers = await call('trigger_list', { workflowId }).catch((): Trigger[] => []);
    const [first] = triggers.flatMap((one) => one.next).toSorted((a, b) => (a.utc < b.utc ? -1 : 1));
    return first && localText(first.local);
  }
}

/** What stands in the way, where the host says so. */
function problemsOf(cause: unknown): readonly Diagnostic[] {
  const { details } = toApiError(cause);
  if (typeof details !== 'object' || details === null || !('diagnostics' in details) || !Array.isArray(details.diagnostics)) return [];
  return (details.diagnostics as Diagnostic[]).filter((one) => one.severity === 'error');
}
