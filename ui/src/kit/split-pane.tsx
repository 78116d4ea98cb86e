/** Two panes with a handle. The size belongs to the caller, who may remember it. */
import { useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';

export interface SplitPaneProps {
  /** Where the pane with the given size stands. */
  side: 'right' | 'left' | 'bottom';
  size: number;
  min?: number;
  max?: number;
  /** A collapsed pane keeps only `collapsedSize` pixels. */
  collapsed?: boolean;
  collapsedSize?: number;
  onResize(size: number): void;
  /** Double click on the handle, or Enter. */
  onToggle?(): void;
  label: string;
  /** The pane lies over the other one, which cannot be reached meanwhile. */
  over?: boolean;
  /** Pixels that the other pane keeps. */
  reserve?: number;
  pane: ReactNode;
  children: ReactNode;
}

export function SplitPane({ side, size, min = 200, max = 900, collapsed, collapsedSize = 0, onResize, onToggle, label, over = false, reserve = 120, pane, children }: SplitPaneProps) {
  const box = useRef<HTMLDivElement>(null);
  const vertical = side === 'bottom';
  const shown = collapsed ? collapsedSize : Math.min(max, Math.max(min, size));

  /** The size may be from a taller window: no pane takes what the other one keeps. */
  const room = (rect: DOMRect): number => Math.min(max, Math.max(min, (vertical ? rect.height : rect.width) - reserve));

  function onPointerDown(event: PointerEvent<HTMLDivElement>) {
    if (event.button !== 0 || collapsed) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const rect = box.current?.getBoundingClientRect();
    if (!rect) return;
    const limit = room(rect);
    const move = (moved: globalThis.PointerEvent) => {
      const raw = side === 'right' ? rect.right - moved.clientX : side === 'left' ? moved.clientX - rect.left : rect.bottom - moved.clientY;
      onResize(Math.round(Math.min(limit, Math.max(min, raw))));
    };
    const up = () => {
      handle.removeEventListener('pointermove', move);
      handle.removeEventListener('pointerup', up);
      handle.removeEventListener('pointercancel', up);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', up);
    handle.addEventListener('pointercancel', up);
  }
  function onKeyDown(event: KeyboardEvent) {
    const grow = side === 'right' ? 'ArrowLeft' : side === 'left' ? 'ArrowRight' : 'ArrowUp';
    const shrink = side === 'right' ? 'ArrowRight' : side === 'left' ? 'ArrowLeft' : 'ArrowDown';
    if (event.key === grow || event.key === shrink) {
      event.preventDefault();
      event.stopPropagation();
      const rect = box.current?.getBoundingClientRect();
      const limit = rect ? room(rect) : max;
      onResize(Math.min(limit, Math.max(min, Math.min(limit, shown) + (event.key === grow ? 16 : -16))));
    } else if (event.key === 'Enter' && onToggle) {
      event.preventDefault();
      onToggle();
    }
  }
  const handle = (
    // A window splitter of the ARIA practices: focusable, arrow keys resize.
    <div role="separator" tabIndex={0} aria-label={label} aria-orientation={vertical ? 'horizontal' : 'vertical'} aria-valuenow={shown}
      aria-valuemin={min} aria-valuemax={max} className={`handle ${vertical ? 'h' : 'v'} ${collapsed ? 'still' : ''}`}
      onPointerDown={onPointerDown} onDoubleClick={onToggle} onKeyDown={onKeyDown} />
  );
  const rest = `calc(100% - ${String(reserve)}px)`;
  const sized = <div className={`split-pane ${over ? 'over' : ''}`} style={over ? undefined : vertical ? { height: shown, maxHeight: rest } : { width: shown, maxWidth: rest }}>{pane}</div>;
  return (
    <div ref={box} className={`split ${vertical ? 'h' : 'v'}`}>
      {side === 'left' ? <>{sized}{over ? null : handle}</> : null}
      <div className="split-main" inert={over}>{children}</div>
      {side === 'left' ? null : <>{over ? null : handle}{sized}</>}
    </div>
  );
}
