/** A graph that nobody has moved stays in view: a banner, the log or a panel that comes takes room from the canvas, not the steps from the person. */
import type { Rect } from '../model/place.ts';
import type { View } from './handle.ts';

/** A step that matters most, in a view that may be too small for all: brought into its middle where it is outside, and no further than the
 * steps go. `end`: right and lower edge of all steps. */
export function withStep(view: View, must: Rect | undefined, width: number, height: number, end: readonly [number, number], pad: number): View {
  if (!must) return view;
  const { zoom } = view;
  const along = (at: number, from: number, size: number, room: number, last: number): number => {
    const inside = from * zoom + at >= 0 && (from + size) * zoom + at <= room;
    return inside ? at : Math.round(Math.max(room / 2 - (from + size / 2) * zoom, room - pad - last * zoom));
  };
  return { x: along(view.x, must.x, must.width, width, end[0]), y: along(view.y, must.y, must.height, height, end[1]), zoom };
}

/** Places are rounded to whole pixels. */
const alike = (a: View, b: View): boolean => Math.abs(a.x - b.x) <= 1 && Math.abs(a.y - b.y) <= 1 && Math.abs(a.zoom - b.zoom) < 0.001;

export interface Fitting {
  box: HTMLElement;
  /** Null until the canvas is there. */
  now(): View | null;
  fitted(width: number, height: number): View;
  set(view: View): void;
}

/** Fits at once and after each change of the canvas's size, until somebody else has moved the view. `last`: how it was fitted before. Gives back
 * how to end it. */
export function keepFitted({ box, now, fitted, set }: Fitting, last: { view: View | null }): () => void {
  let ended = false;
  const again = (): void => {
    if (ended) return;
    const at = now();
    if (at === null) {
      requestAnimationFrame(again);
      return;
    }
    if (last.view === null || !alike(at, last.view)) {
      observer.disconnect();
      return;
    }
    const next = fitted(box.clientWidth, box.clientHeight);
    last.view = next;
    set(next);
  };
  const observer = new ResizeObserver(again);
  // Tells the size at once, too.
  observer.observe(box);
  return () => {
    ended = true;
    observer.disconnect();
  };
}
