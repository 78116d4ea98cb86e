// What an entry keeps apart under its hash: whether it is still there, was erased, is lost, or is something else.

import { ValueView } from '../../code/ValueView.tsx';
import { t } from '../../i18n/index.ts';
import { Icon, type IconName } from '../../kit/index.ts';
import { plainValue } from '../../shared/evidence/controls.ts';
import { spaced } from './hash.ts';
import type { AuditApart, PayloadState } from './types.ts';

const LOOK: { [S in PayloadState]: { icon: IconName; color: string } } = {
  kept: { icon: 'okc', color: 'c-ok' }, erased: { icon: 'ban', color: 'c-wait' }, lost: { icon: 'errd', color: 'c-err' }, changed: { icon: 'errd', color: 'c-err' },
};

export function Apart({ apart, onSeq }: { apart: AuditApart; onSeq(seq: number): void }) {
  const look = LOOK[apart.state];
  return (
    <div className="au-ds" data-apart={apart.state}>
      <span className="cap row">{t(`audit.apart.${apart.kind}`)}<span className={`end row gap1 ${look.color}`} role="status"><Icon name={look.icon} size={12} />{t(`audit.payload.${apart.state}`)}</span></span>
      <span className="s t2">{t(`audit.payloadText.${apart.state}`)}{apart.toldBy === undefined ? null : <> <button type="button" className="link" onClick={() => onSeq(apart.toldBy ?? 0)}>{t('audit.toldBy', { seq: apart.toldBy })}</button></>}</span>
      {apart.state === 'changed' ? (
        <div className="well col au-hashes">
          <span className="row s t2"><Icon name="lock" size={12} />{t('audit.sealedHash')}</span>
          <code>{spaced(apart.sealedHash)}</code>
          <span className="row s t2"><Icon name="hash" size={12} />{t('audit.foundHash')}</span>
          <code>{apart.foundHash === undefined ? t('audit.unreadable') : spaced(apart.foundHash)}</code>
        </div>
      ) : null}
      {apart.value === undefined ? null : <ValueView value={plainValue(apart.value)} label={t(`audit.apart.${apart.kind}`)} />}
    </div>
  );
}

/** In a list: only what is not as it was sealed. */
export function PayloadMark({ state }: { state: PayloadState | undefined }) {
  if (state === undefined || state === 'kept') return null;
  return <Icon name={LOOK[state].icon} size={12} className={LOOK[state].color} label={t(`audit.payloadOf.${state}`)} />;
}
