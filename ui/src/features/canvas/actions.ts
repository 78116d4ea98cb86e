/** What the canvas offers to keys, menu and palette. All can be re-bound; an empty list switches the keys off. */

import type { NodeDescriptor } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import type { Action } from '../../kit/action.ts';
import type { EditorStore } from './editor.ts';
import { treeOf } from '../../shared/container-tree.ts';
import { ARRANGEMENTS } from './model/arrange.ts';
import type { CanvasHandle } from './view/handle.ts';
import { MCP_TOOL } from '../../code/tool-step.ts';
import { presetOf, type ToolEntry } from './tool-entry.ts';

export const CANVAS_SCOPE = 'canvas';

export function canvasActions(editor: EditorStore, handle: CanvasHandle, catalog: readonly NodeDescriptor[] = []): Action[] {
  const group = t('canvas.group');
  const editable = (): boolean => !editor.getState().readOnly;
  const active = (): boolean => handle.isActive();
  const some = (): boolean => editor.getState().selection.nodes.length > 0;
  const framed = (id: string): boolean => treeOf(editor.getState().document).children.has(id);
  const any = (): boolean => some() || editor.getState().selection.edges.length > 0;
  const wire = (): boolean => editor.getState().selection.nodes.length === 0 && editor.getState().selection.edges.length === 1;
  const off = (): boolean => {
    const { document: now, selection: { nodes } } = editor.getState();
    return nodes.length > 0 && nodes.every((id) => now.nodes[id]?.disabled === true);
  };
  const one = (id: string, title: string, keys: string[], run: () => void, more: Partial<Action> = {}): Action => ({ id: `canvas.${id}`, title, keys, run, group, scope: CANVAS_SCOPE, ...more });
  // Plain keys act only where the canvas is meant: the focus is there, or nothing has it and the pointer is there.
  return [
    one('add', t('canvas.do.add'), ['Tab'], () => handle.openAdd(), { icon: 'plus', when: editable, keysWhen: active }),
    one('connect', t('canvas.do.connect'), ['C'], () => handle.openLink(), { when: () => editable() && editor.getState().selection.nodes.length === 1, keysWhen: active }),
    one('onError', t('canvas.do.onError'), ['X'], () => handle.openErrors(), { icon: 'errd', when: () => handle.canOpenErrors(), keysWhen: active }),
    one('find', t('canvas.do.find'), ['Mod+F'], () => handle.openFind(), { icon: 'search' }),
    one('delete', t('canvas.do.delete'), ['Delete', 'Backspace'], () => handle.remove(false), { icon: 'x', danger: true, when: () => editable() && any() }),
    one('deleteReconnect', t('canvas.do.deleteReconnect'), ['Mod+Delete', 'Mod+Backspace'], () => handle.remove(true), { when: () => editable() && some() }),
    one('dissolve', t('canvas.do.dissolve'), ['Mod+Shift+Delete', 'Mod+Shift+Backspace'], () => handle.dissolve(), { icon: 'swap', when: () => editable() && editor.getState().selection.nodes.some(framed) }),
    one('duplicate', t('canvas.do.duplicate'), ['Mod+D'], () => handle.duplicate(), { icon: 'copy', when: () => editable() && some() }),
    one('copy', t('canvas.do.copy'), ['Mod+C'], () => handle.copy(), { icon: 'copy', when: () => some() && (window.getSelection()?.isCollapsed ?? true) }),
    one('cut', t('canvas.do.cut'), ['Mod+X'], () => handle.cut(), { when: () => editable() && some() }),
    // Without keys: Ctrl+V must stay the system's own paste, which needs no permission to read the clipboard.
    one('paste', t('canvas.do.paste'), [], () => handle.paste(false), { when: editable }),
    one('pasteIncoming', t('canvas.do.pasteIncoming'), [], () => handle.paste(true), { when: editable }),
    one('selectAll', t('canvas.do.selectAll'), ['Mod+A'], () => handle.selectAll()),
    one('disable', t('canvas.do.disable'), ['D'], () => handle.toggleDisabled(), { icon: 'ban', titleNow: () => t(off() ? 'canvas.step.enable' : 'canvas.step.disable'), when: () => editable() && some(), keysWhen: active }),
    one('rename', t('canvas.do.rename'), ['F2'], () => handle.rename(), { icon: 'pencil', when: () => editable() && editor.getState().selection.nodes.length === 1 }),
    one('open', t('canvas.do.open'), ['Enter'], () => handle.open(), { icon: 'sliders', when: some, keysWhen: active }),
    one('menu', t('canvas.do.menu'), ['Shift+F10', 'ContextMenu'], () => handle.menu(), { icon: 'dots', keysWhen: active }),
    one('wireFrom', t('canvas.do.wireFrom'), [], () => handle.goToEnd('from'), { icon: 'left', when: wire }),
    one('wireTo', t('canvas.do.wireTo'), [], () => handle.goToEnd('to'), { icon: 'right', when: wire }),
    one('tidy', t('canvas.do.tidy'), ['Shift+Alt+T'], () => handle.tidy(), { icon: 'grid', when: editable }),
    one('groupSteps', t('canvas.groups.make'), ['Mod+G'], () => handle.group(), { icon: 'group', when: () => editable() && some() }),
    one('editGroup', t('canvas.groups.edit'), [], () => handle.editGroup(), { icon: 'pencil', when: () => editable() && handle.chosenGroup() !== undefined }),
    one('foldGroup', t('canvas.groups.foldOrOpen'), ['Mod+Alt+G'], () => { const id = handle.chosenGroup(); if (id !== undefined) handle.foldGroup(id); }, { icon: 'minus', when: () => handle.chosenGroup() !== undefined }),
    one('ungroup', t('canvas.groups.ungroup'), ['Mod+Shift+G'], () => handle.ungroup(), { when: () => editable() && handle.chosenGroup() !== undefined }),
    one('outline', t('canvas.do.outline'), ['Mod+Alt+L'], () => handle.toggleOutline(), { icon: 'outline', scope: undefined, inFields: true }),
    ...ARRANGEMENTS.map((how) => one(how, t(`canvas.arrange.${how}`), [], () => handle.arrange(how), { when: () => editable() && editor.getState().selection.nodes.length > (how.startsWith('distribute') ? 2 : 1) })),
    one('safe', t('canvas.do.safe'), [], () => handle.toggleSafe(), { icon: 'shield', titleNow: () => t(handle.showsSafe() ? 'canvas.do.safeHide' : 'canvas.do.safeShow') }),
    one('iterationNext', t('canvas.round.next'), ['.'], () => handle.iteration(1), { repeats: true, icon: 'right', when: () => handle.hasIterations() }),
    one('iterationPrevious', t('canvas.round.previous'), [','], () => handle.iteration(-1), { repeats: true, icon: 'left', when: () => handle.hasIterations() }),
    one('iterationAll', t('canvas.round.toAll'), ['Alt+,'], () => handle.iteration(null), { when: () => handle.hasIterations() }),
    one('zoomReset', t('canvas.zoomReset'), ['0'], () => handle.resetZoom()),
    one('fit', t('canvas.fit'), ['1'], () => handle.fit(), { icon: 'fit' }),
    one('zoomIn', t('canvas.zoomIn'), ['+', '='], () => handle.zoomBy(1.2), { repeats: true, icon: 'plus' }),
    one('zoomOut', t('canvas.zoomOut'), ['-'], () => handle.zoomBy(1 / 1.2), { repeats: true, icon: 'minus' }),
    one('left', t('canvas.do.left'), ['ArrowLeft'], () => handle.go('left'), { repeats: true, hidden: true, keysWhen: active }),
    one('right', t('canvas.do.right'), ['ArrowRight'], () => handle.go('right'), { repeats: true, hidden: true, keysWhen: active }),
    one('up', t('canvas.do.up'), ['ArrowUp'], () => handle.go('up'), { repeats: true, hidden: true, keysWhen: active }),
    one('down', t('canvas.do.down'), ['ArrowDown'], () => handle.go('down'), { repeats: true, hidden: true, keysWhen: active }),
    one('upstream', t('canvas.do.upstream'), ['Shift+ArrowLeft', 'Shift+ArrowUp'], () => handle.extend('up'), { repeats: true, hidden: true, when: some, keysWhen: active }),
    one('downstream', t('canvas.do.downstream'), ['Shift+ArrowRight', 'Shift+ArrowDown'], () => handle.extend('down'), { repeats: true, hidden: true, when: some, keysWhen: active }),
    one('escape', t('canvas.do.escape'), ['Escape'], () => handle.escape(), { hidden: true, when: any, keysWhen: active }),
    ...catalog.map((kind): Action => ({
      id: `canvas.add.${kind.type}`, title: t('canvas.do.addKind', { name: kind.title }), keys: [], group: t('canvas.group.add'), when: editable, run: () => handle.addKind(kind.type),
    })),
  ];
}

/** One entry for each tool of an approved server: a step that calls it. */
export function toolActions(editor: EditorStore, handle: CanvasHandle, catalog: readonly NodeDescriptor[], tools: readonly ToolEntry[]): Action[] {
  if (!catalog.some((kind) => kind.type === MCP_TOOL)) return [];
  return tools.map((tool): Action => ({
    id: `canvas.tool.${tool.server}.${tool.name}`, title: t('canvas.do.addTool', { name: tool.title ?? tool.name, server: tool.server }), keys: [], group: t('canvas.group.add'),
    when: () => !editor.getState().readOnly, run: () => handle.addKind(MCP_TOOL, presetOf(tool)),
  }));
}

const NO_HANDLE = new Proxy({}, { get: () => () => false }) as CanvasHandle;

/** The same list without a canvas: for showing and changing keys while none is open. */
export function canvasActionTable(): Action[] {
  const none = { getState: () => ({ readOnly: true, selection: { nodes: [], edges: [] } }) } as unknown as EditorStore;
  return canvasActions(none, NO_HANDLE).map((action) => ({ ...action, when: () => false, run: () => undefined }));
}
