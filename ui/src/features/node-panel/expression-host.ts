import { useEffect, useMemo, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import type { ExpressionName, Workflow } from '../../api/types.ts';
import type { ExpressionHost } from '../../schema-form/index.ts';

const NAMES_FRESH_MS = 3000;

/** Asks the engine for names and live results at one step. The object changes only when the answers may. */
export function useExpressionHost(document: Workflow, nodeId: string, runId: string | undefined, revision: string | number): ExpressionHost {
  const [item, setItem] = useState(0);
  useEffect(() => setItem(0), [nodeId]);
  const latest = useRef(document);
  latest.current = document;
  return useMemo<ExpressionHost>(() => {
    let names: { at: number; promise: Promise<readonly ExpressionName[]> } | null = null;
    const of = runId === undefined ? {} : { runId };
    return {
      item,
      setItem,
      revision,
      preview: (text, kind, at) => call('expression_preview', { document: latest.current, nodeId, text, kind, item: at, ...of }),
      names: () => {
        const now = Date.now();
        if (!names || now - names.at > NAMES_FRESH_MS) names = { at: now, promise: call('expression_names', { document: latest.current, nodeId, ...of }) };
        return names.promise;
      },
    };
  }, [nodeId, runId, revision, item]);
}
