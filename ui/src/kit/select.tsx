import { Select as Base } from '@base-ui/react/select';
import { Icon } from './icon.tsx';

export interface Option<T extends string = string> { value: T; label: string; hint?: string }

export function Select<T extends string>({ value, options, onChange, label, id, disabled, small, invalid, wide }: {
  value: T; options: Option<NoInfer<T>>[]; onChange(value: NoInfer<T>): void; label: string; id?: string; disabled?: boolean; small?: boolean; invalid?: boolean;
  /** What is chosen from are sentences. */
  wide?: boolean;
}) {
  const shown = options.find((option) => option.value === value);
  return (
    <Base.Root value={value} onValueChange={(next) => { if (next !== null) onChange(next as T); }} disabled={disabled}>
      <Base.Trigger id={id} aria-label={label} className={`input select ${small ? 'sm' : ''} ${disabled ? 'off' : ''} ${invalid ? 'bad' : ''}`}>
        <span className={`grow ell ${shown ? '' : 'ph0'}`} title={shown?.hint === undefined ? shown?.label : `${shown.label} · ${shown.hint}`}>{shown?.label ?? value}</span>
        <Icon name="down" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner align="start" sideOffset={4} alignItemWithTrigger={false} className="layer">
          <Base.Popup className={`pop menu of-box ${wide ? 'wide' : ''}`}>
            <Base.List>
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} className="menu-item">
                  <span className="menu-icon"><Base.ItemIndicator><Icon name="check" size={12} /></Base.ItemIndicator></span>
                  <Base.ItemText className="grow ell" title={option.label}>{option.label}</Base.ItemText>
                  {option.hint ? <span className="s t3 nw menu-hint">{option.hint}</span> : null}
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
