export { NodePanel } from './node-panel.tsx';
export type { PanelTab } from './types.ts';
export { titleOf } from './then-words.ts';
export { fileOf, openFile } from './workflow-field.tsx';
export { earlierSteps } from './earlier-steps.ts';
