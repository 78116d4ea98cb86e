/** One canvas on the screen: its stores, its gestures, and what event handlers must know of the latest drawing. Not React state: nothing here is drawn. */

import type { ReactFlowInstance } from '@xyflow/react';
import type { Choice } from '../../../run/run-paths.ts';
import type { EditorStore } from '../editor.ts';
import type { Catalog, Point } from '../model/ports.ts';
import type { CardNode, Flow, WireEdge } from './flow-nodes.ts';
import { nodeAt, type WireGestures, wireGestures } from './gestures.ts';
import { type CanvasHandle, createHandle, fitOf, type ReadCommand } from './handle.ts';
import { menuOfChosen, menuUnder, type MenuParts } from './menu.tsx';
import { OPEN } from '../route/router.ts';
import { createUi, detailOf, type UiStore } from './ui.ts';
import { stepsOfCard } from './use-flow.ts';
import { addSpot } from './add-spot.ts';

export interface Latest {
  flow: Flow;
  catalog: Catalog;
  /** cards are painted as one picture, see far-view */
  far: boolean;
  say(text: string, tone: 'info' | 'err'): void;
  readCommand: ReadCommand | undefined;
  openNode(id: string, keys?: boolean): void;
  choose(choice: Choice): void;
}

let sessions = 0;

export class CanvasSession {
  /** another editor is another canvas: nothing of the old picture stays */
  readonly id = `canvas-${(sessions += 1)}`;
  readonly ui: UiStore = createUi();
  readonly handle: CanvasHandle;
  readonly gestures: WireGestures;
  private element: HTMLElement | null = null;
  private instance: ReactFlowInstance<CardNode, WireEdge> | null = null;
  private pointer: { x: number; y: number } | null = null;
  private latest: Latest = {
    flow: { nodes: [], edges: [], rects: new Map(), wires: [], soft: [], scopes: OPEN }, catalog: new Map(), far: false, say: () => undefined, readCommand: undefined, openNode: () => undefined, choose: () => undefined,
  };

  constructor(readonly editor: EditorStore) {
    const shared = {
      editor,
      ui: this.ui,
      catalog: (): Catalog => this.latest.catalog,
      flow: (): Flow => this.latest.flow,
    };
    this.handle = createHandle({
      ...shared,
      instance: () => this.instance,
      element: () => this.element,
      pointer: () => this.pointer,
      say: (text, tone) => this.latest.say(text, tone),
      readCommand: () => this.latest.readCommand,
      openNode: (id, keys) => this.latest.openNode(id, keys),
      choose: (choice) => this.latest.choose(choice),
      menu: (show) => menuOfChosen(this.menuParts(show)),
    });
    this.gestures = wireGestures({
      ...shared,
      toFlow: this.toFlow,
      toScreen: this.toScreen,
      announce: (text) => this.latest.say(text, 'info'),
    });
  }

  readonly setElement = (element: HTMLElement | null): void => {
    this.element = element;
  };

  /** After every drawing. Before the first one the size of the canvas is not known, and thousands of cards would be drawn for nothing. */
  readonly update = (latest: Latest): void => {
    this.latest = latest;
    if (this.ui.getState().start || !this.element) return;
    const start = fitOf(latest.flow.rects.values(), this.element.clientWidth, this.element.clientHeight, true);
    this.zoomed(start.zoom);
    this.ui.setState({ start });
  };

  readonly init = (instance: ReactFlowInstance<CardNode, WireEdge>): void => {
    this.instance = instance;
  };

  readonly zoomed = (zoom: number): void => {
    const now = this.ui.getState();
    const detail = detailOf(zoom);
    // Text that keeps its size follows in steps, so that zooming does not style every card on every frame.
    const step = Math.max(0.05, Math.round(zoom * 20) / 20);
    if (detail !== now.detail || step !== now.zoom) this.ui.setState({ detail, zoom: step });
  };

  /** A picture that stands on whole pixels is copied as it is; on parts of a pixel it is blended anew for every frame and its text is soft. */
  readonly rested = ({ x, y, zoom }: { x: number; y: number; zoom: number }): void => {
    const whole = { x: Math.round(x), y: Math.round(y), zoom };
    if (whole.x !== x || whole.y !== y) void this.instance?.setViewport(whole);
  };

  readonly point = (at: { x: number; y: number } | null): void => {
    this.pointer = at;
    if (at && this.ui.getState().connect) this.gestures.move(at.x, at.y);
  };

  readonly toScreen = (x: number, y: number): Point => {
    const box = this.element?.getBoundingClientRect();
    return [x - (box?.left ?? 0), y - (box?.top ?? 0)];
  };

  readonly toFlow = (x: number, y: number): Point => {
    const at = this.instance?.screenToFlowPosition({ x, y }, { snapToGrid: false });
    return at ? [at.x, at.y] : [0, 0];
  };

  readonly addAt = (x: number, y: number): void => {
    if (!this.editor.getState().readOnly) this.ui.setState({ search: { screen: this.toScreen(x, y), at: this.toFlow(x, y) } });
  };

  readonly clickPane = (x: number, y: number): void => {
    const hit = this.latest.far ? nodeAt(this.latest.flow, this.toFlow(x, y), 0) : null;
    this.editor.select(hit === null ? [] : stepsOfCard(this.editor.getState().document, hit));
    this.element?.focus({ preventScroll: true });
  };

  private readonly menuParts = (show: (id: string) => void): MenuParts => ({
    editor: this.editor, ui: this.ui, far: this.latest.far, flow: this.latest.flow, toFlow: this.toFlow, element: this.element, show,
    toClient: (x, y) => {
      const at = this.instance?.flowToScreenPosition({ x, y });
      return at ? [at.x, at.y] : [0, 0];
    },
  });

  /** True when a menu was opened. Keys that open one (`pointed: false`) mean what is chosen, wherever the browser says they were pressed. */
  readonly menuUnder = (target: EventTarget | null, x: number, y: number, pointed: boolean): boolean => {
    if (pointed) return menuUnder(this.menuParts(() => undefined), target, x, y);
    this.handle.menu();
    return true;
  };

  /** A click on a port or on the plus of a wire: what is added there is wired. A drag ends elsewhere and is no click. */
  readonly clickPort = (target: EventTarget | null, x: number, y: number): void => {
    if (!(target instanceof Element) || this.editor.getState().readOnly) return;
    const spot = addSpot(target, this.latest.flow);
    if (spot) this.ui.setState({ search: { screen: this.toScreen(x + 12, y + 12), ...spot }, finding: false, linking: null });
  };

  readonly cancelWire = (): void => {
    if (this.ui.getState().connect) this.gestures.cancel();
  };
}
