/** One step over the whole workbench: its input, settings and output beside each other (C12). Esc gives the canvas back. */
import { useCallback, useEffect, useRef, useState, type Dispatch, type KeyboardEvent, type RefObject, type SetStateAction } from 'react';
import type { CanvasHandle } from '../../features/canvas/index.ts';
import { t } from '../../i18n/index.ts';
import type { Action } from '../../kit/index.ts';

interface FullPanel {
  full: boolean;
  setFull: Dispatch<SetStateAction<boolean>>;
  panelBox: RefObject<HTMLDivElement | null>;
  leaveFull(event: KeyboardEvent<HTMLElement>): void;
}

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
  const leaveFull = useCallback((event: KeyboardEvent<HTMLElement>) => {
    // A menu, a list of suggestions or a dialog that is open takes its own Esc.
    const own = event.target instanceof Element && event.currentTarget.contains(event.target) && event.target.getAttribute('aria-expanded') !== 'true';
    if (!full || event.key !== 'Escape' || event.defaultPrevented || !own) return;
    event.preventDefault();
    event.stopPropagation();
    setFull(false);
  }, [full]);
  return { full, setFull, panelBox, leaveFull };
}

export function fullPanelActions(possible: () => boolean, toggle: () => void): Action[] {
  return [{ id: 'panel.full', title: t('panel.full'), keys: ['Mod+Alt+Enter'], group: t('group.view'), icon: 'fit', inFields: true, when: possible, run: toggle }];
}
