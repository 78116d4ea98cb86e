// What a person who looks into the run did, and where it stands stopped.

import { isObject } from './json';
import { text, type Fields, type FoldState } from './run-fold-state';
import type { RunEventLike, RunStop } from './run-state';

const REASONS = new Set<RunStop['reason']>(['breakpoint', 'step', 'request']);

/** True when the event was one of these. */
export function applyDebug(s: FoldState, event: RunEventLike, payload: Fields): boolean {
  switch (event.type) {
    case 'workflow_paused': {
      const reason = payload['reason'] as RunStop['reason'];
      s.stopped = {
        reason: REASONS.has(reason) ? reason : 'request',
        stepId: event.stepId ?? undefined,
        path: event.path ?? undefined,
        item: event.item ?? undefined,
        condition: text(payload['condition']),
        conditionError: text(payload['conditionError']),
        who: text(payload['operatorId']),
      };
      return true;
    }
    case 'workflow_continued':
      s.stopped = null;
      return true;
    case 'breakpoints_set': {
      const list = payload['breakpoints'];
      s.breakpoints = Array.isArray(list) ? list.filter(isObject).map((one) => ({ node: text(one['node']) ?? '', when: text(one['when']) })) : [];
      return true;
    }
    case 'input_edited':
      return true;
    default:
      return false;
  }
}
