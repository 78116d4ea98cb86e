/** Workflows that ask people, for the tests of the inbox and the audit viewer. */
import type { Host } from './host.ts';

interface Named { name: string; [field: string]: unknown }
export async function makeWorkflow(host: Host, document: Named): Promise<{ ref: string; id: string }> {
  const made = await host.rpc<{ ref: string; revision: string; document: { id: string } }>('workflow_create', { name: document.name });
  await host.rpc('workflow_save', { ref: made.ref, document: { ...document, id: made.document.id }, baseRevision: made.revision });
  return { ref: made.ref, id: made.document.id };
}

/** A mean of nothing fails; a person corrects the count. */
export const MEAN: Named = {
  signalbox: 1, id: 'mean', name: 'Mean of the orders', settings: { errorPolicy: 'fail' },
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    mean: { type: 'data.set', typeVersion: 1, title: 'Mean value', config: { assign: { mean: '=item.total / item.count' } } },
    ask: { type: 'builtin.human_decision', typeVersion: 1, title: 'Ask an operator', config: { title: 'No mean for {{item.name}}', instructions: 'A count of 0 is a typing error most of the time.', ttlMs: 3_600_000 } },
    end: { type: 'flow.stop', typeVersion: 1, title: 'Done' },
  },
  edges: [{ from: 'start.success', to: 'mean' }, { from: 'mean.success', to: 'end' }, { from: 'mean.error', to: 'ask' }, { from: 'ask.corrected', to: 'mean' }, { from: 'ask.retry', to: 'mean' }, { from: 'ask.skip', to: 'end' }],
  layout: { start: [0, 0], mean: [248, 0], ask: [248, 144], end: [496, 0] },
};
export const APPROVAL: Named = {
  signalbox: 1, id: 'pay', name: 'Pay suppliers',
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    ask: { type: 'builtin.human_approval', typeVersion: 1, title: 'Release payment', config: { title: 'Approve payment of {{item.amount}} EUR' } },
    yes: { type: 'flow.noop', typeVersion: 1, title: 'Pay' },
    no: { type: 'flow.noop', typeVersion: 1, title: 'Tell them' },
  },
  edges: [{ from: 'start.success', to: 'ask' }, { from: 'ask.approved', to: 'yes' }, { from: 'ask.rejected', to: 'no' }], layout: { start: [0, 0], ask: [248, 0], yes: [496, 0], no: [496, 144] },
};

export async function startRun(host: Host, ref: string, params: unknown): Promise<string> {
  return (await host.rpc<{ runId: string }>('run_start', { ref, params })).runId;
}
export async function openTasks(host: Host): Promise<{ id: string; runId: string; revision: number; title: string; state: string; workflowName: string }[]> {
  return (await host.rpc<{ tasks: { id: string; runId: string; revision: number; title: string; state: string; workflowName: string }[] }>('task_list', { state: 'all', limit: 500 })).tasks;
}
