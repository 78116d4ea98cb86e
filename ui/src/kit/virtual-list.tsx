/** A long list of rows of one height; only what is seen is drawn. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react';

export interface VirtualListProps<T> {
  items: readonly T[];
  rowHeight: number;
  keyOf(item: T): string;
  row(item: T, index: number): ReactNode;
  label: string;
  selected?: number;
  onSelect?(index: number): void;
  onOpen?(index: number): void;
  /** One click opens, as a link does. */
  clickOpens?: boolean;
  /** Called when the end comes near. */
  onEnd?(): void;
  /** Scrolls to the newest row when items arrive and the end was in view. */
  follow?: boolean;
  footer?: ReactNode;
  className?: string;
  /** Rows that hold controls of their own: `row` gives cells with role `gridcell`. */
  grid?: boolean;
}

export function VirtualList<T>({ items, rowHeight, keyOf, row, label, selected, onSelect, onOpen, clickOpens, onEnd, follow, footer, className, grid }: VirtualListProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => { const item = items[index]; return item === undefined ? index : keyOf(item); },
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  // The focus stays on the list; this names the row that the keys act on, as long as it is drawn.
  const active = rows.some((entry) => entry.index === selected) ? `${id}-${String(selected)}` : undefined;
  useEffect(() => {
    if (onEnd && last >= 0 && last >= items.length - 10) onEnd();
  }, [last, items.length, onEnd]);
  const atEnd = useRef(true);
  useEffect(() => {
    if (follow && atEnd.current && items.length) virtual.scrollToIndex(items.length - 1);
  }, [follow, items.length, virtual]);

  function onKeyDown(event: KeyboardEvent) {
    // Keys inside a control of a row belong to that control.
    if (!onSelect || items.length === 0 || event.target !== event.currentTarget) return;
    const at = selected ?? -1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      const next = Math.max(0, Math.min(items.length - 1, to));
      onSelect(next);
      virtual.scrollToIndex(next);
    } else if (event.key === 'Enter' && onOpen && at >= 0) {
      event.preventDefault();
      onOpen(at);
    }
  }
  return (
    <div ref={scroller} className={`vlist ${className ?? ''}`} role={grid ? 'grid' : 'listbox'} aria-label={label} aria-rowcount={grid ? items.length : undefined} aria-activedescendant={active} tabIndex={0} onKeyDown={onKeyDown}
      onScroll={(event) => {
        const box = event.currentTarget;
        atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < rowHeight * 2;
      }}>
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {rows.map((entry) => {
          const item = items[entry.index];
          if (item === undefined) return null;
          return (
            <div key={entry.key} id={`${id}-${String(entry.index)}`} role={grid ? 'row' : 'option'} {...(grid ? { 'aria-rowindex': entry.index + 1 } : { 'aria-posinset': entry.index + 1, 'aria-setsize': items.length })}
              aria-selected={entry.index === selected} className={`vrow ${entry.index === selected ? 'on' : ''} ${clickOpens ? 'opens' : ''}`}
              style={{ height: rowHeight, transform: `translateY(${String(entry.start)}px)` }}
              onClick={clickOpens && onOpen ? () => onOpen(entry.index) : onSelect ? () => onSelect(entry.index) : undefined}
              onDoubleClick={onOpen && !clickOpens ? () => onOpen(entry.index) : undefined}>
              {row(item, entry.index)}
            </div>
          );
        })}
      </div>
      {footer}
    </div>
  );
}
