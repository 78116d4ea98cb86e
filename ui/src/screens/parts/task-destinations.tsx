/** Services that tasks are copied to, and where each task stands there: the part of the settings. */
import { useState } from 'react';
import { sentences } from '../../api/error.ts';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { formatDateTime, t, tn } from '../../i18n/index.ts';
import { Badge, Button, Icon, toast } from '../../kit/index.ts';
import { ConfirmRemove } from '../../shared/form-dialog.tsx';
import { NoLine, NotRead, Section } from '../../shared/settings-section.tsx';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { navigate } from '../router.ts';
import { DestinationDialog } from './task-destination-dialog.tsx';

type Destination = Commands['task_destination_list']['response'][number];
type Copy = Commands['task_copy_log']['response'][number];
const SIGNAL = { waiting: 'wait', current: 'ok', failed: 'err', closed: undefined } as const;

export function TaskDestinationsSection() {
  const list = useCommand('task_destination_list', {}, { refetchInterval: 5_000 });
  const may = usePermission();
  const mayChange = may('task_destination_add');
  const [adding, setAdding] = useState(false);
  const [going, setGoing] = useState<Destination | null>(null);
  // A viewer does not see where tasks go.
  if (!list.data && (!may('task_destination_list') || list.error?.code === 'FORBIDDEN')) return null;
  const head = { id: 'destinations', title: t('dest.title'), hint: t('dest.hint') };
  if (!list.data) return <Section {...head}><NotRead error={list.error} retry={list.refetch} /></Section>;
  return (
    <Section {...head} end={mayChange ? <Button icon="plus" onClick={() => setAdding(true)}>{t('dest.add')}</Button> : undefined}>
      <div className="box">
        {list.data.length === 0 ? <NoLine icon="inbox" title={t('dest.none')} text={t('dest.noneText')} /> : null}
        {list.data.map((one) => <Line key={one.id} one={one} mayChange={mayChange} onRemove={() => setGoing(one)} />)}
      </div>
      {adding ? <DestinationDialog onClose={() => setAdding(false)} /> : null}
      {going ? (
        <ConfirmRemove section="destinations" title={t('dest.removeTitle')} confirm={t('dest.remove')} done={t('dest.removed')} remove={() => act('task_destination_remove', { id: going.id })} onClose={() => setGoing(null)}
          text={sentences(t('dest.removeText', { name: going.name }), going.open > 0 ? `${tn('dest.open', going.open)}.` : undefined)} />
      ) : null}
      {list.data.length > 0 ? <Log mayChange={mayChange} /> : null}
    </Section>
  );
}

/** What goes there: nothing is said about what is not limited. */
function rules({ config }: Destination): string[] {
  return [
    ...(config.workflows?.length ? [config.workflows.join(', ')] : []),
    ...(config.assignees?.length ? [config.assignees.join(', ')] : []),
    ...(config.minPriority ? [`≥ ${config.minPriority}`] : []),
  ];
}

function Line({ one, mayChange, onRemove }: { one: Destination; mayChange: boolean; onRemove(): void }) {
  const { busy, run } = useAsyncAction();
  const test = () => run(async () => {
    const done = await act('task_destination_test', { id: one.id });
    if (done.ok) toast({ signal: 'ok', text: t('dest.works', { name: one.name }) });
    else toast({ signal: 'warn', text: t('dest.fails', { name: one.name }), ...(done.error ? { detail: done.error } : {}) });
  });
  const values = Object.entries(one.decisions ?? {}).map(([value, action]) => `${value} = ${action}`).join(', ');
  return (
    <div className="line">
      <Icon name="inbox" className={one.failed > 0 || one.problem ? 'c-err' : 't2'} />
      <div className="grow col">
        <span className="ell"><SafeText line text={one.name} /></span>
        <span className="s t3 ell" title={one.place}>{[one.service, one.place, ...rules(one), tn('dest.open', one.open)].join(' · ')}</span>
        {one.decisionsPath ? <span className="s t3">{t('dest.decisions', { path: one.decisionsPath, values })}{one.opened > 0 ? ` · ${tn('dest.opened', one.opened)}` : ''}</span> : null}
        {one.problem ? <span className="s c-err">{one.problem}</span> : null}
      </div>
      {one.waiting > 0 ? <Badge signal="wait">{tn('dest.waiting', one.waiting)}</Badge> : null}
      {one.failed > 0 ? <Badge signal="err">{tn('dest.failed', one.failed)}</Badge> : null}
      {mayChange ? <Button small busy={busy} aria-label={t('dest.testOf', { name: one.name })} onClick={() => void test()}>{t('dest.test')}</Button> : null}
      {mayChange ? <Button small aria-label={t('dest.removeOf', { name: one.name })} onClick={onRemove}>{t('dest.remove')}</Button> : null}
    </div>
  );
}

/** The last tasks. One that could not be sent can be sent again by hand. */
function Log({ mayChange }: { mayChange: boolean }) {
  const log = useCommand('task_copy_log', { limit: 20 }, { refetchInterval: 5_000 });
  if (!log.data) return <NotRead error={log.error} retry={log.refetch} />;
  if (log.data.length === 0) return null;
  return <ul className="box" aria-label={t('dest.log')}>{log.data.map((one) => <Entry key={one.id} one={one} mayChange={mayChange} />)}</ul>;
}

function Entry({ one, mayChange }: { one: Copy; mayChange: boolean }) {
  const { busy, run } = useAsyncAction();
  const again = () => run(async () => {
    const now = await act('task_copy_again', { id: one.id });
    if (now.state === 'current' || now.state === 'closed') toast({ signal: 'ok', text: t('dest.sent') });
    else toast(now.error ? { signal: 'warn', text: t('dest.notSent'), detail: now.error } : { signal: 'info', text: t('dest.onItsWay') });
  });
  const failed = one.state === 'failed';
  return (
    <li className="line">
      <div className="grow col">
        <span className="row"><Badge signal={SIGNAL[one.state]}>{t(`dest.state.${one.state}`)}</Badge><SafeText line text={one.title} /><button type="button" className="link s" onClick={() => navigate({ screen: 'inbox', taskId: one.taskId })}>{t('dest.task')}</button></span>
        <span className="s t3 ell">{[one.name, ...(one.externalId ? [one.externalId] : []), ...(one.triedAt ? [formatDateTime(one.triedAt)] : [])].join(' · ')}</span>
        {one.error ? <span className={failed ? 's c-err' : 's c-wait'}>{one.error}{one.againAt ? `, ${t('dest.againAt', { time: formatDateTime(one.againAt) })}` : ''}</span> : null}
        {one.note ? <span className="s c-wait"><SafeText text={one.note} /></span> : null}
      </div>
      {mayChange && one.state !== 'closed' ? <Button small icon="retry" busy={busy} aria-label={t('dest.againOf', { what: one.title })} onClick={() => void again()}>{t('dest.again')}</Button> : null}
    </li>
  );
}
