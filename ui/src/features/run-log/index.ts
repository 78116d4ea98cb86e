export { DetailLog } from './detail-log.tsx';
