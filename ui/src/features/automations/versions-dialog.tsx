/** The versions of a workflow that were active, beside its draft: compare, copy to the draft, activate again. */
import './automations.css';
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Workflow, WorkflowVersion } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { formatDateTime, formatPerson, t } from '../../i18n/index.ts';
import { Badge, Button, Dialog, Skeleton } from '../../kit/index.ts';
import { DiffView } from '../../shared/diff-view.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { Fault } from '../../shared/form-error.tsx';
import { sameDocument } from './same-document.ts';

export function VersionsDialog({ workflowId, name, draft, onRestore, onClose }: {
  workflowId: string;
  name: string;
  /** The document in the editor; absent where no editor is open. */
  draft?: Workflow | undefined;
  onRestore?: ((document: Workflow) => void) | undefined;
  onClose(): void;
}) {
  const { data: versions, error } = useCommand('workflow_versions', { workflowId });
  const [compared, setCompared] = useState<WorkflowVersion | null>(null);
  const { busy, run } = useAsyncAction();
  const may = usePermission();
  const use = (version: string) => void run(() => act('workflow_activate', { workflowId, version }), t('activate.done', { name: plain(name) }));
  const when = (one: WorkflowVersion) => t('activate.versionBy', { when: formatDateTime(one.activatedAt), who: formatPerson(one.activatedBy) });
  return (
    <Dialog open onClose={onClose} width={compared ? 840 : 560} title={t('activate.versionsTitle', { name: plain(name) })} closeLabel={t('common.close')} busy={busy}
      footer={<>
        {compared ? <Button onClick={() => setCompared(null)}>{t('activate.versionBack')}</Button> : null}
        <Button onClick={onClose}>{t('common.close')}</Button>
      </>}>
      {error ? <Fault error={error} /> : versions === undefined ? <Skeleton rows={3} /> : versions.length === 0 ? <p className="t2">{t('activate.versionsNone')}</p> : compared && draft ? (
        <>
          <p className="s t2">{when(compared)}</p>
          <DiffView before={compared.document} after={draft} label={t('activate.versionCompare')} />
        </>
      ) : (
        <ul className="am-versions">
          {versions.map((one) => {
            const { document } = one;
            const same = draft !== undefined && document !== null && sameDocument(document, draft);
            return (
              <li key={one.version}>
                <span className="grow col"><span className="mono">{one.version.slice(0, 8)}</span><span className="s t2">{when(one)}</span></span>
                {one.active ? <Badge signal="ok">{t('activate.versionNow')}</Badge> : null}
                {same ? <span className="s t3">{t('activate.versionSame')}</span> : draft && document ? <Button small onClick={() => setCompared(one)}>{t('activate.versionCompare')}</Button> : null}
                {!same && onRestore && document ? <Button small onClick={() => onRestore(document)}>{t('activate.versionRestore')}</Button> : null}
                {!one.active && may('workflow_activate') ? <Button small busy={busy} onClick={() => use(one.version)}>{t('activate.versionUse')}</Button> : null}
              </li>
            );
          })}
        </ul>
      )}
    </Dialog>
  );
}
