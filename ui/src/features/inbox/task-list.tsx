// The tasks: two lines each, headings where the order has them; only what is seen is drawn.

import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useMemo, useRef, type KeyboardEvent, type MouseEvent } from 'react';
import { formatNumber, t, tn } from '../../i18n/index.ts';
import { Checkbox, Icon } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { useNow } from '../../kit/use-now.ts';
import { sendOf, sendWord, type Send } from './sending.ts';
import type { TaskRow, TaskSort } from './types.ts';
import { roundText, approvalsText, claimOf, doneText, dueOf, heldText, entriesOf, initials, rowIcon, spanText, whenText, whoText } from './words.ts';

const ROW = 64;
const HEAD = 28;

export interface TaskListProps {
  tasks: readonly TaskRow[];
  /** The order that they came in. */
  sort: TaskSort;
  current: string | null;
  chosen: ReadonlySet<string>;
  sends: readonly Send[];
  me: string | undefined;
  more: boolean;
  onOpen(index: number): void;
  /** Enter: the keyboard goes on in the task. */
  onEnter(): void;
  /** Left out where nothing can be done with what is chosen. */
  onChoose?: ((task: TaskRow, range: boolean) => void) | undefined;
  onMore(): void;
}

export function TaskList(props: TaskListProps) {
  const { tasks, current, onOpen, onEnter, onMore, more, sort } = props;
  const now = usePace(tasks);
  const entries = useMemo(() => entriesOf(tasks, now, sort), [tasks, now, sort]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => { const entry = entries[index]; return entry && 'head' in entry ? HEAD : ROW; },
    overscan: 10,
    getItemKey: (index) => { const entry = entries[index]; return entry === undefined ? index : 'head' in entry ? entry.head : entry.task.id; },
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (more && last >= entries.length - 30) onMore();
  }, [more, last, entries.length, onMore]);

  // Rows that stay are not drawn again while others come into view.
  const latest = useRef(props);
  latest.current = props;
  const open = useCallback((index: number) => latest.current.onOpen(index), []);
  const choose = useCallback((task: TaskRow, range: boolean) => latest.current.onChoose?.(task, range), []);

  const currentAt = entries.findIndex((entry) => 'task' in entry && entry.task.id === current);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    // Only a new choice scrolls: rows that come and go do not.
    if (currentAt < 0 || shown.current === current) return;
    shown.current = current;
    virtual.scrollToIndex(currentAt);
  }, [currentAt, current, virtual]);

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const at = tasks.findIndex((task) => task.id === current);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 8, PageUp: at - 8, Home: 0, End: tasks.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      onOpen(Math.max(0, Math.min(tasks.length - 1, to)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      event.stopPropagation();
      onEnter();
    }
  }
  return (
    <div ref={scroller} className="vlist ib-list" role="grid" aria-label={t('inbox.list')} aria-rowcount={tasks.length} aria-multiselectable={props.onChoose !== undefined} tabIndex={0} onKeyDown={onKeyDown} data-scope="inbox-list">
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {rows.map((row) => {
          const entry = entries[row.index];
          if (!entry) return null;
          if ('head' in entry) {
            return (
              <div key={row.key} role="row" className="ib-head" style={{ height: row.size, transform: `translateY(${String(row.start)}px)` }}>
                <span role="gridcell"><b>{t(`inbox.bucket.${entry.head}`)}</b> {formatNumber(entry.count)}{more ? '+' : ''}</span>
              </div>
            );
          }
          const { task } = entry;
          return <Row key={row.key} task={task} index={entry.index} now={now} top={row.start} on={task.id === current} picked={props.chosen.has(task.id)} sent={wordOf(props.sends, task.id)} me={props.me} onOpen={open} onChoose={props.onChoose ? choose : undefined} />;
        })}
      </div>
    </div>
  );
}

/** Seconds are counted down where one of them is told; minutes need no clock that fast. */
function usePace(tasks: readonly TaskRow[]): number {
  const calm = useNow(15_000);
  const soon = tasks.some(({ state, expiresAt, heldSince, snoozedUntil }) => state === 'open' && [heldSince ? undefined : expiresAt, snoozedUntil].some((time) => time !== undefined && Math.abs(Date.parse(time) - calm) < 80_000));
  const exact = useNow(soon ? 1_000 : 0);
  return soon ? Math.max(calm, exact) : calm;
}

function wordOf(sends: readonly Send[], taskId: string): RowProps['sent'] {
  const send = sendOf(sends, taskId);
  return send && sendWord(send);
}

interface RowProps {
  task: TaskRow; index: number; now: number; top: number; on: boolean; picked: boolean; sent: ReturnType<typeof sendWord> | undefined; me: string | undefined;
  onOpen(index: number): void; onChoose: ((task: TaskRow, range: boolean) => void) | undefined;
}
const Row = memo(function Row({ task, index, now, top, on, picked, sent, me, onOpen, onChoose }: RowProps) {
  const icon = rowIcon(task);
  const due = task.state === 'open' ? dueOf(task, now) : undefined;
  const claim = claimOf(task, me, now);
  const choose = (event: MouseEvent) => {
    event.stopPropagation();
    onChoose?.(task, event.shiftKey);
  };
  const title = plain(task.title);
  const open = task.state === 'open';
  return (
    <div role="row" aria-rowindex={index + 1} aria-selected={picked || on} className={`ib-row ${on ? 'on' : ''} ${picked ? 'picked' : ''} ${open ? '' : 'done'}`} style={{ height: ROW, transform: `translateY(${String(top)}px)` }}
      onClick={(event) => { if (event.shiftKey && open && onChoose) choose(event); else onOpen(index); }}>
      <span role="gridcell" className={`ib-kind ${icon.color}`}>
        <span className="k"><Icon name={icon.icon} label={icon.label} /></span>
        {open && onChoose ? <span className="pick" onClickCapture={choose}><Checkbox checked={picked} label={t('inbox.choose', { title })} onChange={() => undefined} /></span> : null}
      </span>
      <span role="gridcell" className="ib-title"><b><SafeText line text={task.title} /></b>{task.cases > 1 ? <span className="badge">{t('inbox.andMore', { n: formatNumber(task.cases - 1) })}</span> : null}{open && task.minApprovals > 1 ? <span className="badge" title={approvalsText(task)}>{`${String(task.approvals)}/${String(task.minApprovals)}`}<span className="vh"> {approvalsText(task)}</span></span> : null}</span>
      <span role="gridcell" className={`tm ${due?.tone === 'err' ? 'c-err' : due?.tone === 'wait' ? 'c-wait' : 't2'}`}>
        {open && due ? <><Icon name={due.late ? 'warn' : 'clock'} size={12} />{due.text}</> : null}
        {open && task.escalationLevel > 0 ? <span className="row gap1 c-wait" title={tn('inbox.escalated', task.escalationLevel)}><Icon name="up" size={12} />{due || task.heldSince ? <span className="vh">{t('inbox.escalatedShort')}</span> : t('inbox.escalatedShort')}</span> : null}
        {open && task.heldSince ? <span className="row gap1 c-wait" title={heldText(task)}><Icon name="pause" size={12} />{t('inbox.onHold')}</span> : null}
        {open ? null : <span className="t3">{task.decidedAt ? whenText(task.decidedAt, now) : ''}</span>}
      </span>
      <span role="gridcell" className="m ell t2">
        {open
          ? <><SafeText line text={`${task.workflowName}, ${task.nodeTitle}`} />{task.path ? <span className="t3 ib-round" title={task.path}> {roundText(task.path)}</span> : null}{task.item === undefined ? null : <span className="t3 ib-round"> {t('inbox.item', { n: formatNumber(task.item + 1) })}</span>}</>
          : <SafeText line text={task.action ? `${doneText(task.action)}${task.decidedBy ? ` · ${whoText(task.decidedBy)}` : ''}` : t(`inbox.state.${task.state}`)} />}
      </span>
      <span role="gridcell" className="tm">
        {sent ? <span className={sent === 'failed' ? 'c-err' : sent === 'unsure' ? 'c-wait' : 'c-person'}>{t(`inbox.send.${sent}`)}</span>
          : task.snoozedUntil && Date.parse(task.snoozedUntil) > now ? <span className="t2 row gap1"><Icon name="glass" size={12} />{spanText(Date.parse(task.snoozedUntil) - now)}</span>
            : claim ? <span className="av" title={claim.mine ? t('inbox.claimedByYou') : t('inbox.claimedBy', { who: plain(whoText(claim.by)) })}>{initials(claim.by)}</span>
              : open ? <span className="t3">{task.assignee ? <SafeText line text={whoText(task.assignee)} /> : task.candidateGroups.length ? <SafeText line text={t('inbox.forGroups', { who: task.candidateGroups.map(whoText).join(', ') })} /> : t('inbox.unclaimed')}</span> : null}
      </span>
      {task.sameCount > 1 && open ? <span className="vh">{tn('inbox.same', task.sameCount)}</span> : null}
    </div>
  );
});
