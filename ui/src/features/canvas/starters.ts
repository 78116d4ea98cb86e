/** Small whole workflows that an empty one can begin with. What only the person knows (an address, a folder) is left open: the problems list asks for it. */

import type { NodeDescriptor, Workflow, WorkflowNode } from '../../api/types.ts';
import { localTimeZone, t } from '../../i18n/index.ts';
import { applyEdits, type Edit } from './document.ts';
import { autoLayout } from './model/layout.ts';

export const STARTERS = ['daily', 'request', 'folder'] as const;
export type StarterId = (typeof STARTERS)[number];

interface Starter { nodes: { [id: string]: WorkflowNode }; wires: readonly (readonly [from: string, to: string])[] }

const starterOf = (id: StarterId, path: string): Starter => {
  switch (id) {
    case 'daily':
      return {
        nodes: {
          every_morning: { type: 'trigger.schedule', title: t('start.daily.when'), config: { cron: '0 8 * * *', timezone: localTimeZone() } },
          fetch: { type: 'http.request', title: t('start.daily.fetch'), config: { method: 'GET' } },
          report: { type: 'file.write', title: t('start.daily.write'), config: { path: 'report.json', content: '=item.response' } },
        },
        wires: [['every_morning.success', 'fetch'], ['fetch.success', 'report']],
      };
    case 'request':
      return {
        nodes: {
          request: {
            type: 'trigger.form', title: t('start.request.form'),
            config: { path, title: t('start.request.form'), schema: { type: 'object', required: ['name', 'reason'], properties: { name: { type: 'string', title: t('start.request.name') }, reason: { type: 'string', title: t('start.request.reason') } } } },
          },
          approve: { type: 'builtin.human_approval', title: t('start.request.approve'), config: { title: t('start.request.question', { name: '{{item.answers.name}}', reason: '{{item.answers.reason}}' }) } },
          approved: { type: 'data.set', title: t('start.request.approved'), config: { assign: { approved: true } } },
          rejected: { type: 'data.set', title: t('start.request.rejected'), config: { assign: { approved: false } } },
        },
        wires: [['request.success', 'approve'], ['approve.approved', 'approved'], ['approve.rejected', 'rejected']],
      };
    case 'folder':
      return {
        nodes: {
          new_file: { type: 'trigger.file_watch', title: t('start.folder.watch'), config: { glob: '*.csv' } },
          read: { type: 'file.read', title: t('start.folder.read'), config: { path: '{{item.path}}', as: 'csv' } },
          rows: { type: 'data.set', title: t('start.folder.rows'), config: { assign: { rows: '=item.content' } } },
        },
        wires: [['new_file.success', 'read'], ['read.success', 'rows']],
      };
  }
};

/** For an empty document: the steps in place and wired; `first`: what starts it. */
export function starterEdits(document: Workflow, catalog: readonly NodeDescriptor[], id: StarterId): { edits: Edit[]; first: string } {
  const { nodes, wires } = starterOf(id, document.id);
  const kinds = new Map(catalog.map((kind) => [kind.type, kind]));
  const edits: Edit[] = [
    ...Object.entries(nodes).map(([name, node]): Edit => ({ type: 'addNode', id: name, node: { ...node, typeVersion: kinds.get(node.type)?.version ?? 1 }, at: [0, 0] })),
    ...wires.map(([from, to]): Edit => ({ type: 'connect', from, to })),
  ];
  const { document: made } = applyEdits(document, edits);
  return { edits: [...edits, { type: 'place', places: autoLayout(made, kinds) }], first: Object.keys(nodes)[0] ?? '' };
}
