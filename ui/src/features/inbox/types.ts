// The shapes of the commands about tasks, under the names used here.

import type { PatchOperation, Task, TaskBatch, TaskList, TaskSuggestion } from '../../api/types.ts';

export type { Delegation, Task, TaskAction, TaskCheck, TaskCounts, TaskEvent, TaskFilter, TaskPage, TaskRow, TaskSort, TaskView, TaskVote, Who } from '../../api/types.ts';
export type Suggestion = TaskSuggestion;
export type TaskQuery = TaskList;
export type BatchResult = TaskBatch;
export type Patch = PatchOperation[];
export type TaskState = Task['state'];
