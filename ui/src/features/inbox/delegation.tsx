// Who answers for whom: the mark in the title bar, and the dialog that makes and ends delegations.

import { useCallback, useMemo, useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { toApiError, errorText } from '../../api/error.ts';
import { formatDateTime, t } from '../../i18n/index.ts';
import { Badge, Button, Dialog, Field, Icon, Select, TextArea, TextInput } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { tooLong } from './bounds.ts';
import type { Delegation, TaskRow } from './types.ts';
import { localInput, whoText } from './words.ts';

function useDelegations(): Delegation[] {
  const may = usePermission();
  const found = useCommand('delegation_list', {}, { refetchInterval: 60_000, staleTime: 10_000, enabled: may('delegation_list') });
  return useMemo(() => found.data ?? [], [found.data]);
}

/** Whether a task is somebody else's for whom this person answers now. */
export function useAnswersFor(me: string | undefined): (task: TaskRow) => boolean {
  const all = useDelegations();
  return useCallback((task) => task.assignee !== undefined && all.some((one) => one.active && one.to === me && one.from === task.assignee && (one.workflow === undefined || one.workflow === task.workflowId)), [all, me]);
}

export function DelegationMark({ me, mayDecide, onOpen }: { me: string | undefined; mayDecide: boolean; onOpen(): void }) {
  const all = useDelegations();
  // Who decides nothing has nothing to hand over.
  if (!mayDecide && !all.length) return null;
  const active = all.filter((one) => one.active);
  const given = active.filter((one) => one.from === me).map((one) => whoText(one.to));
  const taken = active.filter((one) => one.to === me).map((one) => whoText(one.from));
  const text = taken.length ? t('inbox.delegation.youFor', { who: [...new Set(taken)].join(', ') }) : given.length ? t('inbox.delegation.forYou', { who: [...new Set(given)].join(', ') }) : t('inbox.delegation.short');
  return <Button variant="ghost" icon="swap" title={t('inbox.delegation.title')} onClick={onOpen}><span className="ib-delegation ell">{plain(text)}</span></Button>;
}

/** Letters of a person's name. */
const NAME = 200;
const WEEK = 7 * 24 * 3_600_000;

export function DelegationDialog({ me, mayDecide, onClose }: { me: string | undefined; mayDecide: boolean; onClose(): void }) {
  const all = useDelegations();
  const workflows = useCommand('workflow_list', {});
  const [now] = useState(() => Date.now());
  const [to, setTo] = useState('');
  const [from, setFrom] = useState(() => localInput(new Date(now)));
  const [until, setUntil] = useState(() => localInput(new Date(now + WEEK)));
  const [workflow, setWorkflow] = useState('');
  const [notes, setNotes] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [start, end] = [new Date(from), new Date(until)];
  const bad = Number.isNaN(start.getTime()) || Number.isNaN(end.getTime()) || end.getTime() <= Math.max(start.getTime(), now);
  const choices = useMemo(() => {
    const named = new Map((workflows.data ?? []).map((one) => [one.id, plain(one.name)]));
    return [{ value: '', label: t('inbox.delegation.all') }, ...[...named].map(([value, label]) => ({ value, label }))];
  }, [workflows.data]);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setProblem('');
    try {
      await work();
      return true;
    } catch (cause) {
      const error = toApiError(cause);
      setProblem(errorText(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const make = async () => {
    const name = to.trim();
    const done = await run(() => act('delegation_create', {
      to: name.startsWith('user:') ? name : `user:${name}`, endsAt: end.toISOString(), ...(start.getTime() > now + 60_000 ? { startsAt: start.toISOString() } : {}),
      ...(workflow ? { workflow } : {}), ...(notes.trim() ? { notes: notes.trim() } : {}),
    }));
    if (done) {
      setTo('');
      setNotes('');
    }
  };
  return (
    <Dialog open typed onClose={onClose} title={t('inbox.delegation.title')} closeLabel={t('common.close')} width={560}
      footer={<><Button onClick={onClose} keys="Escape">{t('common.close')}</Button>{mayDecide ? <Button variant="primary" busy={busy} disabled={!to.trim() || bad || tooLong(to, NAME) !== undefined || tooLong(notes) !== undefined} onClick={() => void make()}>{t('inbox.delegation.yes')}</Button> : null}</>}>
      <div className="ib-dialog">
        {all.length ? (
          <ul className="box ib-delegations" aria-label={t('inbox.delegation.list')}>
            {all.map((one) => (
              <li key={one.id} className="line">
                <Icon name={one.to === me ? 'inbox' : 'swap'} className="t2" />
                <div className="grow col">
                  <SafeText line text={t('inbox.delegation.line', { to: whoText(one.to), from: whoText(one.from) })} />
                  <span className="s t3">{t('inbox.delegation.time', { from: formatDateTime(one.startsAt), until: formatDateTime(one.endsAt) })}{one.workflow ? ` · ${plain(choices.find((choice) => choice.value === one.workflow)?.label ?? one.workflow)}` : ''}</span>
                  {one.notes ? <span className="s t2"><SafeText text={one.notes} cut={200} /></span> : null}
                </div>
                {one.active ? <Badge signal="ok">{t('inbox.delegation.now')}</Badge> : <Badge>{t('inbox.delegation.later')}</Badge>}
                {mayDecide ? <Button small disabled={busy} aria-label={t('inbox.delegation.endOf', { who: plain(whoText(one.to)) })} onClick={() => void run(() => act('delegation_end', { id: one.id }))}>{t('inbox.delegation.end')}</Button> : null}
              </li>
            ))}
          </ul>
        ) : null}
        <p className="t2">{t('inbox.delegation.text')}</p>
        {mayDecide ? (
          <>
            <Field label={t('inbox.delegation.to')} hint={t('inbox.delegation.hint')} error={tooLong(to, NAME)} required>{({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} value={to} onChange={setTo} />}</Field>
            <div className="row">
              <div className="grow"><Field label={t('inbox.delegation.from')}>{({ id }) => <TextInput id={id} type="datetime-local" value={from} onChange={setFrom} />}</Field></div>
              <div className="grow"><Field label={t('inbox.delegation.until')} error={bad ? t('inbox.delegation.bad') : undefined}>{({ id, invalid }) => <TextInput id={id} type="datetime-local" value={until} invalid={invalid} onChange={setUntil} />}</Field></div>
            </div>
            <Field label={t('inbox.delegation.scope')}>{({ id }) => <Select id={id} label={t('inbox.delegation.scope')} value={workflow} options={choices} onChange={setWorkflow} />}</Field>
            <Field label={t('inbox.note')} hint={t('inbox.noteHint')} error={tooLong(notes)}>{({ id, describedBy, invalid }) => <TextArea id={id} aria-describedby={describedBy} invalid={invalid} value={notes} onChange={setNotes} rows={2} />}</Field>
          </>
        ) : null}
        {problem ? <p className="s c-err row gap1" role="alert"><Icon name="errd" size={12} /><SafeText text={problem} cut={300} /></p> : null}
      </div>
    </Dialog>
  );
}
