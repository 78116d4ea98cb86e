/** A run that ends after a step needs nothing of the steps behind it: settings that are still empty there do not keep it from starting. */
import { isMissing, nodeOf } from '../../api/diagnostics.ts';
import type { Workflow } from '../../api/types.ts';
import { applyEdits } from '../../features/canvas/document.ts';
import { earlierSteps } from '../../features/node-panel/index.ts';
import { splitPort } from '../../shared/step-ids.ts';
import { refusedFor } from './diagnostics.ts';

/** The steps that a run up to this one may come to: those before it, and what works on their failures. */
function needed(document: Workflow, until: string): ReadonlySet<string> {
  const found = new Set([until, ...earlierSteps(document, until)]);
  const lead = new Set(found);
  for (let grew = true; grew;) {
    grew = false;
    for (const edge of document.edges) {
      const { node, port } = splitPort(edge.from);
      if (!found.has(node) || found.has(edge.to) || (lead.has(node) && port !== 'error')) continue;
      found.add(edge.to);
      grew = true;
    }
  }
  return found;
}

/** The document that was refused, without the unfinished steps that a run up to `until` does not come to. Null when that would not help. */
export function withoutUnfinished(document: Workflow, until: string, cause: unknown): Workflow | null {
  const refused = refusedFor(cause);
  if (!refused || refused.length === 0) return null;
  const needs = needed(document, until);
  const ids = new Set<string>();
  for (const one of refused) {
    const id = isMissing(one) ? nodeOf(one, document) : undefined;
    if (id === undefined || needs.has(id)) return null;
    ids.add(id);
  }
  return applyEdits(document, [{ type: 'removeNodes', ids: [...ids] }]).document;
}
