// What differs between two runs, in words and marks. Pure.

import { readPath, stepAt } from '../../run/run-paths.ts';
import type { RunDefinition } from '../../run/run-types.ts';
import { isCut, isObject } from '../../json/json.ts';
import type { Commands, NodeState } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import type { Signal } from '../../kit/index.ts';

export type Comparison = Commands['run_diff']['response'];
export type StepDifference = Comparison['steps'][number];
export type Aspect = StepDifference['differs'][number];
export type Side = 'a' | 'b';
export const SIDES: readonly Side[] = ['a', 'b'];
/** What is compared of a run beside its steps. */
export const WHOLES = ['definition', 'params', 'context', 'output'] as const;
export type Whole = (typeof WHOLES)[number];

const SIGNAL: { readonly [S in NodeState]: Signal } = {
  SKIPPED: 'skip', SUCCEEDED: 'ok', ERROR_HANDLED: 'err', PENDING: 'idle', RUNNING: 'run', RETRYING: 'retry', AWAITING_HITL: 'person', CANCELLED: 'stop', FAILED: 'err',
};
const STATE = {
  SKIPPED: 'skipped', SUCCEEDED: 'done', ERROR_HANDLED: 'handled', PENDING: 'idle', RUNNING: 'running', RETRYING: 'retrying', AWAITING_HITL: 'asks', CANCELLED: 'cancelled', FAILED: 'failed',
} as const satisfies Record<NodeState, string>;

export const signalOf = (state: NodeState | undefined): Signal => (state === undefined ? 'idle' : SIGNAL[state]);
export const stateWords = (state: NodeState | undefined): string => (state === undefined ? t('compare.notRun') : t(`canvas.state.${STATE[state]}`));

/** A state in which there is nothing to see of a step: no sign of its own, least of all one that warns. */
export const isIdle = (state: NodeState | undefined): boolean => state === undefined || state === 'PENDING';
export const ran = (one: StepDifference['a']): boolean => one !== undefined && one.attempts > 0;
const idle = (one: StepDifference['a']): boolean => !ran(one);

/** How the definition of a step changed; `name` is that of the step with its path. */
export const changeOf = (found: Comparison, name: string) => found.definition.steps.find((one) => one.stepId === stepAt(name).stepId)?.change;

/** A step that ran in one run only differs in everything: that is said, and not what follows from it. */
export function aspectWords(step: StepDifference): string {
  if (idle(step.a) !== idle(step.b)) return t(idle(step.b) ? 'compare.onlyA' : 'compare.onlyB');
  return step.differs.map((one) => (one !== 'ran' ? t(`compare.aspect.${one}`) : t(step.b === undefined ? 'compare.onlyA' : 'compare.onlyB'))).join(', ');
}

/** How many places of a part differ; of the definition how many steps and parts. */
export function countOf(found: Comparison, whole: Whole): number {
  if (whole === 'definition') return found.definition.steps.length + found.definition.parts.length;
  return found[whole].length + (found.leftOut?.[whole] ?? 0);
}

/** Parts that differ. A definition that is another text differs, also when it does the same. */
export function wholesOf(found: Comparison): Whole[] {
  return WHOLES.filter((one) => (one === 'definition' ? !found.definition.same : countOf(found, one) > 0));
}

/** The card that a step stands for on the graph: its own, or that of the step that calls its file. */
export function cardOf(step: Pick<StepDifference, 'stepId' | 'path'>, definition: RunDefinition): string | undefined {
  const at = step.path === undefined ? undefined : readPath(step.path, definition);
  const id = at?.foreign ? at.caller : step.stepId;
  return id !== undefined && Object.hasOwn(definition.nodes, id) ? id : undefined;
}

/** Cards with a mark, and what it says. */
export function marksOf(found: Comparison, definition: RunDefinition): ReadonlyMap<string, string> {
  const byCard = new Map<string, StepDifference[]>();
  for (const step of found.steps) {
    const card = cardOf(step, definition);
    if (card !== undefined) byCard.set(card, [...(byCard.get(card) ?? []), step]);
  }
  const marks = new Map<string, string>();
  for (const [card, steps] of byCard) {
    const [only] = steps;
    // Left out are steps of iterations and of other files, never those at the top.
    const atLeast = (found.leftOut?.['steps'] ?? 0) > 0 && steps.some((step) => step.path !== undefined);
    if (steps.length === 1 && only && !atLeast) marks.set(card, t('compare.mark', { what: aspectWords(only) }));
    else if (steps.every((step) => step.stepId === card)) marks.set(card, tn(atLeast ? 'compare.markAtLeast' : 'compare.markMany', steps.length));
    else marks.set(card, tn(atLeast ? 'compare.markInsideAtLeast' : 'compare.markInside', steps.filter((step) => step.path !== undefined).length));
  }
  for (const { stepId } of found.definition.steps) {
    if (!marks.has(stepId) && Object.hasOwn(definition.nodes, stepId)) marks.set(stepId, t('compare.mark', { what: t('compare.markDefinition') }));
  }
  return marks;
}

/** Of an error they say which run it was and when: no difference, as the host sees it too. */
const OF_THE_RUN = new Set(['timestamp', 'originRunId', 'provenanceRef', 'traceId']);
const ERROR_FIELDS = ['type', 'message', 'retryable', 'originNode', 'timestamp'];

/** A value as it is laid beside another one. */
export function laidOut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(laidOut);
  // What the wire has cut is no data of the run yet.
  if (!isObject(value) || isCut(value)) return value;
  const error = ERROR_FIELDS.every((name) => Object.hasOwn(value, name));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !(error && OF_THE_RUN.has(name))).map(([name, one]) => [name, laidOut(one)]));
}

/** Two lists of one value each are compared as those values. */
export function bothOf(a: unknown, b: unknown): { a: unknown; b: unknown } {
  return Array.isArray(a) && Array.isArray(b) && a.length === 1 && b.length === 1 ? { a: a[0], b: b[0] } : { a, b };
}
