// What became of the step after somebody decided, so that a retry that failed again does not look like one that worked.

import { useCommand } from '../../api/queries.ts';
import { isTerminal } from '../../run/run-state.ts';
import type { RunDetails } from '../../api/types.ts';
import { t, type MessageKey } from '../../i18n/index.ts';
import { Button, Icon, type IconName } from '../../kit/index.ts';
import type { Task } from './types.ts';

interface Words { text: MessageKey; icon: IconName; look: string }

const OK = { icon: 'check', look: 'c-ok' } as const;
const BAD = { icon: 'errd', look: 'c-err' } as const;
const OPEN = { icon: 'play', look: 't2' } as const;

const RETRIES: ReadonlySet<string> = new Set(['retry', 'correct']);

/** In a loop or a list of items one step stands for many calls: then only the run is told. */
export function outcomeOf(task: Pick<Task, 'nodeId' | 'path' | 'item' | 'decision'>, run: Pick<RunDetails, 'status' | 'steps' | 'failedStepId'>): Words {
  const alone = !task.path && (task.item === undefined || task.item === 0);
  const state = alone && RETRIES.has(task.decision?.action ?? '') ? run.steps[task.nodeId]?.state : undefined;
  switch (state) {
    case 'SUCCEEDED': return { text: 'inbox.outcome.worked', ...OK };
    case 'FAILED': return { text: 'inbox.outcome.failedAgain', ...BAD };
    case 'ERROR_HANDLED': return { text: 'inbox.outcome.handled', ...BAD };
    case 'AWAITING_HITL': return { text: 'inbox.outcome.asksAgain', icon: 'person', look: 'c-person' };
    case 'RUNNING': case 'RETRYING': case 'PENDING': return { text: 'inbox.outcome.runs', ...OPEN };
    default: break;
  }
  switch (run.status) {
    case 'completed': return { text: 'inbox.outcome.completed', ...OK };
    case 'failed': return { text: 'inbox.outcome.failed', ...BAD };
    case 'cancelled': return { text: 'inbox.outcome.cancelled', icon: 'ban', look: 't2' };
    case 'paused': return { text: 'inbox.outcome.paused', icon: 'pause', look: 't2' };
    default: return { text: 'inbox.outcome.open', ...OPEN };
  }
}

export function Outcome({ task, onOpenRun }: { task: Task; onOpenRun(): void }) {
  const decided = task.state === 'done' && task.decision !== undefined;
  const run = useCommand('run_get', { runId: task.runId }, { enabled: decided, staleTime: 0, refetchInterval: (query) => (query.state.data && isTerminal(query.state.data.status) ? false : 2_000) }).data;
  if (!decided || !run) return null;
  const { text, icon, look } = outcomeOf(task, run);
  return (
    <p className="row gap1 s ib-outcome" role="status">
      <Icon name={icon} size={12} className={look} /><span>{t(text)}</span>
      <Button small variant="ghost" onClick={onOpenRun}>{t('inbox.outcome.show')}</Button>
    </p>
  );
}
