/** Several steps with the same title are told apart by a number behind it: the first keeps the title as it is. */

import type { Workflow, WorkflowNode } from '../api/types.ts';
import { stepTitle } from './step-title.ts';

type Nodes = Workflow['nodes'];
/** By catalog: the canvas and the panels each have their own. */
const known = new WeakMap<Nodes, Map<unknown, ReadonlyMap<string, string>>>();

/** A step keeps its object as long as nothing of it changes. */
const read = new WeakMap<WorkflowNode, { id: string; kind: string | undefined; title: string }>();
function titleOf(id: string, node: WorkflowNode, kind: string | undefined): string {
  const done = read.get(node);
  if (done && done.id === id && done.kind === kind) return done.title;
  const title = stepTitle(node.title, kind, id);
  read.set(node, { id, kind, title });
  return title;
}

/** The titles that carry a number. `catalog`: what `kindTitle` asks, for which the answer is remembered. */
export function numberedTitles(nodes: Nodes, kindTitle: (type: string) => string | undefined, catalog: unknown): ReadonlyMap<string, string> {
  const byCatalog = known.get(nodes) ?? new Map<unknown, ReadonlyMap<string, string>>();
  known.set(nodes, byCatalog);
  const done = byCatalog.get(catalog);
  if (done) return done;
  const own = new Map<string, string>();
  for (const [id, node] of Object.entries(nodes)) own.set(id, titleOf(id, node, kindTitle(node.type)));
  const taken = new Set(own.values());
  const titles = new Map<string, string>();
  if (taken.size < own.size) {
    const seen = new Map<string, number>();
    for (const [id, title] of own) {
      let number = seen.get(title);
      if (number === undefined) {
        seen.set(title, 1);
        continue;
      }
      do number += 1;
      while (taken.has(`${title} ${String(number)}`));
      seen.set(title, number);
      titles.set(id, `${title} ${String(number)}`);
    }
  }
  byCatalog.set(catalog, titles);
  return titles;
}
