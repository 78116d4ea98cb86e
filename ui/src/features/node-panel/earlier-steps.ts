// Steps that run before one: what their output can be used for there.

import type { Workflow } from '../../api/types.ts';
import { splitPort } from '../../shared/step-ids.ts';

/** Ids of the steps that run before this one, the nearest first; of a step in a container also those before the container. */
export function earlierSteps(document: Workflow, nodeId: string): string[] {
  const found: string[] = [];
  const seen = new Set<string>([nodeId]);
  for (let at: string | undefined = nodeId; at !== undefined; at = document.nodes[at]?.parent) {
    seen.add(at);
    let open: string[] = [at];
    while (open.length > 0) {
      const next: string[] = [];
      for (const edge of document.edges) {
        const from = splitPort(edge.from).node;
        if (!open.includes(edge.to) || seen.has(from) || document.nodes[from] === undefined) continue;
        seen.add(from);
        found.push(from);
        next.push(from);
      }
      open = next;
    }
  }
  return found;
}
