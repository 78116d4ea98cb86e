// What tasks are called, for a decision about many: what was refused has a name when its row has long left the list. Lives as
// long as the page; titles are never written to the disk.

const titles = new Map<string, string>();

export function remember(tasks: readonly { id: string; title: string }[]): void {
  for (const task of tasks) titles.set(task.id, task.title);
}

/** Its title, or its id after a reload. */
export const titleOf = (taskId: string): string => titles.get(taskId) ?? taskId;
