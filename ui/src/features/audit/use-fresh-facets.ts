/** New records are new names and counts: completion and facets know them soon after the list does. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** They are counted over thousands of records: while something writes all the time, not with each record. */
export const FACETS_MS = 10_000;

/** `written`: the records of the chain, as far as the list knows. */
export function useFreshFacets(written: number | undefined): void {
  const client = useQueryClient();
  const counted = useRef<{ size: number; at: number } | null>(null);
  useEffect(() => {
    if (written === undefined || counted.current?.size === written) return undefined;
    if (counted.current === null) {
      counted.current = { size: written, at: Number.NEGATIVE_INFINITY };
      return undefined;
    }
    const timer = setTimeout(() => {
      counted.current = { size: written, at: Date.now() };
      // A slow answer is waited for.
      void client.invalidateQueries({ queryKey: ['audit_facets'] }, { cancelRefetch: false });
    }, Math.max(0, counted.current.at + FACETS_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [written, client]);
}
