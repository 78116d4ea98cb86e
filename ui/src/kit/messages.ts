/** Short messages: what is shown, for how long, and what was said before. The Toaster draws them. */
import { create } from 'zustand';
import type { Signal } from './signal.tsx';

export interface ToastMessage {
  signal: Signal;
  text: string;
  /** A second, quieter line: why, and what now. */
  detail?: string | undefined;
  action?: { label: string; run(): void };
  /** About work that goes on behind the screen: it does not leave with the screen on which it was raised. */
  background?: boolean;
  /** True as long as it stands: closed by the person, or by who said it. */
  lasting?: boolean;
}
export interface Shown extends ToastMessage {
  id: number;
  /** How often the same was said. */
  count: number;
  at: number;
}

/** Shown at once; what is older waits behind "and N more". */
export const MOST = 3;
/** Remembered, so that what went away can be read again. */
const REMEMBERED = 50;

/** `screens`: how often the screen changed, for what was placed beside the one before. */
interface State { shown: Shown[]; past: Shown[]; listOpen: boolean; screens: number }
export const useMessages = create<State>(() => ({ shown: [], past: [], listOpen: false, screens: 0 }));
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let held = false;
let nextId = 1;

/** Long enough to be read twice, slowly; a failure is also thought about. */
export function readingMs({ signal, text, detail, action }: ToastMessage): number {
  if (signal === 'err' || signal === 'warn') return Math.min(30_000, 8_000 + 60 * (text.length + (detail?.length ?? 0)) + (action ? 4_000 : 0));
  return Math.min(30_000, Math.max(detail || action ? 5_000 : 2_500, 60 * (text.length + (detail?.length ?? 0))));
}

function plan(message: Shown): void {
  clearTimeout(timers.get(message.id));
  timers.delete(message.id);
  if (!held && !message.lasting) timers.set(message.id, setTimeout(() => dismissToast(message.id), readingMs(message)));
}
function show(shown: Shown[]): void {
  for (const gone of useMessages.getState().shown) {
    if (shown.some((one) => one.id === gone.id)) continue;
    clearTimeout(timers.get(gone.id));
    timers.delete(gone.id);
  }
  if (shown.length === 0) held = false;
  useMessages.setState({ shown });
}

export function dismissToast(id: number): void {
  show(useMessages.getState().shown.filter((one) => one.id !== id));
}

/** The same said again is one message with a count; its time begins anew. */
export function toast(message: ToastMessage): number {
  const { shown, past } = useMessages.getState();
  const old = shown.find((one) => one.signal === message.signal && one.text === message.text && one.detail === message.detail);
  const next: Shown = { ...message, id: old?.id ?? nextId++, count: (old?.count ?? 0) + 1, at: Date.now() };
  useMessages.setState({ past: [next, ...past.filter((one) => one.id !== next.id)].slice(0, REMEMBERED) });
  show([...shown.filter((one) => one !== old), next]);
  plan(next);
  return next.id;
}

/** Another screen: what was said about the one before goes with it. Good news is short and goes by itself. */
export function leaveScreen(): void {
  useMessages.setState(({ screens }) => ({ screens: screens + 1 }));
  show(useMessages.getState().shown.filter((one) => one.background || one.lasting || (one.signal !== 'err' && one.signal !== 'warn')));
}

/** Closed by the person, who may not be over them any more: a part that is gone tells nobody that it was left. */
export function closeToast(id: number): void {
  holdMessages(false);
  dismissToast(id);
}

/** While somebody reads (the pointer or the focus is on them, or the page is not seen) nothing goes away. */
export function holdMessages(hold: boolean): void {
  if (held === hold) return;
  held = hold;
  for (const message of useMessages.getState().shown) plan(message);
}

export function showMessages(open: boolean): void {
  useMessages.setState({ listOpen: open });
}
