// What a person has begun and not sent: kept per task while other tasks are looked at, and over a reload of the page.

import { create } from 'zustand';
import { parseExact, writeExact } from '../../json/exact-json.ts';
import { isObject } from '../../json/json.ts';
import type { ErrorPayload } from '../../api/types.ts';
import { same } from '../../shared/diff.ts';

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
    const all: unknown = parseExact(sessionStorage.getItem(KEY) ?? '{}');
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
    sessionStorage.setItem(KEY, writeExact(Object.fromEntries(kept)));
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
/** What was typed over `masked` is carried over to what is shown now: only what a person changed differs from it. */
export function reveal(taskId: string, masked: unknown, what: Revealed): void {
  const { drafts, revealed } = useDrafts.getState();
  useDrafts.setState({ revealed: { ...revealed, [taskId]: what } });
  const { [taskId]: draft, ...others } = drafts;
  if (!draft?.value) {
    keep(drafts);
    return;
  }
  const now = unmask(draft.value.now, masked, what.input);
  keep({ ...others, [taskId]: { ...draft, value: same(now, what.input) ? undefined : { now } } });
}
/** A value that was made over the masked input, with what is under the masks at each place that still says what it said there. */
export function unmask(value: unknown, masked: unknown, shown: unknown): unknown {
  if (same(value, masked)) return shown;
  if (isObject(value) && isObject(masked) && isObject(shown)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, Object.hasOwn(masked, name) && Object.hasOwn(shown, name) ? unmask(one, masked[name], shown[name]) : one]));
  }
  // In a list of another length nobody knows which entry is which: those that stand as they stood, from either end, are the same.
  if (Array.isArray(value) && Array.isArray(masked) && Array.isArray(shown) && masked.length === shown.length) {
    const shift = value.length - masked.length;
    const other = value.findIndex((one, at) => !same(one, masked[at]));
    const cut = other < 0 ? value.length : other;
    return value.map((one: unknown, at) => {
      const was = at < cut || shift === 0 ? at : at - shift;
      return was >= 0 && was < masked.length && (shift === 0 || same(one, masked[was])) ? unmask(one, masked[was], shown[was]) : one;
    });
  }
  return value;
}
export function forgetRevealed(taskId: string): void {
  const { [taskId]: gone, ...others } = useDrafts.getState().revealed;
  if (gone) useDrafts.setState({ revealed: others });
}
