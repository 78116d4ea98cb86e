export { NodePanel } from './node-panel.tsx';
export { titleOf } from './then-words.ts';
export { fileOf, openFile } from './workflow-field.tsx';
