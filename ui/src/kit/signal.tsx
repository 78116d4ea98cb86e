/** One icon and one colour per state, the same in nodes, badges, lists and logs. */
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type Signal = 'ok' | 'err' | 'run' | 'retry' | 'wait' | 'person' | 'skip' | 'off' | 'stop' | 'warn' | 'info' | 'kept' | 'idle';

const LOOK: { [S in Signal]: { icon: IconName; color: string; badge: string; spin?: boolean } } = {
  ok: { icon: 'okc', color: 'c-ok', badge: 'ok' },
  err: { icon: 'errd', color: 'c-err', badge: 'err' },
  run: { icon: 'arc', color: 'c-run', badge: 'run', spin: true },
  retry: { icon: 'retry', color: 'c-wait', badge: 'wait' },
  wait: { icon: 'glass', color: 'c-wait', badge: 'wait' },
  person: { icon: 'person', color: 'c-person', badge: 'person' },
  skip: { icon: 'skip', color: 'c-off', badge: '' },
  off: { icon: 'ban', color: 'c-off', badge: '' },
  stop: { icon: 'stop', color: 'c-off', badge: '' },
  warn: { icon: 'warn', color: 'c-wait', badge: 'wait' },
  info: { icon: 'chat', color: 'c-sel', badge: 'sel' },
  kept: { icon: 'lock', color: 'c-off', badge: '' },
  idle: { icon: 'stale', color: 'c-off', badge: '' },
};

export function SignalIcon({ signal, size = 12, label }: { signal: Signal; size?: 12 | 16 | 20; label?: string }) {
  const look = LOOK[signal];
  return <Icon name={look.icon} size={size} spin={look.spin} className={look.color} label={label} />;
}

/** 20 px badge: state icon and words. Without `signal` a neutral badge. */
export function Badge({ signal, tone, children, title }: { signal?: Signal; tone?: Signal; children: ReactNode; title?: string }) {
  const key = signal ?? tone;
  return (
    <span className={`badge ${key ? LOOK[key].badge : ''}`} title={title}>
      {signal ? <Icon name={LOOK[signal].icon} size={12} spin={LOOK[signal].spin} /> : null}
      {children}
    </span>
  );
}
