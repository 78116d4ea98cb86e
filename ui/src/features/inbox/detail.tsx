// One task: what is asked, what went wrong, and what a person can do about it.

import { useState, type ReactNode } from 'react';
import { usePermission } from '../../api/queries.ts';
import { shortRunId } from '../../shared/run-status.tsx';
import { formatMoney, formatNumber, t, tn } from '../../i18n/index.ts';
import { Badge, Button, Field, Icon, IconButton, Menu, Tabs, TextInput, type IconName, type MenuEntry } from '../../kit/index.ts';
import { ValueView } from '../../code/ValueView.tsx';
import { plain } from '../../text/letters.ts';
import { plainValue } from '../../shared/evidence/controls.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { useNow } from '../../kit/use-now.ts';
import { microsOf } from '../../shared/money.ts';
import { cannotTryAgain, failsAsIs } from './budget.ts';
import { Called } from './called.tsx';
import { CorrectTab } from './correct-tab.tsx';
import { HappenedTab } from './happened-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { Interrupted } from './interrupted.tsx';
import { isToolCall, ToolCall, toolWords } from './tool-call.tsx';
import { Outcome } from './outcome.tsx';
import { Elsewhere } from './elsewhere.tsx';
import { canReopen, TaskLinks } from './reopen.tsx';
import { useStopWhenClosed } from './model-suggestion.tsx';
import { isOnItsWay, sendWord, type Send } from './sending.ts';
import type { Task, TaskAction } from './types.ts';
import type { Work } from './use-work.ts';
import { roundText, ACTION_ICON, actionOn, approvalsText, claimOf, decidedText, dueOf, heldText, isAction, isTheirs, leading, sentText, spanText, stateSignal, takesInput, whenText, whoText } from './words.ts';

export type DetailTab = 'decide' | 'happened' | 'history';
export interface DetailProps {
  task: Task;
  work: Work;
  me: string | undefined;
  mayDecide: boolean;
  send: Send | undefined;
  /** The task is somebody else's, and this person answers for them. */
  forThem: boolean;
  tab: DetailTab;
  onTab(tab: DetailTab): void;
  /** Why an action cannot be done now; empty when it can. */
  cannot(action: TaskAction): string | undefined;
  keysOf(action: TaskAction | 'snooze' | 'note' | 'claim'): string | undefined;
  onAction(action: TaskAction): void;
  /** A call of a tool, and all further ones in this run for which the same rule asks. */
  onAllowForRun(): void;
  onClaim(): void;
  onRelease(): void;
  onReassign(): void;
  onSnooze(): void;
  onWake(): void;
  onHold(): void;
  onContinue(): void;
  onComment(text: string): Promise<boolean>;
  onReveal(): void;
  onReviewAll(): void;
  onReopen(): void;
  onOpenTask(taskId: string): void;
  onOpenOtherRun(runId: string): void;
  onOpenRun(): void;
  onAudit(): void;
  onCopySecret(): void;
  onAttachment(id: string): void;
  onUndo(): void;
}

export function Detail(props: DetailProps) {
  const { task, tab, onTab, me } = props;
  useStopWhenClosed(task.id);
  const open = task.state === 'open';
  const decide = open ? (task.allowedActions.includes('correct') ? t('inbox.tab.correct') : t('inbox.tab.decide')) : t('inbox.tab.decision');
  return (
    <section className="ib-det" aria-label={t('inbox.task')} data-task={task.id}>
      <Head {...props} />
      <div className="ib-tabs">
        <Claim {...props} me={me} />
        <Tabs label={t('inbox.task')} value={tab} onChange={onTab}
          tabs={[{ id: 'decide', label: decide }, { id: 'happened', label: t('inbox.tab.happened') }, { id: 'history', label: t('inbox.tab.history'), count: task.history.length || undefined }]}>
          {tab === 'decide' ? <CorrectTab key={task.id} {...props} /> : tab === 'happened' ? <HappenedTab key={task.id} {...props} /> : <HistoryTab key={task.id} {...props} />}
        </Tabs>
      </div>
      <ActionBar {...props} />
    </section>
  );
}

const TILE: { [kind in Task['kind']]: { icon: IconName; tone: string } } = {
  decision: { icon: 'octa', tone: 'error' }, approval: { icon: 'check', tone: 'person' }, form: { icon: 'rows', tone: 'person' }, pause: { icon: 'pause', tone: 'logic' },
};

const TOOL_TILE: { icon: IconName; tone: string } = { icon: 'wrench', tone: 'person' };

function Head({ task, work, send, me, mayDecide, onClaim, onOpenRun, onOpenTask, onOpenOtherRun }: DetailProps) {
  const now = useNow(1000);
  const open = task.state === 'open';
  const due = open ? dueOf(task, now) : undefined;
  const tile = isToolCall(task) ? TOOL_TILE : TILE[task.reason === 'question' ? 'form' : task.kind];
  return (
    <header className="ib-hd">
      <span className={`tile t32 k-${tile.tone}`}><Icon name={tile.icon} /></span>
      <div className="col">
        <div className="row"><h2 className="l ell"><SafeText line text={task.title} /></h2>
          {send && (open || (send.state === 'failed' && !send.unsure)) ? <Badge signal={send.unsure ? 'wait' : send.state === 'failed' ? 'err' : 'person'}>{t(`inbox.send.${sendWord(send)}`)}</Badge>
            : <Badge signal={stateSignal(task.state)}>{task.state === 'open' ? t('inbox.personsTurn') : t(`inbox.state.${task.state}`)}</Badge>}
          {task.severity === 'CRITICAL' && task.state === 'open' ? <Badge signal="err">{t('inbox.critical')}</Badge> : null}
          {task.minApprovals > 1 ? <Badge signal={task.state === 'open' && task.approvals > 0 ? 'ok' : undefined}>{approvalsText(task)}</Badge> : null}
          {task.cases > 1 ? <Badge>{t('inbox.andMore', { n: formatNumber(task.cases - 1) })}</Badge> : null}
        </div>
        <div className="s t2 row nw ib-meta">
          <SafeText line text={task.workflowName} /><span className="vr" />
          <SafeText line text={t('inbox.step', { step: task.nodeTitle })} />{task.path ? <span title={task.path}>{roundText(task.path)}</span> : null}<span className="vr" />
          <span className="nw">{t('inbox.run', { id: shortRunId(task.runId) })}</span>
          {task.item === undefined ? null : <><span className="vr" /><span className="nw">{t('inbox.item', { n: task.item + 1 })}</span></>}
          {task.attempt > 0 ? <><span className="vr" /><span className="nw">{tn('inbox.afterCalls', task.attempt + 1)}</span></> : null}
        </div>
      </div>
      <div className="col ib-due">
        {due ? (
          <>
            <b className={`row gap1 ${due.tone === 'err' ? 'c-err' : due.tone === 'wait' ? 'c-wait' : 't2'}`}><Icon name={due.late ? 'warn' : 'clock'} />{due.late ? due.text : t('inbox.left', { span: due.text })}</b>
            <span className="bar4" aria-hidden="true"><i style={{ width: `${String(Math.round(due.part * 100))}%`, background: due.tone === 'calm' ? undefined : `var(--${due.tone})` }} /></span>
          </>
        ) : open && task.heldSince ? <b className="row gap1 c-wait"><Icon name="pause" />{heldText(task)}</b> : <span className="s t3">{task.state === 'open' ? t('inbox.noDeadline') : task.decidedAt ? whenText(task.decidedAt, now) : ''}</span>}
        {task.escalationLevel > 0 ? <span className="s c-wait row gap1"><Icon name="up" size={12} />{tn('inbox.escalated', task.escalationLevel)}</span> : null}
      </div>
      {isToolCall(task) ? <ToolCall task={task} /> : <What task={task} />}
      {open && mayDecide && !isOnItsWay(send) && work.budget !== undefined ? <More value={work.budget} hint={failsAsIs(task, work.budget, now) ? t('inbox.budget.write') : t('inbox.budget.hint')} onChange={work.setBudget} /> : null}
      <Called task={task} me={me} mayDecide={mayDecide} onClaim={onClaim} />
      <Outcome task={task} onOpenRun={onOpenRun} />
      <Elsewhere task={task} />
      <TaskLinks task={task} onTask={onOpenTask} onRun={onOpenOtherRun} />
    </header>
  );
}

/** The budget is used up: how much more the run may spend. */
function More({ value, hint, onChange }: { value: string; hint: string; onChange(value: string): void }) {
  const wrong = cannotTryAgain(value);
  return (
    <div className="ib-more">
      <Field label={t('inbox.budget.more')} error={wrong} hint={hint}>
        {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} inputMode="decimal" value={value} invalid={wrong !== undefined} maxLength={16} onChange={onChange} />}
      </Field>
    </div>
  );
}

/** The error in plain words, or what the author wrote. A question is no failure: it stands alone. */
/** Errors that are mended where secrets are: then the task is retried. */
const OF_SECRETS: ReadonlySet<string> = new Set(['CREDENTIAL_EXPIRED', 'CREDENTIAL_REFUSED', 'SECRET_MISSING', 'SECRET_UNAVAILABLE']);

function What({ task }: { task: Task }) {
  const [details, setDetails] = useState(false);
  const error = task.error;
  const mayChange = usePermission();
  const isQuestion = task.reason === 'question' && Boolean(task.instructions);
  const message = isQuestion ? undefined : error?.message ?? task.errorMessage;
  if (!message && !task.instructions) return null;
  return (
    <div className={`banner ib-what ${message ? '' : 'sel'}`}>
      <div className="banner-main">
        <Icon name={message ? 'errd' : 'chat'} className={message ? 'c-err' : 'c-sel'} />
        <div className="grow col gap1">
          {message ? <b><SafeText text={message} cut={600} /></b> : null}
          {task.instructions ? <SafeText text={task.instructions} cut={1200} /> : null}
          {task.reason === 'interrupted' ? <Interrupted task={task} /> : null}
          {message && OF_SECRETS.has(task.errorCode ?? '') && mayChange('secret_set') ? <span className="s"><a href="#/settings/secrets">{t('credential.manage')}</a></span> : null}
          {task.cases > 1 ? <span className="s t2">{tn('inbox.casesText', task.cases)}</span> : null}
          {details && error ? (
            <dl className="kv ib-tech">
              <dt>{t('inbox.tech.type')}</dt><dd className="mono"><SafeText line text={error.type} /></dd>
              {task.errorCode ? <><dt>{t('inbox.tech.code')}</dt><dd className="mono"><SafeText line text={task.errorCode} /></dd></> : null}
              <dt>{t('inbox.tech.step')}</dt><dd className="mono"><SafeText line text={error.originNode} /></dd>
              <dt>{t('inbox.tech.retryable')}</dt><dd>{error.retryable ? t('catalog.yes') : t('catalog.no')}</dd>
              {error.details ? <><dt>{t('inbox.tech.details')}</dt><dd className="ib-tech-value"><ValueView value={plainValue(error.details)} label={t('inbox.tech.details')} /></dd></> : null}
            </dl>
          ) : null}
        </div>
      </div>
      {error ? (
        <button type="button" className="link s nw row gap1" aria-expanded={details} onClick={() => setDetails(!details)}><Icon name={details ? 'down' : 'right'} size={12} />{t('inbox.technical')}</button>
      ) : null}
    </div>
  );
}

function Claim(props: DetailProps) {
  const { task, me, mayDecide, onClaim, onRelease, keysOf } = props;
  const now = useNow(15_000);
  if (task.state !== 'open') return <span className="ib-claim" />;
  const claim = claimOf(task, me, now);
  if (!claim) {
    return (
      <span className="ib-claim s t2">
        <span className="ell">{task.assignee ? <SafeText line text={t(props.forThem ? 'inbox.assignedForThem' : 'inbox.assigned', { who: whoText(task.assignee) })} /> : task.candidateGroups.length ? <SafeText line text={t('inbox.forGroups', { who: task.candidateGroups.map(whoText).join(', ') })} /> : t('inbox.nobody')}</span>
        {mayDecide ? <Button small onClick={onClaim} keys={keysOf('claim')}>{t('inbox.claim')}</Button> : null}
      </span>
    );
  }
  const left = Number.isFinite(claim.left) ? spanText(claim.left) : '';
  return (
    <span className="ib-claim s t2">
      <Icon name="lock" size={12} />
      <span className="ell">{claim.mine ? (left ? t('inbox.claimedMine', { span: left }) : t('inbox.claimedByYou')) : <SafeText line text={left ? t('inbox.claimedOther', { who: whoText(claim.by), span: left }) : t('inbox.claimedBy', { who: whoText(claim.by) })} />}</span>
      {mayDecide ? (claim.mine ? <Button small variant="ghost" onClick={onRelease}>{t('inbox.release')}</Button> : <Button small onClick={onClaim}>{t('inbox.takeOver')}</Button>) : null}
    </span>
  );
}

function ActionBar(props: DetailProps) {
  const { task, work, me, mayDecide, send, cannot, keysOf, onAction, onUndo } = props;
  const now = useNow(15_000);
  if (task.state !== 'open') {
    return (
      <footer className="ib-act">
        <span className="t2 ell">{task.decision ? t('inbox.decidedBy', { what: decidedText(task, task.decision), who: plain(whoText(task.decision.operatorId)) }) : t(`inbox.state.${task.state}`)}</span>
        <span className="grow" />
        {mayDecide && canReopen(task) ? <Button icon="redo" onClick={props.onReopen}>{t('inbox.reopen')}</Button> : null}
        <Button icon="runs" onClick={props.onOpenRun}>{t('inbox.openRun')}</Button>
      </footer>
    );
  }
  if (send && send.state !== 'failed' && send.state !== 'held') {
    return (
      <footer className="ib-act">
        <span className="row c-person"><Icon name="send" />{send.tool || send.budgetMicros !== undefined ? sentText(send) : actionOn(task, send.action)}</span><span className="t2">{t(`inbox.send.${send.state}`)}</span>
        <span className="grow" />
        {send.state === 'waiting' ? <Button icon="undo" keys="Mod+Z" onClick={onUndo}>{t('inbox.undo')}</Button> : null}
      </footer>
    );
  }
  if (!mayDecide) return <footer className="ib-act"><Icon name="eye" className="t2" /><span className="t2">{t('inbox.viewerOnly')}</span></footer>;
  // What leads changes with the form; where the buttons stand does not.
  const allowed = task.allowedActions.filter(isAction).sort((a, b) => Number(takesInput(b)) - Number(takesInput(a)));
  const first = leading(task, work);
  const more = work.budget === undefined ? undefined : microsOf(work.budget);
  const button = (action: TaskAction): ReactNode => {
    const why = cannot(action);
    const danger = action === 'abort' || action === 'reject';
    // What one key does not do says no key.
    // What most likely fails again does not lead.
    const again = action === 'retry' && failsAsIs(task, work.budget, now);
    const pressed = (action === 'abort' && allowed.includes('reject')) || again;
    return (
      <Button key={action} variant={action === first && !again ? 'primary' : danger ? 'danger' : 'default'} icon={ACTION_ICON[action]} keys={pressed ? undefined : keysOf(action)} disabled={why !== undefined} title={why} onClick={() => onAction(action)}>
        {action === 'retry' && more !== undefined ? t('inbox.budget.retry', { amount: formatMoney(more) }) : toolWords(task, action) ?? actionOn(task, action)}
      </Button>
    );
  };
  const theirs = isTheirs(task, me, now);
  const cannotRun = cannot('approve');
  const forRun = <Button key="for-run" icon="check" disabled={cannotRun !== undefined} title={cannotRun ?? t('inbox.tool.forRunHint')} onClick={props.onAllowForRun}>{t('inbox.tool.forRun')}</Button>;
  const snoozed = task.snoozedUntil !== undefined && Date.parse(task.snoozedUntil) > now;
  const entries: (MenuEntry | null)[] = [
    ...(task.heldSince || theirs ? [] : [{ id: 'hold', label: t('inbox.hold'), icon: 'pause' as const, onSelect: props.onHold }]),
    { id: 'reassign', label: t('inbox.reassign'), icon: 'swap', onSelect: props.onReassign },
    { id: 'run', label: t('inbox.openRun'), icon: 'runs', onSelect: props.onOpenRun },
    { id: 'audit', label: t('inbox.showAudit'), icon: 'chain', onSelect: props.onAudit },
    ...(task.kind === 'pause' ? [{ id: 'secret', label: t('inbox.copySecret'), icon: 'key' as const, onSelect: props.onCopySecret }] : []),
  ];
  return (
    <footer className="ib-act" data-amount={more === undefined ? undefined : ''}>
      {allowed.flatMap((action) => (action === 'approve' && isToolCall(task) ? [button(action), forRun] : [button(action)]))}
      <span className="grow" />
      {task.heldSince && !theirs ? <Button variant="ghost" icon="play" onClick={props.onContinue}>{t('inbox.continue')}</Button> : null}
      {theirs ? null : snoozed ? <Button variant="ghost" icon="glass" onClick={props.onWake}>{t('inbox.wake')}</Button> : <Button variant="ghost" icon="glass" keys={keysOf('snooze')} onClick={props.onSnooze}>{t('inbox.snooze')}</Button>}
      <Menu trigger={<IconButton icon="dots" label={t('inbox.more')} />} entries={entries} />
    </footer>
  );
}

