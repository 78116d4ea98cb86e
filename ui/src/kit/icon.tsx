/** The drawn icons of the product: 16 x 16, stroke 1.5, one shape per meaning. */
import type { ReactNode } from 'react';

const SHAPES = {
  agent: <><rect x="3" y="5.5" width="10" height="8" rx="2"/><path d="M8 5.5V2.75M6 9v1.25M10 9v1.25M1.25 8.5v2M14.75 8.5v2"/></>,
  arc: <><path d="M8 2a6 6 0 1 1-6 6" strokeWidth="2"/></>,
  back: <><path d="M6 4L2.5 7.5 6 11"/><path d="M2.5 7.5H10a3.5 3.5 0 0 1 0 6H8"/></>,
  ban: <><circle cx="8" cy="8" r="6"/><path d="M4 12l8-8"/></>,
  bolt: <><path d="M9 1.75L3.5 9H8l-1 5.25L12.5 7H8z"/></>,
  book: <><path d="M3 3.5A1.5 1.5 0 0 1 4.5 2H13v12H4.5A1.5 1.5 0 0 1 3 12.5zM3 12a1.5 1.5 0 0 1 1.5-1.5H13"/></>,
  brk: <><circle cx="8" cy="8" r="5" fill="currentColor"/></>,
  bug: <><rect x="5" y="5" width="6" height="8.500" rx="3"/><path d="M5 7.500L2.500 6M5 10H2M5 12l-2 1.500M11 7.500L13.500 6M11 10h3M11 12l2 1.500M6.500 5L5.500 2.500M9.500 5l1-2.500"/></>,
  cal: <><rect x="2.500" y="3.500" width="11" height="10" rx="1.500"/><path d="M2.500 6.500h11M5.500 2v2.500M10.500 2v2.500"/></>,
  chain: <><rect x="1.5" y="5.5" width="6" height="5" rx="2.5"/><rect x="8.5" y="5.5" width="6" height="5" rx="2.5"/><path d="M6 8h4"/></>,
  chat: <><path d="M2.5 3h11v8H7l-3 2.5V11H2.5z"/></>,
  check: <><path d="M3 8.5l3.5 3.5L13 4.5"/></>,
  clock: <><circle cx="8" cy="8" r="6"/><path d="M8 4.75V8l2.25 1.5"/></>,
  code: <><path d="M5 4.5L1.75 8 5 11.5M11 4.5L14.25 8 11 11.5"/></>,
  copy: <><rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 5.5v-3h-8v8h3"/></>,
  db: <><ellipse cx="8" cy="4" rx="5" ry="2"/><path d="M3 4v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2"/></>,
  dl: <><path d="M8 2.5v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11"/></>,
  doc: <><path d="M4 1.75h5l3 3v9.500H4z"/><path d="M9 1.75v3h3"/></>,
  dot: <><circle cx="8" cy="8" r="4"/></>,
  dots: <><path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2"/></>,
  down: <><path d="M4 6.5l4 4 4-4"/></>,
  errd: <><path d="M8 1.75L14.25 8 8 14.25 1.75 8z"/><path d="M8 5.25v3.25M8 10.75v.01"/></>,
  ext: <><path d="M9 2.500h4.500V7M13.500 2.500L7.500 8.500M11.500 9.500v4h-9v-9h4"/></>,
  eye: <><path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z"/><circle cx="8" cy="8" r="1.75"/></>,
  filter: <><path d="M2 3.500h12L9.500 8.500v4L6.500 14V8.500z"/></>,
  fit: <><path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"/></>,
  flag: <><path d="M3.500 14.500v-12h8l-2 3 2 3h-8"/></>,
  flow: <><circle cx="3.5" cy="4" r="1.75"/><circle cx="12.5" cy="4" r="1.75"/><circle cx="12.5" cy="12" r="1.75"/><path d="M5.5 4h5M5 5.5l6 5"/></>,
  folder: <><path d="M2 4a1 1 0 0 1 1-1h3.5L8 4.5h5a1 1 0 0 1 1 1v6.500a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z"/></>,
  gantt: <><path d="M2.500 4h5M5.500 8h6M9.500 12h4"/></>,
  glass: <><path d="M4 2.5h8M4 13.5h8M5 2.5c0 3 3 3.5 3 5.5s-3 2.5-3 5.5M11 2.5c0 3-3 3.5-3 5.5s3 2.5 3 5.5"/></>,
  globe: <><circle cx="8" cy="8" r="6"/><path d="M2 8h12M8 2c2 1.75 2.5 4 2.5 6S10 12.25 8 14c-2-1.75-2.5-4-2.5-6S6 3.75 8 2z"/></>,
  grid: <><rect x="2.5" y="2.5" width="4" height="4" rx="1"/><rect x="9.5" y="2.5" width="4" height="4" rx="1"/><rect x="2.5" y="9.5" width="4" height="4" rx="1"/><rect x="9.5" y="9.5" width="4" height="4" rx="1"/></>,
  group: <><rect x="2.500" y="2.500" width="11" height="11" rx="1.500" strokeDasharray="3 2"/></>,
  hash: <><path d="M6 2.500L4.500 13.500M11.500 2.500L10 13.500M2.500 6h11M2.500 10h11"/></>,
  inbox: <><path d="M2 9.5l2-6.5h8l2 6.5V13H2z"/><path d="M2 9.5h3.5l1 1.5h3l1-1.5H14"/></>,
  key: <><circle cx="5" cy="8" r="2.75"/><path d="M7.750 8H14v2.500M11.500 8v2"/></>,
  left: <><path d="M9.5 4l-4 4 4 4"/></>,
  lock: <><rect x="3" y="7" width="10" height="6.5" rx="1.5"/><path d="M5 7V5a3 3 0 0 1 6 0v2"/></>,
  loop: <><path d="M4.5 11.5A4 4 0 0 1 4.5 4.5h6.5M11.5 4.5a4 4 0 0 1 0 7H5"/><path d="M9 2.5l2 2-2 2M7 9.5l-2 2 2 2"/></>,
  minus: <><path d="M3.5 8h9"/></>,
  octa: <><path d="M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5z"/></>,
  okc: <><circle cx="8" cy="8" r="6"/><path d="M5.25 8.25L7.25 10.25 10.75 6"/></>,
  outline: <><path d="M2.500 3.500h4M5.500 8h4M5.500 12.500h4M3.500 5.500v7h2M3.500 8h2"/></>,
  pause: <><path d="M5.5 3.5v9M10.5 3.5v9"/></>,
  pencil: <><path d="M2.5 13.5l.75-3L10.5 3.25l2.25 2.25L5.5 12.75z"/></>,
  person: <><circle cx="8" cy="5" r="2.75"/><path d="M2.75 13.75c.5-3 2.5-4.25 5.25-4.25s4.75 1.25 5.25 4.25"/></>,
  pin: <><path d="M6 2.5h4l-.5 4 2.5 2.5H4l2.5-2.5zM8 9v5"/></>,
  play: <><path d="M5 3.5l7.5 4.5L5 12.5z"/></>,
  plug: <><path d="M5.5 2v3.5M10.5 2v3.5M4 5.5h8V8a4 4 0 0 1-8 0zM8 12v2.5"/></>,
  plus: <><path d="M8 3v10M3 8h10"/></>,
  redo: <><path d="M10.5 3.5l3 3-3 3"/><path d="M13.5 6.5H6a3.5 3.5 0 0 0 0 7h4"/></>,
  retry: <><path d="M13 8a5 5 0 1 1-1.6-3.65"/><path d="M13.25 2v3h-3"/></>,
  right: <><path d="M6.5 4l4 4-4 4"/></>,
  rows: <><path d="M2.500 4h11M2.500 8h11M2.500 12h11"/></>,
  runs: <><path d="M2.5 4h6M2.5 8h4M2.5 12h6"/><path d="M10 5.5l4 2.5-4 2.5z"/></>,
  search: <><circle cx="7" cy="7" r="4.25"/><path d="M10.25 10.25L14 14"/></>,
  send: <><path d="M2 8l12-5.500L10.500 14 8 9z"/></>,
  shield: <><path d="M8 1.75l5 1.75v4c0 3.25-2 5.5-5 6.75-3-1.25-5-3.5-5-6.75v-4z"/></>,
  signal: <><path d="M5 14.5h6M8 14.5V9"/><rect x="5" y="1.5" width="6" height="7.5" rx="2"/><path d="M8 4v.01M8 6.5v.01"/></>,
  skip: <><path d="M2.5 4L7 8l-4.5 4zM8.5 4L13 8l-4.5 4z"/></>,
  sliders: <><path d="M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6"/><circle cx="10" cy="4.5" r="1.75"/><circle cx="6" cy="11.5" r="1.75"/></>,
  spark: <><path d="M8 2l1.4 4.6L14 8l-4.6 1.4L8 14 6.6 9.4 2 8l4.6-1.4z"/></>,
  split: <><path d="M2 8h4l4-4.5h4M6 8l4 4.5h4"/></>,
  stale: <><circle cx="8" cy="8" r="6" strokeDasharray="3 2.500"/><path d="M8 5v3.500M8 10.750v.01"/></>,
  step: <><path d="M3 3.5L9.5 8 3 12.5zM12.5 3.5v9"/></>,
  stop: <><rect x="4" y="4" width="8" height="8" rx="1"/></>,
  swap: <><path d="M3 5h9M9.500 2.500L12 5 9.500 7.500M13 11H4M6.500 8.500L4 11l2.500 2.500"/></>,
  tag: <><path d="M2.500 2.500H8L13.500 8 8 13.500 2.500 8z"/><path d="M5.500 5.500v.01"/></>,
  undo: <><path d="M5.5 3.5L2.5 6.5l3 3"/><path d="M2.5 6.5H10a3.5 3.5 0 0 1 0 7H6"/></>,
  up: <><path d="M4 9.5l4-4 4 4"/></>,
  warn: <><path d="M8 2.5l6 11H2z"/><path d="M8 6.5v3.25M8 11.75v.01"/></>,
  wrench: <><path d="M13.5 4.5a3.5 3.5 0 0 1-4.6 4.2L5 12.6a1.4 1.4 0 0 1-2-2l4-3.9A3.5 3.5 0 0 1 11.4 2.4L9.5 4.4l.3 1.8 1.8.3z"/></>,
  x: <><path d="M4 4l8 8M12 4l-8 8"/></>,
} satisfies { [name: string]: ReactNode };

export type IconName = keyof typeof SHAPES;

export interface IconProps { name: IconName; size?: 12 | 16 | 20; className?: string; spin?: boolean; label?: string }

export function Icon({ name, size = 16, className, spin, label }: IconProps) {
  const cls = ['i', size === 12 ? 's12' : size === 20 ? 's20' : '', spin ? 'spin' : '', className ?? ''].filter(Boolean).join(' ');
  return (
    <svg className={cls} viewBox="0 0 16 16" role={label ? 'img' : undefined} aria-label={label} aria-hidden={label ? undefined : true}>
      {SHAPES[name]}
    </svg>
  );
}
