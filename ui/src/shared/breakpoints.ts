// Breakpoints of the person on this machine, per workflow, on steps and on wires: they are no part of the file. Those of a run
// that goes on are sent to it.

import { useCallback, useMemo } from 'react';
import { create } from 'zustand';
import { ApiError, toApiError } from '../api/error.ts';
import type { Workflow } from '../api/types.ts';
import { t } from '../i18n/index.ts';
import { renameInCel } from './cel-references.ts';
import { splitPort } from './step-ids.ts';
import { formatStep, type NameOf } from './format-path.ts';

export interface Breakpoint {
  node: string;
  /** The wire that leads there, `node.port`; whatever the way when absent. */
  from?: string;
  when?: string;
}

/** What it stands on, as the canvas names it: a step by its id, a wire as `from>to`. */
export const placeOf = ({ node, from }: Breakpoint): string => (from === undefined ? node : `${from}>${node}`);

export function at(place: string): Breakpoint {
  const arrow = place.indexOf('>');
  return arrow < 0 ? { node: place } : { node: place.slice(arrow + 1), from: place.slice(0, arrow) };
}

/** Whether a workflow has what it stands on; the wire to a fallback is drawn by the step that has one. */
export function stands({ node, from }: Breakpoint, { nodes, edges }: Pick<Workflow, 'nodes' | 'edges'>): boolean {
  if (!Object.hasOwn(nodes, node)) return false;
  if (from === undefined || edges.some((edge) => edge.from === from && edge.to === node)) return true;
  const [source = '', port] = from.split('.');
  return port === 'fallback' && Object.hasOwn(nodes, source) && nodes[source]?.errorHandling?.fallbackNodeId === node;
}

const KEY = 'signalbox.breakpoints';
/** The host takes no more for one run. */
const MOST = 100;
const NONE: readonly Breakpoint[] = [];

type All = Readonly<Record<string, readonly Breakpoint[]>>;

function isPoint(value: unknown): value is Breakpoint {
  if (typeof value !== 'object' || value === null || !('node' in value) || typeof value.node !== 'string') return false;
  const isText = (one: unknown): boolean => one === undefined || typeof one === 'string';
  return (!('when' in value) || isText(value.when)) && (!('from' in value) || isText(value.from));
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

/** As a run takes it. */
export const asSent = (point: Breakpoint): Breakpoint => ({ ...at(placeOf(point)), ...(point.when?.trim() ? { when: point.when.trim() } : {}) });

/** Those whose step or wire the workflow still has: what is sent with a run. */
export function sendable(workflowId: string, workflow: Pick<Workflow, 'nodes' | 'edges'>): Breakpoint[] {
  return breakpointsOf(workflowId).filter((point) => stands(point, workflow)).map(asSent);
}

/** A refusal names the step of a breakpoint by its id: people know it by its title. */
export function withTitle(cause: unknown, titleOf: NameOf): ApiError {
  const error = toApiError(cause);
  const { code, message, hint, details } = error;
  const { node } = (details ?? {}) as { node?: unknown };
  if (code !== 'BAD_BREAKPOINT' || typeof node !== 'string' || node === '') return error;
  return new ApiError({ code, message: message.replace(`'${node}'`, () => t('debug.quoted', { name: formatStep(node, titleOf) })), hint, details });
}

/** The breakpoints of what a screen shows, and the ways to change them. */
export interface Points {
  points: readonly Breakpoint[];
  toggle(place: string): void;
  setWhen(place: string, when: string): void;
  clear(): void;
}

/** Sets what stands at a place, or takes it away. */
export function put(workflowId: string, place: string, point: Breakpoint | null): void {
  const now = breakpointsOf(workflowId);
  const without = now.filter((one) => placeOf(one) !== place);
  if (point !== null) keep(workflowId, [...without, point].slice(-MOST));
  else if (without.length < now.length) keep(workflowId, without);
}

/** A step has another id: what stands on it, on a wire of it, or asks for it in a condition goes along. */
export function renamePoints(workflowId: string, from: string, to: string): void {
  const now = breakpointsOf(workflowId);
  const renames = new Map([[from, to]]);
  const next = now.map((point): Breakpoint => {
    const source = point.from === undefined ? undefined : splitPort(point.from);
    return {
      ...point,
      node: renames.get(point.node) ?? point.node,
      ...(source?.node === from ? { from: `${to}.${source.port}` } : {}),
      ...(point.when === undefined ? {} : { when: renameInCel(point.when, renames) }),
    };
  });
  if (next.some((point, i) => asWritten(point) !== asWritten(now[i] as Breakpoint))) keep(workflowId, next);
}

const asWritten = (point: Breakpoint): string => JSON.stringify([placeOf(point), point.when]);

export function useBreakpoints(workflowId: string): Points {
  const points = usePoints((state) => state.all[workflowId] ?? NONE);
  const toggle = useCallback((place: string) => {
    put(workflowId, place, breakpointsOf(workflowId).some((point) => placeOf(point) === place) ? null : at(place));
  }, [workflowId]);
  const setWhen = useCallback((place: string, when: string) => {
    keep(workflowId, breakpointsOf(workflowId).map((point) => (placeOf(point) === place ? { ...at(place), ...(when === '' ? {} : { when }) } : point)));
  }, [workflowId]);
  const clear = useCallback(() => keep(workflowId, []), [workflowId]);
  return useMemo(() => ({ points, toggle, setWhen, clear }), [points, toggle, setWhen, clear]);
}
