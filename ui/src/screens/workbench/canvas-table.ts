/** The canvas' actions without a canvas: for lists of shortcuts. */
import { canvasActions } from '../../features/canvas/actions.ts';
import { createEditor } from '../../features/canvas/editor.ts';
import type { CanvasHandle } from '../../features/canvas/view/handle.ts';
import type { Action } from '../../kit/index.ts';

export function canvasActionTable(): Action[] {
  const editor = createEditor({ signalbox: 1, id: 'none', name: '', nodes: {}, edges: [] }, { readOnly: true });
  // Nothing is called: only ids, titles and keys are read.
  const handle = new Proxy({}, { get: () => () => false }) as CanvasHandle;
  return canvasActions(editor, handle);
}
