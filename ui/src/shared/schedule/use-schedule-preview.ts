/** When a schedule would run next, as the host computes it. */
import { useDeferredValue } from 'react';
import { useCommand } from '../../api/queries.ts';
import type { JsonMap } from '../../api/types.ts';

export function useSchedulePreview(config: JsonMap) {
  const now = useDeferredValue(config);
  return useCommand('schedule_preview', { config: now, count: 5 }, { placeholderData: (old) => old, refetchInterval: 60_000 });
}

/** "2026-11-30 08:00" of "2026-11-30T08:00:00+01:00[Europe/Berlin]"; seconds only where there are some. */
export function localText(local: string): string {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?/.exec(local);
  if (!found) return local;
  const [, day, time, seconds] = found;
  return `${String(day)} ${String(time)}${seconds === undefined || seconds === ':00' ? '' : seconds}`;
}
