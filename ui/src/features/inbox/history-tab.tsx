// Who did what with the task, and what was said about it. Nothing here is ever changed.

import { useState } from 'react';
import { formatDateTime, formatMoment, t } from '../../i18n/index.ts';
import { Button, Icon, TextArea, type IconName } from '../../kit/index.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { tooLong } from './bounds.ts';
import type { DetailProps } from './detail.tsx';
import type { TaskEvent } from './types.ts';
import { historyDetail, historyText } from './words.ts';

const ICONS: { [W in TaskEvent['what']]: IconName } = {
  created: 'plus', claimed: 'lock', released: 'redo', reassigned: 'swap', commented: 'chat', snoozed: 'glass', held: 'pause', continued: 'play', reminded: 'clock', escalated: 'up', revealed: 'eye', approved: 'check', opened: 'dl', suggested: 'agent', decided: 'check', closed: 'ban', reopened: 'redo', sent: 'inbox',
};

export function HistoryTab({ task, mayDecide, onComment }: DetailProps) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const long = tooLong(text.trim());
  async function send() {
    if (busy || !text.trim() || long !== undefined) return;
    setBusy(true);
    // What could not be stored stays in the box.
    if (await onComment(text.trim())) setText('');
    setBusy(false);
  }
  return (
    <div className="ib-side ib-history">
      {task.history.length ? (
        <ol className="ib-thread">
          {task.history.map((one, index) => (
            <li key={`${one.at} ${String(index)}`}>
              <Icon name={ICONS[one.what] ?? 'dot'} size={12} className="t2" />
              <span className="col"><span className="row"><SafeText line text={historyText(one)} /><span className="s t3 nw" title={formatDateTime(one.at)}>{formatMoment(one.at)}</span></span>
                {one.text ? <SafeText className={one.what === 'commented' ? '' : 't2'} text={historyDetail(one) ?? ''} cut={1000} /> : null}</span>
            </li>
          ))}
        </ol>
      ) : <p className="t3">{t('inbox.noHistory')}</p>}
      {mayDecide ? (
        <div className="field">
          <label className="lab" htmlFor="ib-comment">{t('inbox.comment')}</label>
          <TextArea id="ib-comment" value={text} onChange={setText} rows={2} invalid={long !== undefined} aria-describedby={long ? 'ib-comment-long' : undefined}
            onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); event.stopPropagation(); void send(); } }} />
          <span className="row">{long ? <span id="ib-comment-long" role="alert" className="s c-err row gap1 grow"><Icon name="errd" size={12} />{long}</span> : <span className="s t3 grow">{t('inbox.commentHint')}</span>}<Button small icon="send" busy={busy} disabled={!text.trim() || long !== undefined} onClick={() => void send()}>{t('inbox.commentSend')}</Button></span>
        </div>
      ) : null}
    </div>
  );
}
