/** Short messages under the title bar, where nothing else stands. Errors stay until closed; the rest goes soon. */
import { useSyncExternalStore } from 'react';
import { Button, IconButton } from './button.tsx';
import { SignalIcon, type Signal } from './signal.tsx';

export interface ToastMessage {
  signal: Signal;
  text: string;
  /** A second, quieter line: why, and what now. */
  detail?: string;
  action?: { label: string; run(): void };
}
interface Shown extends ToastMessage { id: number }

let shown: Shown[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
function publish(next: Shown[]) {
  shown = next;
  for (const listener of listeners) listener();
}

export function dismissToast(id: number): void {
  publish(shown.filter((toast) => toast.id !== id));
}
/** So many at once: more would lie on the work below. */
const MOST = 4;
/** Room for the newest: what goes by itself goes first, and a failure only when there is nothing else. */
function fitting(toasts: Shown[]): Shown[] {
  if (toasts.length <= MOST) return toasts;
  const gone = toasts.find((old, index) => old.signal !== 'err' && index < toasts.length - 1) ?? toasts[0];
  return fitting(toasts.filter((old) => old !== gone));
}

export function toast(message: ToastMessage): number {
  const id = nextId++;
  publish(fitting([...shown.filter((old) => old.text !== message.text), { ...message, id }]));
  if (message.signal !== 'err') setTimeout(() => dismissToast(id), message.detail || message.action ? 5000 : 2500);
  return id;
}

export function Toaster({ label, closeLabel }: { label: string; closeLabel: string }) {
  const toasts = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => shown);
  return (
    <div className="toaster" role="region" aria-live="polite" aria-label={label}>
      {toasts.map((message) => (
        <div key={message.id} className="pop toast" role={message.signal === 'err' ? 'alert' : 'status'}>
          <SignalIcon signal={message.signal} size={16} />
          <div className="grow col">
            <span>{message.text}</span>
            {message.detail ? <span className="s t2">{message.detail}</span> : null}
          </div>
          {message.action ? (
            <Button small onClick={() => { message.action?.run(); dismissToast(message.id); }}>{message.action.label}</Button>
          ) : null}
          <IconButton small icon="x" label={closeLabel} onClick={() => dismissToast(message.id)} />
        </div>
      ))}
    </div>
  );
}
