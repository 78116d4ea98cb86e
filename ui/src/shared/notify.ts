// Messages of the system: whether a person wants them, whether it can show them, and showing one.

import { transport } from '../api/client.ts';
import { usePaneOpen } from '../api/settings.ts';

export interface Notice { title: string; body: string; taskId?: string; runId?: string }

/** Whether the system can say something, and whether it may. */
export function mayNotify(): 'yes' | 'ask' | 'no' | 'none' {
  if (transport().notify) return 'yes';
  if (!('Notification' in window)) return 'none';
  return Notification.permission === 'granted' ? 'yes' : Notification.permission === 'denied' ? 'no' : 'ask';
}
export const useNotify = () => usePaneOpen('inbox.notify', false);
/** Whether the system says that an active workflow failed. */
export const useNotifyFailures = () => usePaneOpen('automations.notify', false);

export function say(notice: Notice, onOpen: () => void): void {
  if (mayNotify() !== 'yes') return;
  const { notify } = transport();
  if (notify) {
    // Without a service for messages the task is still in the inbox.
    const { title, body, taskId } = notice;
    notify({ title, body, ...(taskId === undefined ? {} : { taskId }) }).catch(() => undefined);
    return;
  }
  // The same task is never said twice, also with several pages open.
  const shown = new Notification(notice.title, { body: notice.body, tag: `signalbox-${notice.taskId ?? notice.runId ?? 'many'}` });
  shown.onclick = () => {
    window.focus();
    onOpen();
    shown.close();
  };
}
