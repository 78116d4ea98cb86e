export { DetailLog, type DetailLogProps, type LogView } from './detail-log.tsx';
