// Something that a person asked for and waits for: busy meanwhile, said when it is done, and its failure kept or shown.

import { useEffect, useRef, useState } from 'react';
import { toApiError, type ApiError } from '../api/error.ts';
import { toast } from '../kit/index.ts';

export function showError(cause: unknown, title?: string): void {
  const error = toApiError(cause);
  toast({ signal: 'err', text: title ? `${title}: ${error.message}` : error.message, detail: error.hint || undefined });
}

/** Runs it and shows a failure; `undefined` after one. */
export async function attempt<T>(work: () => Promise<T>, title?: string): Promise<T | undefined> {
  try {
    return await work();
  } catch (cause) {
    showError(cause, title);
    return undefined;
  }
}

export interface AsyncAction {
  busy: boolean;
  /** Why the last one failed, for a form that keeps what was typed. */
  error: ApiError | null;
  /** False while another one is under way, after a failure, and when nobody waits any more: what closes a form would close another. */
  run<T>(work: () => Promise<T>, done?: string | ((made: T) => string)): Promise<boolean>;
}

/** One thing at a time. `inForm`: the failure is shown where it happened, not as a message. */
export function useAsyncAction({ inForm = false }: { inForm?: boolean } = {}): AsyncAction {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const waits = useRef(true);
  useEffect(() => {
    waits.current = true;
    return () => { waits.current = false; };
  }, []);
  async function run<T>(work: () => Promise<T>, done?: string | ((made: T) => string)): Promise<boolean> {
    if (busy) return false;
    setBusy(true);
    setError(null);
    try {
      const made = await work();
      const text = typeof done === 'function' ? done(made) : done;
      if (text) toast({ signal: 'ok', text });
      return waits.current;
    } catch (cause) {
      if (inForm && waits.current) setError(toApiError(cause));
      else showError(cause);
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { busy, error, run };
}
