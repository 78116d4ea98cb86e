import { createContext, use } from 'react';
import { useNow as useClock } from '../../kit/use-now.ts';

/** The moment of the past that is looked at; undefined: now. */
export const MomentContext = createContext<number | undefined>(undefined);

/** The time, once a second while somebody counts down; stands still otherwise, and in the past. */
export function useNow(active: boolean): number {
  const moment = use(MomentContext);
  const time = useClock(active && moment === undefined ? 1000 : 0);
  return moment ?? time;
}
