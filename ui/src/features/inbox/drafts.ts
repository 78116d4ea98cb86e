// What a person has begun and not sent: kept per task while other tasks are looked at, and over a reload of the page.

import { create } from 'zustand';
import type { ErrorPayload } from '../../api/types.ts';

export interface Draft {
  /** The corrected input; absent = as it was. */
  value?: { now: unknown };
  notes?: string;
  /** What the run may spend more, as it is typed. */
  budget?: string;
}
export interface Revealed { input: unknown; error?: ErrorPayload | undefined }

const KEY = 'signalbox.task-drafts';
/** Oldest go first. */
const MOST = 50;

function stored(): { [taskId: string]: Draft } {
  try {
    const all: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    return typeof all === 'object' && all !== null ? (all as { [taskId: string]: Draft }) : {};
  } catch {
    return {};
  }
}

/** Tasks whose schema marks values as secret: what is typed there lives as long as the page. */
const secret = new Set<string>();

interface State { drafts: { [taskId: string]: Draft }; revealed: { [taskId: string]: Revealed } }
export const useDrafts = create<State>(() => ({ drafts: stored(), revealed: {} }));

function keep(drafts: { [taskId: string]: Draft }): void {
  const entries = Object.entries(drafts).slice(-MOST);
  useDrafts.setState({ drafts: Object.fromEntries(entries) });
  const { revealed } = useDrafts.getState();
  try {
    // What was masked is not written to the disk, nor what is to be secret.
    const kept = entries.filter(([taskId]) => !(taskId in revealed)).map(([taskId, draft]) => [taskId, secret.has(taskId) ? { ...draft, value: undefined } : draft] as const);
    sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // No room: it lives as long as the page.
  }
}

export function editDraft(taskId: string, part: Draft, { holdsSecret = false }: { holdsSecret?: boolean } = {}): void {
  if (holdsSecret) secret.add(taskId);
  const { [taskId]: old, ...others } = useDrafts.getState().drafts;
  keep({ ...others, [taskId]: { ...old, ...part } });
}
export function dropDraft(taskId: string): void {
  const { [taskId]: gone, ...others } = useDrafts.getState().drafts;
  if (gone) keep(others);
  forgetRevealed(taskId);
}
export function reveal(taskId: string, what: Revealed): void {
  useDrafts.setState({ revealed: { ...useDrafts.getState().revealed, [taskId]: what } });
  keep(useDrafts.getState().drafts);
}
export function forgetRevealed(taskId: string): void {
  const { [taskId]: gone, ...others } = useDrafts.getState().revealed;
  if (gone) useDrafts.setState({ revealed: others });
}
