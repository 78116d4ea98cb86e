export { NodePanel } from './node-panel.tsx';
export { titleOf } from './then-words.ts';
