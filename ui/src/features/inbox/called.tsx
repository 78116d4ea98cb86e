// A message or a link has led to a task: it offers to claim it. Coming here changes nothing; only the button does (D2.10).

import { create } from 'zustand';
import { t } from '../../i18n/index.ts';
import { Button, Icon } from '../../kit/index.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { useNow } from '../../kit/use-now.ts';
import type { Task } from './types.ts';
import { claimOf, whoText } from './words.ts';

const store = create<{ taskId: string | null }>(() => ({ taskId: null }));

/** The task that a message called to, until the person has answered the offer. */
export function calledTo(taskId: string | undefined): void {
  store.setState({ taskId: taskId ?? null });
}

export function Called({ task, me, mayDecide, onClaim }: { task: Task; me: string | undefined; mayDecide: boolean; onClaim(): void }) {
  const called = store((state) => state.taskId === task.id);
  const now = useNow(15_000);
  if (!called || !mayDecide || task.state !== 'open') return null;
  const claim = claimOf(task, me, now);
  if (claim?.mine) return null;
  return (
    <div className="banner sel ib-called" role="status">
      <Icon name="chat" className="c-sel" />
      <span className="grow">{claim ? <SafeText line text={t('inbox.called.taken', { who: whoText(claim.by) })} /> : t('inbox.called.free')}</span>
      {claim ? null : <Button small variant="primary" icon="lock" onClick={() => { calledTo(undefined); onClaim(); }}>{t('inbox.claim')}</Button>}
      <Button small onClick={() => calledTo(undefined)}>{t('inbox.called.look')}</Button>
    </div>
  );
}
