// A task that comes while nobody looks: the title of the page counts them, and the system says so when the person wants that.

import { useEffect, useRef } from 'react';
import { call, transport } from '../../api/client.ts';
import { t } from '../../i18n/index.ts';
import { mayNotify, say, useNotify, type Notice } from '../../shared/notify.ts';
import { titleOpen } from '../../shared/page-title.ts';
import { plain } from '../../text/letters.ts';
import type { TaskRow } from './types.ts';

/** More than these at once are one message. */
const MOST = 3;

const reminder = (task: TaskRow) => `${task.id}#${String(task.reminders)}`;
/** The tasks that are new, or that a person was reminded of since the last look, newest first; what was there at the first look is not new. */
export function fresh(tasks: readonly TaskRow[], known: Set<string>): TaskRow[] {
  const first = known.size === 0;
  const news = (task: TaskRow) => !known.has(task.id) || (task.reminders > 0 && !known.has(reminder(task)));
  const found = tasks.filter((task) => task.state === 'open' && news(task));
  for (const task of tasks) known.add(task.id).add(reminder(task));
  // Something must be known afterwards, or the next task would be the first look again.
  known.add('');
  return first ? [] : found;
}
export function noticesOf(tasks: readonly TaskRow[]): Notice[] {
  if (tasks.length > MOST) return [{ title: t('inbox.notice.many', { n: tasks.length }), body: t('inbox.notice.open') }];
  return tasks.map((task) => ({ title: task.reminders > 0 ? t('inbox.notice.reminded', { title: plain(task.title) }) : plain(task.title), body: plain(`${task.workflowName}, ${task.nodeTitle}`), taskId: task.id }));
}

/** Once, in the frame: `open` is how many tasks wait, `look` when that was counted. */
export function useAttention(open: number | undefined, look: number, onOpen: (taskId?: string) => void): void {
  const [wanted] = useNotify();
  const known = useRef(new Set<string>());
  const latest = useRef(onOpen);
  latest.current = onOpen;
  useEffect(() => {
    if (open === undefined) return;
    titleOpen(open);
    // Where there is no tray the title says it.
    transport().waiting?.(open).catch(() => undefined);
  }, [open]);
  useEffect(() => {
    if (!wanted || open === undefined || mayNotify() !== 'yes') return undefined;
    let gone = false;
    // A look that failed is made up for by the next one.
    call('task_list', { state: 'all', limit: 50 }).then(({ tasks }) => {
      if (gone) return;
      const come = fresh(tasks, known.current);
      if (document.hasFocus()) return;
      for (const notice of noticesOf(come)) say(notice, () => latest.current(notice.taskId));
    }, () => undefined);
    return () => { gone = true; };
  }, [open, look, wanted]);
  // A link from outside (`signalbox://task/<id>`) opens its task.
  useEffect(() => transport().onTask?.((taskId) => latest.current(taskId)), []);
}
