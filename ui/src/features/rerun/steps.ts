import type { RunView } from '../../api/run-state.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';

/** Steps of a run that a re-run can begin at: those at the top that ran, in the order of the file. Recovery steps work on failures of others. */
export function rerunSteps(document: Workflow, ran: (id: string) => boolean, catalog: readonly NodeDescriptor[]): { name: string; title: string }[] {
  const kinds = new Map(catalog.map((kind) => [kind.type, kind]));
  return Object.entries(document.nodes)
    .filter(([id, node]) => ran(id) && !node.parent && kinds.get(node.type)?.role !== 'recovery')
    .map(([id, node]) => ({ name: id, title: node.title ?? kinds.get(node.type)?.title ?? id }));
}

export const ranIn = (view: RunView | null) => (id: string): boolean => (view?.nodes[id]?.calls ?? 0) > 0;
