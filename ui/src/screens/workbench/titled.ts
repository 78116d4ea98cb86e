/** People know a step by the title on its card: its own, else that of its kind, with a number where several have the same. Ids are for files. */
import type { RunDefinition } from '../../run/run-state.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { numberedTitles } from '../../shared/numbered-titles.ts';
import { stepTitle } from '../../shared/step-title.ts';

/** `kept`: steps that a re-run has from its original. */
export function titled(workflow: Workflow, catalog: readonly NodeDescriptor[], kept?: readonly string[]): RunDefinition {
  const kinds = new Map(catalog.map((kind) => [kind.type, kind.title]));
  const numbered = numberedTitles(workflow.nodes, (type) => kinds.get(type), catalog);
  const nodes = Object.entries(workflow.nodes).map(([id, node]) => [id, { ...node, title: numbered.get(id) ?? stepTitle(node.title, kinds.get(node.type), id) }] as const);
  return { ...workflow, nodes: Object.fromEntries(nodes), ...(kept ? { kept } : {}) } as RunDefinition;
}
