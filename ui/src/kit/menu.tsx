import { Menu as Base } from '@base-ui/react/menu';
import { useEffect, useMemo, type ReactElement } from 'react';
import { keysOf, pushScope, useAllActions, type Action } from './action.ts';
import { Icon, type IconName } from './icon.tsx';
import { Kbd } from './kbd.tsx';

export interface MenuEntry {
  id: string;
  label: string;
  icon?: IconName | undefined;
  keys?: string | undefined;
  disabled?: boolean;
  /** In few words: why it cannot be chosen now. */
  why?: string | undefined;
  danger?: boolean | undefined;
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
          <Base.Popup className="pop menu"><Entries entries={entries} /></Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Actions by their ids, in groups: what is possible when the menu is opened, with the keys that are set. */
export function ActionMenu({ trigger, groups, align = 'end' }: { trigger: ReactElement<Record<string, unknown>>; groups: readonly (readonly string[])[]; align?: 'start' | 'end' }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} className="layer">
          <Base.Popup className="pop menu"><ActionEntries groups={groups} /></Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function ActionEntries({ groups }: { groups: readonly (readonly string[])[] }) {
  const actions = useAllActions();
  return <Entries entries={entriesOf(actions, groups)} />;
}

function Entries({ entries }: { entries: readonly (MenuEntry | null)[] }) {
  // Dividers have no identity of their own.
  return entries.map((entry, index) => (entry === null ? <Base.Separator key={`divider-${String(index)}`} className="menu-line" /> : <Entry key={entry.id} entry={entry} />));
}

function Entry({ entry }: { entry: MenuEntry }) {
  return (
    <Base.Item className={`menu-item ${entry.danger ? 'c-err' : ''}`} disabled={entry.disabled} onClick={entry.onSelect} data-entry={entry.id}>
      <span className="menu-icon">{entry.icon ? <Icon name={entry.icon} /> : null}</span>
      <span className="grow ell">{entry.label}</span>
      {entry.why ? <span className="s">{entry.why}</span> : null}
      {entry.keys ? <Kbd keys={entry.keys} /> : null}
    </Base.Item>
  );
}

/** Groups of action ids as entries: those that are possible now, with the keys they have now. */
export function entriesOf(actions: readonly Action[], groups: readonly (readonly string[])[]): (MenuEntry | null)[] {
  const byId = new Map(actions.map((action) => [action.id, action]));
  const shown = groups.map((group) => group.flatMap((id): MenuEntry[] => {
    const action = byId.get(id);
    if (!action || (action.when && !action.when())) return [];
    return [{ id, label: action.titleNow?.() ?? action.title, icon: action.icon, keys: keysOf(action)[0], danger: action.danger, onSelect: action.run }];
  })).filter((group) => group.length > 0);
  return shown.flatMap((group, index) => (index === 0 ? group : [null, ...group]));
}

/** A menu at a place of the window, or beside what stands there. What was chosen runs once the menu is gone, so that what it opens keeps the focus. */
export function ContextMenu({ at, groups, label, onClose }: {
  at: { x: number; y: number; width?: number; height?: number }; groups: readonly (readonly string[])[]; label: string;
  /** `chosen`: what to do then; absent when it was closed without a choice. */
  onClose(chosen?: () => void): void;
}) {
  const actions = useAllActions();
  const entries = useMemo(() => entriesOf(actions, groups), [actions, groups]);
  const anchor = useMemo(() => ({ getBoundingClientRect: () => DOMRect.fromRect({ x: at.x, y: at.y, width: at.width ?? 0, height: at.height ?? 0 }) }), [at.x, at.y, at.width, at.height]);
  useEffect(() => pushScope('menu'), []);
  const none = entries.length === 0;
  useEffect(() => { if (none) onClose(); }, [none, onClose]);
  if (none) return null;
  return (
    <Base.Root open modal={false} onOpenChange={(open) => { if (!open) onClose(); }}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} side="bottom" align="start" sideOffset={2} collisionPadding={8} className="layer"
          // At a point nothing is covered by going up: the menu is wholly seen. Beside a thing it goes to the other side.
          {...(at.height === undefined ? { collisionAvoidance: { side: 'shift', align: 'shift', fallbackAxisSide: 'none' } as const } : {})}>
          <Base.Popup className="pop menu context-menu" aria-label={label} finalFocus={false} onContextMenu={(event) => event.preventDefault()}>
            <Entries entries={entries.map((entry) => entry && { ...entry, onSelect: () => onClose(entry.onSelect) })} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
