import { inChoice, slotKey } from '../../run/run-paths.ts';
import type { NodeRun, RunView } from '../../run/run-state.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { stepTitle } from '../../shared/step-title.ts';

/** Steps of a run that a re-run can begin at: those at the top that ran, in the order of the file. Recovery steps work on failures of others. */
export function rerunSteps(document: Workflow, ran: (id: string) => boolean, catalog: readonly NodeDescriptor[]): { name: string; title: string }[] {
  const kinds = new Map(catalog.map((kind) => [kind.type, kind]));
  return Object.entries(document.nodes)
    .filter(([id, node]) => ran(id) && !node.parent && kinds.get(node.type)?.role !== 'recovery')
    .map(([id, node]) => ({ name: id, title: stepTitle(node.title, kinds.get(node.type)?.title, id) }));
}

/** What was kept of the original ran there: it can begin again like what ran here. */
const hasRun = (run: NodeRun | undefined): boolean => run !== undefined && (run.calls > 0 || (run.unloaded ?? 0) > 0 || run.state === 'kept' || (run.over?.kept ?? 0) > 0);

export const ranIn = (view: RunView | null) => (id: string): boolean => hasRun(view?.nodes[id]);

/** Where a re-run would begin, or what is in its way. */
export type RerunPlace = { name: string } | { why: 'goesOn' | 'reading' | 'iteration' | 'notLoaded' };

/** The place of a step that is chosen on the canvas: at the top its name; in frames the call whose card is chosen, else where it ran in the
 * iterations that are looked at, when that is one place. Null for what never ran and for recovery steps. */
export function rerunPlace(view: RunView, document: Workflow, catalog: readonly NodeDescriptor[], id: string, picked?: { nodeId: string; path?: string }): RerunPlace | null {
  const node = document.nodes[id];
  if (!node || !ranIn(view)(id) || catalog.find((kind) => kind.type === node.type)?.role === 'recovery') return null;
  const rests = view.status === 'completed' || view.status === 'failed' || view.status === 'cancelled' || view.status === 'paused';
  if (!rests) return { why: 'goesOn' };
  // Of its iterations those are known that were read so far.
  if (view.behind) return { why: 'reading' };
  if (!node.parent) return { name: id };
  if (picked?.nodeId === id && picked.path !== undefined && inChoice(picked.path, view.choice ?? {})) return { name: slotKey(id, picked.path) };
  let only: string | undefined;
  for (const key of view.slotsOf.get(id)?.values() ?? []) {
    const run = view.slots.get(key);
    if (!run?.path || !hasRun(run) || !inChoice(run.path, view.choice ?? {})) continue;
    if (only !== undefined) return { why: 'iteration' };
    only = slotKey(id, run.path);
  }
  // Other iterations of it may have run, or this one, among the events that are not loaded.
  if (node.parent && (view.nodes[id]?.unloaded ?? 0) > 0) return { why: only === undefined ? 'notLoaded' : 'iteration' };
  return only === undefined ? null : { name: only };
}
