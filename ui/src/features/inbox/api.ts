// The commands about tasks, typed.

import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { transport } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { Command } from '../../api/types.ts';
import type { TaskCommands } from './types.ts';

export type TaskCommand = keyof TaskCommands;

export function ask<K extends TaskCommand>(command: K, payload: TaskCommands[K]['request'], signal?: AbortSignal): Promise<TaskCommands[K]['response']> {
  return transport().call(command as unknown as Command, payload as never, signal) as unknown as Promise<TaskCommands[K]['response']>;
}

type Options<K extends TaskCommand> = Omit<UseQueryOptions<TaskCommands[K]['response'], ApiError>, 'queryKey' | 'queryFn'>;
export function useTasks<K extends TaskCommand>(command: K, payload: TaskCommands[K]['request'], options?: Options<K>) {
  return useQuery<TaskCommands[K]['response'], ApiError>({ queryKey: [command, payload], queryFn: ({ signal }) => ask(command, payload, signal), ...options });
}

/** Everything on the page that a change of a task makes stale. */
export async function refreshTasks(): Promise<void> {
  await Promise.all(['task_list', 'task_counts', 'task_get'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

export async function change<K extends TaskCommand>(command: K, payload: TaskCommands[K]['request']): Promise<TaskCommands[K]['response']> {
  try {
    return await ask(command, payload);
  } finally {
    void refreshTasks();
  }
}
