/** The panel by keys: into it, and back to where one was with Esc. And one step over the whole workbench: its input, settings and output beside
 * each other (C12). */
import { useCallback, useEffect, useRef, useState, type Dispatch, type KeyboardEvent, type RefObject, type SetStateAction } from 'react';
import type { CanvasHandle } from '../../features/canvas/index.ts';
import { t } from '../../i18n/index.ts';
import type { Action } from '../../kit/index.ts';

interface FullPanel {
  full: boolean;
  setFull: Dispatch<SetStateAction<boolean>>;
  panelBox: RefObject<HTMLDivElement | null>;
  leavePanel(event: KeyboardEvent<HTMLElement>): void;
  /** The focus goes to the chosen tab of the panel. */
  enterPanel(): void;
}

/** Esc lets the next Tab leave such a box, where Tab indents. */
const INDENTED = '.code-box:is([data-mode=json], [data-mode=javascript])';

/** `step`: the only chosen one. Without it, or with the panel closed, nothing is shown large. */
export function useFullPanel(step: string | undefined, panelOpen: boolean, canvas: CanvasHandle | null): FullPanel {
  const [wanted, setFull] = useState(false);
  const full = wanted && panelOpen && step !== undefined;
  if (wanted && !full) setFull(false);
  const panelBox = useRef<HTMLDivElement>(null);
  const was = useRef(false);
  useEffect(() => {
    if (full === was.current) return;
    was.current = full;
    // What lies below cannot have the focus any more; afterwards the keys go on where they were.
    if (full) panelBox.current?.focus({ preventScroll: true });
    else canvas?.focusChosen();
  }, [full, canvas]);
  const from = useRef<Element | null>(null);
  const [entered, setEntered] = useState(0);
  const enterPanel = useCallback(() => {
    from.current = window.document.activeElement;
    setEntered((n) => n + 1);
  }, []);
  // A panel that was closed is there only now.
  useEffect(() => {
    if (entered > 0) (panelBox.current?.querySelector<HTMLElement>('[role=tab][aria-selected=true]') ?? panelBox.current)?.focus({ preventScroll: true });
  }, [entered]);
  const leavePanel = useCallback((event: KeyboardEvent<HTMLElement>) => {
    // A menu, a list of suggestions or a dialog that is open takes its own Esc.
    const own = event.target instanceof Element && event.currentTarget.contains(event.target) && event.target.getAttribute('aria-expanded') !== 'true';
    if (event.key !== 'Escape' || event.defaultPrevented || !own) return;
    if (!full && event.target instanceof Element && event.target.closest(INDENTED)) return;
    event.preventDefault();
    event.stopPropagation();
    if (full) return setFull(false);
    const back = from.current;
    from.current = null;
    if (back instanceof HTMLElement && back.isConnected && back !== window.document.body) back.focus({ preventScroll: true });
    else canvas?.focusChosen();
  }, [full, canvas]);
  return { full, setFull, panelBox, leavePanel, enterPanel };
}

export function fullPanelActions(possible: () => boolean, toggle: () => void): Action[] {
  return [{ id: 'panel.full', title: t('panel.full'), keys: ['Mod+Alt+Enter'], group: t('group.view'), icon: 'fit', inFields: true, when: possible, run: toggle }];
}
