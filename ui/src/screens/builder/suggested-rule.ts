/** A rule that decisions of people suggest comes into its workflow as one step that Undo takes back; nothing is saved by it (UX D2.14). */
import { useEffect, type RefObject } from 'react';
import type { NodeDescriptor } from '../../api/types.ts';
import { ruleEdits, type CanvasHandle } from '../../features/canvas/index.ts';
import { DEFAULT_RULES } from '../../features/node-panel/rules-editor.tsx';
import { stepTitle } from '../../shared/step-title.ts';
import { t } from '../../i18n/index.ts';
import { toast } from '../../kit/index.ts';
import { takePendingRule } from '../commands.ts';
import type { Session } from './session.ts';

export function useSuggestedRule(session: Session, catalog: readonly NodeDescriptor[], canvas: RefObject<CanvasHandle | null>): void {
  useEffect(() => {
    const pending = takePendingRule(session.ref);
    if (!pending) return undefined;
    const { editor } = session;
    if (session.readOnly) {
      toast({ signal: 'warn', text: t('inbox.rule.readOnly') });
      return undefined;
    }
    const { document } = editor.getState();
    const kinds = new Map(catalog.map((kind) => [kind.type, kind]));
    const found = ruleEdits(document, kinds, pending.nodeId, pending.rule, DEFAULT_RULES);
    if (typeof found === 'string') {
      toast({ signal: 'warn', text: t(`inbox.rule.${found}`, { step: stepTitle(document.nodes[pending.nodeId]?.title, undefined, pending.nodeId) }) });
      return undefined;
    }
    const [lead] = found.ids;
    if (lead === undefined || !editor.apply(found.edits, { label: t('inbox.rule.step', { name: pending.rule.name }), select: [lead] })) return undefined;
    toast({ signal: 'ok', text: t('inbox.rule.added', { name: pending.rule.name }), detail: t('inbox.rule.addedHint') });
    // The canvas is there after the first drawing.
    const timer = setTimeout(() => canvas.current?.reveal(lead), 60);
    return () => clearTimeout(timer);
  }, [session, catalog, canvas]);
}
