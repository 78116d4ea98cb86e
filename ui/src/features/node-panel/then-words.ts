// What happens after the retries of a step, from the wires and policies of the document (SEMANTICS 4).

import type { NodeDescriptor, RetryPolicy, Workflow } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import { numberedTitles } from '../../shared/numbered-titles.ts';
import { stepTitle } from '../../shared/step-title.ts';

export interface Then {
  text: string;
  /** Short word for the last box of the drawn timeline. */
  box: string;
  wired: boolean;
  /** In the end a person is asked, whatever the step says. */
  asks?: boolean;
}

export function titleOf(document: Workflow, nodeId: string, catalog?: readonly NodeDescriptor[]): string {
  const node = document.nodes[nodeId];
  const kindTitle = (type: string) => catalog?.find((one) => one.type === type)?.title;
  return (node && numberedTitles(document.nodes, kindTitle, catalog).get(nodeId)) ?? stepTitle(node?.title, node && kindTitle(node.type), nodeId);
}

export function hasErrorPort(descriptor: NodeDescriptor | undefined): boolean {
  return descriptor === undefined || descriptor.ports.some((port) => port.id === 'error');
}

/** Ports of a step that lead somewhere. */
export function wiredPorts(document: Workflow, nodeId: string): string[] {
  return document.edges.filter((edge) => edge.from.startsWith(`${nodeId}.`)).map((edge) => edge.from.slice(nodeId.length + 1));
}

export function thenOf(document: Workflow, nodeId: string, catalog?: readonly NodeDescriptor[]): Then {
  const wired = document.edges.filter((edge) => edge.from === `${nodeId}.error`).map((edge) => edge.to);
  // The first recovery step takes every error, and nothing gets to the others (SEMANTICS 4).
  const takes = wired.find((id) => catalog?.find((one) => one.type === document.nodes[id]?.type)?.role === 'recovery');
  const targets = (takes === undefined ? wired : [takes]).map((id) => titleOf(document, id, catalog));
  const first = targets[0];
  if (first !== undefined) {
    return { text: targets.length === 1 ? t('error.thenWire', { name: first }) : tn('error.thenWires', targets.length, { name: targets.join(', ') }), box: first, wired: true };
  }
  const fallbackId = document.nodes[nodeId]?.errorHandling?.fallbackNodeId;
  const fallback = fallbackId === undefined || !document.nodes[fallbackId] ? undefined : titleOf(document, fallbackId, catalog);
  const policy = document.settings?.errorPolicy ?? 'fail';
  if (typeof policy === 'object') return { text: tn('error.thenPolicyRules', policy.rules.length), box: t('error.policy'), wired: false };
  if (policy === 'safe') {
    // One bound counts the retries of both: after those of the step the policy tries nothing again.
    const spent = document.nodes[nodeId]?.errorHandling?.retryPolicy !== undefined;
    return {
      text: fallback === undefined ? t(spent ? 'error.thenSafeAsks' : 'error.thenPolicySafe')
        : t(spent ? 'error.thenSafeFallback' : 'error.thenPolicySafeFallback', { name: fallback }),
      box: fallback ?? t('error.policy'), wired: false, asks: fallback === undefined,
    };
  }
  const level = document.nodes[nodeId]?.errorHandling?.humanReviewThreshold;
  return {
    text: fallback === undefined ? (level === undefined ? t('error.thenPolicyFail') : t('error.thenPolicyFailAsks', { level: t(`threshold.${level as 'ERROR'}`) })) : t('error.thenPolicyFailFallback', { name: fallback }),
    box: fallback ?? t('error.policy'), wired: false,
  };
}

/** Numbers of K-13 where the file says nothing. */
export const RETRY_DEFAULTS: Required<RetryPolicy> = { maxAttempts: 3, backoff: 'exponential', initialDelayMs: 500, maxDelayMs: 30_000, jitter: true };
