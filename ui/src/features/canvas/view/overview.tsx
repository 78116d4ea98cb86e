/** The overview in a corner where it covers no card; where there is none, the cards come first. */

import { MiniMap, useStore as useFlowStore } from '@xyflow/react';
import { useState } from 'react';
import { t } from '../../../i18n/index.ts';
import type { Rect } from '../model/place.ts';
import type { CardNode } from './flow-nodes.ts';
import type { CanvasHandle } from './handle.ts';

const MINI = { width: 150, height: 94 };
/** With its border and its distance to the edges (canvas.css). */
const BOX = { width: 172, height: 116 };
const LEAST_WIDTH = 480;
const CORNERS = ['bottom-right', 'top-right'] as const;
export type Corner = (typeof CORNERS)[number];

/** A frame is seen through. */
const colourOf = (node: CardNode): string => (node.type === 'frame' ? 'transparent' : 'var(--bg-active)');

/** The words under a card, at its error port. */
const LABEL = 40;

/** The first corner of the view where no card lies under the overview. `below`: what each has under it. */
export function freeCorner(rects: Iterable<Rect>, [x, y, zoom]: readonly [number, number, number], width: number, height: number, below = 0): Corner | null {
  // Beside it the tools have no room.
  if (width < LEAST_WIDTH) return null;
  const free = new Set<Corner>(CORNERS);
  for (const r of rects) {
    const [left, right, top, bottom] = [r.x * zoom + x, (r.x + r.width) * zoom + x, r.y * zoom + y, (r.y + r.height + below) * zoom + y];
    if (right <= width - BOX.width || left >= width) continue;
    if (top < BOX.height && bottom > 0) free.delete('top-right');
    if (bottom > height - BOX.height && top < height) free.delete('bottom-right');
  }
  return CORNERS.find((corner) => free.has(corner)) ?? null;
}

export function Overview({ rects, handle }: { rects: ReadonlyMap<string, Rect>; handle: CanvasHandle }) {
  const found = useFlowStore(({ transform, width, height }) => freeCorner(rects.values(), transform, width, height, LABEL));
  // Who drags the view in it keeps it under the pointer.
  const [held, setHeld] = useState<Corner | null>(null);
  const corner = held ?? found;
  if (corner === null) return null;
  return (
    <div onPointerEnter={() => setHeld(corner)} onPointerLeave={() => setHeld(null)}>
      <MiniMap<CardNode> nodeColor={colourOf} nodeStrokeColor="var(--line-control)" nodeBorderRadius={12} nodeStrokeWidth={8} maskColor="transparent" maskStrokeColor="var(--sel)" maskStrokeWidth={1.5} pannable zoomable onClick={(_, at) => handle.center(at.x, at.y)} ariaLabel={t('canvas.overview')} position={corner} style={MINI} />
    </div>
  );
}
