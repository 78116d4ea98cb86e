// Breakpoints of the person on this machine, per workflow: they are no part of the file. Those of a run that goes on are
// sent to it.

import { useCallback, useMemo } from 'react';
import { create } from 'zustand';

export interface Breakpoint {
  node: string;
  when?: string;
}

const KEY = 'signalbox.breakpoints';
/** The host takes no more for one run. */
const MOST = 100;
const NONE: readonly Breakpoint[] = [];

type All = Readonly<Record<string, readonly Breakpoint[]>>;

function isPoint(value: unknown): value is Breakpoint {
  if (typeof value !== 'object' || value === null || !('node' in value) || typeof value.node !== 'string') return false;
  return !('when' in value) || value.when === undefined || typeof value.when === 'string';
}

function read(): All {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(Object.entries(kept).map(([id, list]) => [id, Array.isArray(list) ? list.filter(isPoint).slice(0, MOST) : []]));
  } catch {
    // Without a place for them they last as long as the window.
    return {};
  }
}

const usePoints = create<{ all: All }>(() => ({ all: read() }));

function keep(workflowId: string, points: readonly Breakpoint[]): void {
  const { [workflowId]: _, ...rest } = usePoints.getState().all;
  const all = points.length ? { ...rest, [workflowId]: points } : rest;
  usePoints.setState({ all });
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // As above.
  }
}

export const breakpointsOf = (workflowId: string): readonly Breakpoint[] => usePoints.getState().all[workflowId] ?? NONE;

/** Those whose step the workflow still has: what is sent with a run. */
export function sendable(workflowId: string, nodes: Readonly<Record<string, unknown>>): Breakpoint[] {
  return breakpointsOf(workflowId).filter((point) => Object.hasOwn(nodes, point.node)).map((point) => ({ node: point.node, ...(point.when?.trim() ? { when: point.when.trim() } : {}) }));
}

export function useBreakpoints(workflowId: string) {
  const points = usePoints((state) => state.all[workflowId] ?? NONE);
  const toggle = useCallback((node: string) => {
    const now = breakpointsOf(workflowId);
    const without = now.filter((point) => point.node !== node);
    keep(workflowId, without.length < now.length ? without : [...now, { node }].slice(-MOST));
  }, [workflowId]);
  const setWhen = useCallback((node: string, when: string) => {
    keep(workflowId, breakpointsOf(workflowId).map((point) => (point.node === node ? { node, ...(when === '' ? {} : { when }) } : point)));
  }, [workflowId]);
  const clear = useCallback(() => keep(workflowId, []), [workflowId]);
  return useMemo(() => ({ points, toggle, setWhen, clear }), [points, toggle, setWhen, clear]);
}
