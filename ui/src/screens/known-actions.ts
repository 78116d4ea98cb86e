/** Actions of screens that are not open now, so that Settings can show and change their keys. */
import { useMemo } from 'react';
import { auditActions, NO_AUDIT } from '../features/audit/actions.ts';
import { canvasActionTable } from '../features/canvas/actions.ts';
import { debugActions, NO_DEBUG } from '../features/debug/actions.ts';
import { inboxActions, NO_INBOX } from '../features/inbox/actions.ts';
import { timeActions } from '../features/time-travel/actions.ts';
import type { Action } from '../kit/index.ts';
import { panelActions } from './workbench/menus.ts';
import { builderActions, faultAction, NO_BUILDER, planAction, proofAction, rerunAction, stepRunActions } from './builder/actions.ts';

export function useKnownActions(open: Action[]): Action[] {
  return useMemo(() => {
    const known = new Map(open.map((action) => [action.id, action]));
    for (const action of [...builderActions(NO_BUILDER), rerunAction(() => null, () => undefined), planAction(() => undefined, () => false), proofAction(() => undefined, () => false), faultAction(() => undefined, () => undefined), ...stepRunActions(() => null, () => undefined), ...panelActions(null, () => undefined), ...debugActions(NO_DEBUG), ...timeActions(() => null), ...canvasActionTable(), ...inboxActions(NO_INBOX), ...auditActions(NO_AUDIT)]) if (!known.has(action.id)) known.set(action.id, action);
    return [...known.values()];
  }, [open]);
}
