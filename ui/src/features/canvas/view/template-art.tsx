/** Small pictures of the templates at an error port: the failed step, what is put there, and where it leads. */

import type { ReactNode } from 'react';
import type { IconName } from '../../../kit/icon.tsx';
import type { TemplateId } from '../templates.ts';

export const TEMPLATE_ICON: { readonly [id in TemplateId]: IconName } = {
  retry: 'retry', human: 'person', ask: 'person', heal: 'wrench', healModel: 'agent', context: 'tag', audit: 'chain', fallback: 'swap', abort: 'ban', explicit: 'shield',
};

const box = (x: number, y: number, stroke = 'var(--line-control)'): ReactNode => <rect x={x} y={y} width="20" height="11" rx="2" stroke={stroke} />;
const ok = (d: string, dash = false): ReactNode => <path d={d} stroke="var(--wire-ok)" strokeDasharray={dash ? '3 2' : undefined} />;
const red = (d: string): ReactNode => <path d={d} stroke="var(--wire-err)" />;

const HEAL = <>{red('M20 19v7h12')}{box(32, 19)}{ok('M52 25h10')}{box(62, 19)}{ok('M82 24h6v-20h-86v8h2', true)}</>;

const ART: { readonly [id in TemplateId]: ReactNode } = {
  retry: <>{red('M20 19v7h20')}{ok('M60 24h6v-20h-64v8h2', true)}{box(40, 19)}{ok('M60 27h30')}</>,
  explicit: <>{red('M20 19v7h20')}{ok('M60 24h6v-20h-64v8h2', true)}{box(40, 19)}</>,
  human: <>{red('M20 19v7h20')}{ok('M60 24h6v-20h-64v8h2', true)}{box(40, 19, 'var(--person)')}</>,
  ask: <>{red('M20 19v7h20')}{ok('M60 24h6v-20h-64v8h2', true)}{box(40, 19, 'var(--person)')}{red('M60 28h14M75 23l-6 10M81 23l-6 10')}</>,
  heal: HEAL,
  healModel: HEAL,
  context: <>{red('M20 19v7h20')}{ok('M24 14h56')}{box(40, 20)}{ok('M60 26h6l8-12')}{box(80, 8)}</>,
  audit: <>{red('M20 19v7h20')}{box(40, 19, 'var(--sel)')}{ok('M60 25h14')}<circle cx="77" cy="25" r="2.5" stroke="var(--line-control)" /></>,
  fallback: <>{red('M20 19v7h20')}{ok('M24 14h56')}{box(40, 20)}{ok('M60 26h6l8-12')}{box(80, 8)}</>,
  abort: <>{red('M20 19v7h44')}{red('M66 20l6 11M72 20l-6 11')}</>,
};

export function TemplateArt({ id }: { id: TemplateId }) {
  return (
    <svg className="cv-art" width="104" height="34" viewBox="0 0 104 34" fill="none" strokeWidth="1.5" aria-hidden="true">
      {box(4, 8)}<path d="M20 16l3 3-3 3-3-3z" fill="var(--wire-err)" />{ART[id]}
    </svg>
  );
}
