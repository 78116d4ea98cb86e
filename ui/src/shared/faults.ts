/** Faults that a person puts into steps for the next run of the builder (ADR 144). They are kept nowhere and hold for one run. */
import { createContext, useContext } from 'react';
import type { Commands, DeclaredError, NodeDescriptor, Workflow } from '../api/types.ts';
import { formatPause, t } from '../i18n/index.ts';

/** By id of the step. */
export type Faults = NonNullable<Commands['run_start']['request']['faults']>;
export type Fault = Faults[string];

export interface FaultChoice {
  faults: Faults;
  set(step: string, fault: Fault | null): void;
  /** Opens the dialog of a step. */
  ask(step: string): void;
}

/** Null where no run can be started. */
export const FaultsContext = createContext<FaultChoice | null>(null);
export const useFaults = (): FaultChoice | null => useContext(FaultsContext);

/** Steps with code: the engine itself carries out the others. */
export const canFail = (kind: NodeDescriptor | undefined): boolean => kind !== undefined && (kind.role === 'step' || kind.role === 'trigger');

/** "Timeout TIMEOUT" */
export const errorName = (error: Pick<DeclaredError, 'type' | 'code'>): string => `${error.type} ${error.code}`;

/** What a fault does, for its mark. */
export function faultText(fault: Fault): string {
  if (fault.error !== undefined && fault.error !== null) return t('fault.next.error', { what: fault.error });
  if (fault.output !== undefined && fault.output !== null) return t('fault.next.output');
  return t('fault.next.delay', { what: formatPause(fault.delayMs ?? 0) });
}

/** Steps of a run's definition that had a fault in it. */
export function faultedSteps(definition: Workflow): string[] {
  return Object.entries(definition.nodes).filter(([, node]) => node.fault !== undefined && node.fault !== null).map(([id]) => id);
}
