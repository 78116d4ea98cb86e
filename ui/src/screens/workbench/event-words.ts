/** Events in words where nothing stands beside them: on the line of time and in the banner of the past. Steps are named with the iteration they stand in. */
import { useCallback, useMemo } from 'react';
import { eventAt } from '../../run/event-gap.ts';
import { stepAt } from '../../run/run-paths.ts';
import type { RunEventLike } from '../../run/run-state.ts';
import type { TimeTravel } from '../../run/time-travel.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { titleOf } from '../../features/node-panel/index.ts';
import { eventText } from '../../features/run-log/index.ts';
import type { EventWords } from '../../features/time-travel/time-bar.tsx';
import { namesIn } from '../../shared/format-path.ts';
import { useInnerNames } from './inner-names.ts';

export function useEventWords(time: TimeTravel | null, document: Workflow, catalog: readonly NodeDescriptor[]): EventWords {
  const now = time?.now ?? null;
  const event = now ? eventAt(now, time?.seq ?? now.lastSeq) : undefined;
  const names = useMemo(() => namesIn(now, document, (id) => titleOf(document, id, catalog)), [now, document, catalog]);
  const titles = useInnerNames(names, event && stepOf(event), document, catalog);
  return useCallback((one, view) => eventText(one, view, titles), [titles]);
}

/** The step that an event names. */
function stepOf(event: RunEventLike) {
  const from = event.type === 'workflow_start' ? (event.payload as { resumedFrom?: unknown } | undefined)?.resumedFrom : undefined;
  return typeof from === 'string' ? stepAt(from) : event;
}
