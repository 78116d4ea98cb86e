import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { useId, useRef, type InputHTMLAttributes, type KeyboardEvent, type ReactNode, type Ref, type TextareaHTMLAttributes } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** Label, control, hint or error, in this order. The child gets the id that the label points to. */
export function Field({ label, hint, error, aside, required, group, children }: {
  label: string; hint?: ReactNode; error?: string | undefined; aside?: ReactNode; required?: boolean;
  /** The child is several controls, which have a name of their own. */
  group?: boolean;
  children: (ids: { id: string; describedBy: string | undefined; invalid: boolean }) => ReactNode;
}) {
  const id = useId();
  const note = error || hint ? `${id}-note` : undefined;
  const name = <><span>{label}{required ? <span className="t3" aria-hidden="true"> *</span> : null}</span>{aside ? <span className="end">{aside}</span> : null}</>;
  return (
    <div className="field">
      {group ? <span className="lab">{name}</span> : <label className="lab" htmlFor={id}>{name}</label>}
      {children({ id, describedBy: note, invalid: Boolean(error) })}
      {error
        ? <span id={note} className="s c-err row gap1"><Icon name="errd" size={12} />{error}</span>
        : hint ? <span id={note} className="s t3">{hint}</span> : null}
    </div>
  );
}

export interface TextInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'size'> {
  onChange(text: string): void;
  invalid?: boolean;
  icon?: IconName;
  mono?: boolean;
  end?: ReactNode;
  ref?: Ref<HTMLInputElement>;
}
export function TextInput({ onChange, invalid, icon, mono, end, className, disabled, ref, ...rest }: TextInputProps) {
  return (
    <span className={`input ${invalid ? 'bad' : ''} ${disabled ? 'off' : ''} ${className ?? ''}`}>
      {icon ? <Icon name={icon} className="t3" /> : null}
      <input ref={ref} className={mono ? 'mono' : ''} disabled={disabled} aria-invalid={invalid || undefined} spellCheck={false} autoComplete="off"
        onChange={(event) => onChange(event.target.value)} {...rest} />
      {end}
    </span>
  );
}

export interface TextAreaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange'> {
  onChange(text: string): void;
  invalid?: boolean;
  mono?: boolean;
}
export function TextArea({ onChange, invalid, mono, disabled, ...rest }: TextAreaProps) {
  return (
    <span className={`input area ${invalid ? 'bad' : ''} ${disabled ? 'off' : ''}`}>
      <textarea className={mono ? 'mono' : ''} disabled={disabled} aria-invalid={invalid || undefined} spellCheck={false} rows={3}
        onChange={(event) => onChange(event.target.value)} {...rest} />
    </span>
  );
}

export function Switch({ checked, onChange, label, id, describedBy, disabled }: {
  checked: boolean; onChange(next: boolean): void; label: string; id?: string; describedBy?: string; disabled?: boolean;
}) {
  return (
    <BaseSwitch.Root id={id} checked={checked} onCheckedChange={onChange} aria-label={label} aria-describedby={describedBy} disabled={disabled} className={`switch ${checked ? 'on' : ''}`} />
  );
}

export function Checkbox({ checked, onChange, label, id, disabled }: {
  checked: boolean; onChange(next: boolean): void; label: string; id?: string; disabled?: boolean;
}) {
  return (
    <BaseCheckbox.Root id={id} checked={checked} onCheckedChange={onChange} aria-label={label} disabled={disabled} className={`check ${checked ? 'on' : ''}`}>
      <BaseCheckbox.Indicator><Icon name="check" size={12} /></BaseCheckbox.Indicator>
    </BaseCheckbox.Root>
  );
}

/** One of a few, all visible. Arrow keys move the choice. */
export function Segmented<T extends string>({ value, options, onChange, label, small }: {
  value: T; options: { value: NoInfer<T>; label: string; icon?: IconName }[]; onChange(value: NoInfer<T>): void; label: string; small?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : event.key === 'ArrowLeft' || event.key === 'ArrowUp' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const at = options.findIndex((option) => option.value === value);
    const next = options[(at + step + options.length) % options.length];
    if (!next) return;
    onChange(next.value);
    box.current?.querySelectorAll<HTMLElement>('[role=radio]')[options.indexOf(next)]?.focus();
  }
  return (
    <div ref={box} role="radiogroup" aria-label={label} className={`seg ${small ? 'sm' : ''}`} onKeyDown={onKeyDown}>
      {options.map((option) => (
        <button key={option.value} type="button" role="radio" aria-checked={option.value === value} tabIndex={option.value === value ? 0 : -1}
          className={option.value === value ? 'on' : ''} onClick={() => onChange(option.value)}>
          {option.icon ? <Icon name={option.icon} size={small ? 12 : 16} /> : null}
          {option.label}
        </button>
      ))}
    </div>
  );
}
