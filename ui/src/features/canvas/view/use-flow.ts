/** Nodes and edges for the flow library: built from the document, moved by hand while something is dragged, written back once. */

import type { EdgeChange, NodeChange } from '@xyflow/react';
import { type MouseEvent as ReactMouseEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { Workflow } from '../../../api/types.ts';
import { t, tn } from '../../../i18n/index.ts';
import { applyEdits, type Edit } from '../document.ts';
import { edgeOfKey, FALLBACK_KEY } from '../editor.ts';
import { mayEnterWire } from '../insert.ts';
import { FRAME_HEAD, outermost, parentOf, withInside } from '../model/frames.ts';
import { groupCard, groupHeads, groupOfCard, groupsOf } from '../model/groups.ts';
import { frameAt, type Rect, within } from '../model/place.ts';
import { CARD_H, mainPort, type Point, snap } from '../model/ports.ts';
import { makeSpace, makeSpaceBetween } from '../model/make-space.ts';
import { distanceTo } from '../route/geometry.ts';
import { type Picture, routeLocally, touchedWires } from '../route/local.ts';
import { routeWires } from '../route/router.ts';
import { type CardNode, type Flow, flowBuilder, titleOf, wireEnds, type WireEdge } from './flow-nodes.ts';
import { foldGroups } from './folded.ts';
import type { MoveSteps } from './groups.tsx';
import { movedLabel } from './handle.ts';
import type { CanvasParts } from './ui.ts';

type Moved = ReadonlyMap<string, { x: number; y: number }>;

export interface FlowState {
  flow: Flow;
  drawn: ReadonlyMap<string, Rect>;
  moveSteps: MoveSteps;
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

/** The steps that a card stands for: itself, or those of a folded group. */
export function stepsOfCard(document: Workflow, card: string): readonly string[] {
  const group = groupOfCard(card);
  return group === null ? [card] : groupsOf(document).find((one) => one.id === group)?.steps ?? [];
}

/** The chosen cards: a folded group is chosen when all its steps are. */
function withGroupCards(document: Workflow, folded: ReadonlySet<string>, chosen: readonly string[]): readonly string[] {
  if (folded.size === 0 || chosen.length === 0) return chosen;
  const set = new Set(chosen);
  return [...chosen, ...groupsOf(document).filter((group) => folded.has(group.id) && group.steps.every((id) => set.has(id))).map((group) => groupCard(group.id))];
}

/** Nothing starts in a frame. */
const mayStandIn = (all: readonly CardNode[]): boolean => !all.some((one) => one.data.descriptor?.role === 'trigger');

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

export function useFlow({ editor, ui, catalog }: CanvasParts, say: (text: string, tone: 'info' | 'err') => void): FlowState {
  const document = useStore(editor, (s) => s.settled);
  const selection = useStore(editor, (s) => s.selection);
  const [build] = useState(flowBuilder);
  const whole = useMemo(() => build(document, catalog), [build, document, catalog]);
  const folded = useStore(ui, (s) => s.folded);
  const flow = useMemo(() => foldGroups(whole, document, folded), [whole, document, folded]);
  const [moved, setMoved] = useState<Moved | null>(null);
  const [decorate] = useState(decorator);
  const chosenCards = useMemo(() => withGroupCards(document, folded, selection.nodes), [document, folded, selection.nodes]);
  const nodes = useMemo(() => decorate(flow.nodes, chosenCards, moved), [decorate, flow, chosenCards, moved]);

  const edges = useMemo(() => {
    const chosen = new Set(selection.edges);
    return chosen.size === 0 ? flow.edges : flow.edges.map((edge) => (chosen.has(edge.id) ? { ...edge, selected: true } : edge));
  }, [flow, selection]);

  const { wires, rects, soft, scopes, nodes: cards, edges: lines } = flow;
  // As text, so that an edit that moves no group lays no wire.
  const headsText = useMemo(() => JSON.stringify(groupHeads(document, folded, rects)), [document, folded, rects]);
  const heads = useMemo(() => JSON.parse(headsText) as readonly Rect[], [headsText]);
  // In a graph that is seen at once all wires are laid when something changes, so that the picture follows from the file alone. In a
  // large one only those that the change touches; while cards move only those that hang on them.
  const laid = useRef<Picture | null>(null);
  useLayoutEffect(() => {
    if (moved || (laid.current?.wires === wires && laid.current.rects === rects && laid.current.heads === heads)) return;
    const { routes: previous } = ui.getState();
    const only = laid.current && wires.length > WHOLE ? touchedWires(laid.current, { wires, rects, heads }, previous) : null;
    ui.setState({ routes: only ? routeLocally(wires, rects, { only, previous, soft, heads, scopes }) : routeWires(wires, rects, { soft, heads, scopes }) });
    laid.current = { wires, rects, heads };
  }, [wires, rects, soft, heads, scopes, moved, ui]);
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
    ui.setState({ routes: routeLocally(wires.map((wire) => ends.get(wire.key) ?? wire), places, { only, previous: ui.getState().routes, scopes }) });
    laid.current = laid.current && { ...laid.current, wires: laid.current.wires.filter((wire) => !only.has(wire.key)) };
  }, [cards, lines, wires, rects, scopes, moved, ui]);

  // Where the cards stand in the file, for what moves along with a frame.
  const standing = useRef(flow.rects);
  useLayoutEffect(() => { standing.current = flow === whole ? flow.rects : new Map([...whole.rects, ...flow.rects]); }, [flow, whole]);

  const onNodesChange = useCallback((changes: NodeChange<CardNode>[]) => {
    let chosen: Set<string> | null = null;
    let places: Map<string, { x: number; y: number }> | null = null;
    for (const change of changes) {
      if (change.type === 'select') {
        chosen ??= new Set(editor.getState().selection.nodes);
        for (const id of stepsOfCard(editor.getState().document, change.id)) {
          if (change.selected) chosen.add(id);
          else chosen.delete(id);
        }
      } else if (change.type === 'position' && change.dragging && change.position) {
        places ??= new Map();
        places.set(change.id, { x: change.position.x, y: change.position.y });
      }
    }
    if (chosen) editor.select([...chosen], editor.getState().selection.edges);
    if (places) {
      const add = new Map(places);
      const { document: now } = editor.getState();
      for (const [id, at] of places) {
        const home = standing.current.get(id);
        if (!home) continue;
        for (const child of withInside(now, stepsOfCard(now, id))) {
          const rect = standing.current.get(child);
          if (rect && !places.has(child)) add.set(child, { x: rect.x + at.x - home.x, y: rect.y + at.y - home.y });
        }
      }
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
    if (node.type === 'group' || !mayEnterWire(editor.getState().document, catalog, node.id)) return null;
    const middle: Point = [node.position.x + node.data.shape.width / 2, node.position.y + 28];
    let best: { key: string; distance: number } | null = null;
    for (const [key, route] of ui.getState().routes) {
      if (key.startsWith(FALLBACK_KEY)) continue;
      const distance = distanceTo(route.points, middle);
      if (distance <= CATCH && (!best || distance < best.distance)) best = { key, distance };
    }
    return best?.key ?? null;
  }, [editor, catalog, ui]);

  /** Where the dragged steps would stand: the innermost frame under the one that was taken hold of. */
  const frameUnder = useCallback((node: CardNode, all: readonly CardNode[]): string | undefined => {
    const { document: now } = editor.getState();
    const at: Point = [node.position.x + node.data.shape.width / 2, node.position.y + (node.type === 'frame' ? FRAME_HEAD / 2 : CARD_H / 2)];
    return frameAt(now, catalog, standing.current, at, new Set(withInside(now, all.map((one) => one.id))));
  }, [editor, catalog]);

  const onNodeDrag = useCallback((_: unknown, node: CardNode, all: CardNode[]) => {
    const dragged = all.length > 0 ? all : [node];
    const over = dragged.length === 1 ? wireUnder(node) : null;
    const { document: now } = editor.getState();
    const frame = node.type === 'group' ? null : frameUnder(node, dragged) ?? null;
    const into = frame !== null && frame !== parentOf(now, node.id) && mayStandIn(dragged) ? frame : null;
    if (over !== ui.getState().dropEdge || into !== ui.getState().dropFrame) ui.setState({ dropEdge: over, dropFrame: into });
  }, [editor, wireUnder, frameUnder, ui]);

  const commit = useCallback((grabbed: CardNode | undefined, all: readonly CardNode[]) => {
    const edge = ui.getState().dropEdge;
    setMoved(null);
    ui.setState({ dropEdge: null, dropFrame: null });
    if (!grabbed) return;
    const { document: now, readOnly } = editor.getState();
    if (readOnly) return;
    // A folded group stays where its frame is: its steps go along.
    if (all.some((one) => one.type === 'group')) {
      const places = Object.fromEntries(all.flatMap((one) => {
        const home = standing.current.get(one.id);
        return home ? stepsOfCard(now, one.id).flatMap((id) => { const r = standing.current.get(id); return r ? [[id, [snap(r.x + one.position.x - home.x), snap(r.y + one.position.y - home.y)] as const]] : []; }) : [];
      }));
      editor.apply(makeSpace(now, catalog, [{ type: 'place', places }]), { label: movedLabel(Object.keys(places).length) });
      return;
    }
    const roots = outermost(now, all.map((one) => one.id));
    const home = parentOf(now, grabbed.id);
    const under = edge === null ? frameUnder(grabbed, all) : parentOf(now, edgeOfKey(edge).to);
    const changes = under !== home;
    if (changes && under !== undefined && !mayStandIn(all)) return say(t('canvas.why.triggerInside'), 'info');
    const edits: Edit[] = changes ? [{ type: 'reparent', ids: roots, parent: under }] : [];
    const cut = changes ? now.edges.length - applyEdits(now, edits).document.edges.length : 0;
    const chosen = new Set(roots);
    edits.push({ type: 'place', places: Object.fromEntries(all.filter((one) => chosen.has(one.id)).map((one) => [one.id, within(now, changes ? under : parentOf(now, one.id), [snap(one.position.x), snap(one.position.y)])])) });
    const only = all.length === 1 ? all[0] : undefined;
    const port = only ? mainPort(only.data.descriptor, only.data.node) : undefined;
    const wire = edge && only && port !== undefined ? { edge: edgeOfKey(edge), id: only.id, port } : undefined;
    const whole = wire ? makeSpaceBetween(now, catalog, [...edits, { type: 'insertOnEdge', ...wire }], wire.id, wire.edge) : makeSpace(now, catalog, edits);
    editor.apply(whole, { label: !changes ? movedLabel(all.length) : t(under === undefined ? 'canvas.step.outOfFrame' : 'canvas.step.intoFrame') });
    const frame = under ?? home;
    const name = frame === undefined ? undefined : now.nodes[frame];
    if (cut > 0 && name) say(tn(under === undefined ? 'canvas.frame.movedOut' : 'canvas.frame.moved', cut, { frame: titleOf(name, catalog.get(name.type)) }), 'info');
  }, [editor, catalog, ui, frameUnder, say]);

  const onNodeDragStop = useCallback((_: unknown, node: CardNode, all: CardNode[]) => commit(node, all.length > 0 ? all : [node]), [commit]);
  const onSelectionDragStop = useCallback((_: unknown, all: CardNode[]) => commit(all[0], all), [commit]);

  /** The steps of a group, dragged by its head. */
  const moveSteps = useCallback((ids: readonly string[], dx: number, dy: number, end: boolean) => {
    const { document: now } = editor.getState();
    const at = (list: readonly string[]): (readonly [string, Rect])[] => list.flatMap((id) => { const r = standing.current.get(id); return r ? [[id, { ...r, x: r.x + dx, y: r.y + dy }] as const] : []; });
    if (!end) return setMoved(new Map(at(withInside(now, ids))));
    setMoved(null);
    if (dx === 0 && dy === 0) return;
    const places = Object.fromEntries(at(ids).map(([id, r]) => [id, within(now, parentOf(now, id), [snap(r.x), snap(r.y)])]));
    editor.apply(makeSpace(now, catalog, [{ type: 'place', places }]), { label: movedLabel(ids.length) });
  }, [editor, catalog]);
  /** Where cards are drawn at this moment. */
  const drawn = useMemo(() => {
    if (!moved) return flow.rects;
    const rects = new Map(flow.rects);
    for (const [id, { x, y }] of moved) {
      const r = rects.get(id);
      if (r) rects.set(id, { ...r, x, y });
    }
    return rects;
  }, [flow.rects, moved]);

  return { flow, drawn, moveSteps, nodes, edges, onNodesChange, onEdgesChange, onNodeDrag, onNodeDragStop, onSelectionDragStop };
}
