import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { usePermission } from '../../api/queries.ts';
import type { ExpressionName, Workflow } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import type { ExpressionHost } from '../../schema-form/index.ts';

const NAMES_FRESH_MS = 3000;
/** Names that exist only after a call, or in an iteration. A preview knows none of them: that makes no expression wrong, the validator judges it. */
const UNBOUND = /^`_(?:result|meta|toolResult|item|index)` has no value in this place/;

/** The names of one step, asked again when they are a few seconds old. */
class NamesFor {
  private at = 0;
  private promise: Promise<readonly ExpressionName[]> | null = null;
  private readonly ask: () => Promise<readonly ExpressionName[]>;
  constructor(ask: () => Promise<readonly ExpressionName[]>) {
    this.ask = ask;
  }
  get(): Promise<readonly ExpressionName[]> {
    const now = Date.now();
    if (!this.promise || now - this.at > NAMES_FRESH_MS) {
      this.at = now;
      this.promise = this.ask();
    }
    return this.promise;
  }
}

/** `pins`: reference of the file whose pinned outputs stand in place of what steps put out. Asks the engine for names and live results at one step. The object changes only when the answers may. */
export function useExpressionHost(document: Workflow, nodeId: string, runId: string | undefined, path: string | undefined, revision: string | number, pins?: string): ExpressionHost {
  const [item, setItem] = useState(0);
  const latest = useLatest(document);
  const mayAsk = usePermission()('expression_ask');
  return useMemo<ExpressionHost>(() => {
    const of = { ...(runId === undefined ? {} : { runId, ...(path === undefined ? {} : { path }) }), ...(pins === undefined ? {} : { pins }) };
    const names = (inside: boolean) => new NamesFor(() => call('expression_names', { document: latest.current, nodeId, ...of, ...(inside ? { inside } : {}) }));
    const [around, within] = [names(false), names(true)];
    return {
      item,
      setItem,
      revision,
      preview: async (text, kind, at, whole = false) => {
        const result = await call('expression_preview', { document: latest.current, nodeId, text, kind, item: at, ...(whole ? { whole } : {}), ...of });
        return result.state === 'error' && UNBOUND.test(result.message) ? null : result;
      },
      names: (inside) => (inside === true ? within : around).get(),
      assistant: mayAsk ? {
        model: async () => {
          const chosen = (await call('model_list', {})).default;
          return chosen ? `${chosen.provider} / ${chosen.model}` : null;
        },
        ask: (wish) => call('expression_ask', { document: latest.current, nodeId, ...wish, ...of }),
        // It has ended already, or ends with the connection.
        cancel: () => { call('expression_cancel', {}).catch(() => undefined); },
      } : undefined,
    };
  }, [nodeId, runId, path, revision, pins, item, latest, mayAsk]);
}
