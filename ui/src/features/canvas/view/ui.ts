/** What the canvas shows besides the document: gestures under way, the run's state, the level of detail. One store per canvas. */

import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { nodeOf } from '../../../api/diagnostics.ts';
import type { OperationEntry } from '../../../code/connector-step.ts';
import type { ToolEntry } from '../tool-entry.ts';
import type { Diagnostic, Workflow } from '../../../api/types.ts';
import type { Choice } from '../../../run/run-paths.ts';
import type { RunView } from '../../../run/run-state.ts';
import type { EdgeRef } from '../document.ts';
import type { EditorStore } from '../editor.ts';
import type { Catalog, Point } from '../model/ports.ts';
import type { TemplateId } from '../templates.ts';
import type { Route } from '../route/router.ts';

/** 0 everything · 1 less, text keeps its size (below 85 %) · 2 title only (below 50 %) · 3 tile and ring (below 30 %) */
export type Detail = 0 | 1 | 2 | 3;

export interface Connect {
  /** `node.port`, the fixed end, when a target is looked for */
  from: string | null;
  /** the node whose input is the fixed end, when a source is looked for */
  into: string | null;
  start: Point;
  down: boolean;
  /** the wire that is being re-plugged */
  moving: EdgeRef | null;
  /** nodes that cannot take the end, and why */
  blocked: ReadonlyMap<string, string>;
  /** the node under the pointer */
  over: string | null;
  pointer: Point | null;
}

export interface SearchAt {
  /** place of the box, relative to the canvas element */
  screen: Point;
  /** where the node goes; null = next to what it hangs on */
  at: Point | null;
  from?: string | undefined;
  into?: string | undefined;
  edge?: EdgeRef | undefined;
  /** the frame it goes into, when neither a place nor a neighbour says it */
  frame?: string | undefined;
}

/** What a proof says about a step. */
export interface ProofMark { proved: boolean; words: string }

/** What becomes of a step when a proposal is accepted. */
export type Fate = 'new' | 'changed' | 'removed';

export type MenuOf = 'step' | 'wire' | 'canvas';

export interface MenuAt {
  of: MenuOf;
  /** in the window */
  x: number;
  y: number;
  /** of what it stands beside; absent at a point */
  width?: number;
  height?: number;
  /** opened with the mouse: what is added goes there */
  pointed: boolean;
}

export interface CanvasUi {
  /** where the first picture stands; null until the size of the canvas is known */
  start: { x: number; y: number; zoom: number } | null;
  detail: Detail;
  /** zoom in steps, for text that keeps its size */
  zoom: number;
  routes: ReadonlyMap<string, Route>;
  connect: Connect | null;
  /** wire that a dragged node would enter */
  dropEdge: string | null;
  /** frame that dragged nodes would enter */
  dropFrame: string | null;
  /** a frame whose size is being dragged */
  resizing: { id: string; width: number; height: number } | null;
  renaming: string | null;
  search: SearchAt | null;
  /** the template that the search box would put there */
  preview: TemplateId | null;
  finding: boolean;
  /** the step that is being connected from the keyboard, and to which one once that is chosen */
  linking: { id: string; to: string | null; /** where it begins, when that is said */ port?: string } | null;
  /** groups that are folded; not in the file */
  folded: ReadonlySet<string>;
  /** the group whose title, colour and note are being edited */
  groupDialog: string | null;
  /** the outline beside the canvas */
  outline: boolean;
  /** takes the keys instead of the canvas, when what asked for them is the outline: true when it did */
  keeper: ((id: string | null) => boolean) | null;
  /** the menu of what is chosen */
  menu: MenuAt | null;
  /** the person's switch */
  showSafe: boolean;
  runView: RunView | null;
  problems: ReadonlyMap<string, readonly Diagnostic[]>;
  /** step, or wire as `from>to` → the condition under which a run stops there; empty for every time */
  breakpoints: ReadonlyMap<string, string>;
  /** steps whose result is not what they would make now, and why in words */
  stale: ReadonlyMap<string, string>;
  /** steps with pinned output, and what that means in words */
  pinned: ReadonlyMap<string, string>;
  /** steps with a fault, in the next run or in this one, and which in words */
  faulted: ReadonlyMap<string, string>;
  /** steps about which the last proof of this definition says something, and what in words */
  proved: ReadonlyMap<string, ProofMark>;
  /** steps that differ in the run that this one is compared with, and in what */
  differs: ReadonlyMap<string, string>;
  /** What a proposal does with them; it is one of those that differ. */
  proposed: ReadonlyMap<string, Fate>;
}

export type UiStore = StoreApi<CanvasUi>;

export const createUi = (): UiStore =>
  createStore<CanvasUi>(() => ({
    start: null,
    detail: 0,
    zoom: 1,
    routes: new Map(),
    connect: null,
    dropEdge: null,
    dropFrame: null,
    resizing: null,
    renaming: null,
    search: null,
    preview: null,
    finding: false,
    linking: null,
    folded: new Set(),
    groupDialog: null,
    outline: false,
    keeper: null,
    menu: null,
    showSafe: true,
    runView: null,
    problems: new Map(),
    breakpoints: new Map(),
    stale: new Map(),
    pinned: new Map(),
    faulted: new Map(),
    proved: new Map(),
    differs: new Map(),
    proposed: new Map(),
  }));

export interface CanvasParts {
  editor: EditorStore;
  ui: UiStore;
  catalog: Catalog;
  rename(id: string, title: string): void;
  /** `keys`: the focus goes to its settings */
  openNode(id: string, keys?: boolean): void;
  /** looks at other iterations of the run */
  choose(choice: Choice): void;
  /** tools of approved servers: each is a step */
  tools: readonly ToolEntry[];
  /** operations of connectors: each is a step */
  operations: readonly OperationEntry[];
  /** draws what the policy does at an error port */
  explicit(from: string): void;
}

export const CanvasContext = createContext<CanvasParts | null>(null);

export function useCanvas(): CanvasParts {
  const parts = useContext(CanvasContext);
  if (!parts) throw new Error('This part must stand inside a canvas.');
  return parts;
}

export function useUi<T>(selector: (state: CanvasUi) => T): T {
  return useStore(useCanvas().ui, selector);
}

export function detailOf(zoom: number): Detail {
  return zoom >= 0.85 ? 0 : zoom >= 0.5 ? 1 : zoom >= 0.3 ? 2 : 3;
}

/** How wide an edge is in pixels of the canvas: of less than one of the screen some sides are not drawn. */
export const edgeOf = (zoom: number): number => Math.ceil(1 / Math.min(1, zoom));

/** Diagnostics by the node they belong to. */
export function problemsByNode(document: Workflow, diagnostics: readonly Diagnostic[]): Map<string, Diagnostic[]> {
  const map = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const id = nodeOf(diagnostic, document);
    if (id === undefined) continue;
    const list = map.get(id);
    if (list) list.push(diagnostic);
    else map.set(id, [diagnostic]);
  }
  return map;
}
