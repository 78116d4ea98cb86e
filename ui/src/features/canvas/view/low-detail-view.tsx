/** Thousands of cards below 30 %: plain rectangles and lines on one canvas instead of as many elements. */

import { useViewport } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import type { RunView } from '../../../run/run-state.ts';
import type { Flow } from './flow-nodes.ts';
import { useCanvas, useUi } from './ui.ts';

const STATE_COLOUR: { [state: string]: string } = {
  running: '--run', retrying: '--wait', waiting: '--wait', asks: '--person', done: '--ok', failed: '--err', handled: '--err', skipped: '--line-control', cancelled: '--line-control',
};

function draw(canvas: HTMLCanvasElement, flow: Flow, view: { x: number; y: number; zoom: number }, selected: ReadonlySet<string>, run: RunView | null): void {
  const pen = canvas.getContext('2d');
  if (!pen) return;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  const style = getComputedStyle(canvas);
  const colour = (token: string): string => style.getPropertyValue(token);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.translate(view.x, view.y);
  pen.scale(view.zoom, view.zoom);
  const line = 1 / view.zoom;
  for (const red of [false, true]) {
    pen.strokeStyle = colour(red ? '--wire-err' : '--wire-ok');
    pen.lineWidth = line;
    pen.beginPath();
    for (const wire of flow.wires) {
      if (wire.down !== red) continue;
      const [[x1, y1], [x2, y2]] = [wire.from, wire.to];
      pen.moveTo(x1, y1);
      if (red) pen.lineTo(x1, y2);
      else {
        const x = x2 - 24;
        pen.lineTo(x, y1);
        pen.lineTo(x, y2);
      }
      pen.lineTo(x2, y2);
    }
    pen.stroke();
  }
  const surface = colour('--bg-surface');
  const [left, top, right, bottom] = [-view.x / view.zoom, -view.y / view.zoom, (width - view.x) / view.zoom, (height - view.y) / view.zoom];
  const frames = new Set(flow.scopes.values());
  for (const [id, rect] of flow.rects) {
    if (rect.x > right || rect.y > bottom || rect.x + rect.width < left || rect.y + rect.height < top) continue;
    const state = run?.nodes[id]?.state;
    pen.fillStyle = surface;
    pen.strokeStyle = colour(selected.has(id) ? '--sel' : (state && STATE_COLOUR[state]) || '--line-control');
    pen.lineWidth = selected.has(id) || state ? line * 2 : line;
    // A frame is seen through: its steps lie in it.
    if (!frames.has(id)) pen.fillRect(rect.x, rect.y, rect.width, rect.height);
    pen.strokeRect(rect.x, rect.y, rect.width, rect.height);
  }
}

export function FarView({ flow }: { flow: Flow }) {
  const ref = useRef<HTMLCanvasElement>(null);
  const viewport = useViewport();
  const selected = useStore(useCanvas().editor, (s) => s.selection.nodes);
  const run = useUi((s) => s.runView);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (ref.current) draw(ref.current, flow, viewport, new Set(selected), run);
    });
    return () => cancelAnimationFrame(frame);
  }, [flow, viewport, selected, run]);
  return <canvas ref={ref} className="cv-far" aria-hidden="true" />;
}
