// How a record came about: error, rule, retry or heal, human, outcome, on one track that turns at the margin.

import { engineText, t } from '../../i18n/index.ts';
import { plain } from '../../text/letters.ts';
import type { Related } from './types.ts';
import { eventLook, KIND_LINE } from './words.ts';

const W = 104;
const H = 24;
const GAP_X = 20;
const GAP_Y = 38;
const PER_ROW = 3;

export function OriginGraph({ related, current, onOpen }: { related: readonly Related[]; current: number; onOpen(seq: number): void }) {
  const place = (index: number) => ({ x: (index % PER_ROW) * (W + GAP_X), y: Math.floor(index / PER_ROW) * (H + GAP_Y) });
  const rows = Math.ceil(related.length / PER_ROW);
  const width = PER_ROW * W + (PER_ROW - 1) * GAP_X;
  const height = rows * H + (rows - 1) * GAP_Y;
  return (
    <div className="au-graph" role="group" aria-label={t('audit.origin')} style={{ width, height }}>
      <svg width={width} height={height} fill="none" strokeWidth="2" aria-hidden="true">
        {related.slice(1).map((one, index) => {
          const [from, to] = [place(index), place(index + 1)];
          const red = related[index]?.failed === true;
          const y = from.y + H / 2;
          // Turned by 45 degrees at both corners, like a turnout.
          const d = from.y === to.y
            ? `M${String(from.x + W)} ${String(y)}H${String(to.x)}`
            : `M${String(from.x + W / 2)} ${String(from.y + H)}v${String(GAP_Y / 2 - 6)}l-6 6H${String(to.x + W / 2 + 6)}l-6 6V${String(to.y)}`;
          return <path key={one.seq} d={d} stroke={red ? 'var(--wire-err)' : 'var(--wire-ok)'} />;
        })}
      </svg>
      {related.map((one, index) => {
        const { x, y } = place(index);
        const text = `${String(one.seq)} ${one.kind === 'heal' && one.failed ? t('audit.healFailed') : eventLook(one.event).text}`;
        return (
          <button key={one.seq} type="button" className={`au-node ${one.seq === current ? 'on' : ''}`} aria-current={one.seq === current || undefined} title={`${plain(engineText(one.event, one.label))} (${t(`audit.kind.${one.kind}`)})`}
            style={{ left: x, top: y, width: W, height: H, borderColor: one.seq === current ? undefined : one.failed ? 'var(--err)' : KIND_LINE[one.kind] }} onClick={() => onOpen(one.seq)}>{text}</button>
        );
      })}
    </div>
  );
}
