import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Icon, type IconName } from './icon.tsx';
import { Kbd } from './kbd.tsx';
import { Tooltip } from './tooltip.tsx';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  /** `primary` is the one strong button of a screen. */
  variant?: 'default' | 'primary' | 'ghost' | 'danger';
  small?: boolean;
  icon?: IconName;
  keys?: string;
  busy?: boolean;
  children?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

const VARIANT = { default: '', primary: 'pri', ghost: 'ghost', danger: 'danger' } as const;

export function Button({ variant = 'default', small, icon, keys, busy, children, className, disabled, type, ...rest }: ButtonProps) {
  const off = disabled || busy;
  const cls = ['btn', VARIANT[variant], small ? 'sm' : '', off ? 'off' : '', className ?? ''].filter(Boolean).join(' ');
  return (
    <button type={type ?? 'button'} className={cls} disabled={off} aria-busy={busy || undefined} {...rest}>
      {busy ? <Icon name="arc" size={small ? 12 : 16} spin /> : icon ? <Icon name={icon} size={small ? 12 : 16} /> : null}
      {children}
      {keys ? <Kbd keys={keys} /> : null}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  icon: IconName;
  /** Accessible name; shown as the tooltip. */
  label: string;
  keys?: string;
  small?: boolean;
  variant?: 'default' | 'ghost';
  pressed?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, keys, small, variant = 'ghost', pressed, className, disabled, ...rest }: IconButtonProps) {
  const cls = ['btn', 'icon', VARIANT[variant], small ? 'sm' : '', disabled ? 'off' : '', pressed ? 'is-press' : '', className ?? ''];
  return (
    <Tooltip text={label} keys={keys}>
      <button type="button" className={cls.filter(Boolean).join(' ')} aria-label={label} aria-pressed={pressed} disabled={disabled} {...rest}>
        <Icon name={icon} size={small ? 12 : 16} />
      </button>
    </Tooltip>
  );
}
