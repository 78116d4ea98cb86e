import { useMemo } from 'react';
import type { Workflow } from '../../api/types.ts';
import { gridOf, largeSize, miniGraph, SMALL } from './mini-graph.ts';

const COLOR = { ok: 'var(--wire-ok)', err: 'var(--wire-err)', back: 'var(--wire-ok)' } as const;
/** Inter at 11 px is about 5.6 px a letter: enough to cut a title without measuring. */
const LETTER = 5.6;

export function GraphArt({ workflow, large, width, height, label }: {
  workflow: Workflow; large?: boolean; width: number; height: number; label?: string;
}) {
  const { graph, size } = useMemo(() => {
    const cols = Math.max(1, ...[...gridOf(workflow).values()].map((at) => at.col + 1));
    const chosen = large ? largeSize(cols, width) : SMALL;
    return { size: chosen, graph: miniGraph(workflow, chosen) };
  }, [workflow, large, width]);
  const pad = large ? 16 : 12;
  // Wires to another row leave and enter outside of the boxes.
  const side = Math.max(pad, size.gapX / 2 + 4);
  // Never larger than drawn, only smaller when it does not fit.
  const boxW = Math.max(width, graph.width + side * 2);
  const boxH = Math.max(height, graph.height + pad * 2);
  const dx = (boxW - graph.width) / 2;
  const dy = (boxH - graph.height) / 2;
  const d = size.diamond;
  return (
    <svg viewBox={`0 0 ${String(boxW)} ${String(boxH)}`} height={height} preserveAspectRatio="xMidYMid meet" fontSize="11" fontFamily="inherit"
      role={label ? 'img' : undefined} aria-label={label} aria-hidden={label ? undefined : true}>
      <g transform={`translate(${String(Math.round(dx) + 0.5)} ${String(Math.round(dy) + 0.5)})`}>
        {graph.wires.map((wire, index) => (
          <path key={`${wire.d}-${String(index)}`} d={wire.d} fill="none" stroke={COLOR[wire.kind]} strokeWidth="2" strokeDasharray={wire.kind === 'back' ? '6 4' : undefined} />
        ))}
        {graph.boxes.map((box) => (
          <rect key={box.id} x={box.x} y={box.y} width={box.w} height={box.h} rx="3" fill="var(--bg-surface)" stroke="var(--line-control)" />
        ))}
        {large ? graph.boxes.map((box) => {
          const lines = twoLines(box.title, box.w - 12);
          return (
            <text key={box.id} x={box.x + 8} fill="var(--text)">
              {lines.map((line, index) => <tspan key={line} x={box.x + 8} y={box.y + (lines.length === 1 ? 20 : 14 + index * 12)}>{line}</tspan>)}
            </text>
          );
        }) : null}
        {graph.diamonds.map((at) => (
          <path key={`${String(at.x)}/${String(at.y)}`} d={`M${String(at.x)} ${String(at.y - d)}l${String(d)} ${String(d)}-${String(d)} ${String(d)}-${String(d)}-${String(d)}z`} fill="var(--wire-err)" />
        ))}
      </g>
    </svg>
  );
}

/** Whole words on at most two lines; what does not fit ends in an ellipsis. */
export function twoLines(text: string, width: number): string[] {
  const room = Math.max(3, Math.floor(width / LETTER));
  const cut = (line: string) => (line.length <= room ? line : `${line.slice(0, room - 1)}…`);
  if (text.length <= room) return [text];
  const at = text.lastIndexOf(' ', room);
  return at <= 0 ? [cut(text)] : [text.slice(0, at), cut(text.slice(at + 1))];
}
