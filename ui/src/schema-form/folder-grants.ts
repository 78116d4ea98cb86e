/** Where a problem names a folder that nobody allowed: who opens the dialog, and when the problems are to be looked for again. */
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Diagnostic } from '../api/types.ts';

/** Null where nobody may allow a folder. */
export const AllowFolderContext = createContext<((finding: Diagnostic) => void) | null>(null);

/** What opens the dialog for this problem; nothing for problems of another kind. */
export function useAllowFolder(): (finding: Diagnostic) => (() => void) | undefined {
  const open = useContext(AllowFolderContext);
  return (finding) => (open && finding.code === 'MISSING_GRANT' ? () => open(finding) : undefined);
}

let round = 0;
const listeners = new Set<() => void>();

/** A folder was allowed, or a secret added: problems that are shown may be over. */
export function grantsChanged(): void {
  round += 1;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

/** Another number after each change. */
export const useGrantRound = (): number => useSyncExternalStore(subscribe, () => round);
