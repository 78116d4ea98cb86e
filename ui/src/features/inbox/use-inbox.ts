// The list of tasks and its counts, kept fresh while the page is seen.

import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { ApiError } from '../../api/error.ts';
import { call } from '../../api/client.ts';
import { useCommand } from '../../api/queries.ts';
import { usePoll } from './live.ts';
import { type InboxFilters, scopeOf } from './filter-model.ts';
import type { TaskPage, TaskQuery } from './types.ts';
import { todayEnd } from './words.ts';

const PAGE = 200;
const POLL_MS = 2_000;

const dayEnd = () => new Date(todayEnd(Date.now())).toISOString();

export function useCounts(every = POLL_MS) {
  return useCommand('task_counts', { dayEnd: dayEnd() }, { refetchInterval: usePoll(every), staleTime: 1_000, placeholderData: (before) => before });
}

export function queryOf(filters: InboxFilters, text: string): TaskQuery {
  return {
    state: 'open', dayEnd: dayEnd(), ...scopeOf(filters.view, text),
    ...(filters.sort === 'due' && filters.view !== 'done' ? { sort: filters.sort } : {}),
    ...(filters.workflow ? { workflow: filters.workflow } : {}), ...(filters.fingerprint ? { fingerprint: filters.fingerprint } : {}), ...(text ? { text } : {}),
  };
}

export function useTaskPages(request: TaskQuery, counts: unknown) {
  const every = usePoll(8_000);
  const query = useInfiniteQuery<TaskPage, ApiError, { pages: TaskPage[] }, unknown[], string | undefined>({
    queryKey: ['task_list', request, 'pages'],
    queryFn: ({ pageParam, signal }) => call('task_list', { ...request, limit: PAGE, ...(pageParam ? { after: pageParam } : {}) }, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next,
    // What counts do not show (a claim) comes a little later; a list that is long by scrolling is left alone.
    refetchInterval: (state) => ((state.state.data?.pages.length ?? 0) > 3 ? false : every),
    placeholderData: (old) => old,
  });
  const { refetch } = query;
  const seen = useRef<string | undefined>(undefined);
  const now = counts === undefined ? undefined : JSON.stringify(counts);
  useEffect(() => {
    if (now === undefined) return;
    if (seen.current !== undefined && seen.current !== now) void refetch();
    seen.current = now;
  }, [now, refetch]);
  const tasks = useMemo(() => {
    // A task that moved while pages were read would stand in two of them.
    const ids = new Set<string>();
    return query.data?.pages.flatMap((page) => page.tasks.filter((task) => !ids.has(task.id) && ids.add(task.id)));
  }, [query.data]);
  return { ...query, tasks, total: query.data?.pages[0]?.total };
}
