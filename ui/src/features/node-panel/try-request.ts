// A request that only reads can be tried before there is any data: nothing that leads to it does something outside.

import { isObject } from '../../json/json.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { earlierSteps } from './earlier-steps.ts';

const READS: ReadonlySet<unknown> = new Set([undefined, 'GET', 'HEAD']);
/** Steps that neither ask anybody nor take another way. */
const HARMLESS: ReadonlySet<string> = new Set(['start', 'data']);

/** A run up to this step would call this address, by GET or HEAD, and do nothing else. */
export function canTryRequest(document: Workflow, nodeId: string, catalog: readonly NodeDescriptor[]): boolean {
  const node = document.nodes[nodeId];
  const config: unknown = node?.config;
  if (node?.type !== 'http.request' || node.disabled || node.parent !== undefined || !isObject(config)) return false;
  if (!READS.has(config['method']) || typeof config['url'] !== 'string' || config['url'].trim() === '') return false;
  return earlierSteps(document, nodeId).every((id) => {
    const kind = catalog.find((one) => one.type === document.nodes[id]?.type);
    return kind !== undefined && HARMLESS.has(kind.category) && kind.effects === 'none';
  });
}
