// Fields that are red on the screen and no finding of the file: a preview that fails, a number that cannot be read. Whoever says how many
// problems there are counts them, too.

import { useEffect, useId, useSyncExternalStore } from 'react';

const red = new Set<string>();
const listeners = new Set<() => void>();
const tell = () => { for (const listener of listeners) listener(); };

/** Says that a field is red as long as it is on the screen and `wrong`. */
export function useFieldFault(wrong: boolean): void {
  const id = useId();
  useEffect(() => {
    if (!wrong) return undefined;
    red.add(id);
    tell();
    return () => {
      red.delete(id);
      tell();
    };
  }, [id, wrong]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

/** How many fields are red now, besides those of the findings. */
export const useFieldFaults = (): number => useSyncExternalStore(subscribe, () => red.size);
