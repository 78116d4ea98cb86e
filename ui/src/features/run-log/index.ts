export { DetailLog } from './detail-log.tsx';
export { GapLine } from './gap-line.tsx';
export { eventText } from './words.ts';
