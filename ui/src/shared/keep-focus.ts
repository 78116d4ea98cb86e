/** What was pressed may go away by that: a row that is removed, a name that is chosen. The keys stay where it was, not with nothing. */
import { useEffect, type RefObject } from 'react';

const STOPS = ':is(button, input, select, textarea, summary, a[href], [tabindex="0"], [contenteditable=true]):not(:disabled, [tabindex="-1"])';

/** `part`: what the focus is kept in; when all of it goes away, the focus may go, too. */
export function useKeptFocus(box: RefObject<HTMLElement | null>, part: string): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let last: { target: Element; around: Element; at: number } | null = null;
    const stops = (around: Element) => [...around.querySelectorAll<HTMLElement>(STOPS)];
    const onFocus = ({ target }: FocusEvent) => {
      const around = target instanceof Element ? target.closest(part) : null;
      last = target instanceof HTMLElement && around ? { target, around, at: stops(around).indexOf(target) } : null;
    };
    const watch = new MutationObserver(() => {
      if (!last || last.target.isConnected) return;
      const { around, at } = last;
      last = null;
      // What comes instead may take the focus by itself, once it is drawn.
      requestAnimationFrame(() => {
        if (!around.isConnected || document.activeElement !== document.body) return;
        const left = stops(around);
        left[Math.max(0, Math.min(at, left.length - 1))]?.focus({ preventScroll: true });
      });
    });
    element.addEventListener('focusin', onFocus);
    watch.observe(element, { childList: true, subtree: true });
    return () => {
      element.removeEventListener('focusin', onFocus);
      watch.disconnect();
    };
  }, [box, part]);
}
