/** A step that was chosen in the catalog comes into the workflow as one change that Undo takes back; nothing is saved by it. */
import { useEffect, type RefObject } from 'react';
import type { NodeDescriptor } from '../../api/types.ts';
import { insertNode, openPort, type CanvasHandle } from '../../features/canvas/index.ts';
import { t } from '../../i18n/index.ts';
import { toast } from '../../kit/index.ts';
import { takePendingKind } from '../commands.ts';
import type { Session } from './session.ts';

export function useChosenKind(session: Session, catalog: readonly NodeDescriptor[], canvas: RefObject<CanvasHandle | null>): void {
  useEffect(() => {
    if (catalog.length === 0) return undefined;
    const type = takePendingKind(session.ref);
    const kind = catalog.find((one) => one.type === type);
    if (!kind) return undefined;
    if (session.readOnly) {
      toast({ signal: 'warn', text: t('catalog.addedReadOnly', { name: kind.title }) });
      return undefined;
    }
    const { editor } = session;
    const { document } = editor.getState();
    const kinds = new Map(catalog.map((one) => [one.type, one]));
    // Behind the last step, when it has a port that leads nowhere yet.
    const last = Object.keys(document.nodes).at(-1);
    const port = last === undefined || kind.role === 'trigger' ? undefined : openPort(document, kinds, last);
    const free = port !== undefined && !document.edges.some((edge) => edge.from === `${String(last)}.${port}`);
    const { edits, id } = insertNode(document, kinds, kind, free ? { from: `${String(last)}.${port}` } : {});
    if (!editor.apply(edits, { label: t('catalog.add'), select: [id] })) return undefined;
    toast({ signal: 'ok', text: t('catalog.added', { name: kind.title }) });
    // The canvas is there after the first drawing.
    const timer = setTimeout(() => canvas.current?.reveal(id), 60);
    return () => clearTimeout(timer);
  }, [session, catalog, canvas]);
}
