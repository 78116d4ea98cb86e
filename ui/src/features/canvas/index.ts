/** What screens use of the canvas. */
export { canvasActions, toolActions } from './actions.ts';
export type { ToolEntry } from './tool-entry.ts';
export type { Edit } from './document.ts';
export { createEditor, useEditor } from './editor.ts';
export { ruleEdits } from './rule-edits.ts';
export { STARTERS, starterEdits, type StarterId } from './starters.ts';
export type { TemplateId } from './templates.ts';
export { Canvas } from './view/canvas.tsx';
export type { CanvasMenus } from './view/menu.tsx';
export type { CanvasHandle, ReadCommand } from './view/handle.ts';
export { fragmentText } from './model/fragment.ts';
export type { Fate, ProofMark } from './view/ui.ts';
export { insertNode, openPort } from './insert.ts';
export { withRoomForTitle } from './model/make-space.ts';
