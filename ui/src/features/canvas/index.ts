/** What screens use of the canvas. */
export { CANVAS_SCOPE, canvasActions, canvasActionTable } from './actions.ts';
export { applyEdits, type Edit, type EdgeRef, textOf } from './document.ts';
export { createEditor, type EditorState, type EditorStore, type Selection, useEditor } from './editor.ts';
export { idProblem } from './model/ids.ts';
export { portIds } from './model/ports.ts';
export type { TemplateId } from './templates.ts';
export { Canvas, type CanvasProps } from './view/canvas.tsx';
export type { CanvasHandle } from './view/handle.ts';
