// Decisions on their way, on every screen: how long they can still be taken back, and what came of them.

import { sentences, errorText } from '../../api/error.ts';
import { useEffect } from 'react';
import { formatNumber, formatTime, t, tn, type MessageKey } from '../../i18n/index.ts';
import { Button, Icon, IconButton, keysOf, toast, useAllActions, type IconName } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { useNow } from '../../kit/use-now.ts';
import { dismissSend, isBatch, leftOf, mayRetry, mayStill, PART, resumeSends, sendNow, sendWord, stopSend, useSends, whenSent, type Send } from './sending.ts';
import { undoSend } from './undo-send.ts';
import { titleOf } from './titles.ts';
import { actionText, madeText, sentText, whoText } from './words.ts';
import './inbox.css';

export function SendsStrip({ onOpen }: { onOpen(taskId: string): void }) {
  const sends = useSends((state) => state.sends);
  useEffect(() => {
    whenSent((send, { driven, counted }) => {
      if (send.results) return;
      const detail = counted ? t('inbox.counted', counted) : driven ? undefined : t('inbox.notDriven');
      toast({ signal: 'ok', text: `${madeText(send)}: ${plain(send.title)}`, detail });
    });
    return resumeSends();
  }, []);
  const now = useNow(sends.some((send) => send.state === 'waiting') ? 250 : 0);
  if (!sends.length) return null;
  return (
    <div className="ib-sends" role="region" aria-label={t('inbox.sends')}>
      {sends.map((send) => <Strip key={send.id} send={send} now={now} onOpen={onOpen} />)}
    </div>
  );
}

const SENDING = { icon: 'send', color: 'c-person' } as const;
const LOOK: { [word in ReturnType<typeof sendWord>]: { icon: IconName; color: string } } = {
  waiting: SENDING, sending: SENDING, failed: { icon: 'errd', color: 'c-err' }, unsure: { icon: 'warn', color: 'c-wait' }, held: { icon: 'warn', color: 'c-wait' }, done: { icon: 'okc', color: 'c-ok' },
};

function Strip({ send, now, onOpen }: { send: Send; now: number; onOpen(taskId: string): void }) {
  const undo = useAllActions().find((action) => action.id === 'inbox.undo');
  const [first] = send.taskIds;
  const open = () => { if (first !== undefined) onOpen(first); };
  const back = () => { if (undoSend(send.id)) open(); };
  const many = send.taskIds.length > 1;
  const what = many ? t('inbox.sendMany', { action: actionText(send.action), n: send.taskIds.length }) : sentText(send);
  const wrong = send.results?.filter((one) => !one.ok) ?? [];
  const word = sendWord(send);
  // What was refused is not well done, whatever else was.
  const look = word === 'done' && wrong.length > 0 ? LOOK.held : LOOK[word];
  return (
    <div className="pop ib-send" role={send.state === 'failed' ? 'alert' : 'status'}>
      <Icon name={look.icon} className={look.color} />
      <div className="grow col">
        <b className="row gap1"><span className="nw">{what}</span>{many ? null : <span className="grow t2 ib-send-title"><SafeText line text={isBatch(send) && first !== undefined ? titleOf(first) : send.title} /></span>}</b>
        {send.leavesChanges && (send.state === 'waiting' || send.state === 'held') ? <span className="s c-wait">{t('inbox.leavesChanges')}</span> : null}
        {send.state === 'waiting' ? <span className="s t2" aria-hidden="true">{t('inbox.sendIn', { n: Math.max(1, Math.ceil(leftOf(send.sendAt, now) / 1000)) })}</span> : null}
        {send.state === 'waiting' ? <span className="vh">{t('inbox.sendSoon')}</span> : null}
        {send.state === 'sending' ? (send.taskIds.length > PART ? <Progress send={send} /> : <span className="s t2">{t('inbox.sending')}</span>) : null}
        {send.state === 'held' ? <span className="s t2">{t('inbox.held', { time: formatTime(new Date(send.sendAt).toISOString()) })}</span> : null}
        {send.state === 'failed' && send.error ? <span className="s"><SafeText text={failureText(send)} cut={400} /></span> : null}
        {send.state === 'done' || (send.state === 'failed' && send.results) ? <Results total={send.taskIds.length} sent={send.results?.length ?? send.taskIds.length} unsure={send.unsure?.length ?? 0} wrong={wrong} onOpen={onOpen} /> : null}
      </div>
      {send.state === 'sending' && send.taskIds.length > PART ? <Button small icon="stop" disabled={send.stopped === true} onClick={() => stopSend(send.id)}>{t('inbox.stop')}</Button> : null}
      {send.state === 'waiting' ? <Button small icon="undo" keys={undo ? keysOf(undo)[0] : undefined} onClick={back}>{t('inbox.undo')}</Button> : null}
      {(send.state === 'failed' || send.state === 'done') && canRetry(send) ? <Button small icon="retry" onClick={() => sendNow(send.id)}>{t('common.tryAgain')}</Button> : null}
      {send.state === 'held' ? <Button small icon="send" onClick={() => sendNow(send.id)}>{t('inbox.sendNow')}</Button> : null}
      {send.state === 'failed' && !many ? <Button small onClick={() => { dismissSend(send.id); open(); }}>{t('inbox.openTask')}</Button> : null}
      {send.state === 'held' || send.state === 'done' || (send.state === 'failed' && many) ? <IconButton small icon="x" label={send.state === 'held' ? t('inbox.dontSend') : t('common.close')} onClick={() => dismissSend(send.id)} /> : null}
    </div>
  );
}

/** How far a decision about many is. The numbers are not read aloud one after the other: the bar has them for who asks. */
function Progress({ send }: { send: Send }) {
  const done = send.results?.length ?? 0;
  const text = t('inbox.sendingPart', { done: formatNumber(done), all: formatNumber(send.taskIds.length) });
  return (
    <span className="s t2 col ib-part">
      <span className="vh">{send.stopped ? t('inbox.stopping') : t('inbox.sending')}</span>
      <span aria-hidden="true">{send.stopped ? `${t('inbox.stopping')} ${text}` : text}</span>
      <progress value={done} max={send.taskIds.length} aria-label={text} />
    </span>
  );
}

/** `sent`: those that were answered; of `unsure` no answer came, and the rest was left undecided. */
function Results({ total, sent, unsure, wrong, onOpen }: { total: number; sent: number; unsure: number; wrong: NonNullable<Send['results']>; onOpen(taskId: string): void }) {
  const ok = sent - wrong.length;
  const left = total - sent - unsure;
  // What was refused for one reason is one line.
  const reasons = [...wrong.reduce((all, one) => {
    const why = one.error ? whyNot(one.error) : t('inbox.unknownError');
    const known = all.get(why);
    if (known) known.push(one.taskId);
    else all.set(why, [one.taskId]);
    return all;
  }, new Map<string, [string, ...string[]]>())];
  const part = { ok: formatNumber(ok), n: formatNumber(total) };
  return (
    <span className="s t2 col">
      <span>{unsure && !wrong.length ? t('inbox.manySoFar', part) : wrong.length || left || unsure ? t(wrong.some((one) => one.error && GONE.has(one.error.code)) ? 'inbox.manyPartGone' : 'inbox.manyPart', part) : tn('inbox.manyDone', total)}{left ? ` ${tn('inbox.manyLeft', left)}` : ''}</span>
      {wrong.length ? (
        <ul className="ib-wrong" aria-label={t('inbox.manyWrong')}>
          {reasons.slice(0, 20).map(([why, [first, ...others]]) => (
            <li key={why}><button type="button" className="link" onClick={() => onOpen(first)}><SafeText line text={titleOf(first)} /></button>{others.length ? ` ${t('inbox.manyMore', { n: formatNumber(others.length) })}` : ''}{': '}<SafeText text={why} cut={200} /></li>
          ))}
          {reasons.length > 20 ? <li>{t('inbox.manyMore', { n: formatNumber(reasons.length - 20) })}</li> : null}
        </ul>
      ) : null}
    </span>
  );
}

/** Such a task does not stay: it is decided or closed. */
const GONE: ReadonlySet<string> = new Set(['ALREADY_ANSWERED', 'EXPIRED']);

/** Who was faster and when, in the words of the screen; else what the engine says. */
function whyNot(error: NonNullable<NonNullable<Send['results']>[number]['error']>): string {
  const { who, when } = (typeof error.details === 'object' && error.details !== null ? error.details : {}) as { who?: unknown; when?: unknown };
  if (error.code !== 'ALREADY_ANSWERED' || typeof who !== 'string') return errorText(error);
  const at = typeof when === 'string' ? when : typeof when === 'number' ? new Date(when).toISOString() : undefined;
  return at === undefined ? t('inbox.answeredBy', { who: whoText(who) }) : t('inbox.answeredByAt', { who: whoText(who), when: formatTime(at) });
}

const canRetry = (send: Send) => (send.state === 'done' ? send.results?.some(mayStill) === true : mayRetry(send.error));

/** Who was faster and when, what is wrong, and that nothing is lost. */
export function failureText(send: Send): string {
  const error = send.error;
  if (!error) return '';
  if (send.unsure) return send.taskIds.length > 1 ? tn('inbox.unsure.many', send.unsure.length) : t('inbox.unsure');
  const details = (typeof error.details === 'object' && error.details !== null ? error.details : {}) as { who?: unknown; when?: unknown; until?: unknown };
  if (error.code === 'ALREADY_ANSWERED' && typeof details.who === 'string') {
    const when = typeof details.when === 'string' ? formatTime(details.when) : typeof details.when === 'number' ? formatTime(new Date(details.when).toISOString()) : '';
    return t('inbox.conflict', { who: whoText(details.who), when });
  }
  if (error.code === 'CLAIMED' && typeof details.who === 'string') {
    return t('inbox.conflict.claimed', { who: whoText(details.who), when: typeof details.until === 'string' ? formatTime(details.until) : '' });
  }
  const known: { [code: string]: MessageKey } = { EXPIRED: 'inbox.conflict.expired', STALE: 'inbox.conflict.stale', INPUT_INVALID: 'inbox.conflict.invalid' };
  const key = known[error.code];
  return key ? `${error.message} ${t(key)}` : sentences(t('inbox.notSaved'), error.message, error.hint);
}
