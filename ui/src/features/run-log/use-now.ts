import { useSyncExternalStore } from 'react';

/** One clock for the whole window: two places that show one duration show the same one. */
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const still = () => () => undefined;

/** The time, once a second while somebody counts down; stands still otherwise. */
export function useNow(active: boolean): number {
  return useSyncExternalStore(active ? listen : still, () => now);
}
