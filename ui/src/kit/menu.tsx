import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import { Icon, type IconName } from './icon.tsx';
import { Kbd } from './kbd.tsx';

export interface MenuEntry {
  id: string;
  label: string;
  icon?: IconName;
  keys?: string;
  disabled?: boolean;
  /** In few words: why it cannot be chosen now. */
  why?: string | undefined;
  danger?: boolean;
  onSelect(): void;
}
/** `null` draws a divider. */
export function Menu({ trigger, entries, align = 'end' }: {
  trigger: ReactElement<Record<string, unknown>>; entries: (MenuEntry | null)[]; align?: 'start' | 'end';
}) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} className="layer">
          <Base.Popup className="pop menu">
            {entries.map((entry, index) => entry === null
              // Dividers have no identity of their own.
              ? <Base.Separator key={`divider-${String(index)}`} className="menu-line" />
              : (
                <Base.Item key={entry.id} className={`menu-item ${entry.danger ? 'c-err' : ''}`} disabled={entry.disabled} onClick={entry.onSelect}>
                  <span className="menu-icon">{entry.icon ? <Icon name={entry.icon} /> : null}</span>
                  <span className="grow ell">{entry.label}</span>
                  {entry.why ? <span className="s">{entry.why}</span> : null}
                  {entry.keys ? <Kbd keys={entry.keys} /> : null}
                </Base.Item>
              ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
