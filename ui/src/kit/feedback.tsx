import type { ReactNode } from 'react';
import { SignalIcon, type Signal } from './signal.tsx';

/** Bars that hold the place of rows while they load. */
export function Skeleton({ rows = 3, height = 28 }: { rows?: number; height?: number }) {
  return (
    <div aria-hidden="true" className="col">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="row" style={{ height }}>
          <span className="sk" style={{ width: 16, height: 16 }} />
          <span className="sk" style={{ width: `${60 - ((index * 13) % 30)}%` }} />
        </div>
      ))}
    </div>
  );
}

/** What this is, one button, one sample. */
export function EmptyState({ art, title, text, actions }: { art?: ReactNode; title: string; text: string; actions?: ReactNode }) {
  return (
    <div className="empty">
      {art}
      <b>{title}</b>
      <p className="t2">{text}</p>
      {actions ? <div className="row wrap">{actions}</div> : null}
    </div>
  );
}

/** What, why, what now with a button. */
export function Banner({ signal, title, children, actions, onClose, closeButton }: {
  signal: Signal; title: string; children?: ReactNode; actions?: ReactNode; onClose?: () => void; closeButton?: ReactNode;
}) {
  const tone = signal === 'err' ? '' : signal === 'warn' || signal === 'wait' ? 'wait' : signal === 'info' ? 'sel' : signal === 'person' ? 'person' : signal === 'ok' ? 'ok' : '';
  return (
    <div className={`banner ${tone} ${onClose && closeButton ? 'closes' : ''}`} role={signal === 'err' ? 'alert' : 'status'}>
      <div className="banner-main">
        <SignalIcon signal={signal} size={20} />
        <div className="grow col">
          <b>{title}</b>
          {children}
        </div>
      </div>
      {actions ? <div className="row wrap banner-actions">{actions}</div> : null}
      {onClose && closeButton ? <span className="banner-x">{closeButton}</span> : null}
    </div>
  );
}
