import './palette.css';
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { t } from '../../i18n/index.ts';
import { Dialog, EmptyState, Icon, Kbd, type IconName } from '../../kit/index.ts';
import { scoreAll } from '../../kit/match.ts';

export interface PaletteEntry {
  id: string;
  title: string;
  /** What it is, in grey. */
  what: string;
  icon: IconName;
  keys?: string;
  /** Other words to be found by. */
  words?: string;
  /** Smaller comes first among equals. */
  order: number;
  run(): void;
}
const SHOWN = 60;

export function Palette({ open, onClose, entries }: { open: boolean; onClose(): void; entries: PaletteEntry[] }) {
  return (
    <Dialog open={open} onClose={onClose} title={t('palette.title')} closeLabel={t('common.close')} bare width={560}>
      {open ? <Search entries={entries} onClose={onClose} /> : null}
    </Dialog>
  );
}

function Search({ entries, onClose }: { entries: PaletteEntry[]; onClose(): void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  // Not deferred: Enter means what is typed, never the list of a moment ago.
  const query = text.trim();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const found = useMemo(() => entries
    .map((entry) => ({ entry, points: scoreAll(query, [[entry.title, 1, 'initials'], [entry.words ?? '', 0.5, 'none'], [entry.what, 0.33, 'none']]) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || a.entry.order - b.entry.order)
    .slice(0, SHOWN)
    .map(({ entry }) => entry), [entries, query]);
  useEffect(() => setAt(0), [query]);
  useEffect(() => { list.current?.children[at]?.scrollIntoView({ block: 'nearest' }); }, [at]);

  function choose(entry: PaletteEntry | undefined) {
    if (!entry) return;
    onClose();
    // The dialog gives the focus back first, so that the action acts on the page.
    setTimeout(() => entry.run(), 0);
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(found.length - 1, at + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(found[at]);
    }
  }
  return (
    <>
      <div className="pal-in">
        <Icon name="search" className="t2" />
        <input autoFocus value={text} placeholder={t('palette.placeholder')} aria-label={t('palette.placeholder')} role="combobox"
          aria-expanded="true" aria-controls={`${id}-list`} aria-activedescendant={found[at] ? `${id}-${String(at)}` : undefined}
          spellCheck={false} autoComplete="off" onChange={(event) => setText(event.target.value)} onKeyDown={onKeyDown} />
        <Kbd keys="Escape" />
      </div>
      {found.length ? (
        <div ref={list} id={`${id}-list`} className="pal-list" role="listbox" aria-label={t('palette.results')}>
          {found.map((entry, index) => (
            <div key={entry.id} id={`${id}-${String(index)}`} role="option" aria-selected={index === at} className={`pal-row ${index === at ? 'on' : ''}`}
              onMouseMove={() => { if (index !== at) setAt(index); }} onClick={() => choose(entry)}>
              <Icon name={entry.icon} className="t2" />
              <span className="ell">{entry.title}</span>
              <span className="s t2 ell grow">{entry.what}</span>
              {entry.keys ? <Kbd keys={entry.keys} /> : null}
            </div>
          ))}
        </div>
      ) : <EmptyState title={t('palette.none', { text })} text={t('palette.noneHint')} />}
    </>
  );
}
