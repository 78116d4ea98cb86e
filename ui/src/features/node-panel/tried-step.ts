// What a dry run has to know of the step whose error is tried: its own retries come before everybody else's word (SEMANTICS 4).

import type { HandlerDryRun, NodeDescriptor, Workflow } from '../../api/types.ts';
import { RETRY_DEFAULTS } from './then-words.ts';

export type OfStep = Pick<HandlerDryRun, 'kind' | 'fallback' | 'retry' | 'ownRetry' | 'threshold' | 'autoFix'>;

/** Without a step: what holds where a file says nothing. */
export function ofStep(document: Workflow, id: string | undefined, catalog: readonly NodeDescriptor[] | undefined): OfStep {
  const node = id === undefined ? undefined : document.nodes[id];
  if (!node) return { fallback: false, retry: RETRY_DEFAULTS };
  const handling = node.errorHandling;
  const own = handling?.retryPolicy;
  return {
    kind: node.type, fallback: handling?.fallbackNodeId !== undefined, ownRetry: own !== undefined,
    // The numbers of a kind count, too; by themselves they repeat nothing.
    retry: { ...RETRY_DEFAULTS, ...(own ?? catalog?.find((one) => one.type === node.type)?.retryPolicy) },
    ...(handling?.humanReviewThreshold ? { threshold: handling.humanReviewThreshold } : {}), ...(handling?.autoFix === undefined ? {} : { autoFix: handling.autoFix }),
  };
}
