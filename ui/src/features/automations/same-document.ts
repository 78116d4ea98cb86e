import type { Workflow } from '../../api/types.ts';

/** Whether two documents do the same: where steps stand on the canvas does not count. */
export function sameDocument(a: Workflow, b: Workflow): boolean {
  return sorted({ ...a, layout: undefined }) === sorted({ ...b, layout: undefined });
}

/** JSON with the keys of each object in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'object' && one !== null && !Array.isArray(one)
    ? Object.fromEntries(Object.entries(one).toSorted(([x], [y]) => (x < y ? -1 : 1)))
    : one));
}
