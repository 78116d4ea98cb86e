/** Which rows of one height are seen. Nothing here grows with their number: a million rows cost what a hundred do. */
import { useCallback, useLayoutEffect, useState, type RefObject } from 'react';

const MORE = 12;

export function rangeOf(top: number, height: number, rowHeight: number): { from: number; to: number } {
  return { from: Math.max(0, Math.floor(top / rowHeight) - MORE), to: Math.ceil((top + height) / rowHeight) + MORE };
}

/** `follow`: while the last row is seen, the window goes on with the end; whoever shows the list scrolls there. */
export function useRowWindow(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number, follow = false) {
  const [range, setRange] = useState({ from: 0, to: MORE });
  const [known, setKnown] = useState(count);
  if (known !== count) {
    setKnown(count);
    // The rows of the end are drawn at once, and not first those of before, which the scroll then replaces.
    const more = count - known;
    if (follow && more > 0 && range.from > 0 && range.to - MORE >= known) setRange({ from: range.from + more, to: range.to + more });
  }
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return undefined;
    const look = () => {
      const next = rangeOf(box.scrollTop, box.clientHeight, rowHeight);
      setRange((before) => (before.from === next.from && before.to === next.to ? before : next));
    };
    look();
    const sized = new ResizeObserver(look);
    sized.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      sized.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, [scroller, rowHeight]);
  const show = useCallback((index: number, onTop = false) => {
    const box = scroller.current;
    if (!box) return;
    const above = index * rowHeight - box.scrollTop;
    const below = above + rowHeight - box.clientHeight;
    if (onTop || above < 0) box.scrollBy(0, above);
    else if (below > 0) box.scrollBy(0, below);
  }, [scroller, rowHeight]);
  const to = Math.min(count, range.to);
  return { from: Math.min(range.from, Math.max(0, to - 1)), to, show };
}
