/** A long list of rows of one height; only what is seen is drawn. */
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useRowWindow } from './row-window.ts';

/** An array, or what can be asked like one. */
export interface RowList<T> { readonly length: number; at(index: number): T | undefined }

export interface VirtualListProps<T> {
  items: RowList<T>;
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
  /** A row that comes into sight whenever it is another one. */
  reveal?: number;
  /** It stands at the top then, with what belongs below it; one that was chosen in the list stays where it is. */
  revealOnTop?: boolean;
  footer?: ReactNode;
  className?: string;
  /** Rows that hold controls of their own: `row` gives cells with role `gridcell`. */
  grid?: boolean;
}

export function VirtualList<T>({ items, rowHeight, keyOf, row, label, selected, onSelect, onOpen, clickOpens, onEnd, follow, reveal, revealOnTop = false, footer, className, grid }: VirtualListProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const { from, to, show } = useRowWindow(scroller, items.length, rowHeight, follow);
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
  const last = to - 1;
  // The focus stays on the list; this names the row that the keys act on, as long as it is drawn.
  const active = selected !== undefined && selected >= from && selected < to ? `${id}-${String(selected)}` : undefined;
  useEffect(() => {
    if (onEnd && last >= 0 && last >= items.length - 10) onEnd();
  }, [last, items.length, onEnd]);
  const atEnd = useRef(true);
  useEffect(() => {
    if (follow && atEnd.current && items.length) show(items.length - 1);
  }, [follow, items.length, show]);
  // What was chosen elsewhere comes into sight.
  const own = useRef<number>(undefined);
  useEffect(() => {
    if (reveal !== undefined && reveal >= 0) show(reveal, revealOnTop && own.current !== reveal);
    own.current = undefined;
  }, [reveal, revealOnTop, show]);
  const choose = (index: number): void => {
    own.current = index;
    onSelect?.(index);
  };

  function onKeyDown(event: KeyboardEvent) {
    // Keys inside a control of a row belong to that control.
    if (!onSelect || items.length === 0 || event.target !== event.currentTarget) return;
    const at = selected ?? -1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      const next = Math.max(0, Math.min(items.length - 1, to));
      choose(next);
      show(next);
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
      <div role="presentation" style={{ height: items.length * rowHeight, position: 'relative' }}>
        {rows.map((index) => {
          const item = items.at(index);
          if (item === undefined) return null;
          return (
            <div key={keyOf(item)} id={`${id}-${String(index)}`} role={grid ? 'row' : 'option'} {...(grid ? { 'aria-rowindex': index + 1 } : { 'aria-posinset': index + 1, 'aria-setsize': items.length })}
              aria-selected={index === selected} className={`vrow ${index === selected ? 'on' : ''} ${clickOpens ? 'opens' : ''}`}
              style={{ height: rowHeight, transform: `translateY(${String(index * rowHeight)}px)` }}
              onClick={clickOpens && onOpen ? () => onOpen(index) : onSelect ? () => choose(index) : undefined}
              onDoubleClick={onOpen && !clickOpens ? () => onOpen(index) : undefined}>
              {row(item, index)}
            </div>
          );
        })}
      </div>
      {footer}
    </div>
  );
}
