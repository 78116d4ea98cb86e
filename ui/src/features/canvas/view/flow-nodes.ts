/** The document as nodes and edges of the flow library. What did not change keeps its object, so nothing is drawn twice. */

import { type Edge as FlowEdge, type Node as FlowNode, type NodeHandle, Position } from '@xyflow/react';
import type { NodeDescriptor, Workflow, WorkflowNode } from '../../../api/types.ts';
import { t } from '../../../i18n/index.ts';
import { stepTitle } from '../../../shared/step-title.ts';
import { edgeKeys, FALLBACK_KEY } from '../editor.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import { byDepth } from '../model/frames.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { placesOf, type Rect, shapesOf } from '../model/place.ts';
import { type Catalog, ERROR, type Shape, wiredPortsByNode } from '../model/ports.ts';
import { recoveryOf } from '../model/recovery.ts';
import { numberedTitles } from '../model/titles.ts';
import { type Summary, summaryOf } from '../model/summary.ts';
import { OPEN, type Scopes, type WireEnds } from '../route/router.ts';

export interface CardData extends Record<string, unknown> {
  node: WorkflowNode;
  descriptor: NodeDescriptor | undefined;
  title: string;
  shape: Shape;
  summary: Summary;
  wired: readonly string[];
  /** what arrives at the input: nothing, green wires, or red ones only */
  arrives: 'none' | 'ok' | 'err';
  /** steps in it, when it is a frame */
  holds: number;
}
export type CardNode = FlowNode<CardData, 'card' | 'frame' | 'group'>;

export interface WireData extends Record<string, unknown> {
  from: string;
  to: string;
  error: boolean;
  /** not in `edges`: errorHandling.fallbackNodeId */
  fallback: boolean;
  /** an error goes back to its step: what the tag says */
  back: string | null;
}
export type WireEdge = FlowEdge<WireData, 'wire'>;

export interface Flow {
  nodes: CardNode[];
  edges: WireEdge[];
  rects: Map<string, Rect>;
  wires: WireEnds[];
  /** tags below unwired error ports */
  soft: Rect[];
  /** who stands in whose way */
  scopes: Scopes;
}

export const titleOf = (node: WorkflowNode, descriptor: NodeDescriptor | undefined): string => stepTitle(node.title, descriptor?.title, node.type);

const HIT = 24;
export function handlesOf(shape: Shape): NodeHandle[] {
  const handles: NodeHandle[] = shape.ports.map((port) => ({
    id: port.id,
    type: 'source',
    position: port.kind === 'error' ? Position.Bottom : Position.Right,
    x: port.x - HIT / 2,
    y: port.y - HIT / 2,
    width: HIT,
    height: HIT,
  }));
  if (shape.input) handles.push({ id: 'in', type: 'target', position: Position.Left, x: -HIT / 2, y: shape.inputY - HIT / 2, width: HIT, height: HIT });
  return handles;
}

const sameList = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((x, i) => x === b[i]);

function arrivals(document: Workflow): Map<string, 'ok' | 'err'> {
  const map = new Map<string, 'ok' | 'err'>();
  for (const edge of document.edges) {
    if (splitPort(edge.from).port === ERROR) {
      if (!map.has(edge.to)) map.set(edge.to, 'err');
    } else map.set(edge.to, 'ok');
  }
  return map;
}

const NONE: readonly string[] = [];

function buildNodes(document: Workflow, catalog: Catalog, previous: ReadonlyMap<string, CardNode>): CardNode[] {
  const wiredPorts = wiredPortsByNode(document);
  const arrived = arrivals(document);
  const places = placesOf(document);
  const shapes = shapesOf(document, catalog, places);
  const { children, parent } = treeOf(document);
  const titles = numberedTitles(document, catalog);
  return byDepth(document).map((id) => {
    const node = document.nodes[id] as WorkflowNode;
    const shape = shapes.get(id) as Shape;
    const holds = children.get(id)?.length ?? 0;
    const descriptor = catalog.get(node.type);
    const wired = wiredPorts.get(id) ?? NONE;
    // The frame itself leads to the steps that no wire leads to.
    const arrives = arrived.get(id) ?? (parent.has(id) && shape.input ? 'ok' : 'none');
    const [x, y] = places.get(id) ?? [0, 0];
    const title = titles(id, node);
    const old = previous.get(id);
    const same = old && old.data.node === node && old.data.title === title && old.data.descriptor === descriptor && old.data.arrives === arrives && sameList(old.data.wired, wired)
      && old.width === shape.width && old.height === shape.height && old.data.holds === holds && (old.type === 'frame') === (shape.style === 'frame');
    if (same && old.position.x === x && old.position.y === y) return old;
    if (same) return { ...old, position: { x, y } };
    const frame = shape.style === 'frame';
    return {
      id,
      type: frame ? 'frame' : 'card',
      // The inside of a frame is canvas: only its head and its edge are taken hold of.
      ...(frame ? { dragHandle: '.cvf-grip', style: { pointerEvents: 'none' } as const } : {}),
      position: { x, y },
      width: shape.width,
      height: shape.height,
      measured: { width: shape.width, height: shape.height },
      handles: handlesOf(shape),
      ariaRole: 'group',
      domAttributes: { 'aria-labelledby': `card-${id}`, 'aria-roledescription': t(frame ? 'canvas.frame.role' : 'canvas.roleStep') },
      data: { node, descriptor, title, shape, summary: summaryOf(descriptor, node, id), wired, arrives, holds },
    };
  });
}

/** What comes back with the wire. */
function backWords(from: string, to: string, nodes: ReadonlyMap<string, CardNode>): string {
  const { node, port } = splitPort(from);
  const type = nodes.get(node)?.data.node.type;
  if (type === 'builtin.self_healing') return t('canvas.back.fixed');
  return port === 'corrected' ? t('canvas.back.corrected') : t('canvas.back.to', { name: to });
}

function buildEdges(document: Workflow, nodes: ReadonlyMap<string, CardNode>, previous: ReadonlyMap<string, WireEdge>): WireEdge[] {
  const keys = edgeKeys(document);
  const edges: WireEdge[] = [];
  const add = (key: string, from: string, to: string, fallback: boolean, back: string | null): void => {
    const { node, port } = splitPort(from);
    const target = nodes.get(to);
    // A wire from or to nowhere stays in the file; the problems list names it.
    if (!nodes.has(node) || !target || (!target.data.shape.input && !fallback)) return;
    const old = previous.get(key);
    edges.push(old && old.data?.back === back ? old : {
      id: key, type: 'wire', source: node, sourceHandle: port, target: to, targetHandle: 'in', focusable: false, selectable: !fallback,
      data: { from, to, error: port === ERROR, fallback, back },
    });
  };
  const recovery = recoveryOf(document);
  // Several answers of one step may lead back to the same step, on one track: it is named once.
  const named = new Set<string>();
  const back = (from: string, to: string): string => {
    const pair = `${splitPort(from).node}>${to}`;
    if (named.has(pair)) return '';
    named.add(pair);
    return backWords(from, nodes.get(to)?.data.title ?? to, nodes);
  };
  document.edges.forEach((edge, i) => {
    add(keys[i] as string, edge.from, edge.to, false, recovery.edges[i] === 'reentry' ? back(edge.from, edge.to) : null);
  });
  for (const [id, node] of Object.entries(document.nodes)) {
    const fallback = node.errorHandling?.fallbackNodeId;
    if (fallback !== undefined && nodes.get(id)?.data.shape.ports.some((p) => p.id === ERROR)) {
      add(`${FALLBACK_KEY}${id}>${fallback}`, `${id}.${ERROR}`, fallback, true, null);
    }
  }
  return edges;
}

/** Words on a wire: about 6 px a letter, and for what comes back an icon. */
function tagOf({ back, fallback }: WireData): { tagWidth?: number } {
  if (back) return { tagWidth: back.length * 6 + 28 };
  return fallback ? { tagWidth: t('canvas.fallbackTag').length * 6 + 12 } : {};
}

/** Ends of the wires in canvas coordinates; `moved`: places of nodes that are being dragged. */
export function wireEnds(nodes: ReadonlyMap<string, CardNode>, edges: readonly WireEdge[], moved?: ReadonlyMap<string, { x: number; y: number }>): WireEnds[] {
  return edges.flatMap((edge) => {
    const [source, target] = [nodes.get(edge.source), nodes.get(edge.target)];
    const port = source?.data.shape.ports.find((p) => p.id === edge.sourceHandle);
    if (!source || !target || !port || !edge.data) return [];
    const a = moved?.get(source.id) ?? source.position;
    const b = moved?.get(target.id) ?? target.position;
    return [{
      key: edge.id,
      source: edge.data.from,
      sourceNode: source.id,
      target: target.id,
      from: [a.x + port.x, a.y + port.y] as const,
      to: [b.x, b.y + target.data.shape.inputY] as const,
      down: port.kind === 'error',
      ...tagOf(edge.data),
    }];
  });
}

export function rectsOfNodes(nodes: readonly CardNode[]): Map<string, Rect> {
  return new Map(nodes.map((node) => [node.id, { x: node.position.x, y: node.position.y, width: node.data.shape.width, height: node.data.shape.height }]));
}

function sameWires(a: readonly WireEnds[], b: readonly WireEnds[]): boolean {
  return a.length === b.length && a.every((x, i) => {
    const y = b[i] as WireEnds;
    return x.key === y.key && x.from[0] === y.from[0] && x.from[1] === y.from[1] && x.to[0] === y.to[0] && x.to[1] === y.to[1] && x.tagWidth === y.tagWidth;
  });
}

function sameRects(a: ReadonlyMap<string, Rect>, b: ReadonlyMap<string, Rect>): boolean {
  if (a.size !== b.size) return false;
  for (const [id, x] of a) {
    const y = b.get(id);
    if (!y || x.x !== y.x || x.y !== y.y || x.height !== y.height || x.width !== y.width) return false;
  }
  return true;
}

const sameScopes = (a: Scopes, b: Scopes): boolean => a === b || (a.size === b.size && [...a].every(([id, frame]) => b.get(id) === frame));

/** A builder that remembers its last result. */
export function flowBuilder(): (document: Workflow, catalog: Catalog) => Flow {
  let nodes = new Map<string, CardNode>();
  let edges = new Map<string, WireEdge>();
  let last: Pick<Flow, 'rects' | 'wires' | 'soft' | 'scopes'> = { rects: new Map(), wires: [], soft: [], scopes: OPEN };
  return (document, catalog) => {
    const list = buildNodes(document, catalog, nodes);
    nodes = new Map(list.map((node) => [node.id, node]));
    const wires = buildEdges(document, nodes, edges);
    edges = new Map(wires.map((edge) => [edge.id, edge]));
    const next = { rects: rectsOfNodes(list), wires: wireEnds(nodes, wires), soft: softRects(list), scopes: treeOf(document).parent };
    // The same picture keeps its objects: typing in a panel lays no wire anew.
    if (!sameWires(last.wires, next.wires) || !sameRects(last.rects, next.rects) || !sameScopes(last.scopes, next.scopes)) last = next;
    return { nodes: list, edges: wires, ...last };
  };
}

/** Tags below unwired error ports, which wires should not run through. */
function softRects(nodes: readonly CardNode[]): Rect[] {
  return nodes.flatMap((node) => {
    const red = node.data.shape.ports.find((p) => p.kind === 'error');
    if (!red || node.data.wired.includes(red.id)) return [];
    return [{ x: node.position.x + red.x - 42, y: node.position.y + red.y + 6, width: 84, height: 28 }];
  });
}
