export { NodePanel } from './node-panel.tsx';
export type { NodePanelProps, PanelEdit, PanelEditOptions, PanelTab } from './types.ts';
export { titleOf } from './then-words.ts';
