/** What the menus of the canvas offer, from all that a workbench composes; each entry is an action with its keys. Those that are not possible
 * now are left out: a run on the screen offers to look and to run again, a document to be edited. */
import type { CanvasMenus } from '../../features/canvas/index.ts';
import type { EditorStore } from '../../features/canvas/editor.ts';
import type { PanelTab } from '../../features/node-panel/index.ts';
import { t } from '../../i18n/index.ts';
import type { Action } from '../../kit/index.ts';

export const MENUS: CanvasMenus = {
  step: [
    ['canvas.open', 'panel.output', 'panel.error', 'canvas.rename'],
    ['run.only', 'run.onlyWith', 'run.to', 'run.from', 'run.fault'],
    ['run.rerunFrom', 'debug.breakpoint'],
    ['canvas.add', 'canvas.connect', 'canvas.onError'],
    ['canvas.copy', 'canvas.cut', 'canvas.duplicate'],
    ['canvas.disable'],
    ['canvas.groupSteps', 'canvas.editGroup', 'canvas.foldGroup', 'canvas.ungroup'],
    ['canvas.alignLeft', 'canvas.alignTop', 'canvas.distributeAcross', 'canvas.distributeDown'],
    ['canvas.dissolve', 'canvas.deleteReconnect', 'canvas.delete'],
  ],
  wire: [['canvas.wireFrom', 'canvas.wireTo'], ['debug.breakpoint'], ['canvas.add'], ['canvas.delete']],
  canvas: [
    ['canvas.add', 'canvas.paste', 'canvas.pasteIncoming'],
    ['run.start', 'run.with', 'run.cancel', 'run.clear'],
    ['edit.undo', 'edit.redo'],
    ['canvas.selectAll', 'canvas.find', 'canvas.outline', 'canvas.tidy'],
    ['canvas.fit', 'canvas.zoomReset', 'canvas.safe'],
  ],
};

/** Straight to a tab of the panel of the chosen step. */
export function panelActions(editor: EditorStore | null, show: (id: string, tab: PanelTab) => void): Action[] {
  const one = (): string | undefined => {
    const [id, ...others] = editor?.getState().selection.nodes ?? [];
    return others.length === 0 ? id : undefined;
  };
  const to = (id: string, tab: PanelTab, title: string, keys: string[], icon: Action['icon']): Action => ({
    id, title, keys, icon, group: t('group.view'), scope: 'canvas', when: () => one() !== undefined,
    run: () => {
      const chosen = one();
      if (chosen !== undefined) show(chosen, tab);
    },
  });
  return [to('panel.output', 'output', t('action.showOutput'), ['O'], 'doc'), to('panel.error', 'error', t('action.showErrors'), ['E'], 'shield')];
}
