/** Nodes and edges for the flow library: built from the document, moved by hand while something is dragged, written back once. */

import type { EdgeChange, NodeChange } from '@xyflow/react';
import { type MouseEvent as ReactMouseEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { Edit } from '../document.ts';
import { edgeOfKey } from '../editor.ts';
import { mayEnterWire } from '../insert.ts';
import { mainPort, type Point, snap } from '../model/ports.ts';
import { distanceTo } from '../route/geometry.ts';
import { type Picture, routeLocally, touchedWires } from '../route/local.ts';
import { routeWires } from '../route/router.ts';
import { type CardNode, type Flow, flowBuilder, wireEnds, type WireEdge } from './flow-nodes.ts';
import { movedLabel } from './handle.ts';
import type { CanvasParts } from './ui.ts';

type Moved = ReadonlyMap<string, { x: number; y: number }>;

export interface FlowState {
  flow: Flow;
  nodes: CardNode[];
  edges: WireEdge[];
  onNodesChange(changes: NodeChange<CardNode>[]): void;
  onEdgesChange(changes: EdgeChange<WireEdge>[]): void;
  onNodeDrag(event: MouseEvent | TouchEvent | ReactMouseEvent, node: CardNode, nodes: CardNode[]): void;
  onNodeDragStop(event: MouseEvent | TouchEvent | ReactMouseEvent, node: CardNode, nodes: CardNode[]): void;
  onSelectionDragStop(event: MouseEvent | TouchEvent | ReactMouseEvent, nodes: CardNode[]): void;
}

/** Up to so many wires all are laid anew. */
const WHOLE = 300;
/** How far the middle of a card may be from a wire to fall into it. */
const CATCH = 24;

/** Puts selection and dragged places onto the cards; a card that is neither keeps its object. */
function decorator(): (base: readonly CardNode[], selected: readonly string[], moved: Moved | null) => CardNode[] {
  interface Entry { base: CardNode; at: { x: number; y: number } | undefined; selected: boolean; node: CardNode }
  let old = new Map<string, Entry>();
  return (nodes, chosen, moved) => {
    const selection = new Set(chosen);
    const next = new Map<string, Entry>();
    for (const base of nodes) {
      const at = moved?.get(base.id);
      const selected = selection.has(base.id);
      const known = old.get(base.id);
      const same = known && known.base === base && known.at === at && known.selected === selected;
      next.set(base.id, same ? known : { base, at, selected, node: selected || at ? { ...base, selected, position: at ?? base.position } : base });
    }
    old = next;
    return [...next.values()].map((entry) => entry.node);
  };
}

export function useFlow({ editor, ui, catalog }: CanvasParts): FlowState {
  const document = useStore(editor, (s) => s.document);
  const selection = useStore(editor, (s) => s.selection);
  const [build] = useState(flowBuilder);
  const flow = useMemo(() => build(document, catalog), [build, document, catalog]);
  const [moved, setMoved] = useState<Moved | null>(null);
  const [decorate] = useState(decorator);
  const nodes = useMemo(() => decorate(flow.nodes, selection.nodes, moved), [decorate, flow, selection, moved]);

  const edges = useMemo(() => {
    const chosen = new Set(selection.edges);
    return chosen.size === 0 ? flow.edges : flow.edges.map((edge) => (chosen.has(edge.id) ? { ...edge, selected: true } : edge));
  }, [flow, selection]);

  const { wires, rects, soft, nodes: cards, edges: lines } = flow;
  // In a graph that is seen at once all wires are laid when something changes, so that the picture follows from the file alone. In a
  // large one only those that the change touches; while cards move only those that hang on them.
  const laid = useRef<Picture | null>(null);
  useLayoutEffect(() => {
    if (moved || (laid.current?.wires === wires && laid.current.rects === rects)) return;
    const { routes: previous } = ui.getState();
    const only = laid.current && wires.length > WHOLE ? touchedWires(laid.current, { wires, rects }, previous) : null;
    ui.setState({ routes: only ? routeLocally(wires, rects, { only, previous, soft }) : routeWires(wires, rects, { soft }) });
    laid.current = { wires, rects };
  }, [wires, rects, soft, moved, ui]);
  useLayoutEffect(() => {
    if (!moved) return;
    const only = new Set(lines.filter((edge) => moved.has(edge.source) || moved.has(edge.target)).map((edge) => edge.id));
    if (only.size === 0) return;
    const byId = new Map(cards.map((node) => [node.id, node]));
    const ends = new Map(wireEnds(byId, lines.filter((edge) => only.has(edge.id)), moved).map((wire) => [wire.key, wire]));
    const places = new Map(rects);
    for (const [id, { x, y }] of moved) {
      const rect = rects.get(id);
      if (rect) places.set(id, { ...rect, x, y });
    }
    ui.setState({ routes: routeLocally(wires.map((wire) => ends.get(wire.key) ?? wire), places, { only, previous: ui.getState().routes }) });
    laid.current = laid.current && { ...laid.current, wires: laid.current.wires.filter((wire) => !only.has(wire.key)) };
  }, [cards, lines, wires, rects, moved, ui]);

  const onNodesChange = useCallback((changes: NodeChange<CardNode>[]) => {
    let chosen: Set<string> | null = null;
    let places: Map<string, { x: number; y: number }> | null = null;
    for (const change of changes) {
      if (change.type === 'select') {
        chosen ??= new Set(editor.getState().selection.nodes);
        if (change.selected) chosen.add(change.id);
        else chosen.delete(change.id);
      } else if (change.type === 'position' && change.dragging && change.position) {
        places ??= new Map();
        places.set(change.id, { x: change.position.x, y: change.position.y });
      }
    }
    if (chosen) editor.select([...chosen], editor.getState().selection.edges);
    if (places) {
      const add = places;
      setMoved((old) => new Map([...(old ?? []), ...add]));
    }
  }, [editor]);

  const onEdgesChange = useCallback((changes: EdgeChange<WireEdge>[]) => {
    let chosen: Set<string> | null = null;
    for (const change of changes) {
      if (change.type !== 'select') continue;
      chosen ??= new Set(editor.getState().selection.edges);
      if (change.selected) chosen.add(change.id);
      else chosen.delete(change.id);
    }
    if (chosen) editor.select(editor.getState().selection.nodes, [...chosen]);
  }, [editor]);

  const wireUnder = useCallback((node: CardNode): string | null => {
    if (!mayEnterWire(editor.getState().document, catalog, node.id)) return null;
    const middle: Point = [node.position.x + node.data.shape.width / 2, node.position.y + 28];
    let best: { key: string; distance: number } | null = null;
    for (const [key, route] of ui.getState().routes) {
      if (key.startsWith('fallback:')) continue;
      const distance = distanceTo(route.points, middle);
      if (distance <= CATCH && (!best || distance < best.distance)) best = { key, distance };
    }
    return best?.key ?? null;
  }, [editor, catalog, ui]);

  const onNodeDrag = useCallback((_: unknown, node: CardNode, all: CardNode[]) => {
    const over = all.length === 1 ? wireUnder(node) : null;
    if (over !== ui.getState().dropEdge) ui.setState({ dropEdge: over });
  }, [wireUnder, ui]);

  const commit = useCallback((all: readonly CardNode[]) => {
    const places = Object.fromEntries(all.map((n) => [n.id, [snap(n.position.x), snap(n.position.y)] as const]));
    const edits: Edit[] = [{ type: 'place', places }];
    const edge = ui.getState().dropEdge;
    const only = all.length === 1 ? all[0] : undefined;
    const port = only ? mainPort(only.data.descriptor, only.data.node) : undefined;
    if (edge && only && port !== undefined) edits.push({ type: 'insertOnEdge', edge: edgeOfKey(edge), id: only.id, port });
    setMoved(null);
    ui.setState({ dropEdge: null });
    editor.apply(edits, { label: movedLabel(all.length) });
  }, [editor, ui]);

  const onNodeDragStop = useCallback((_: unknown, node: CardNode, all: CardNode[]) => commit(all.length > 0 ? all : [node]), [commit]);
  const onSelectionDragStop = useCallback((_: unknown, all: CardNode[]) => commit(all), [commit]);

  return { flow, nodes, edges, onNodesChange, onEdgesChange, onNodeDrag, onNodeDragStop, onSelectionDragStop };
}
