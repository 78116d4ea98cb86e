// What is wrong with the condition of a breakpoint, in the engine's words: said while it is typed, not first when a run is refused for it.

import { useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import type { Workflow } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { t } from '../../i18n/index.ts';

/** Longer than the pause between two letters: half a name is not wrong yet. */
const SETTLE_MS = 500;
/** What exists in an iteration only; without one at hand that makes no condition wrong. */
const UNBOUND = /^`_\w+` has no value in this place/;

const STRING = /(["'])(?:\\.|(?!\1)[^\\])*\1/g;
/** Results of other steps, which the engine keeps for no condition: a run with such a breakpoint is refused. Elsewhere they are fine. */
const usesNodes = (text: string): boolean => /(?<![\w.])nodes(?!\w)/.test(text.replaceAll(STRING, "''"));

export function useConditionProblem(document: Workflow, node: string | undefined, when: string, runId: string | null): string | null {
  const latest = useLatest(document);
  const text = when.trim();
  const about = `${node ?? ''} ${text}`;
  const [found, setFound] = useState<{ about: string; problem: string | null } | null>(null);
  useEffect(() => {
    if (node === undefined || text === '') return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      if (usesNodes(text)) {
        setFound({ about, problem: t('debug.noNodes') });
        return;
      }
      call('expression_preview', { document: latest.current, nodeId: node, text, kind: 'cel', item: 0, ...(runId === null ? {} : { runId }) }, stop.signal).then(
        (answer) => setFound({ about, problem: answer.state === 'error' && !UNBOUND.test(answer.message) ? answer.message : null }),
        // No answer says nothing about the condition.
        () => undefined,
      );
    }, SETTLE_MS);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [about, node, text, runId, latest]);
  return text !== '' && found?.about === about ? found.problem : null;
}
