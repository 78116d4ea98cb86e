// What a change of a task makes stale on the page.

import { call } from '../../api/client.ts';
import { ApiError, toApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { Command, Commands } from '../../api/types.ts';
import { formatTime, t } from '../../i18n/index.ts';
import { whoText } from './words.ts';

const TASKS = ['task_list', 'task_counts', 'task_get'];
const stale = async (names: string[]) => { await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] }))); };

/** After a change that was made here: it moves its run and leaves a record, too. */
export const refreshTasks = (): Promise<void> => stale([...TASKS, 'task_stats', 'run_get', 'run_list', 'audit_list']);

let busy = false;
let again = false;
/** After a change that was told: many in a row are one look, and the last of them is never missed. */
export async function tasksChanged(): Promise<void> {
  again = true;
  if (busy) return;
  busy = true;
  try {
    while (again) {
      again = false;
      await stale(TASKS);
    }
  } finally {
    busy = false;
  }
}

/** Who was faster, by name and in the time of this place: the message itself is for machines in any. */
function inWords(error: ApiError): ApiError {
  const details = (typeof error.details === 'object' && error.details !== null ? error.details : {}) as { who?: unknown; until?: unknown };
  if (error.code !== 'CLAIMED' || typeof details.who !== 'string' || typeof details.until !== 'string') return error;
  const message = t('inbox.claimedUntil', { who: whoText(details.who), when: formatTime(details.until).slice(0, 5) });
  return new ApiError({ code: error.code, message, hint: error.hint, details: error.details });
}

/** Changes a task; what is on the page is read again also when it was refused: somebody else may have been faster. */
export async function change<K extends Command>(command: K, payload: Commands[K]['request']): Promise<Commands[K]['response']> {
  try {
    return await call(command, payload);
  } catch (cause) {
    throw inWords(toApiError(cause));
  } finally {
    void refreshTasks();
  }
}
