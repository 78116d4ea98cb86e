// Queries that a person keeps, in settings of their own.

import { useMemo } from 'react';
import { setQuery, useSettings } from '../../api/settings.ts';
import type { SavedQuery } from './facets.tsx';

export function useSavedQueries(): SavedQuery[] {
  const queries = useSettings((state) => state.settings.queries);
  return useMemo(() => Object.entries(queries ?? {}).map(([name, query]) => ({ name, query })), [queries]);
}
export const keepQuery = (name: string, query: string): void => setQuery(name, query);
export const forgetQuery = (name: string): void => setQuery(name, null);
