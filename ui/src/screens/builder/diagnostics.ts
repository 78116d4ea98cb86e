/** The engine's own findings, a moment after the last change. */
import { useEffect, useMemo, useState } from 'react';
import type { Finding } from '../../api/diagnostics.ts';
import { call } from '../../api/client.ts';
import { toApiError } from '../../api/error.ts';
import type { Diagnostic, Workflow } from '../../api/types.ts';
import { useGrantRound } from '../../schema-form/folder-grants.ts';

/** After a change; typed changes are reported when the person pauses (`settled`). */
export const VALIDATE_MS = 100;

/** `ref` says where the document stands: sub-workflows are looked for beside it. */
export function useDiagnostics(document: Workflow | undefined, ref: string, first: Diagnostic[]): Diagnostic[] {
  const grants = useGrantRound();
  const [found, setFound] = useState({ list: first, of: document });
  useEffect(() => {
    if (!document) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call('workflow_validate', { document, ref }, stop.signal).then(
        (list) => { if (!stop.signal.aborted) setFound({ list, of: document }); },
        // The list of the last good answer stays: a lost connection has its own message.
        () => undefined,
      );
    }, VALIDATE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [document, ref, grants]);
  // What would mend an older text waits for the next answer.
  return useMemo(() => (found.of === document || !found.list.some((one) => one.fix) ? found.list : found.list.map((one): Finding => (one.fix ? { ...one, stale: true } : one))), [found, document]);
}

/** The errors for which the host refused a run; null when it failed for another reason. */
export function refusedFor(cause: unknown): Diagnostic[] | null {
  const { code, details } = toApiError(cause);
  if (code !== 'INVALID_WORKFLOW' || typeof details !== 'object' || details === null || !('diagnostics' in details) || !Array.isArray(details.diagnostics)) return null;
  return (details.diagnostics as Diagnostic[]).filter((one) => one.severity === 'error');
}
