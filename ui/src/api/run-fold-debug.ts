// Where a run stands that a person stopped.

import { text, type Fields, type FoldState } from './run-fold-state';
import type { RunEventLike, RunStop } from './run-types';

const REASONS = new Set<RunStop['reason']>(['breakpoint', 'step', 'request']);

export function applyDebug(s: FoldState, event: RunEventLike, payload: Fields): void {
  if (event.type === 'workflow_continued') s.stopped = null;
  if (event.type !== 'workflow_paused') return;
  const reason = payload['reason'] as RunStop['reason'];
  s.stopped = {
    reason: REASONS.has(reason) ? reason : 'request',
    stepId: event.stepId ?? undefined,
    path: event.path ?? undefined,
    item: event.item ?? undefined,
    from: text(payload['from']),
    condition: text(payload['condition']),
    conditionError: text(payload['conditionError']),
    who: text(payload['operatorId']),
  };
}
