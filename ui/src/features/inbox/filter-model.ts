// What the list is asked for, and how a view of one's own is kept. Pure.

import type { TaskCounts, TaskFilter, TaskSort, TaskView } from './types.ts';

export type InboxView = TaskView | 'done';
export interface InboxFilters { view: InboxView; workflow: string; fingerprint: string; text: string; sort: TaskSort }
export const NO_FILTERS: InboxFilters = { view: 'all', workflow: '', fingerprint: '', text: '', sort: 'urgent' };

/** What the host is asked for. Snoozed tasks stand in their own view alone; only who searches finds them everywhere. */
export function scopeOf(view: InboxView, text: string): Pick<TaskFilter, 'state' | 'view'> {
  if (view === 'done') return { state: 'done' };
  return view === 'all' && text !== '' ? {} : { view };
}

/** A view of the person's own, as it is kept. */
export function savedOf(filters: InboxFilters): TaskFilter {
  const text = filters.text.trim();
  return {
    ...scopeOf(filters.view, text), ...(filters.workflow ? { workflow: filters.workflow } : {}),
    ...(filters.fingerprint ? { fingerprint: filters.fingerprint } : {}), ...(text ? { text } : {}), ...(filters.sort === 'urgent' ? {} : { sort: filters.sort }),
  };
}
export function filtersOf(saved: TaskFilter): InboxFilters {
  return { view: saved.state === 'done' ? 'done' : (saved.view ?? 'all'), workflow: saved.workflow ?? '', fingerprint: saved.fingerprint ?? '', text: saved.text ?? '', sort: saved.sort ?? 'urgent' };
}
export const sameView = (a: InboxFilters, b: InboxFilters) => JSON.stringify(savedOf(a)) === JSON.stringify(savedOf(b));

/** Open ones that are not snoozed. */
export const awake = (counts: TaskCounts): number => Math.max(0, counts.open - counts.snoozed);
