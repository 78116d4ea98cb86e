/** What a step was doing when the program stopped: the call that may have happened already, so that a person knows where to look. */
import { useCommand } from '../../api/queries.ts';
import { isObject } from '../../json/json.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { t } from '../../i18n/index.ts';
import type { Task } from './types.ts';

export function Interrupted({ task }: { task: Task }) {
  const { workflowId, nodeId, runId, path } = task;
  // With the masks of whoever looks.
  const step = useCommand('run_step_data', { workflowId, nodeId, runId, ...(path === undefined ? {} : { path }) });
  const call = callOf(step.data?.config);
  return (
    <>
      <span className="s t2">{t('inbox.interrupted')}</span>
      {call ? <span className="s"><span className="t2">{t('inbox.interruptedCall')}</span> <code><SafeText text={call} cut={300} /></code></span> : null}
    </>
  );
}

/** "POST https://…" of a request, the path of a file; nothing of other kinds, whose settings do not name a place. */
export function callOf(config: unknown): string | undefined {
  if (!isObject(config)) return undefined;
  const { method, url, path } = config;
  if (typeof url === 'string') return [typeof method === 'string' ? method : undefined, url].filter(Boolean).join(' ');
  return typeof path === 'string' ? path : undefined;
}
