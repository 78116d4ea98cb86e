// An ended task is asked again by a new run (D2.15): the question before it, and the links between both tasks.

import { sentences, errorText } from '../../api/error.ts';
import { useCommand } from '../../api/queries.ts';
import { t, tn } from '../../i18n/index.ts';
import { Icon, Skeleton } from '../../kit/index.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { shortRunId } from '../../shared/run-status.tsx';
import { Ask } from './dialogs.tsx';
import type { Task } from './types.ts';
import { whoText } from './words.ts';

/** Only what ended by a decision, by its time or with its run; a newer run asks the others already. */
export const canReopen = (task: Task): boolean => task.state === 'done' || task.state === 'expired' || task.state === 'cancelled';

export function ReopenDialog({ task, onReopen, onClose }: { task: Task; onReopen(reason: string): Promise<boolean>; onClose(): void }) {
  return (
    <Ask title={t('inbox.reopen.title')} text={t('inbox.reopen.text')} label={t('inbox.reopen.why')} hint={t('inbox.reopen.hint')} submit={t('inbox.reopen.yes')} onDone={onReopen} onClose={onClose}
      extra={() => <Again task={task} />} />
  );
}

/** What the first decision led to, and what therefore happens a second time. */
function Again({ task }: { task: Task }) {
  const stepId = task.path ? `${task.path}/${task.nodeId}` : task.nodeId;
  const plan = useCommand('rerun_look', { runId: task.runId, stepId }, { staleTime: 0 });
  // One place that is there from the start: what comes into it is read aloud.
  return <div role="status" aria-busy={plan.isPending}><Looked task={task} plan={plan} /></div>;
}

function Looked({ task, plan }: { task: Task; plan: Pick<ReturnType<typeof useCommand<'rerun_look'>>, 'data' | 'error'> }) {
  if (plan.error) return <p className="s c-wait row gap1"><Icon name="warn" size={12} /><SafeText text={sentences(t('inbox.reopen.unknown'), errorText(plan.error))} cut={300} /></p>;
  if (!plan.data) return <><span className="vh">{t('inbox.reopen.looking')}</span><Skeleton rows={2} /></>;
  const again = plan.data.steps.filter((step) => step.fate === 'again' && step.effect === 'write' && step.stepId !== task.nodeId);
  return (
    <>
      {plan.data.waits ? <p className="s c-wait row gap1"><Icon name="warn" size={12} />{t('inbox.reopen.waits')}</p> : null}
      {again.length ? (
        <div className="field">
          <span className="lab">{tn('inbox.reopen.again', again.length)}</span>
          <ul className="box s ib-again" aria-label={t('inbox.reopen.list')}>
            {again.slice(0, 8).map((step) => <li key={step.stepId} className="row gap1"><Icon name="retry" size={12} className="c-wait" /><SafeText line text={step.title} /></li>)}
            {again.length > 8 ? <li className="t3">{t('inbox.reopen.more', { n: again.length - 8 })}</li> : null}
          </ul>
        </div>
      ) : null}
    </>
  );
}

/** Where it was asked before, and where it is asked again. */
export function TaskLinks({ task, onTask, onRun }: { task: Task; onTask(taskId: string): void; onRun(runId: string): void }) {
  const links = [
    ...(task.reopens ? [{ key: 'before' as const, link: task.reopens }] : []),
    ...(task.reopenedAs ? [{ key: 'after' as const, link: task.reopenedAs }] : []),
  ];
  const sent = task.sentFrom;
  if (!links.length && !sent) return null;
  return (
    <div className="ib-links s row wrap" role="group" aria-label={t('inbox.links')}>
      {sent ? (
        <span className="row">
          <Icon name="inbox" size={12} className="c-person" />
          <SafeText line className="t2" text={sent.reason ? t('inbox.sentWhy', { by: whoText(sent.by), why: sent.reason }) : t('inbox.sentBy', { by: whoText(sent.by) })} />
          <button type="button" className="link" onClick={() => onRun(sent.runId)}>{t('inbox.run', { id: shortRunId(sent.runId) })}</button>
        </span>
      ) : null}
      {links.map(({ key, link }) => (
        <span key={key} className="row">
          <Icon name="redo" size={12} className="c-person" />
          <span className="t2">{t(`inbox.link.${key}`)}</span>
          {link.taskId ? <button type="button" className="link" onClick={() => { if (link.taskId) onTask(link.taskId); }}>{t(`inbox.link.${key}Task`)}</button> : null}
          <button type="button" className="link" onClick={() => onRun(link.runId)}>{t('inbox.run', { id: shortRunId(link.runId) })}</button>
        </span>
      ))}
    </div>
  );
}
