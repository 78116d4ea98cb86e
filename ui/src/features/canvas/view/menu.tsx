/** The menu of a step, of a wire and of the empty canvas: where it opens, and what it is about. What stands in it says the screen. */

import { useCallback } from 'react';
import { t } from '../../../i18n/index.ts';
import { ContextMenu } from '../../../kit/menu.tsx';
import type { EditorStore } from '../editor.ts';
import type { Point } from '../model/ports.ts';
import { nodeAt } from './gestures.ts';
import type { Flow } from './flow-nodes.ts';
import type { CanvasSession } from './session.ts';
import { stepsOfCard } from './use-flow.ts';
import { type MenuAt, type MenuOf, type UiStore, useCanvas, useUi } from './ui.ts';

/** Ids of actions, in groups. */
export type CanvasMenus = Readonly<Record<MenuOf, readonly (readonly string[])[]>>;

/** These keep the menu of the browser (fields) or have one of their own. */
const NOT_OURS = 'input, textarea, .cv-bar, .cv-zoom, .cv-search, .react-flow__minimap, .pop';

export interface MenuParts {
  editor: EditorStore;
  ui: UiStore;
  far: boolean;
  flow: Flow;
  toFlow(x: number, y: number): Point;
  toClient(x: number, y: number): Point;
  element: HTMLElement | null;
  /** brings a step into view */
  show(id: string): void;
}

/** The right button: what is under it is chosen, unless it is part of what is chosen already. True when the event was taken. */
export function menuUnder(parts: MenuParts, target: EventTarget | null, x: number, y: number): boolean {
  const { editor, ui } = parts;
  if (!(target instanceof Element) || target.closest(NOT_OURS)) return false;
  const { selection } = editor.getState();
  const id = target.closest<HTMLElement>('.react-flow__node')?.dataset['id'] ?? (parts.far ? nodeAt(parts.flow, parts.toFlow(x, y), 0) : null) ?? undefined;
  // The tag of a wire stands in a layer of its own, outside of its wire.
  const wire = target.closest<HTMLElement>('.react-flow__edge')?.dataset['id'] ?? target.closest<HTMLElement>('[data-edge]')?.dataset['edge'];
  const of: MenuOf = id !== undefined || target.closest('.react-flow__nodesselection') ? 'step' : wire === undefined ? 'canvas' : 'wire';
  if (id !== undefined) {
    const steps = stepsOfCard(editor.getState().document, id);
    if (!steps.every((one) => selection.nodes.includes(one))) editor.select(steps);
  } else if (wire !== undefined) {
    if (!selection.edges.includes(wire) || selection.nodes.length > 0) editor.select([], [wire]);
  } else if (of === 'canvas') editor.select([]);
  ui.setState({ menu: { of, x, y, pointed: true }, search: null, finding: false, linking: null });
  return true;
}

/** Keys: the menu of what is chosen, beside it. */
export function menuOfChosen(parts: MenuParts): void {
  const { editor, ui, element } = parts;
  if (ui.getState().menu || !element) return;
  const { selection } = editor.getState();
  const id = selection.nodes.at(-1);
  const wire = selection.edges.at(-1);
  const open = (of: MenuOf, x: number, y: number, size: { width?: number; height?: number } = {}): void => ui.setState({ menu: { of, x, y, ...size, pointed: false }, search: null, finding: false, linking: null });
  const box = element.getBoundingClientRect();
  if (id !== undefined) {
    parts.show(id);
    const rect = parts.flow.rects.get(id);
    if (!rect) return open('step', box.left + 24, box.top + 24);
    const [[x, y], [right, bottom]] = [parts.toClient(rect.x, rect.y), parts.toClient(rect.x + rect.width, rect.y + rect.height)];
    open('step', x, y, { width: right - x, height: bottom - y });
    return;
  }
  const tag = wire === undefined ? undefined : ui.getState().routes.get(wire)?.tag;
  if (tag) {
    const [x, y] = parts.toClient(tag[0], tag[1]);
    open('wire', x, y);
    return;
  }
  open('canvas', box.left + box.width / 2, box.top + box.height / 3);
}

export function CanvasMenu({ session, menus }: { session: CanvasSession; menus: CanvasMenus }) {
  const menu = useUi((s) => s.menu);
  return menu ? <Shown key={`${menu.of} ${String(menu.x)} ${String(menu.y)}`} session={session} menu={menu} groups={menus[menu.of]} /> : null;
}

function Shown({ session, menu, groups }: { session: CanvasSession; menu: MenuAt; groups: readonly (readonly string[])[] }) {
  const { ui, editor } = useCanvas();
  const close = useCallback((chosen?: () => void) => {
    ui.setState({ menu: null });
    // The keys go on where they were; what was chosen may take them.
    session.handle.focusChosen();
    if (!chosen) return;
    session.point(menu.pointed && menu.of === 'canvas' ? { x: menu.x, y: menu.y } : null);
    chosen();
  }, [ui, session, menu]);
  const many = editor.getState().selection.nodes.length;
  const label = t(menu.of === 'step' ? (many > 1 ? 'canvas.menu.steps' : 'canvas.menu.step') : menu.of === 'wire' ? 'canvas.menu.wire' : 'canvas.menu.canvas');
  return <ContextMenu at={menu} groups={groups} label={label} onClose={close} />;
}
