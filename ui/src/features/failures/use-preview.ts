/** A correction tried on every failure of a group, piece by piece; nothing is started. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { toApiError, type ApiError } from '../../api/error.ts';
import type { Commands } from '../../api/types.ts';
import type { Correction } from './correction.ts';

export type Tried = Commands['failure_preview']['response']['tried'][number];

export interface Preview {
  tried: readonly Tried[];
  counts: { [F in Tried['fit']]: number };
  busy: boolean;
  error: ApiError | null;
}

const PIECE = 100;
/** Failures of each kind that are kept to be looked at; the others are counted. */
export const SHOWN = 500;
const NONE: Preview['counts'] = { fits: 0, different: 0, not: 0 };

export function usePreview(group: string): { preview: Preview | null; start(correction: Correction, sample: number): void; stop(): void; clear(): void } {
  const [preview, setPreview] = useState<Preview | null>(null);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => {
    running.current?.abort();
    running.current = null;
    setPreview((old) => (old?.busy ? { ...old, busy: false } : old));
  }, []);
  const clear = useCallback(() => {
    stop();
    setPreview(null);
  }, [stop]);
  useEffect(() => () => running.current?.abort(), []);
  const start = useCallback((correction: Correction, sample: number) => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    const all: Tried[] = [];
    const counts = { ...NONE };
    setPreview({ tried: all, counts, busy: true, error: null });
    const run = async () => {
      let before: number | undefined;
      do {
        const page = await call('failure_preview', { group, correction, sample, limit: PIECE, ...(before === undefined ? {} : { before }) }, own.signal);
        if (own.signal.aborted) return;
        for (const one of page.tried) {
          counts[one.fit] += 1;
          if (counts[one.fit] <= SHOWN) all.push(one);
        }
        before = page.next;
        setPreview({ tried: all.slice(), counts: { ...counts }, busy: before !== undefined, error: null });
      } while (before !== undefined);
    };
    run().catch((cause: unknown) => {
      if (!own.signal.aborted) setPreview((old) => ({ tried: old?.tried ?? [], counts: old?.counts ?? NONE, busy: false, error: toApiError(cause) }));
    });
  }, [group]);
  return { preview, start, stop, clear };
}
