import { createContext, use, useSyncExternalStore } from 'react';

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

/** The moment of the past that is looked at; undefined: now. */
export const MomentContext = createContext<number | undefined>(undefined);

/** The time as it is, also for who looks at the past. */
export function useClock(active: boolean): number {
  return useSyncExternalStore(active ? listen : still, () => now);
}

/** The time, once a second while somebody counts down; stands still otherwise, and in the past. */
export function useNow(active: boolean): number {
  const moment = use(MomentContext);
  const time = useClock(active && moment === undefined);
  return moment ?? time;
}
