export { DetailLog } from './detail-log.tsx';
export { eventText } from './words.ts';
