/** Exports the workflow of the builder as a program. */
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { usePermission } from '../../api/queries.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { ExportDialog } from '../../features/export-program/export-dialog.tsx';
import { titleOf } from '../../features/node-panel/index.ts';
import { t } from '../../i18n/index.ts';
import { useActions, type MenuEntry } from '../../kit/index.ts';
import { exportAction } from './actions.ts';
import type { Session } from './session.ts';
import { takeTyped } from './typed.ts';

export function useExport({ session, document, dirty, catalog, onShow }: {
  session: Session; document: Workflow; dirty: boolean; catalog: NodeDescriptor[]; onShow(stepId: string): void;
}): { entries: MenuEntry[]; dialog: ReactNode } {
  // `workflow_export` itself is for the window; who may download may look.
  const allowed = usePermission()('workflow_export_check');
  const [open, setOpen] = useState(false);
  const ask = useCallback(() => {
    takeTyped();
    setOpen(true);
  }, []);
  const can = useLatest(allowed);
  useActions(useMemo(() => [exportAction(ask, () => can.current)], [ask, can]));
  const dialog = open ? (
    <ExportDialog fileRef={session.ref} document={document} catalog={catalog} dirty={dirty && !session.readOnly} titleOf={(id) => titleOf(document, id, catalog)}
      onSave={() => void session.save()} onShow={(id) => { setOpen(false); onShow(id); }} onClose={() => setOpen(false)} />
  ) : null;
  return { entries: allowed ? [{ id: 'export', label: t('export.open'), icon: 'dl', onSelect: ask }] : [], dialog };
}
