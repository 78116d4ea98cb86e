// What a change of a task makes stale on the page.

import { call } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import type { Command, Commands } from '../../api/types.ts';

export async function refreshTasks(): Promise<void> {
  await Promise.all(['task_list', 'task_counts', 'task_get', 'run_get', 'run_list', 'audit_list'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

/** Changes a task; what is on the page is read again also when it was refused: somebody else may have been faster. */
export async function change<K extends Command>(command: K, payload: Commands[K]['request']): Promise<Commands[K]['response']> {
  try {
    return await call(command, payload);
  } finally {
    void refreshTasks();
  }
}
