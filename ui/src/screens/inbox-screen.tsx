/** What waits for a person: the list on the left, one task or a choice of many on the right. */
import { errorText } from '../api/error.ts';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { usePaneOpen, usePaneSize } from '../api/settings.ts';
import { ACTION_ID, inboxActions, type InboxHooks } from '../features/inbox/actions.ts';
import { call } from '../api/client.ts';
import { act, useCommand, usePermission } from '../api/queries.ts';
import { DelegationDialog, DelegationMark, useAnswersFor } from '../features/inbox/delegation.tsx';
import { usePoll } from '../features/inbox/live.ts';
import { change } from '../features/inbox/refresh.ts';
import { tooLong } from '../features/inbox/bounds.ts';
import { cannotTryAgain, failsAsIs } from '../features/inbox/budget.ts';
import { microsOf } from '../shared/money.ts';
import { InboxArt } from '../features/inbox/art.tsx';
import { Bulk, type BulkHandle } from '../features/inbox/bulk.tsx';
import { Detail, type DetailTab } from '../features/inbox/detail.tsx';
import { ChooseAlternative, ConfirmDecision, HoldDialog, ReassignDialog, RevealDialog, SaveViewDialog, SnoozeDialog } from '../features/inbox/dialogs.tsx';
import { ReopenDialog } from '../features/inbox/reopen.tsx';
import { reveal } from '../features/inbox/drafts.ts';
import { awake, NO_FILTERS, savedOf, type InboxFilters } from '../features/inbox/filter-model.ts';
import { Filters } from '../features/inbox/filters.tsx';
import { isOnItsWay, queueSend, sendOf, takeOut, useSends } from '../features/inbox/sending.ts';
import { StatsView, type Cause } from '../features/inbox/stats.tsx';
import { keepChoice, undoSend, useUndoneChoice, type BulkDraft, type ChoiceBack, type Correction } from '../features/inbox/undo-send.ts';
import { TaskList } from '../features/inbox/task-list.tsx';
import { remember } from '../features/inbox/titles.ts';
import type { Task, TaskAction, TaskRow } from '../features/inbox/types.ts';
import { queryOf, useCounts, useTaskPages } from '../features/inbox/use-inbox.ts';
import { unseen } from '../features/inbox/unseen.ts';
import { useWork } from '../features/inbox/use-work.ts';
import { actionText, cannotApprove, claimOf, isTheirs, leading, takesInput, whoText } from '../features/inbox/words.ts';
import { asSchema } from '../json/json-schema.ts';
import { plain } from '../text/letters.ts';
import { holdsSecret } from '../shared/secret-paths.ts';
import '../features/inbox/inbox.css';
import { formatNumber, t, tn } from '../i18n/index.ts';
import { Banner, Button, ConfirmDialog, EmptyState, keysOf, Skeleton, SplitPane, Switch, TextInput, toast, useActions, useAllActions } from '../kit/index.ts';
import { useNow } from '../kit/use-now.ts';
import { attempt, copyText, ruleWhenOpen } from './commands.ts';
import { saveFile } from '../api/save-file.ts';
import { FindButton } from './frame.tsx';

import { navigate } from './router.ts';

type Asked = { kind: 'confirm'; action: TaskAction } | { kind: 'alternative' | 'reveal' | 'reassign' | 'snooze' | 'hold' | 'reopen' };
const never = () => false;

export function InboxScreen({ taskId }: { taskId: string | undefined }) {
  const [filters, setFilters] = useState<InboxFilters>(NO_FILTERS);
  const [chosen, setChosen] = useState<ReadonlyMap<string, TaskRow>>(new Map());
  const [correction, setCorrection] = useState<Correction | null>(null);
  const [begun, setBegun] = useState<ChoiceBack | null>(null);
  const [openNext, setOpenNext] = usePaneOpen('inbox.next', true);
  const [width, setWidth] = usePaneSize('inbox.list', 400);
  const [dialog, setDialog] = useState<'view' | 'delegate' | null>(null);
  const [figures, setFigures] = useState(false);
  const text = useDeferredValue(filters.text.trim());
  const counts = useCounts();
  const request = useMemo(() => queryOf(filters, text), [filters, text]);
  const list = useTaskPages(request, counts.data);
  const tasks = useMemo(() => list.tasks ?? [], [list.tasks]);
  const who = useCommand('who', {}, { staleTime: 60_000 });
  const me = who.data?.operatorId;
  const may = usePermission();
  const mayDecide = may('task_complete');
  const sends = useSends((state) => state.sends);
  const search = useRef<HTMLInputElement>(null);

  const go = useCallback((id: string | undefined) => navigate({ screen: 'inbox', ...(id ? { taskId: id } : {}) }, true), []);
  // Something is open from the start; a filter that was changed begins at its top, as soon as the list is of what was asked.
  const first = tasks.find((task) => !sendOf(sends, task.id));
  const settled = !list.isPlaceholderData && text === filters.text.trim();
  useEffect(() => {
    if (!taskId && first && settled) go(first.id);
  }, [taskId, first, settled, go]);
  // A task that has left the list is still open beside it: the keys go on from where it stood.
  const stood = useRef(0);
  const stands = tasks.findIndex((task) => task.id === taskId);
  useEffect(() => { if (stands >= 0) stood.current = stands; }, [stands]);
  const filter = (next: InboxFilters) => {
    setFigures(false);
    setFilters(next);
    go(undefined);
  };

  const move = (by: number, extend: boolean) => {
    const to = stands >= 0 ? stands + by : stood.current + (by > 0 ? by - 1 : by);
    const next = tasks[Math.max(0, Math.min(tasks.length - 1, to))];
    if (!next) return;
    if (extend && mayDecide) {
      const both = new Map(chosen);
      for (const task of [tasks[stands], next]) if (task?.state === 'open') both.set(task.id, task);
      setChosen(both);
    }
    go(next.id);
  };
  const anchor = useRef<string | null>(null);
  const choose = (task: TaskRow, range: boolean) => {
    const next = new Map(chosen);
    const from = tasks.findIndex((one) => one.id === (anchor.current ?? taskId));
    const to = tasks.findIndex((one) => one.id === task.id);
    if (range && from >= 0 && to >= 0) {
      for (const one of tasks.slice(Math.min(from, to), Math.max(from, to) + 1)) if (one.state === 'open') next.set(one.id, one);
    } else if (!next.delete(task.id)) {
      next.set(task.id, task);
    }
    anchor.current = task.id;
    if (next.size === 0) clear();
    else setChosen(next);
  };
  const clear = useCallback(() => {
    setChosen(new Map());
    setCorrection(null);
    setBegun(null);
  }, []);
  useUndoneChoice(useCallback((back) => {
    setFigures(false);
    setChosen(back.rows);
    setCorrection(back.correction);
    setBegun(back);
  }, []));
  /** All open tasks that failed the same way; with the correction of the open one, if it has one. */
  const chooseSame = async (task: Task, patch: ReturnType<typeof useWork>['check']['patch'] | null) => {
    const found = await attempt(() => call('task_list', { state: 'open', view: 'all', fingerprint: task.fingerprint, limit: 500 }));
    if (!found) return;
    setCorrection(patch?.length ? { patch, source: task.id, schema: asSchema(task.schema) } : null);
    // What somebody has put off is not decided along, unless it is the one that is looked at.
    setChosen(new Map([...(task.state === 'open' ? [task] : []), ...found.tasks].map((one) => [one.id, one])));
    if (found.total > found.tasks.length) toast({ signal: 'info', text: t('inbox.chosenPart', { n: formatNumber(found.tasks.length), all: formatNumber(found.total) }) });
  };
  const [arrived, setArrived] = useState<string | null>(null);
  useEffect(() => {
    if (arrived === null) return;
    const timer = setTimeout(() => setArrived(null), unseen.ms);
    return () => clearTimeout(timer);
  }, [arrived]);
  const decided = (task: Task) => {
    if (!openNext) return;
    const at = tasks.findIndex((one) => one.id === task.id);
    const behind = at >= 0 ? at + 1 : stood.current;
    const pending = useSends.getState().sends;
    const next = [...tasks.slice(behind), ...tasks.slice(0, behind)].find((one) => one.state === 'open' && one.id !== task.id && !sendOf(pending, one.id));
    if (!next) return;
    setArrived(next.id);
    go(next.id);
  };
  const many = [...chosen.values()];
  const empty = list.tasks !== undefined && list.tasks.length === 0;
  const filtered = filters.view !== 'all' || filters.workflow !== '' || filters.fingerprint !== '' || filters.text !== '';
  const shared = { move, clear, search: () => search.current?.focus(), mine: () => filter({ ...NO_FILTERS, view: 'mine' }) };

  const right = many.length > 0 ? (
    <Many key={begun?.id ?? ''} tasks={many} me={me} correction={correction} begun={begun?.draft} onClear={clear} hooks={shared}
      onSend={(action, ids, draft, patch) => {
        remember(many);
        const id = queueSend({ taskIds: ids, title: tn('inbox.tasks', ids.length), action, notes: draft.notes, ...(patch ? { patch } : {}) }, { holdsSecret: correction !== null && holdsSecret(correction.schema) });
        keepChoice(id, ids, { rows: chosen, correction, draft });
        clear();
      }} />
  ) : taskId ? (
    <One key={taskId} taskId={taskId} row={tasks.find((task) => task.id === taskId)} me={me} mayDecide={mayDecide} hooks={shared} unseen={arrived === taskId} onDecided={decided}
      onChoose={(task) => choose(task, false)} onChooseSame={(task, patch) => void chooseSame(task, patch)} onGo={go} />
  ) : empty ? <Idle filtered={filtered} onAll={() => filter(NO_FILTERS)} hooks={shared} /> : <div className="ib-det" aria-busy="true" />;

  return (
    <main className="screen">
      <header className="bar ib-bar">
        <h1>{t('inbox.title')}</h1>
        <span className="s t2 nw" role="status">{counts.data ? [tn('inbox.open', awake(counts.data)), ...(counts.data.overdue ? [t('inbox.overdue', { n: formatNumber(counts.data.overdue) })] : [])].join(', ') : ''}</span>
        <span className="grow" />
        <FindButton />
        <TextInput ref={search} className="find" icon="search" type="search" value={filters.text} placeholder={t('inbox.search')} aria-label={t('inbox.search')} onChange={(next) => filter({ ...filters, text: next })}
          onKeyDown={(event) => { if (event.key === 'Escape') event.currentTarget.blur(); }} />
        {may('task_stats') ? <Button icon="rows" aria-pressed={figures} className={figures ? 'is-press' : ''} onClick={() => setFigures(!figures)}>{t('inbox.stats')}</Button> : null}
        {may('delegation_list') ? <DelegationMark me={me} mayDecide={mayDecide} onOpen={() => setDialog('delegate')} /> : null}
        <label className="switch-label s t2"><Switch checked={openNext} onChange={setOpenNext} label={t('inbox.openNext')} /><span>{t('inbox.openNext')}</span></label>
      </header>
      <div className="screen-body">
        <Filters filters={filters} counts={counts.data} onFilters={filter} onSave={() => setDialog('view')} onForget={(name) => void attempt(() => act('task_view_forget', { name }))} />
        {list.error ? (
          <Banner signal="err" title={list.error.message} actions={<Button small icon="retry" onClick={() => void list.refetch()}>{t('common.tryAgain')}</Button>}><span className="s t2">{list.error.hint}</span></Banner>
        ) : null}
        {figures ? (
          <>
            <NoTaskKeys hooks={shared} noList />
            <StatsView mayAuthor={may('workflow_save')} onSuggest={(cause) => void suggest(cause)} onCause={(fingerprint) => filter({ ...NO_FILTERS, view: 'done', fingerprint })} />
          </>
        ) : <div className="ib-main">
          <SplitPane side="left" size={width} min={260} max={640} onResize={setWidth} label={t('inbox.listWidth')} reserve={420} pane={
            <section className="ib-pane" aria-label={t('inbox.list')}>
              {list.tasks === undefined ? <div style={{ padding: '0 16px' }}><Skeleton rows={8} height={64} /></div>
                : empty ? <div className="ib-list-empty"><p className="t3" style={{ padding: 16 }}>{filtered ? t('inbox.noneFound') : t('inbox.noneOpen')}</p></div>
                  : <TaskList tasks={tasks} sort={filters.view === 'done' ? 'due' : filters.sort} current={taskId ?? null} chosen={new Set(chosen.keys())} sends={sends} me={me} more={list.hasNextPage}
                    onOpen={(index) => { const task = tasks[index]; if (task) { if (many.length) clear(); go(task.id); } }} onEnter={() => focusIn('.ib-det')} onChoose={mayDecide ? choose : undefined}
                    onMore={() => { if (list.hasNextPage && !list.isFetching) void list.fetchNextPage(); }} />}
            </section>
          }>
            <div className="ib-right">{right}</div>
          </SplitPane>
        </div>}
      </div>
      {dialog === 'view' ? <SaveViewDialog names={counts.data?.saved.map((one) => one.name) ?? []} onClose={() => setDialog(null)} onSave={async (name) => (await attempt(() => act('task_view_save', { name, filter: savedOf(filters) }))) !== undefined} /> : null}
      {dialog === 'delegate' ? <DelegationDialog me={me} mayDecide={mayDecide} onClose={() => setDialog(null)} /> : null}
    </main>
  );
}

/** The author sees the rule come into the workflow, as one step that Undo takes back. */
async function suggest(cause: Cause): Promise<void> {
  const rule = cause.suggestion;
  const list = rule && (await attempt(() => call('workflow_list', {})));
  if (!list) return;
  const entry = list.find((one) => one.id === cause.workflowId);
  if (!entry) {
    toast({ signal: 'warn', text: t('inbox.rule.noFile') });
    return;
  }
  ruleWhenOpen(entry.ref, { nodeId: cause.nodeId, rule: { name: rule.name, when: rule.when, action: rule.action } });
  navigate({ screen: 'workflow', ref: entry.ref });
}

function focusIn(box: string): void {
  document.querySelector<HTMLElement>(`${box} :is(input, textarea, .cm-content, .ib-act button):not(:disabled)`)?.focus();
}

type Shared = Pick<InboxHooks, 'search' | 'mine'> & { move(by: number, extend: boolean): void; clear(): void };

/** `g`, then `m`: the second letter counts for a second and a half. */
function usePrefix() {
  const until = useRef(0);
  return { prefix: () => { until.current = Date.now() + 1_500; }, prefixed: () => Date.now() < until.current };
}

/** Registers the actions once; what they do follows the latest drawing. */
function useInboxActions(hooks: InboxHooks): void {
  const latest = useRef(hooks);
  latest.current = hooks;
  const actions = useMemo(() => {
    const live = new Proxy({} as InboxHooks, { get: (_, name: keyof InboxHooks) => (...args: never[]) => (latest.current[name] as (...args: never[]) => unknown)(...args) });
    return inboxActions(live);
  }, []);
  useActions(actions);
}
const canUndo = () => useSends.getState().sends.some((send) => send.state === 'waiting');

function useKeys(): (action: TaskAction | 'snooze' | 'note' | 'claim') => string | undefined {
  const all = useAllActions();
  return (action) => {
    const id = action === 'snooze' || action === 'note' || action === 'claim' ? `inbox.${action}` : ACTION_ID[action];
    const found = all.find((one) => one.id === id);
    return found ? keysOf(found)[0] : undefined;
  };
}

/** The keys of the inbox that need no task. `noList`: nor one to move in. */
function NoTaskKeys({ hooks, noList = false }: { hooks: Shared; noList?: boolean }) {
  useInboxActions({ ...NO_TASK, ...usePrefix(), ...base(hooks), hasList: () => !noList });
  return null;
}

function Idle({ filtered, onAll, hooks }: { filtered: boolean; onAll(): void; hooks: Shared }) {
  return (
    <div className="ib-det">
      <NoTaskKeys hooks={hooks} noList />
      {filtered
        ? <EmptyState title={t('inbox.noneFound')} text={t('inbox.noneFoundText')} actions={<Button icon="x" onClick={onAll}>{t('inbox.showAll')}</Button>} />
        : <EmptyState art={<InboxArt />} title={t('inbox.none')} text={t('inbox.noneText')} actions={<Button icon="flow" onClick={() => navigate({ screen: 'workflows' })}>{t('inbox.toGallery')}</Button>} />}
    </div>
  );
}

const NO_TASK = {
  hasList: () => true, choose: () => undefined, canChoose: never, chooseSame: () => undefined, hasChoice: never, enter: () => focusIn('.ib-det'), can: never, act: () => undefined, submit: () => undefined, canSubmit: never, claim: () => undefined, canClaim: never,
  release: () => undefined, canRelease: never, edit: () => undefined, note: () => undefined, snooze: () => undefined, canDecide: never,
};
function base(shared: Shared) {
  return {
    move: shared.move, search: shared.search, mine: shared.mine, clearChoice: shared.clear, canUndo,
    undo: () => { const send = undoSend(); if (send?.taskIds.length === 1 && send.taskIds[0]) navigate({ screen: 'inbox', taskId: send.taskIds[0] }, true); },
  };
}

function Many({ tasks: all, me, correction, begun, hooks, onSend, onClear }: {
  tasks: TaskRow[]; me: string | undefined; correction: Correction | null; begun: BulkDraft | undefined; hooks: Shared;
  onSend: Parameters<typeof Bulk>[0]['onSend']; onClear(): void;
}) {
  const keys = useKeys();
  const bulk = useRef<BulkHandle | null>(null);
  const now = useNow(15_000);
  const tasks = useMemo(() => all.filter((task) => !isTheirs(task, me, now)), [all, me, now]);
  useInboxActions({
    ...NO_TASK, ...usePrefix(), ...base(hooks), hasChoice: () => true, can: (action) => bulk.current?.can(action) ?? false, act: (action) => bulk.current?.send(action), submit: () => bulk.current?.send('correct'),
    canSubmit: () => bulk.current?.can('correct') ?? false, note: () => focusIn('.ib-bulk-note'), canDecide: () => true,
  });
  // What ends runs is asked once more.
  const [asked, setAsked] = useState<Parameters<typeof onSend> | null>(null);
  const send: typeof onSend = (...all) => { if (all[0] === 'abort' || all[0] === 'reject') setAsked(all); else onSend(...all); };
  return (
    <>
      <Bulk tasks={tasks} theirs={all.length - tasks.length} correction={correction} begun={begun} keysOf={keys} onSend={send} onClear={onClear} handle={(now) => { bulk.current = now; }} />
      <ConfirmDialog open={asked !== null} danger title={t(asked?.[0] === 'reject' ? 'inbox.bulk.rejectTitle' : 'inbox.bulk.abortTitle', { n: asked?.[1].length ?? 0 })} text={t('inbox.confirm.undo')} confirm={asked ? actionText(asked[0]) : ''} cancel={t('common.cancel')}
        onClose={() => setAsked(null)} onConfirm={() => { if (asked) onSend(...asked); setAsked(null); }} />
    </>
  );
}

interface OneProps {
  taskId: string; row: TaskRow | undefined; me: string | undefined; mayDecide: boolean; hooks: Shared;
  /** It opened by itself a moment ago: what is pressed was meant for the one before. */
  unseen: boolean;
  onDecided(task: Task): void; onChoose(task: TaskRow): void; onChooseSame(task: Task, patch: ReturnType<typeof useWork>['check']['patch'] | null): void; onGo(id: string | undefined): void;
}

function One(props: OneProps) {
  const task = useCommand('task_get', { taskId: props.taskId }, { refetchInterval: usePoll(5_000) });
  if (task.data) return <Opened {...props} task={task.data} />;
  return <Waiting {...props} error={task.error} retry={() => void task.refetch()} />;
}

function Waiting({ row, mayDecide, hooks, error, retry, onGo, onChoose }: OneProps & { error: { message: string; hint: string } | null; retry(): void }) {
  useInboxActions({ ...NO_TASK, ...usePrefix(), ...base(hooks), choose: () => { if (mayDecide && row?.state === 'open') onChoose(row); }, canChoose: () => mayDecide && row?.state === 'open' });
  if (error) {
    return <div className="ib-det"><EmptyState title={t('inbox.cannotOpen')} text={errorText(error)} actions={<><Button icon="retry" onClick={retry}>{t('common.tryAgain')}</Button><Button onClick={() => onGo(undefined)}>{t('inbox.toList')}</Button></>} /></div>;
  }
  return <div className="ib-det" aria-busy="true"><div className="ib-hd"><span className="sk" style={{ width: 32, height: 32 }} /><div className="col"><h2 className="l ell">{row?.title ?? ''}</h2><span className="s t2">{row?.workflowName ?? ''}</span></div></div></div>;
}

function Opened({ task, me, mayDecide, hooks, unseen, onDecided, onChoose, onChooseSame, onGo }: OneProps & { task: Task }) {
  const work = useWork(task, mayDecide);
  const [tab, setTab] = useState<DetailTab>('decide');
  const [wanted, setWanted] = useState<Asked | null>(null);
  // A question about a task that is answered meanwhile is no question any more.
  const asked = task.state === 'open' || wanted?.kind === 'reveal' || wanted?.kind === 'reopen' ? wanted : null;
  /** Decided while the engine still looks at the input: about this input, and until something else is decided. */
  const [soon, setSoon] = useState<{ action: TaskAction; value: unknown } | null>(null);
  const setAsked = useCallback((next: Asked | null) => {
    setSoon(null);
    setWanted(next);
  }, []);
  const send = useSends((state) => sendOf(state.sends, task.id));
  const keys = useKeys();
  const close = useCallback(() => setAsked(null), [setAsked]);
  const forThem = useAnswersFor(me)(task);
  const open = task.state === 'open' && mayDecide;
  const quiet = isOnItsWay(send);
  useHeartbeat(task, me, open);

  const cannot = (action: TaskAction): string | undefined => {
    if (!open || quiet) return t('inbox.cannot.sent');
    if (unseen) return t('inbox.cannot.unseen');
    if (isTheirs(task, me, Date.now())) return t('inbox.cannot.claimed', { who: plain(whoText(task.claimedBy ?? '')) });
    if (!task.allowedActions.includes(action)) return t('inbox.cannot.notAllowed');
    if (tooLong(work.notes) !== undefined) return t('inbox.cannot.tooLong');
    if (action === 'approve') return cannotApprove(task, me);
    if (action === 'retry') return cannotTryAgain(work.budget);
    if (!takesInput(action)) return undefined;
    if (work.check.state === 'unread') return t('inbox.cannot.unread');
    if (action === 'correct' && !work.changed) return t('inbox.cannot.unchanged');
    if (work.check.state === 'invalid') return t('inbox.cannot.invalid');
    return undefined;
  };
  const can = (action: TaskAction) => cannot(action) === undefined;
  const deliver = (action: TaskAction, targetNodeId?: string, toolGrant?: 'run') => {
    setAsked(null);
    if (send) takeOut(send.id, task.id);
    const budgetMicros = action === 'retry' && work.budget !== undefined ? microsOf(work.budget) : undefined;
    queueSend({
      taskIds: [task.id], title: task.title, action, notes: work.notes, revision: task.revision,
      ...(takesInput(action) ? { correctedInput: work.value === undefined ? null : work.value } : {}), ...(targetNodeId ? { targetNodeId } : {}), ...(budgetMicros === undefined ? {} : { budgetMicros }), ...(work.changed && !takesInput(action) ? { leavesChanges: true } : {}), ...(task.reason === 'tool_call' ? { tool: true } : {}), ...(task.reason === 'tool_call' && action === 'approve' ? { toolGrant: toolGrant ?? 'once' } : {}),
    }, { holdsSecret: holdsSecret(asSchema(task.schema)) });
    onDecided(task);
  };
  const decide = (action: TaskAction) => {
    if (!can(action)) return;
    if (takesInput(action) && work.check.state === 'busy') {
      setSoon({ action, value: work.value });
      return;
    }
    setSoon(null);
    const [only, second] = task.alternatives;
    if (action === 'alternative') {
      if (only && !second) deliver(action, only.targetNodeId);
      else setAsked({ kind: 'alternative' });
    } else if (takesInput(action) || action === 'abort' || action === 'reject') setAsked({ kind: 'confirm', action });
    else deliver(action);
  };
  // Who is faster than the check does not have to ask again.
  const checked = work.check.state;
  useEffect(() => {
    if (soon === null) return;
    if (soon.value !== work.value) setSoon(null);
    else if (checked !== 'busy' && document.querySelector('[role=dialog], [role=alertdialog]')) {
      // A question that stands is answered first, wherever it was asked; what waited is not forgotten without a word.
      setSoon(null);
      toast({ signal: 'warn', text: t('inbox.notAsked', { action: actionText(soon.action) }), detail: t('inbox.notAskedHint') });
    } else if (checked !== 'busy') {
      setSoon(null);
      decide(soon.action);
    }
  }, [soon, checked, work.value]); // eslint-disable-line react/exhaustive-deps
  const next = leading(task, { ...work, changed: true });
  const submitted = next && takesInput(next) ? next : undefined;
  const claim = async () => {
    const held = claimOf(task, me, Date.now());
    await attempt(async () => {
      // A claim is exclusive: taking over gives the task to oneself first, which is recorded.
      if (held && !held.mine && me) await change('task_reassign', { taskId: task.id, to: me });
      await change('task_claim', { taskId: task.id });
    });
  };
  const release = async () => { await attempt(() => change('task_release', { taskId: task.id })); };
  const mine = () => claimOf(task, me, Date.now())?.mine === true;
  const snooze = async (until: Date) => {
    const done = await attempt(() => change('task_snooze', { taskId: task.id, until: until.toISOString() }));
    if (done) {
      toast({ signal: 'ok', text: t('inbox.snoozed') });
      onDecided(task);
    }
    return done !== undefined;
  };
  const wake = async () => {
    if (await attempt(() => change('task_snooze', { taskId: task.id, until: new Date().toISOString() }))) toast({ signal: 'ok', text: t('inbox.woken') });
  };
  const hold = async (held: boolean, notes?: string) => {
    const done = await attempt(() => change('task_hold', { taskId: task.id, held, ...(notes ? { notes } : {}) }));
    if (done) toast({ signal: 'ok', text: t(held ? 'inbox.hold.done' : 'inbox.continue.done') });
    return done !== undefined;
  };
  const edit = () => {
    setTab('decide');
    requestAnimationFrame(() => focusIn('.ib-form .form > :not(.form-view)'));
  };
  useInboxActions({
    ...NO_TASK, ...usePrefix(), ...base(hooks), can: (action) => can(action) && !(action === 'retry' && failsAsIs(task, work.budget, Date.now())), act: decide, submit: () => { if (submitted) decide(submitted); }, canSubmit: () => submitted !== undefined && can(submitted),
    choose: () => { if (open) onChoose(task); }, canChoose: () => open, chooseSame: () => { if (mayDecide) onChooseSame(task, work.changed && work.check.state === 'valid' ? work.check.patch : null); },
    claim: () => void claim(), canClaim: () => open && !mine(), release: () => void release(), canRelease: () => open && mine(), edit,
    note: () => { setTab('decide'); requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-note]')?.focus()); }, snooze: () => setAsked({ kind: 'snooze' }), canDecide: () => open && !quiet && !isTheirs(task, me, Date.now()),
  });
  return (
    <>
      <Detail task={task} work={work} me={me} mayDecide={mayDecide} send={send} forThem={forThem} tab={tab} onTab={setTab} cannot={cannot} keysOf={keys} onAction={decide} onAllowForRun={() => { if (can('approve')) deliver('approve', undefined, 'run'); }}
        onClaim={() => void claim()} onRelease={() => void release()} onReassign={() => setAsked({ kind: 'reassign' })} onSnooze={() => setAsked({ kind: 'snooze' })} onWake={() => void wake()} onHold={() => setAsked({ kind: 'hold' })} onContinue={() => void hold(false)}
        onComment={async (text) => (await attempt(() => change('task_comment', { taskId: task.id, text }), t('inbox.commentFailed'))) !== undefined}
        onReveal={() => setAsked({ kind: 'reveal' })} onReviewAll={() => onChooseSame(task, work.changed && work.check.state === 'valid' ? work.check.patch : null)}
        onReopen={() => setAsked({ kind: 'reopen' })} onOpenTask={onGo} onOpenOtherRun={(runId) => navigate({ screen: 'run', runId })}
        onOpenRun={() => navigate({ screen: 'run', runId: task.runId, step: task.nodeId })} onAudit={() => navigate({ screen: 'audit', query: `run:${task.runId}` })}
        onAttachment={(id) => void attempt(async () => {
          const file = await change('task_attachment', { taskId: task.id, id });
          await saveFile(file.name, { base64: file.bytesBase64 });
        })}
        onCopySecret={() => void copyText((async () => {
          // A new one each time; only who may answer gets it.
          const { secret } = await call('task_get', { taskId: task.id, secret: true });
          if (!secret) throw new Error(t('inbox.noSecret'));
          return secret;
        })())} onUndo={() => { if (send) undoSend(send.id); }} />
      {asked?.kind === 'confirm' ? <ConfirmDecision task={task} work={work} action={asked.action} onClose={close} onSend={() => deliver(asked.action)} /> : null}
      {asked?.kind === 'alternative' ? <ChooseAlternative task={task} onClose={close} onPick={(target) => deliver('alternative', target)} /> : null}
      {asked?.kind === 'reveal' ? <RevealDialog onClose={close} onReveal={async (reason) => {
        const shown = await attempt(() => change('task_reveal', { taskId: task.id, reason }));
        if (shown) reveal(task.id, task.input, shown);
        return shown !== undefined;
      }} /> : null}
      {asked?.kind === 'reassign' ? <ReassignDialog task={task} onClose={close} onReassign={async (to, notes) => (await attempt(() => change('task_reassign', { taskId: task.id, to, ...(notes ? { notes } : {}) }))) !== undefined} /> : null}
      {asked?.kind === 'hold' ? <HoldDialog onClose={close} onHold={(notes) => hold(true, notes)} /> : null}
      {asked?.kind === 'reopen' ? <ReopenDialog task={task} onClose={close} onReopen={async (reason) => {
        const done = await attempt(() => change('task_reopen', { taskId: task.id, reason }));
        if (done?.newTaskId) onGo(done.newTaskId);
        else if (done) navigate({ screen: 'run', runId: done.runId });
        return done !== undefined;
      }} /> : null}
      {asked?.kind === 'snooze' ? <SnoozeDialog expiresAt={task.expiresAt} onClose={close} onSnooze={snooze} /> : null}
    </>
  );
}

const LEASE_NEAR_MS = 10 * 60_000;
/** Work on a claimed task keeps the claim: renewed while keys and pointer are used. */
function useHeartbeat(task: Task, me: string | undefined, open: boolean): void {
  const until = task.claimExpiresAt ? Date.parse(task.claimExpiresAt) : Number.NaN;
  const mine = open && me !== undefined && task.claimedBy === me;
  useEffect(() => {
    if (!mine || Number.isNaN(until)) return undefined;
    let asked = false;
    const onUse = () => {
      const left = until - Date.now();
      if (asked || left > LEASE_NEAR_MS || left < 0) return;
      asked = true;
      void change('task_claim', { taskId: task.id }).catch(() => undefined);
    };
    window.addEventListener('keydown', onUse);
    window.addEventListener('pointerdown', onUse);
    return () => {
      window.removeEventListener('keydown', onUse);
      window.removeEventListener('pointerdown', onUse);
    };
  }, [mine, until, task.id]);
}
