/** A small drawing of a workflow: columns and rows of boxes, wires with 45° turns. Pure, so that it can be tested. */
import type { Workflow } from '../../api/types.ts';
import { treeOf } from '../../shared/container-tree.ts';
import { stepTitle } from '../../shared/step-title.ts';

export interface MiniBox { id: string; title: string; x: number; y: number; w: number; h: number }
export interface MiniWire { d: string; kind: 'ok' | 'err' | 'back' }
export interface MiniGraph { boxes: MiniBox[]; wires: MiniWire[]; diamonds: { x: number; y: number }[]; width: number; height: number }

export interface MiniSize { w: number; h: number; gapX: number; gapY: number; cut: number; diamond: number }
export const SMALL: MiniSize = { w: 32, h: 16, gapX: 26, gapY: 14, cut: 5, diamond: 4 };
export const LARGE: MiniSize = { w: 104, h: 32, gapX: 36, gapY: 24, cut: 8, diamond: 4 };

/** The large drawing keeps its letters at 11 px: more columns get narrower boxes. */
export function largeSize(cols: number, width: number): MiniSize {
  const gapX = cols > 3 ? 24 : LARGE.gapX;
  const w = Math.floor((width - 32 - gapX * (cols - 1)) / Math.max(1, cols));
  return { ...LARGE, gapX, w: Math.max(56, Math.min(LARGE.w, w)) };
}

function splitPort(from: string): [string, string] {
  const dot = from.lastIndexOf('.');
  return dot < 0 ? [from, 'success'] : [from.slice(0, dot), from.slice(dot + 1)];
}

/** Column and row of every node, a frame with all in it as one: from the file's layout when it is complete, else by distance from the start. */
export function gridOf(workflow: Workflow): Map<string, { col: number; row: number }> {
  const { parent } = treeOf(workflow);
  const ids = Object.keys(workflow.nodes).filter((id) => !parent.has(id));
  const places = ids.map((id) => ({ id, at: workflow.layout?.[id] }));
  const placed = places.every((place): place is { id: string; at: [number, number] } =>
    Array.isArray(place.at) && typeof place.at[0] === 'number' && typeof place.at[1] === 'number');
  if (placed && ids.length > 0) {
    const cols = bands(places.map((place) => (place.at as number[])[0] ?? 0), 120);
    const rows = bands(places.map((place) => (place.at as number[])[1] ?? 0), 60);
    return new Map(places.map((place) => [place.id, {
      col: cols((place.at as number[])[0] ?? 0), row: rows((place.at as number[])[1] ?? 0),
    }]));
  }
  return byDistance(workflow);
}

/** Numbers that lie within `tolerance` of each other get the same index. */
function bands(values: number[], tolerance: number): (value: number) => number {
  const starts: number[] = [];
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = starts.at(-1);
    if (last === undefined || value - last > tolerance) starts.push(value);
  }
  return (value) => {
    let index = 0;
    for (let i = 0; i < starts.length; i += 1) if ((starts[i] ?? 0) <= value) index = i;
    return index;
  };
}

function byDistance(workflow: Workflow): Map<string, { col: number; row: number }> {
  const { parent } = treeOf(workflow);
  const ids = Object.keys(workflow.nodes).filter((id) => !parent.has(id));
  const col = new Map(ids.map((id) => [id, 0]));
  const edges = workflow.edges.map((edge) => ({ from: splitPort(edge.from)[0], to: edge.to }));
  // Longest path; a cycle stops growing after as many rounds as there are nodes.
  for (let round = 0; round < ids.length; round += 1) {
    let moved = false;
    for (const { from, to } of edges) {
      const next = (col.get(from) ?? 0) + 1;
      if (col.has(to) && col.has(from) && next > (col.get(to) ?? 0) && next < ids.length) {
        col.set(to, next);
        moved = true;
      }
    }
    if (!moved) break;
  }
  const used = new Map<number, number>();
  return new Map(ids.map((id) => {
    const c = col.get(id) ?? 0;
    const row = used.get(c) ?? 0;
    used.set(c, row + 1);
    return [id, { col: c, row }];
  }));
}

export function miniGraph(workflow: Workflow, size: MiniSize): MiniGraph {
  const grid = gridOf(workflow);
  const boxes = new Map<string, MiniBox>();
  let cols = 0;
  let rows = 0;
  for (const [id, { col, row }] of grid) {
    cols = Math.max(cols, col + 1);
    rows = Math.max(rows, row + 1);
    boxes.set(id, {
      id, title: stepTitle(workflow.nodes[id]?.title, undefined, id), x: col * (size.w + size.gapX), y: row * (size.h + size.gapY), w: size.w, h: size.h,
    });
  }
  const wires: MiniWire[] = [];
  const diamonds: { x: number; y: number }[] = [];
  for (const edge of workflow.edges) {
    const [fromId, port] = splitPort(edge.from);
    const from = boxes.get(fromId);
    const to = boxes.get(edge.to);
    if (!from || !to) continue;
    if (port === 'error') {
      const x = from.x + from.w - size.w / 4;
      const y = from.y + from.h;
      if (!diamonds.some((d) => d.x === x && d.y === y)) diamonds.push({ x, y });
      wires.push({ d: fromBelow(x, y, to, size), kind: 'err' });
    } else if (to.x <= from.x && to.y > from.y) {
      wires.push({ d: nextRow(from, to, size), kind: 'ok' });
    } else if (to.x <= from.x) {
      wires.push({ d: backwards(from, to, size), kind: 'back' });
    } else {
      wires.push({ d: forwards(from, to, size), kind: 'ok' });
    }
  }
  const width = cols * size.w + Math.max(0, cols - 1) * size.gapX;
  const height = rows * size.h + Math.max(0, rows - 1) * size.gapY;
  return { boxes: [...boxes.values()], wires, diamonds, width, height };
}

function forwards(from: MiniBox, to: MiniBox, size: MiniSize): string {
  const x1 = from.x + from.w;
  const y1 = from.y + from.h / 2;
  const y2 = to.y + to.h / 2;
  if (y1 === y2) return `M${x1} ${y1}H${to.x}`;
  const down = y2 > y1 ? 1 : -1;
  const cut = Math.min(size.cut, Math.abs(y2 - y1) / 2);
  const turn = to.x - size.gapX / 2;
  return `M${x1} ${y1}H${turn - cut}l${cut} ${cut * down}V${y2 - cut * down}l${cut} ${cut * down}H${to.x}`;
}

function fromBelow(x: number, y: number, to: MiniBox, size: MiniSize): string {
  const y2 = to.y + to.h / 2;
  const cut = size.cut;
  if (y2 > y + cut && to.x > x) return `M${x} ${y}V${y2 - cut}l${cut} ${cut}H${to.x}`;
  // The target stands beside, above or behind: leave below, go along the gap, enter from the left.
  const gap = y + size.gapY / 2;
  const entry = to.x - size.gapX / 2;
  const side = entry > x ? 1 : -1;
  const up = y2 > gap ? 1 : -1;
  return `M${x} ${y}V${gap - cut}l${cut * side} ${cut}H${entry - cut * side}l${cut * side} ${cut * up}V${y2 - cut * up}l${cut} ${cut * up}H${to.x}`;
}

/** On in the next row, through the gap between the two. */
function nextRow(from: MiniBox, to: MiniBox, size: MiniSize): string {
  const [x1, y1, y2] = [from.x + from.w, from.y + from.h / 2, to.y + to.h / 2];
  const cut = Math.min(size.cut, size.gapX / 2, size.gapY / 2);
  const [out, gap, entry] = [x1 + size.gapX / 2, from.y + size.h + size.gapY / 2, to.x - size.gapX / 2];
  return `M${x1} ${y1}H${out - cut}l${cut} ${cut}V${gap - cut}l${-cut} ${cut}H${entry + cut}l${-cut} ${cut}V${y2 - cut}l${cut} ${cut}H${to.x}`;
}

function backwards(from: MiniBox, to: MiniBox, size: MiniSize): string {
  const x1 = from.x + from.w;
  const y1 = from.y + from.h / 2;
  const y2 = to.y + to.h / 2;
  const cut = size.cut;
  const gap = Math.max(from.y, to.y) + size.h + size.gapY / 2;
  const out = x1 + size.gapX / 2;
  const entry = to.x - size.gapX / 2;
  return `M${x1} ${y1}H${out - cut}l${cut} ${cut}V${gap - cut}l${-cut} ${cut}H${entry + cut}l${-cut} ${-cut}V${y2 + cut}l${cut} ${-cut}H${to.x}`;
}
