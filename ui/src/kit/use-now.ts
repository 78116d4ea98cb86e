import { createContext, use, useSyncExternalStore } from 'react';

interface Clock {
  listen(listener: () => void): () => void;
  read(): number;
}

/** One clock for each pace in the whole window: two places that show one duration show the same one. */
const clocks = new Map<number, Clock>();

function clockOf(ms: number): Clock {
  const known = clocks.get(ms);
  if (known) return known;
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = (): void => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  const clock: Clock = {
    listen(listener) {
      listeners.add(listener);
      timer ??= setInterval(tick, ms);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    read() {
      // Whoever comes while it stood still sees the time of now, not of its last tick.
      if (timer === undefined && Math.abs(Date.now() - now) >= ms) now = Date.now();
      return now;
    },
  };
  clocks.set(ms, clock);
  return clock;
}

/** The time, told anew every `ms`; 0: it stands still. */
export function useNow(ms: number): number {
  const clock = clockOf(ms > 0 ? ms : 1000);
  return useSyncExternalStore(ms > 0 ? clock.listen : still, clock.read);
}

const still = () => () => undefined;

/** The moment at which time stands for what is shown: one of the past that is looked at, or when nothing came of it any more. Undefined: it goes. */
export const MomentContext = createContext<number | undefined>(undefined);

/** The time of what is shown, once a second while somebody counts; it stands still otherwise, and where time stands. */
export function useShownNow(active: boolean): number {
  const moment = use(MomentContext);
  const time = useNow(active && moment === undefined ? 1000 : 0);
  return moment ?? time;
}
