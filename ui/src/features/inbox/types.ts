// The shapes of the commands about tasks, under the names used here.

import type { TaskBatch, TaskList } from '../../api/types.ts';

export type { Delegation, Task, TaskAction, TaskCheck, TaskCounts, TaskEvent, TaskFilter, TaskPage, TaskRow, TaskSort, TaskView, TaskVote, Who } from '../../api/types.ts';
export type TaskQuery = TaskList;
export type BatchResult = TaskBatch;
