/** People know a step by the title on its card: its own, else that of its kind. Ids are for files. */
import type { RunDefinition } from '../../run/run-state.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { stepTitle } from '../../shared/step-title.ts';

/** `kept`: steps that a re-run has from its original. */
export function titled(workflow: Workflow, catalog: readonly NodeDescriptor[], kept?: readonly string[]): RunDefinition {
  const kinds = new Map(catalog.map((kind) => [kind.type, kind.title]));
  const nodes = Object.entries(workflow.nodes).map(([id, node]) => [id, { ...node, title: stepTitle(node.title, kinds.get(node.type), id) }] as const);
  return { ...workflow, nodes: Object.fromEntries(nodes), ...(kept ? { kept } : {}) } as RunDefinition;
}
