/** Dragging a wire: from a port, from an input, or (with Shift) the end of a wire that is there already. */

import type { FinalConnectionState, OnConnectStartParams } from '@xyflow/react';
import type { Workflow } from '../../../api/types.ts';
import { t } from '../../../i18n/index.ts';
import type { EdgeRef } from '../document.ts';
import { edgeOfKey, type EditorStore } from '../editor.ts';
import { openPort } from '../insert.ts';
import { groupOfCard } from '../model/groups.ts';
import { framesAround, parentOf } from '../model/frames.ts';
import { blockedSources, blockedTargets } from '../model/graph.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import { type Catalog, ERROR, type Point } from '../model/ports.ts';
import { type Flow, titleOf } from './flow-nodes.ts';
import type { Connect, UiStore } from './ui.ts';

export interface GestureParts {
  editor: EditorStore;
  ui: UiStore;
  catalog(): Catalog;
  flow(): Flow;
  toFlow(clientX: number, clientY: number): Point;
  toScreen(clientX: number, clientY: number): Point;
  announce(text: string): void;
}

const REACH = 14;

/** The card at a place; `framed`: frames count too, the innermost one. */
export function nodeAt(flow: Pick<Flow, 'rects' | 'nodes'>, [x, y]: Point, reach = REACH, framed = true): string | null {
  const frames = new Set(flow.nodes.filter((node) => node.type === 'frame').map((node) => node.id));
  let found: string | null = null;
  for (const [id, r] of flow.rects) {
    const m = frames.has(id) ? 0 : reach;
    if ((framed || !frames.has(id)) && x >= r.x - m && x <= r.x + r.width + m && y >= r.y - m && y <= r.y + r.height + m) found = id;
  }
  return found;
}

/** What lies under the end of a wire whose other end is at `anchor`: a card, a frame beside it, or nothing but canvas. The frame around the
 * anchor is canvas; any other place outside of it is behind a border, which the frame itself stands for. */
function under(document: Workflow, flow: Flow, anchor: string, at: Point): string | null {
  const found = nodeAt(flow, at);
  // A folded group takes no wire: which of its steps is meant is not seen.
  const hit = found !== null && groupOfCard(found) !== null ? null : found;
  const home = parentOf(document, anchor) ?? null;
  if (hit === null || hit === anchor) return hit ?? home;
  const framed = flow.nodes.some((node) => node.id === hit && node.type === 'frame');
  if (!framed) return hit;
  if (hit === home) return null;
  // Of the frames around the place the one that stands beside the anchor.
  return [hit, ...framesAround(document, hit)].find((frame) => (parentOf(document, frame) ?? null) === home) ?? home;
}

export function portPlace(flow: Flow, from: string): { at: Point; down: boolean } | null {
  const { node, port } = splitPort(from);
  const card = flow.nodes.find((n) => n.id === node);
  const spot = card?.data.shape.ports.find((p) => p.id === port);
  return card && spot ? { at: [card.position.x + spot.x, card.position.y + spot.y], down: spot.kind === 'error' } : null;
}

/** The wire whose end is taken: the selected one, else the one drawn last. */
function takenEdge(document: Workflow, selected: readonly string[], fits: (edge: EdgeRef) => boolean): EdgeRef | null {
  const edges = document.edges.filter(fits);
  const chosen = selected.map(edgeOfKey).find((ref) => edges.some((e) => e.from === ref.from && e.to === ref.to));
  const last = edges.at(-1);
  return chosen ?? (last ? { from: last.from, to: last.to } : null);
}

function begin(parts: GestureParts, params: OnConnectStartParams, shift: boolean): Connect | null {
  const { editor } = parts;
  const catalog = parts.catalog();
  const { document, selection } = editor.getState();
  const flow = parts.flow();
  const id = params.nodeId;
  if (id === null) return null;
  const outward = (from: string, moving: EdgeRef | null): Connect | null => {
    const place = portPlace(flow, from);
    return place && { from, into: null, start: place.at, down: place.down, moving, blocked: blockedTargets(document, catalog, from, moving ?? undefined), over: null, pointer: null };
  };
  const inward = (into: string, moving: EdgeRef | null): Connect | null => {
    const card = flow.nodes.find((n) => n.id === into);
    const start: Point | null = card ? [card.position.x, card.position.y + card.data.shape.inputY] : null;
    const down = moving !== null && splitPort(moving.from).port === ERROR;
    return start && { from: null, into, start, down, moving, blocked: blockedSources(document, catalog, into, moving ?? undefined), over: null, pointer: null };
  };
  if (params.handleType === 'source') {
    const from = `${id}.${params.handleId ?? ''}`;
    const edge = shift ? takenEdge(document, selection.edges, (e) => e.from === from) : null;
    return edge ? inward(edge.to, edge) : outward(from, null);
  }
  const edge = shift ? takenEdge(document, selection.edges, (e) => e.to === id) : null;
  return edge ? outward(edge.from, edge) : inward(id, null);
}

/** The port of a card nearest to a point: where a wire that is dropped on a source begins. */
function nearestPort(flow: Flow, id: string, [x, y]: Point): string | undefined {
  const card = flow.nodes.find((n) => n.id === id);
  const ports = card?.data.shape.ports ?? [];
  let best: { id: string; distance: number } | null = null;
  for (const port of ports) {
    const distance = Math.hypot((card?.position.x ?? 0) + port.x - x, (card?.position.y ?? 0) + port.y - y);
    if (distance <= 24 && (!best || distance < best.distance)) best = { id: port.id, distance };
  }
  return best?.id;
}

function pointOf(event: MouseEvent | TouchEvent): { x: number; y: number } | null {
  const at = 'changedTouches' in event ? event.changedTouches[0] : event;
  return at ? { x: at.clientX, y: at.clientY } : null;
}

export interface WireGestures {
  start(event: MouseEvent | TouchEvent, params: OnConnectStartParams): void;
  move(clientX: number, clientY: number): void;
  end(event: MouseEvent | TouchEvent, state: FinalConnectionState): void;
  cancel(): void;
}

const anchorOf = (connect: Connect): string => (connect.from === null ? connect.into ?? '' : splitPort(connect.from).node);

/** Dropped outside of the frame where the wire begins. */
function leaving(document: Workflow, catalog: Catalog, frame: string): string {
  const node = document.nodes[frame];
  return t('canvas.why.leaves', { frame: node === undefined ? frame : titleOf(node, catalog.get(node.type)) });
}

export function wireGestures(parts: GestureParts): WireGestures {
  const { editor, ui } = parts;
  let origin: { x: number; y: number } | null = null;
  let cancelled = false;

  const finish = (connect: Connect, flow: Flow, at: Point, screen: Point): void => {
    const { document } = editor.getState();
    const anchor = anchorOf(connect);
    const target = under(document, flow, anchor, at);
    if (target === null || (target === anchor && !connect.moving)) {
      if (target !== null) return;
      // Released on the empty canvas: the search opens there. An end that was re-plugged goes back instead.
      if (!connect.moving) ui.setState({ search: { screen, at, from: connect.from ?? undefined, into: connect.into ?? undefined } });
      return;
    }
    const why = target === parentOf(document, anchor) ? leaving(document, parts.catalog(), target) : connect.blocked.get(target);
    if (why !== undefined) {
      parts.announce(why);
      return;
    }
    if (connect.from !== null) {
      if (connect.moving) editor.apply({ type: 'replug', edge: connect.moving, to: target }, { label: t('canvas.step.replug') });
      else editor.apply({ type: 'connect', from: connect.from, to: target }, { label: t('canvas.step.wire') });
      return;
    }
    const port = nearestPort(flow, target, at) ?? openPort(document, parts.catalog(), target);
    if (port === undefined || connect.into === null) return;
    const from = `${target}.${port}`;
    if (connect.moving) editor.apply({ type: 'replug', edge: connect.moving, from }, { label: t('canvas.step.replug') });
    else editor.apply({ type: 'connect', from, to: connect.into }, { label: t('canvas.step.wire') });
  };

  return {
    start(event, params) {
      cancelled = false;
      origin = pointOf(event);
      if (editor.getState().readOnly) return;
      ui.setState({ connect: begin(parts, params, event.shiftKey), search: null });
    },
    move(clientX, clientY) {
      const { connect } = ui.getState();
      if (!connect) return;
      const over = under(editor.getState().document, parts.flow(), anchorOf(connect), parts.toFlow(clientX, clientY));
      ui.setState({ connect: { ...connect, over, pointer: parts.toScreen(clientX, clientY) } });
    },
    end(event) {
      const { connect } = ui.getState();
      ui.setState({ connect: null });
      const point = pointOf(event);
      if (!connect || !point || cancelled) return;
      // A click on a port is no drag.
      if (origin && Math.hypot(point.x - origin.x, point.y - origin.y) < 4) return;
      finish(connect, parts.flow(), parts.toFlow(point.x, point.y), parts.toScreen(point.x, point.y));
    },
    cancel() {
      cancelled = true;
      ui.setState({ connect: null });
    },
  };
}
