// What the last verification said, in words that promise no more than it proves.

import { useState } from 'react';
import { formatAgo, formatDateTime, formatNumber, t, tn } from '../../i18n/index.ts';
import { Button, Icon } from '../../kit/index.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { useNow } from '../../kit/use-now.ts';
import { short } from './hash.ts';
import type { AuditStatus } from './types.ts';
import { damageText } from './words.ts';

export function VerdictBar({ status, size, busy, onGo, onExport, onVerify, onAccept }: {
  status: AuditStatus | undefined; size: number | undefined; busy: boolean; onGo(seq: number): void; onExport: (() => void) | undefined; onVerify(): void;
  /** Says why the end of the chain is missing; absent for who may not. */
  onAccept: (() => void) | undefined;
}) {
  const [open, setOpen] = useState(false);
  const now = useNow(15_000);
  if (!status) return <div className="au-ver none" aria-busy="true"><span className="sk" style={{ width: 320 }} /></div>;
  // A chain that was empty when it was looked at, and is not any more.
  const state = status.state === 'empty' && (size ?? status.head.size) > 0 ? 'unknown' : status.state;
  const cp = status.lastCheckpoint;
  const proves = (
    <button type="button" className="link nw row gap1" aria-expanded={open} onClick={() => setOpen(!open)}><Icon name={open ? 'down' : 'right'} size={12} />{t('audit.proves')}</button>
  );
  const busyMark = busy || status.running ? <span className="row gap1 t2 nw"><Icon name="arc" size={12} spin />{t('audit.verifying')}</span> : null;
  if (state === 'broken' && status.broken) {
    const { seq, kind, message, acceptable } = status.broken;
    return (
      <>
        <div className="au-ver bad" role="alert">
          <span className="c-err row gap1 nw"><Icon name="errd" /><b>{t('audit.broken', { seq: formatNumber(seq) })}</b></span>
          <span className="nw">{damageText(kind)}</span>
          <span className="t2 ell grow">{seq > 0 ? t('audit.brokenBefore', { seq: formatNumber(seq - 1) }) : ''}</span>
          {status.notRecorded ? <NotRecorded why={status.notRecorded} /> : null}{busyMark}{proves}
          <Button small onClick={() => onGo(seq)}>{t('audit.goRecord')}</Button>
          {acceptable === true && onAccept ? <Button small onClick={onAccept}>{t('audit.acceptCut')}</Button> : null}
          {onExport ? <Button small icon="dl" onClick={onExport}>{t('audit.exportEvidence')}</Button> : null}
        </div>
        <Payloads status={status} onGo={onGo} />
        {open ? <Proves status={status} technical={message} /> : null}
      </>
    );
  }
  const verified = state === 'intact' && status.checked > 0;
  return (
    <>
      <div className={`au-ver ${verified ? '' : 'none'}`} role="status">
        {state === 'intact' ? <span className="c-ok row gap1 nw"><Icon name="okc" /><b>{status.checked > 0 ? t('audit.intact', { seq: formatNumber(status.checked - 1) }) : t('audit.emptyChain')}</b></span>
          : state === 'empty' ? <span className="t2 nw">{t('audit.emptyChain')}</span>
            : <><span className="row gap1 nw"><Icon name="stale" className="c-wait" /><b>{t(status.state === 'empty' ? 'audit.notYet' : 'audit.unknown')}</b></span><button type="button" className="link" onClick={onVerify}>{t('audit.verifyNow')}</button></>}
        {cp ? <><span className="vr" /><span className="t2 row gap1 ell"><Icon name="lock" size={12} /><span className="ell">{t(status.signed ? 'audit.checkpointSigned' : 'audit.checkpointUnsigned', { seq: formatNumber(cp.size - 1), time: formatDateTime(cp.timestamp) })}</span></span><span className="vr" /><span className="t2">{t('audit.root')}</span><code title={cp.rootHash}>{short(cp.rootHash)}</code></>
          : state === 'intact' && status.checked > 0 ? <><span className="vr" /><span className="c-wait row gap1 nw"><Icon name="warn" size={12} />{t('audit.noCheckpoint')}</span></> : null}
        {state === 'intact' && status.unsealedTail > 0 ? <><span className="vr" /><span className="t2 nw">{tn(cp ? 'audit.tail' : 'audit.tailAll', status.unsealedTail)}</span></> : null}
        {status.removed > 0 ? <><span className="vr" /><span className="t2 nw">{t('audit.removed', { seq: formatNumber(status.removed) })}</span></> : null}
        {status.clockBack ? <><span className="vr" /><button type="button" className="link c-wait nw row gap1" onClick={() => onGo(status.clockBack?.first[0] ?? 0)}><Icon name="clock" size={12} />{tn('audit.clockBack', status.clockBack.count)}</button></> : null}
        {status.at && state !== 'unknown' && state !== 'empty' ? <><span className="vr" /><span className="t2 nw" title={formatDateTime(status.at)}>{t('audit.verifiedAgo', { ago: formatAgo(status.at, now) })}{size !== undefined && size > status.checked ? ` ${tn('audit.since', size - status.checked)}` : ''}</span></> : null}
        {status.notRecorded ? <><span className="vr" /><NotRecorded why={status.notRecorded} /></> : null}
        <span className="grow" />{busyMark}{proves}
      </div>
      <Payloads status={status} onGo={onGo} />
      {open ? <Proves status={status} /> : null}
    </>
  );
}

/** The verdict counts; nobody finds it again after this host has ended. */
function NotRecorded({ why }: { why: string }) {
  return <span className="c-wait row gap1 nw" title={why}><Icon name="warn" size={12} />{t('audit.notRecorded')}</span>;
}

/** What is kept apart and is not there any more, or not what was sealed. The last full verification looked. */
function Payloads({ status, onGo }: { status: AuditStatus; onGo(seq: number): void }) {
  const bad = (['lost', 'changed'] as const).map((state) => ({ state, seqs: status.payloads?.[state] ?? [] })).filter(({ seqs }) => seqs.length > 0);
  return (
    <>
      {bad.map(({ state, seqs }) => (
        <div key={state} className="au-ver bad" role="alert" data-payloads={state}>
          <Icon name="errd" className="c-err" /><b className="c-err">{tn(`audit.payloads.${state}`, seqs.length, { seqs: seqs.slice(0, 5).map(formatNumber).join(', ') + (seqs.length > 5 ? ' …' : '') })}</b>
          <span className="t2 ell grow">{t(`audit.payloadText.${state}`)}</span>
          <Button small onClick={() => onGo(seqs[0] ?? 0)}>{t('audit.goRecord')}</Button>
        </div>
      ))}
    </>
  );
}

function Proves({ status, technical }: { status: AuditStatus; technical?: string }) {
  return (
    <div className="au-proves">
      {technical ? <p className="s mono"><SafeText text={technical} cut={1000} /></p> : null}
      <p><b>{t('audit.tamperEvident')}</b> {t('audit.tamperText')}</p>
      <ul>
        <li>{t('audit.level.chain')}</li>
        <li>{status.lastCheckpoint ? t('audit.level.checkpoint', { n: formatNumber(status.lastCheckpoint.size) }) : t('audit.level.noCheckpoint')}</li>
        <li>{status.key ? t(`audit.level.key.${status.key.where}`, { id: status.key.keyId }) : status.unsigned ? t('audit.level.keyAway', { why: status.unsigned.message }) : t('audit.level.unsigned')}</li>
        {status.anchorLines?.map((line) => <li key={`${line.file} ${line.line}`} className="c-wait">{t('audit.anchorLine', { file: line.file, line: formatNumber(line.line), why: line.why })}</li>)}
        <li>{status.anchoredUpTo === undefined ? t('audit.level.anchor') : t('audit.level.anchored', { n: formatNumber(status.anchoredUpTo) })}</li>
        {status.lastCheckpoint && status.unsealedTail > 0 ? <li>{tn('audit.level.tail', status.unsealedTail)}</li> : null}
      </ul>
    </div>
  );
}
