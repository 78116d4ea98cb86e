export { NodePanel } from './node-panel.tsx';
export type { NodePanelProps, PanelEdit, PanelEditOptions, PanelTab } from './types.ts';
