// The calls of a step drawn in a row: boxes are calls, dashes are pauses, red leads on, green leads out.

import { useEffect, useRef, useState } from 'react';
import { formatPause, t } from '../../i18n/index.ts';

export interface TimelineStep {
  attempt: number;
  delayMs: number;
}

interface Box {
  label: string;
  x: number;
  width: number;
  /** Pause before it; null for the first. */
  wait: { x: number; width: number; text: string } | null;
  call: boolean;
}

const GAP = 15;
const END_GAP = 22;
const boxWidth = (label: string): number => Math.max(44, Math.round(label.length * 5.6 + 12));

interface Stop {
  label: string;
  delayMs: number | null;
}

/** The calls that fit: all of them, else the first ones, "n more", and the last. */
function stopsFor(steps: readonly TimelineStep[], room: number): Stop[] {
  const first: Stop = { label: t('error.firstCall'), delayMs: null };
  const all = [first, ...steps.map((step) => ({ label: t('error.attempt', { n: step.attempt }), delayMs: step.delayMs }))];
  const need = (stops: readonly Stop[]) => stops.reduce((sum, one) => sum + boxWidth(one.label) + (one.delayMs === null ? 0 : GAP), 0);
  if (need(all) <= room) return all;
  const last = all.at(-1) as Stop;
  for (let shown = Math.min(all.length - 2, 12); shown >= 1; shown--) {
    const hidden = all.length - shown - 1;
    const next = all[shown];
    const stops = [...all.slice(0, shown), { label: t('error.more', { n: hidden }), delayMs: next?.delayMs ?? 0 }, last];
    if (need(stops) <= room || shown === 1) return stops;
  }
  return [first, last];
}

/** Where the boxes stand. Pauses grow with the logarithm of their time. */
export function placeCalls(steps: readonly TimelineStep[], width: number, end: string): Box[] {
  const endWidth = Math.min(88, boxWidth(end));
  const stops = stopsFor(steps, width - endWidth - END_GAP);
  const used = stops.reduce((sum, one) => sum + boxWidth(one.label) + (one.delayMs === null ? 0 : GAP), 0) + endWidth + END_GAP;
  const spare = Math.max(0, width - used);
  const weight = (ms: number | null) => (ms === null ? 0 : Math.log10(10 + ms));
  const all = stops.reduce((sum, one) => sum + weight(one.delayMs), 0);
  const placed: Box[] = [];
  let x = 0;
  for (const one of stops) {
    let wait: Box['wait'] = null;
    if (one.delayMs !== null) {
      const grown = GAP + (all > 0 ? (spare * weight(one.delayMs)) / all : 0);
      wait = { x, width: Math.min(grown, 120), text: formatPause(one.delayMs) };
      x += wait.width;
    }
    placed.push({ label: one.label, x, width: boxWidth(one.label), wait, call: true });
    x += boxWidth(one.label);
  }
  placed.push({ label: end, x: x + END_GAP, width: endWidth, wait: null, call: false });
  return placed;
}

export function RetryTimeline({ steps, end, endIsWire }: { steps: readonly TimelineStep[]; end: string; endIsWire: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(310);
  useEffect(() => {
    const box = host.current;
    if (!box) return undefined;
    const observer = new ResizeObserver((entries) => {
      const next = Math.floor(entries[0]?.contentRect.width ?? 0);
      if (next > 80) setWidth(next);
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const boxes = placeCalls(steps, width, end);
  const total = Math.max(width, (boxes.at(-1)?.x ?? 0) + (boxes.at(-1)?.width ?? 0));
  const calls = boxes.filter((box) => box.call);
  const last = calls.at(-1);
  const summary = steps.length === 0 ? t('error.timelineOne') : t('error.timeline', { n: steps.length + 1, m: steps.length });
  return (
    <div ref={host} className="retry-timeline">
      <svg width={total} height={92} viewBox={`0 0 ${String(total)} 92`} fill="none" role="img" aria-label={`${summary}. ${steps.map((s) => formatPause(s.delayMs)).join(', ')}`}>
        {calls.map((box) => {
          const middle = box.x + box.width / 2;
          return <path key={`ok ${String(box.x)}`} d={`M${String(middle)} 36V66l8 8${box === calls[0] && last ? `H${String(Math.max(middle + 8, last.x + last.width / 2 + 16))}` : ''}`} stroke="var(--wire-ok)" strokeWidth="2" strokeLinejoin="round" />;
        })}
        {last ? (
          <>
            <circle cx={last.x + last.width / 2 + 22} cy={74} r={5} fill="var(--bg-surface)" stroke="var(--wire-ok)" strokeWidth="2" />
            <text x={last.x + last.width / 2 + 33} y={78} className="rt-text" fill="var(--ok)">{t('error.success')}</text>
          </>
        ) : null}
        {boxes.map((box) => (
          <g key={`${box.label} ${String(box.x)}`}>
            {box.wait ? (
              <>
                <path d={`M${String(box.wait.x + 6)} 24.5H${String(box.x)}`} stroke="var(--wait)" strokeDasharray="4 3" strokeWidth="2" />
                <text x={box.wait.x + box.wait.width / 2 + 2} y={50} textAnchor="middle" className="rt-text" fill="var(--wait)">{box.wait.text}</text>
              </>
            ) : null}
            {!box.call && last ? <path d={`M${String(last.x + last.width)} 24.5H${String(box.x)}`} stroke={endIsWire ? 'var(--wire-err)' : 'var(--wire-safe)'} strokeWidth={endIsWire ? 2 : 1} strokeDasharray={endIsWire ? undefined : '3 3'} /> : null}
            <rect x={box.x + 0.5} y={12.5} width={box.width - 1} height={24} rx={3} fill="var(--bg-surface)" stroke="var(--line-control)" strokeDasharray={box.call || endIsWire ? undefined : '3 2'} />
            <text x={box.x + box.width / 2} y={28} textAnchor="middle" className="rt-text" fill="var(--text)">{fit(box.label, box.width)}</text>
          </g>
        ))}
        {calls.map((box) => (
          <path key={`err ${String(box.x)}`} d={`M${String(box.x + box.width)} 18.5l6 6-6 6-6-6z`} fill="var(--wire-err)" stroke="var(--bg-sunken)" />
        ))}
      </svg>
    </div>
  );
}

function fit(label: string, width: number): string {
  const letters = Math.floor((width - 10) / 5.6);
  return label.length <= letters ? label : `${label.slice(0, Math.max(1, letters - 1))}…`;
}
