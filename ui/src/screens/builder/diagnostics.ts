/** The engine's own findings, a moment after the last change. */
import { useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import { toApiError } from '../../api/error.ts';
import type { Diagnostic, Workflow } from '../../api/types.ts';

export const VALIDATE_MS = 250;

/** `ref` says where the document stands: sub-workflows are looked for beside it. */
export function useDiagnostics(document: Workflow | undefined, ref: string, first: Diagnostic[]): Diagnostic[] {
  const [found, setFound] = useState(first);
  useEffect(() => {
    if (!document) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call('workflow_validate', { document, ref }, stop.signal).then(
        (list) => { if (!stop.signal.aborted) setFound(list); },
        // The list of the last good answer stays: a lost connection has its own message.
        () => undefined,
      );
    }, VALIDATE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [document, ref]);
  return found;
}

/** The errors for which the host refused a run; null when it failed for another reason. */
export function refusedFor(cause: unknown): Diagnostic[] | null {
  const { code, details } = toApiError(cause);
  if (code !== 'INVALID_WORKFLOW' || typeof details !== 'object' || details === null || !('diagnostics' in details) || !Array.isArray(details.diagnostics)) return null;
  return (details.diagnostics as Diagnostic[]).filter((one) => one.severity === 'error');
}
