import type { Workflow } from '../../api/types.ts';

/** Whether two documents do the same: where steps stand on the canvas does not count, and a first version may be left out. */
export function sameDocument(a: Workflow, b: Workflow): boolean {
  return sorted(meaning(a)) === sorted(meaning(b));
}

function meaning(workflow: Workflow) {
  const nodes = Object.entries(workflow.nodes).map(([id, node]) => [id, { ...node, typeVersion: node.typeVersion ?? 1 }]);
  return { ...workflow, nodes: Object.fromEntries(nodes) as unknown, layout: undefined };
}

/** JSON with the keys of each object in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'object' && one !== null && !Array.isArray(one)
    ? Object.fromEntries(Object.entries(one).toSorted(([x], [y]) => (x < y ? -1 : 1)))
    : one));
}
