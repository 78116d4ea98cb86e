// Where a run stands that a person stopped, and where it stops.

import { isObject } from '../json/json';
import { text, type Fields, type FoldState } from './run-fold-state';
import type { RunEventLike, RunStop } from './run-types';
import type { Breakpoint } from '../api/types';

const REASONS = new Set<RunStop['reason']>(['breakpoint', 'step', 'request']);

function pointsIn(list: unknown): Breakpoint[] {
  return (Array.isArray(list) ? list : []).filter((one): one is Breakpoint => isObject(one) && typeof one['node'] === 'string');
}

export function applyDebug(s: FoldState, event: RunEventLike, payload: Fields): void {
  if (event.type === 'workflow_continued') s.stopped = null;
  // All of them, whatever there was before.
  if (event.type === 'breakpoints_set') s.breakpoints = pointsIn(payload['breakpoints']);
  if (event.type !== 'workflow_paused') return;
  const reason = payload['reason'] as RunStop['reason'];
  s.stopped = {
    reason: REASONS.has(reason) ? reason : 'request',
    seq: event.seq ?? 0,
    stepId: event.stepId ?? undefined,
    path: event.path ?? undefined,
    item: event.item ?? undefined,
    from: text(payload['from']),
    condition: text(payload['condition']),
    conditionError: text(payload['conditionError']),
    who: text(payload['operatorId']),
  };
}
