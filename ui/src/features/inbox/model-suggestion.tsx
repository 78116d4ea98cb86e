// A correction that a model suggests, when a person asks for one. What came is kept while the page is open: it was paid for.

import { useEffect } from 'react';
import { create } from 'zustand';
import { call } from '../../api/client.ts';
import { errorText, toApiError } from '../../api/error.ts';
import { useCommand } from '../../api/queries.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button } from '../../kit/index.ts';
import { change } from './refresh.ts';
import type { Task } from './types.ts';

type Suggestion = Task['suggestions'][number];
interface Asked { state: 'asking' | 'answered' | 'failed'; found?: Suggestion; why?: string }
const useAsked = create<{ [taskId: string]: Asked }>(() => ({}));
const put = (taskId: string, asked: Asked | undefined) => {
  const others = Object.entries(useAsked.getState()).filter(([id]) => id !== taskId);
  useAsked.setState(Object.fromEntries(asked ? [...others, [taskId, asked]] : others), true);
};

async function ask(taskId: string): Promise<void> {
  const before = useAsked.getState()[taskId];
  const kept = before?.found ? { found: before.found } : {};
  const mine: Asked = { state: 'asking', ...kept };
  put(taskId, mine);
  // Who stopped it knows why, and may have asked again: what comes then is of no question that stands.
  const came = (asked: Asked) => { if (useAsked.getState()[taskId] === mine) put(taskId, asked); };
  try {
    came({ state: 'answered', found: await change('task_suggest', { taskId }) });
  } catch (cause) {
    came({ state: 'failed', why: errorText(toApiError(cause)), ...kept });
  }
}

function stop(taskId: string): void {
  const asked = useAsked.getState()[taskId];
  if (asked?.state !== 'asking') return;
  put(taskId, asked.found ? { state: 'answered', found: asked.found } : undefined);
  void call('task_unsuggest', { taskId }).catch(() => undefined);
}

/** What the model suggested for a task, if it was asked. */
export const useModelSuggestion = (taskId: string): Suggestion | undefined => useAsked((all) => all[taskId]?.found);

/** Nobody waits for an answer about a task that was closed. */
export function useStopWhenClosed(taskId: string): void {
  useEffect(() => () => stop(taskId), [taskId]);
}

/** The button, once a model is the default of this machine. */
export function SuggestButton({ task, disabled }: { task: Task; disabled: boolean }) {
  const models = useCommand('model_list', {});
  const asked = useAsked((all) => all[task.id]);
  const model = models.data?.default;
  if (!model || !task.allowedActions.includes('correct')) return null;
  return (
    <div className="col">
      <div className="row gap1">
        {asked?.state === 'asking'
          ? <><Button small icon="stop" onClick={() => stop(task.id)}>{t('inbox.suggest.stop')}</Button><span className="s t2" role="status">{t('inbox.suggest.asking', { model: model.model })}</span></>
          : <><Button small icon="agent" disabled={disabled} onClick={() => void ask(task.id)}>{t(asked?.found ? 'inbox.suggest.again' : 'inbox.suggest')}</Button><span className="s t2">{t('inbox.suggest.hint', { model: model.model, provider: model.provider })}</span></>}
      </div>
      {asked?.state === 'failed' && asked.why ? <Banner signal="wait" title={t('inbox.suggest.failed')}>{asked.why}</Banner> : null}
    </div>
  );
}
