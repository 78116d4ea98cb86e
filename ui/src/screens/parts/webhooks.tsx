/** Addresses outside that hear of tasks, and what each was told: the part of the settings (UX D2.10). */
import { useState } from 'react';
import { sentences } from '../../api/error.ts';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { formatDateTime, formatSecret, t, tn, type MessageKey } from '../../i18n/index.ts';
import { Badge, Button, Checkbox, Icon, Select, TextInput, toast } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { ConfirmRemove } from '../../shared/form-dialog.tsx';
import { NoLine, NotRead, Section } from '../../shared/settings-section.tsx';
import { navigate } from '../router.ts';
import { isLocalAddress, LocalConsent } from './local-address.tsx';

type Webhook = Commands['webhook_list']['response'][number];
type Delivery = Commands['webhook_log']['response'][number];
const SIGNAL = { waiting: 'wait', taken: 'ok', failed: 'err' } as const;
const EVENTS = ['task.created', 'task.overdue', 'task.escalated', 'task.answered', 'task.closed', 'workflow.failed', 'workflow.health'] as const;
const said = (event: string) => t(`webhook.said.${event}` as MessageKey);

export function WebhooksSection() {
  const list = useCommand('webhook_list', {}, { refetchInterval: 5_000 });
  const may = usePermission();
  const mayChange = may('webhook_add');
  const [going, setGoing] = useState<Webhook | null>(null);
  // A viewer does not see who hears of what.
  if (!list.data && (!may('webhook_list') || list.error?.code === 'FORBIDDEN')) return null;
  if (!list.data) return <Section id="webhooks" title={t('webhook.title')} hint={t('webhook.hint')}><NotRead error={list.error} retry={list.refetch} /></Section>;
  return (
    <Section id="webhooks" title={t('webhook.title')} hint={t('webhook.hint')}>
      <div className="box">
        {list.data.length === 0 ? <NoLine icon="send" title={t('webhook.none')} text={t('webhook.noneText')} /> : null}
        {list.data.map((one) => <Address key={one.id} one={one} mayChange={mayChange} onRemove={() => setGoing(one)} />)}
      </div>
      {mayChange ? <Add /> : null}
      {going ? (
        <ConfirmRemove section="webhooks" title={t('webhook.removeTitle')} confirm={t('webhook.remove')} done={t('webhook.removed')} remove={() => act('webhook_remove', { id: going.id })} onClose={() => setGoing(null)}
          text={sentences(t('webhook.removeText', { url: going.url }), going.waiting > 0 ? tn('webhook.removeWaiting', going.waiting) : undefined)} />
      ) : null}
      {list.data.length > 0 ? <Log urls={new Map(list.data.map((one) => [one.id, one.url]))} mayChange={mayChange} /> : null}
    </Section>
  );
}

function Address({ one, mayChange, onRemove }: { one: Webhook; mayChange: boolean; onRemove(): void }) {
  const all = one.events.length === EVENTS.length;
  return (
    <div className="line">
      <Icon name="send" className={one.failed > 0 ? 'c-err' : 't2'} />
      <div className="grow col">
        <span className="mono ell" title={one.url}>{one.url}</span>
        <span className="s t3">{[t('webhook.signed', { name: formatSecret(one.secret) }), ...(all ? [] : [one.events.map((event) => t(`webhook.event.${event}`)).join(', ')])].join(' · ')}</span>
      </div>
      {one.waiting > 0 ? <Badge signal="wait">{tn('webhook.waiting', one.waiting)}</Badge> : null}
      {one.failed > 0 ? <Badge signal="err">{tn('webhook.failed', one.failed)}</Badge> : null}
      {mayChange ? <Button small aria-label={t('webhook.removeOf', { url: one.url })} onClick={onRemove}>{t('webhook.remove')}</Button> : null}
    </div>
  );
}

function Add() {
  const secrets = useCommand('secret_list', {});
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const [local, setLocal] = useState(false);
  const [events, setEvents] = useState<readonly (typeof EVENTS)[number][]>(EVENTS);
  const { busy, run } = useAsyncAction();
  if (secrets.error) return <div className="box"><NoLine icon="lock" title={t('webhook.secretsLocked')} text={secrets.error.message} /></div>;
  if (!secrets.data) return null;
  if (secrets.data.length === 0) return <div className="box"><NoLine icon="key" title={t('webhook.noSecret')} text={t('webhook.noSecretText')} /></div>;
  const ready = url.trim() !== '' && secret !== '' && events.length > 0 && (local || !isLocalAddress(url));
  const add = () => run(async () => {
    await act('webhook_add', { url: url.trim(), secret, events: [...events], ...(isLocalAddress(url) ? { allowLocal: local } : {}) });
    setUrl('');
    setLocal(false);
    setSecret('');
    setEvents(EVENTS);
  }, t('webhook.added'));
  return (
    <form className="col" onSubmit={(event) => { event.preventDefault(); if (ready) void add(); }}>
      <div className="row">
        <div className="grow"><TextInput type="url" value={url} onChange={setUrl} placeholder="https://desk.example/signalbox" aria-label={t('webhook.address')} maxLength={2000} /></div>
        <div className="set-choice"><Select label={t('webhook.secret')} value={secret} onChange={setSecret} options={[{ value: '', label: t('webhook.choose') }, ...secrets.data.map(({ name }) => ({ value: `secret://${name}`, label: name }))]} /></div>
        <Button type="submit" busy={busy} disabled={!ready}>{t('webhook.add')}</Button>
      </div>
      <LocalConsent url={url} given={local} onChange={setLocal} />
      <div className="row wrap" role="group" aria-label={t('webhook.events')}>
        <span className="s t3">{t('webhook.events')}</span>
        {EVENTS.map((event) => (
          <label key={event} className="row gap1 s">
            <Checkbox checked={events.includes(event)} label={t(`webhook.event.${event}`)} onChange={(on) => setEvents(EVENTS.filter((known) => (known === event ? on : events.includes(known))))} />
            {t(`webhook.event.${event}`)}
          </label>
        ))}
      </div>
    </form>
  );
}

/** The last messages. One that was not taken, or that the receiver lost, can be sent again by hand. */
function Log({ urls, mayChange }: { urls: ReadonlyMap<string, string>; mayChange: boolean }) {
  const log = useCommand('webhook_log', { limit: 20 }, { refetchInterval: 5_000 });
  if (!log.data) return <NotRead error={log.error} retry={log.refetch} />;
  if (log.data.length === 0) return <p className="s t3">{t('webhook.nothing')}</p>;
  return (
    <ul className="box" aria-label={t('webhook.log')}>
      {log.data.map((one) => <Message key={one.id} one={one} url={urls.get(one.webhook) ?? ''} mayChange={mayChange} />)}
    </ul>
  );
}

function Message({ one, url, mayChange }: { one: Delivery; url: string; mayChange: boolean }) {
  const { busy, run } = useAsyncAction();
  const time = formatDateTime(one.madeAt);
  const again = () => run(async () => {
    const now = await act('webhook_again', { id: one.id });
    if (now.state === 'taken') toast({ signal: 'ok', text: t('webhook.taken') });
    else toast(now.error ? { signal: 'warn', text: t('webhook.notTaken'), detail: now.error } : { signal: 'info', text: t('webhook.onItsWay') });
  });
  return (
    <li className="line">
      <div className="grow col">
        <span className="row"><Badge signal={SIGNAL[one.state]}>{t(`webhook.state.${one.state}`)}</Badge><span>{said(one.event)}</span>{one.taskId === '' ? null : <button type="button" className="link s" onClick={() => navigate({ screen: 'inbox', taskId: one.taskId })}>{t('webhook.task')}</button>}</span>
        <span className="s t3 ell" title={url}>{time} · {url}</span>
        {one.error ? <span className={one.state === 'failed' ? 's c-err' : 's c-wait'}>{tn('webhook.tried', one.attempts, { why: one.error })}{one.againAt ? `, ${t('webhook.againAt', { time: formatDateTime(one.againAt) })}` : ''}</span> : null}
      </div>
      {mayChange ? <Button small icon="retry" busy={busy} aria-label={t('webhook.againOf', { what: said(one.event), time })} onClick={() => void again()}>{t('webhook.again')}</Button> : null}
    </li>
  );
}
