/** Everything that can be done to a canvas from outside: by keys, buttons, the menu and the palette. */

import type { ReactFlowInstance } from '@xyflow/react';
import type { Choice } from '../../../run/run-paths.ts';
import type { NodeDescriptor, WorkflowNode } from '../../../api/types.ts';
import { t, tn } from '../../../i18n/index.ts';
import { lastPlace } from '../../../kit/action.ts';
import { isCurl } from '../../../text/is-curl.ts';
import { stepTitle } from '../../../shared/step-title.ts';
import { CANVAS_SCOPE } from '../actions.ts';
import type { Edit, EdgeRef } from '../document.ts';
import { edgeKeys, edgeOfKey, type EditorStore } from '../editor.ts';
import { insertNode, openPort, type InsertContext } from '../insert.ts';
import { draggedSize, isFrame, withInside } from '../model/frames.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import { ghostsOf, type TemplateId, templateEdits } from '../templates.ts';
import { type Direction, nearest, portsTo, predecessors, successors } from '../model/graph.ts';
import { arranged, type Arrangement } from '../model/arrange.ts';
import { autoLayout } from '../model/layout.ts';
import { groupable, groupEdits, groupOf, groupOfCard, groupsOf, insideGroup } from '../model/groups.ts';
import { type Rect, rectsOf } from '../model/place.ts';
import { makeSpace } from '../model/make-space.ts';
import { CARD_H, CARD_W, type Catalog, ERROR, mainPort, type Point, portIds } from '../model/ports.ts';
import { clipboardText, copySelection, duplicateSelection, pasteText } from './clipboard.ts';
import { type CardNode, type Flow, titleOf, type WireEdge } from './flow-nodes.ts';
import { portPlace } from './gestures.ts';
import { chooseWhole } from './iterations.tsx';
import { keepFitted, withStep } from './keep-fitted.ts';
import type { UiStore } from './ui.ts';

/** What a command line becomes: text as the clipboard has it, and further edits. Nothing when it cannot be read, which was said. */
export type ReadCommand = (text: string) => Promise<{ text: string; more: readonly Edit[] } | null>;

export interface HandleParts {
  editor: EditorStore;
  ui: UiStore;
  catalog(): Catalog;
  flow(): Flow;
  instance(): ReactFlowInstance<CardNode, WireEdge> | null;
  element(): HTMLElement | null;
  /** the pointer over the canvas in client coordinates; null while it is elsewhere */
  pointer(): { x: number; y: number } | null;
  say(text: string, tone: 'info' | 'err'): void;
  /** a cURL command as steps; absent where none can be read */
  readCommand(): ReadCommand | undefined;
  /** `keys`: what is typed next is meant for its settings */
  openNode(id: string, keys?: boolean): void;
  choose(choice: Choice): void;
  menu(show: (id: string) => void): void;
}

export interface CanvasHandle {
  /** the focus is here, or nothing has it and the pointer is here */
  isActive(): boolean;
  /** keys act here */
  focus(): void;
  /** keys act on what is chosen */
  focusChosen(): void;
  /** the menu of what is chosen, or of the canvas */
  menu(): void;
  /** what can be done where the chosen step fails: the templates of its error port */
  openErrors(): void;
  /** the chosen step has an error port that no wire leaves */
  canOpenErrors(): boolean;
  /** the step at an end of the chosen wire */
  goToEnd(end: 'from' | 'to'): void;
  /** at the pointer; from a button (`pointed: false`) it goes on from the chosen step */
  openAdd(pointed?: boolean): void;
  openFind(): void;
  /** asks where a wire of the chosen step leads to, and at which port it begins */
  openLink(): void;
  /** the answers to `openLink` */
  link(choice: { to: string } | { port: string }): void;
  /** adds a kind next to the selection, wired when it can be */
  addKind(type: string, preset?: InsertContext['preset']): void;
  pick(kind: NodeDescriptor, preset?: InsertContext['preset']): void;
  /** puts a kind behind a step: into the only wire of its main port, or at the end of a new one */
  addBehind(id: string, type: string, preset?: InsertContext['preset']): void;
  /** puts the whole chain of a template at an error port: the one the search began at, or the one given */
  addTemplate(id: TemplateId, from?: string): void;
  zoomBy(factor: number): void;
  resetZoom(): void;
  /** everything in view; `readable`: never so small that titles cannot be read, then from the beginning */
  fit(readable?: boolean): void;
  /** the same, when something beside the canvas has taken its room or given it back */
  fitWhenResized(): void;
  /** from now on, until a person has moved the view; a step that must be seen is told by its id. Gives back how to end it */
  keepFitted(must: string | undefined): () => void;
  /** brings a place of the canvas into the middle of the view */
  center(x: number, y: number): void;
  /** selects a node and brings it into view; the keys go to it, unless what leads here keeps them */
  reveal(id: string, options?: { focus: boolean }): void;
  /** selects a wire, by its number in the file, and brings its ends into view */
  revealWire(index: number): void;
  go(direction: Direction): void;
  extend(direction: 'up' | 'down'): void;
  remove(reconnect: boolean): void;
  /** takes chosen frames away and keeps what is in them */
  dissolve(): void;
  copy(): void;
  cut(): void;
  paste(keepIncoming: boolean, text?: string): void;
  duplicate(): void;
  selectAll(): void;
  toggleDisabled(): void;
  rename(): void;
  open(): void;
  tidy(): void;
  /** several chosen steps on one line, or with the same distances */
  arrange(how: Arrangement): void;
  /** makes the chosen steps a group, and asks for its title */
  group(): void;
  /** takes a group away and leaves its steps; without an id those of the chosen steps */
  ungroup(id?: string): void;
  /** the group of the chosen steps, when they are in one */
  chosenGroup(): string | undefined;
  /** folds a group into one card, or opens it again */
  foldGroup(id: string): void;
  editGroup(): void;
  /** the outline beside the canvas, shown or hidden */
  toggleOutline(): void;
  /** told to screen readers, and shown */
  say(text: string): void;
  toggleSafe(): void;
  showsSafe(): boolean;
  /** the run at its next or previous iteration, or (null) as a whole */
  iteration(by: 1 | -1 | null): void;
  /** a run with loops is shown */
  hasIterations(): boolean;
  escape(): void;
}

const PAD = 48;
/** What the tools take above: no head of a frame stands under them. */
const TOOLS = 44;
export const MIN_ZOOM = 0.05;
export const MAX_ZOOM = 2;

/** Below this a title is cut to a word or two. */
const READABLE = 0.6;
/** A graph that needs less than this is looked at as a map, whatever can be read. */
const MAP = 0.3;

export interface View { x: number; y: number; zoom: number }

/** From here on only what is in view is drawn, and the overview is off. */
export const MANY = 300;
/** What the overview takes of the right lower corner, its margins included; a low canvas has none (canvas.css). */
const OVERVIEW = { width: 176, height: 120, from: 340 };
/** What the zoom tools take of the left lower corner, their margin included. */
const ZOOM_TOOLS = { width: 224, height: 44 };

/** The view in which everything is seen, never larger than 100 % and, where that can be, not under the overview or the zoom tools. With `readable` a graph that
 * is a little too large is shown from its beginning, in a size in which it can be read. */
export function fitOf(rects: Iterable<Rect>, width: number, height: number, readable = false): View {
  const all = [...rects];
  const underTools = ({ x, y, zoom }: View): boolean => all.some((r) => r.x * zoom + x < ZOOM_TOOLS.width && (r.x + r.width) * zoom + x > 0 && (r.y + r.height) * zoom + y > height - ZOOM_TOOLS.height && r.y * zoom + y < height);
  const free = (toWidth: number, toHeight: number): View => {
    const view = fitIn(all, toWidth, toHeight, readable);
    return all.length <= MANY && underTools(view) ? fitIn(all, toWidth, Math.min(toHeight, height - ZOOM_TOOLS.height), readable) : view;
  };
  const whole = free(width, height);
  // What is not in the view is not covered either.
  const covers = (from: number, to: number, room: number, taken: number): boolean => to > room - taken && from < room;
  const covered = ({ x, y, zoom }: View): boolean => all.some((r) => covers(r.x * zoom + x, (r.x + r.width) * zoom + x, width, OVERVIEW.width) && covers(r.y * zoom + y, (r.y + r.height) * zoom + y, height, OVERVIEW.height));
  if (height <= OVERVIEW.from || all.length > MANY || !covered(whole)) return whole;
  const [above, beside] = [free(width, height - OVERVIEW.height), free(width - OVERVIEW.width, height)];
  return beside.zoom > above.zoom ? beside : above;
}

function fitIn(rects: readonly Rect[], width: number, height: number, readable: boolean): View {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const r of rects) [left, top, right, bottom] = [Math.min(left, r.x), Math.min(top, r.y), Math.max(right, r.x + r.width), Math.max(bottom, r.y + r.height)];
  if (right < left || width <= 0 || height <= 0) return { x: 0, y: 0, zoom: 1 };
  const scaleFor = (pad: number): number => Math.min(width / (right - left + pad * 2), height / (bottom - top + pad * 2), (height - TOOLS - PAD / 4) / (bottom - top));
  // At 100 % text is sharpest: a narrower margin is worth it.
  const whole = scaleFor(PAD / 2) >= 1 ? 1 : Math.min(1, Math.max(MIN_ZOOM, scaleFor(PAD)));
  const zoom = readable && whole >= MAP ? Math.max(READABLE, whole) : whole;
  // In the middle, or from the start where there is no room for all.
  const at = (room: number, from: number, to: number, least: number): number => Math.round(Math.max((room - (to - from) * zoom) / 2, least) - from * zoom);
  return { x: at(width, left, right, zoom === whole ? -Infinity : PAD / 2), y: at(height, top, bottom, TOOLS), zoom };
}

const holds = (element: HTMLElement | null | undefined, { x, y }: { x: number; y: number }): boolean => {
  const box = element?.getBoundingClientRect();
  return box !== undefined && x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
};

export function createHandle(parts: HandleParts): CanvasHandle {
  const { editor, ui } = parts;
  const chosen = (): readonly string[] => editor.getState().selection.nodes;
  const fitted: { view: View | null } = { view: null };
  const centre = (): Point => {
    const box = parts.element()?.getBoundingClientRect();
    return box ? [box.left + box.width / 2, box.top + box.height / 2] : [0, 0];
  };
  const toFlow = ([x, y]: Point): Point => {
    const at = parts.instance()?.screenToFlowPosition({ x, y }, { snapToGrid: false });
    return at ? [at.x, at.y] : [0, 0];
  };
  const local = ([x, y]: Point): Point => {
    const box = parts.element()?.getBoundingClientRect();
    return [x - (box?.left ?? 0), y - (box?.top ?? 0)];
  };
  const focusCanvas = (): void => { if (!ui.getState().keeper?.(null)) parts.element()?.focus({ preventScroll: true }); };
  const cardOf = (id: string): HTMLElement | null | undefined => parts.element()?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
  const focusNode = (id: string): void => {
    if (ui.getState().keeper?.(id)) return;
    requestAnimationFrame(() => {
      (cardOf(id) ?? parts.element())?.focus({ preventScroll: true });
    });
  };

  const intoView = (ids: readonly string[], anyOf = false): void => {
    const [instance, box] = [parts.instance(), parts.element()];
    // From the document: what was added a moment ago is not drawn yet.
    const { document: now, readOnly } = editor.getState();
    const all = rectsOf(now, parts.catalog());
    // What is offered beside a step is part of it: out of sight it could not be answered.
    const offered = readOnly ? [] : ghostsOf(now, parts.catalog()).filter(({ owner }) => ids.includes(owner)).map(({ at: [x, y] }) => ({ x, y, width: CARD_W, height: CARD_H }));
    const rects = [...ids.flatMap((id) => all.get(id) ?? []), ...offered];
    if (!instance || !box || rects.length === 0) return;
    const { x, y, zoom } = instance.getViewport();
    const seen = (r: Rect): boolean => r.x * zoom + x >= 0 && r.y * zoom + y >= 0 && (r.x + r.width) * zoom + x <= box.clientWidth && (r.y + r.height) * zoom + y <= box.clientHeight;
    if (anyOf && rects.some(seen)) return;
    const left = Math.min(...rects.map((r) => r.x)) * zoom + x;
    const top = Math.min(...rects.map((r) => r.y)) * zoom + y;
    const right = Math.max(...rects.map((r) => r.x + r.width)) * zoom + x;
    const bottom = Math.max(...rects.map((r) => r.y + r.height)) * zoom + y;
    const inside = left >= PAD && top >= PAD && right <= box.clientWidth - PAD && bottom <= box.clientHeight - PAD;
    if (inside) return;
    // Not moved more than needed: the person keeps the picture of where things are.
    const dx = left < PAD ? PAD - left : right > box.clientWidth - PAD ? box.clientWidth - PAD - right : 0;
    const dy = top < PAD ? PAD - top : bottom > box.clientHeight - PAD ? box.clientHeight - PAD - bottom : 0;
    void instance.setViewport({ x: x + dx, y: y + dy, zoom });
  };

  /** All of these in the view: moved there when they have room as they are, else everything is made smaller. */
  const show = (ids: readonly string[]): void => {
    const [instance, box] = [parts.instance(), parts.element()];
    if (!instance || !box) return;
    const all = rectsOf(editor.getState().document, parts.catalog());
    const rects = ids.flatMap((id) => all.get(id) ?? []);
    const fits = (from: 'x' | 'y', size: 'width' | 'height', room: number): boolean => (Math.max(...rects.map((r) => r[from] + r[size])) - Math.min(...rects.map((r) => r[from]))) * instance.getZoom() <= room - 2 * PAD;
    if (fits('x', 'width', box.clientWidth) && fits('y', 'height', box.clientHeight)) intoView(ids);
    else handle.fit();
  };

  /** A frame that waits for its first step. */
  const holdsNothing = (id: string): boolean => {
    const { document: now } = editor.getState();
    return isFrame(now, parts.catalog(), id) && !treeOf(now).children.has(id);
  };

  const openError = (): { node: string; port: string } | undefined => {
    const { document: now, readOnly } = editor.getState();
    const [id, ...others] = chosen();
    const node = id === undefined ? undefined : now.nodes[id];
    if (id === undefined || !node || others.length > 0 || readOnly || node.errorHandling?.fallbackNodeId !== undefined) return undefined;
    const red = portIds(parts.catalog().get(node.type), node).includes(ERROR);
    return red && !now.edges.some((edge) => edge.from === `${id}.${ERROR}`) ? { node: id, port: ERROR } : undefined;
  };

  const edges = (): EdgeRef[] => editor.getState().selection.edges.map(edgeOfKey);

  const handle: CanvasHandle = {
    isActive() {
      const element = parts.element();
      const focused = document.activeElement;
      if (!element) return false;
      // Buttons and fields on the canvas keep their own keys.
      if (focused && element.contains(focused)) return focused.closest('button, a, input') === null;
      if (focused && focused !== document.body) return false;
      // Nothing has the focus: the canvas had it last, or the pointer is here and no form had it.
      const place = lastPlace();
      return place === CANVAS_SCOPE || (place === null && parts.pointer() !== null);
    },
    focus: focusCanvas,
    focusChosen() {
      const id = chosen().at(-1);
      const card = id === undefined ? undefined : cardOf(id);
      if (card) card.focus({ preventScroll: true });
      else focusCanvas();
    },
    menu: () => parts.menu((id) => intoView([id])),
    openErrors() {
      const from = openError();
      if (from === undefined) return;
      intoView([from.node]);
      const place = portPlace(parts.flow(), `${from.node}.${from.port}`);
      const at = place && parts.instance()?.flowToScreenPosition({ x: place.at[0], y: place.at[1] });
      ui.setState({ search: { screen: at ? local([at.x + 16, at.y + 16]) : [12, 48], at: null, from: `${from.node}.${from.port}` }, finding: false, linking: null });
    },
    canOpenErrors: () => openError() !== undefined,
    goToEnd(end) {
      const [wire] = edges();
      if (wire) handle.reveal(end === 'from' ? splitPort(wire.from).node : wire.to);
    },
    openAdd(pointed = true) {
      if (editor.getState().readOnly) return;
      const pointer = pointed ? parts.pointer() : null;
      const selected = chosen();
      const only = selected.length === 1 ? (selected[0] as string) : undefined;
      const wire = edges();
      const port = only === undefined ? undefined : openPort(editor.getState().document, parts.catalog(), only);
      const where: Point = pointer ? [pointer.x, pointer.y] : centre();
      // At the mouse it is a free step; without a mouse over the canvas it goes on from the chosen one. So it does when that one has the
      // focus: it was clicked or added just now, wherever the mouse was left.
      const card = only === undefined ? undefined : cardOf(only);
      const onCard = card != null && (card.contains(document.activeElement) || (pointer !== null && holds(card, pointer)));
      const hang = only !== undefined && port !== undefined && (!pointer || onCard) ? { from: `${only}.${port}` } : {};
      const empty = only !== undefined && !pointer && holdsNothing(only) ? { frame: only } : null;
      const anywhere = pointer === null && Object.keys(editor.getState().document.nodes).length > 0;
      ui.setState({ search: { screen: pointed ? local(where) : [12, 48], at: anywhere || 'from' in hang || wire.length === 1 ? null : toFlow(where), ...(empty ?? hang), ...(wire.length === 1 ? { edge: wire[0] } : {}) } });
    },
    openFind: () => ui.setState({ finding: true, search: null, linking: null }),
    openLink() {
      const [id, ...others] = chosen();
      if (id === undefined || others.length > 0 || editor.getState().readOnly) return;
      ui.setState({ linking: { id, to: null }, search: null, finding: false });
    },
    link(choice) {
      const { linking } = ui.getState();
      const { document: now } = editor.getState();
      if (!linking) return;
      const to = 'to' in choice ? choice.to : linking.to;
      const ports = to === null ? [] : portsTo(now, parts.catalog(), linking.id, to);
      const begins = linking.port !== undefined && ports.includes(linking.port) ? linking.port : undefined;
      const port = 'port' in choice ? choice.port : begins ?? (ports.length === 1 ? ports[0] : undefined);
      if (to === null || port === undefined) return ui.setState({ linking: { id: linking.id, to } });
      ui.setState({ linking: null });
      const name = (id: string): string => stepTitle(now.nodes[id]?.title, parts.catalog().get(now.nodes[id]?.type ?? '')?.title, id);
      if (editor.apply({ type: 'connect', from: `${linking.id}.${port}`, to }, { label: t('canvas.step.wire') })) {
        parts.say(t('canvas.link.done', { from: name(linking.id), to: name(to) }), 'info');
      }
      focusNode(linking.id);
    },
    pick(kind, preset) {
      const { search } = ui.getState();
      ui.setState({ search: null });
      const { document } = editor.getState();
      const context = search ? { at: search.at ?? undefined, from: search.from, into: search.into, edge: search.edge, frame: search.frame } : {};
      const named = preset?.title ?? kind.title;
      const route = search?.edge ? ui.getState().routes.get(`${search.edge.from}>${search.edge.to}`) : undefined;
      const { edits, id } = insertNode(document, parts.catalog(), kind, { ...context, preset, ...(route && !context.at ? { at: route.tag } : {}) });
      editor.apply(edits, { label: t('canvas.step.add', { name: named }), select: [id] });
      intoView([id]);
      focusNode(id);
    },
    addTemplate(id, from) {
      const { search } = ui.getState();
      ui.setState({ search: null });
      const port = from ?? search?.from;
      if (port === undefined || editor.getState().readOnly) return;
      const { edits, ids } = templateEdits(editor.getState().document, parts.catalog(), id, port, search?.at ?? undefined);
      const [first] = ids;
      if (first === undefined || !editor.apply(edits, { label: t('canvas.step.template', { name: t(`canvas.template.${id}`) }), select: [first] })) return;
      intoView([splitPort(port).node, ...ids]);
      focusNode(first);
    },
    addKind(type, preset) {
      const kind = parts.catalog().get(type);
      if (!kind || editor.getState().readOnly) return;
      const selected = chosen();
      const only = selected.length === 1 ? (selected[0] as string) : undefined;
      const inside = only !== undefined && holdsNothing(only);
      const port = only === undefined || inside || !kind.input ? undefined : openPort(editor.getState().document, parts.catalog(), only);
      ui.setState({ search: { screen: [0, 0], at: null, ...(inside ? { frame: only } : {}), from: port === undefined ? undefined : `${only}.${port}` } });
      handle.pick(kind, preset);
    },
    addBehind(id, type, preset) {
      const kind = parts.catalog().get(type);
      const { document, readOnly } = editor.getState();
      const node = document.nodes[id];
      if (!kind || !node || readOnly) return;
      const port = mainPort(parts.catalog().get(node.type), node);
      if (port === undefined) return;
      const wires = document.edges.filter((edge) => edge.from === `${id}.${port}`);
      const only = wires.length === 1 ? wires[0] : undefined;
      ui.setState({ search: { screen: [0, 0], at: null, ...(only ? { edge: { from: only.from, to: only.to } } : { from: `${id}.${port}` }) } });
      handle.pick(kind, preset);
    },
    zoomBy(factor) {
      const [instance, box] = [parts.instance(), parts.element()];
      if (!instance || !box) return;
      const { x, y, zoom } = instance.getViewport();
      const next = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom * factor));
      const [cx, cy] = [box.clientWidth / 2, box.clientHeight / 2];
      void instance.setViewport({ x: Math.round(cx - ((cx - x) / zoom) * next), y: Math.round(cy - ((cy - y) / zoom) * next), zoom: next });
    },
    resetZoom() {
      const zoom = parts.instance()?.getZoom() ?? 1;
      handle.zoomBy(1 / zoom);
    },
    fit(readable = false) {
      const [instance, box] = [parts.instance(), parts.element()];
      if (instance && box) void instance.setViewport(fitOf(parts.flow().rects.values(), box.clientWidth, box.clientHeight, readable));
    },
    fitWhenResized() {
      const box = parts.element();
      if (!box) return;
      const { clientWidth, clientHeight } = box;
      const observer = new ResizeObserver(() => {
        if (box.clientWidth === clientWidth && box.clientHeight === clientHeight) return;
        observer.disconnect();
        handle.fit(true);
      });
      observer.observe(box);
    },
    keepFitted(must) {
      const box = parts.element();
      if (!box) return () => undefined;
      fitted.view ??= ui.getState().start;
      return keepFitted({
        box, now: () => parts.instance()?.getViewport() ?? null, set: (view) => { void parts.instance()?.setViewport(view); },
        fitted(width, height) {
          const all = [...parts.flow().rects.values()];
          const rect = parts.flow().rects.get(chosen()[0] ?? must ?? '');
          const end = [Math.max(...all.map((r) => r.x + r.width)), Math.max(...all.map((r) => r.y + r.height))] as const;
          return withStep(fitOf(all, width, height, true), rect, width, height, end, PAD);
        },
      }, fitted);
    },
    center(x, y) {
      const [instance, box] = [parts.instance(), parts.element()];
      if (!instance || !box) return;
      const zoom = instance.getZoom();
      void instance.setViewport({ x: Math.round(box.clientWidth / 2 - x * zoom), y: Math.round(box.clientHeight / 2 - y * zoom), zoom });
    },
    reveal(id, { focus } = { focus: true }) {
      if (!Object.hasOwn(editor.getState().document.nodes, id)) return;
      editor.select([id]);
      // What is shown must be seen: its group opens.
      const { document: now } = editor.getState();
      const { folded } = ui.getState();
      const around = folded.size === 0 ? [] : groupsOf(now).filter((group) => folded.has(group.id) && insideGroup(now, group).includes(id));
      for (const group of around) handle.foldGroup(group.id);
      intoView([id]);
      if (focus) focusNode(id);
    },
    revealWire(index) {
      const { document: now } = editor.getState();
      const [wire, key] = [now.edges[index], edgeKeys(now)[index]];
      if (!wire || key === undefined) return;
      editor.select([], [key]);
      intoView([splitPort(wire.from).node, wire.to]);
      focusCanvas();
    },
    go(direction) {
      const places = new Map([...parts.flow().rects].filter(([id]) => groupOfCard(id) === null).map(([id, r]) => [id, [r.x, r.y] as const]));
      const from = chosen().at(-1);
      const next = from === undefined ? places.keys().next().value : nearest(places, from, direction);
      if (next !== undefined && next !== null) handle.reveal(next);
    },
    extend(direction) {
      const { document: now } = editor.getState();
      const near = direction === 'up' ? predecessors(now) : successors(now);
      const next = new Set(chosen());
      for (const id of chosen()) for (const other of near.get(id) ?? []) if (Object.hasOwn(now.nodes, other)) next.add(other);
      editor.select([...next]);
    },
    remove(reconnect) {
      const { document: now } = editor.getState();
      const ids = chosen();
      const wires = edges();
      if (ids.length === 0 && wires.length === 0) return;
      const catalog = parts.catalog();
      const bridge = Object.fromEntries(ids.map((id) => {
        const node = now.nodes[id];
        return [id, reconnect && node ? mainPort(catalog.get(node.type), node) : undefined];
      }));
      const done = editor.apply([{ type: 'disconnect', edges: wires }, { type: 'removeNodes', ids, reconnect: bridge }], { label: t('canvas.step.delete'), select: [] });
      if (done) {
        focusCanvas();
        const frame = ids.find((id) => treeOf(now).children.has(id));
        const node = frame === undefined ? undefined : now.nodes[frame];
        if (frame !== undefined && node) {
          const inside = withInside(now, [frame]).length - 1;
          parts.say(tn('canvas.frame.deleted', inside, { frame: titleOf(node, catalog.get(node.type)), keep: t('canvas.do.dissolve') }), 'info');
        }
      } else if (editor.getState().readOnly) parts.say(t('canvas.readOnly'), 'info');
    },
    dissolve() {
      const { document: now } = editor.getState();
      const catalog = parts.catalog();
      const frames = chosen().filter((id) => isFrame(now, catalog, id));
      const kept = frames.flatMap((id) => treeOf(now).children.get(id) ?? []);
      if (frames.length > 0 && editor.apply({ type: 'dissolve', ids: frames, ends: kept.filter((id) => portIds(catalog.get(now.nodes[id]?.type ?? ''), now.nodes[id] as WorkflowNode).includes('success')) }, { label: t('canvas.step.dissolve'), select: kept })) focusCanvas();
    },
    copy() {
      void copySelection(editor).then((text) => {
        if (text) parts.say(text, 'info');
      });
    },
    cut() {
      if (editor.getState().readOnly) return handle.copy();
      void copySelection(editor).then((text) => {
        if (text) handle.remove(false);
      });
    },
    paste(keepIncoming, text) {
      if (editor.getState().readOnly) return;
      const pointer = parts.pointer();
      const at = toFlow(pointer ? [pointer.x, pointer.y] : centre());
      const paste = (content: string, more: readonly Edit[] = []): void => {
        const read = isCurl(content) ? parts.readCommand() : undefined;
        if (read) {
          void read(content).then((made) => { if (made) paste(made.text, made.more); });
          return;
        }
        const problem = pasteText(editor, content, { at, middle: pointer === null }, keepIncoming, parts.catalog(), more);
        if (problem) parts.say(problem, 'err');
        // What the mouse points at is in view; it stays where it is.
        else intoView(chosen(), true);
      };
      if (text === undefined) void clipboardText().then((found) => paste(found));
      else paste(text);
    },
    duplicate: () => duplicateSelection(editor, parts.catalog()),
    selectAll() {
      editor.select(Object.keys(editor.getState().document.nodes));
      // What is pressed next is meant for them.
      if (!parts.element()?.contains(document.activeElement)) focusCanvas();
    },
    toggleDisabled() {
      const { document: now } = editor.getState();
      const ids = chosen();
      const off = ids.some((id) => now.nodes[id]?.disabled !== true);
      editor.apply(ids.map((id) => ({ type: 'setNode' as const, id, path: ['disabled'], value: off ? true : undefined })), { label: t(off ? 'canvas.step.disable' : 'canvas.step.enable') });
    },
    rename() {
      const [id] = chosen();
      if (id !== undefined && !editor.getState().readOnly) ui.setState({ renaming: id });
    },
    open() {
      const id = chosen().at(-1);
      if (id !== undefined) parts.openNode(id, true);
    },
    tidy() {
      const { document: now, selection } = editor.getState();
      const all = selection.nodes.length < 2;
      const places = autoLayout(now, parts.catalog(), all ? undefined : selection.nodes);
      // Tidy is as large as needed: what a person dragged a frame to was for what stood there before.
      const loose: Edit[] = Object.keys(places).filter((id) => draggedSize(now, id) !== null).map((id) => ({ type: 'resize', id }));
      const edits: Edit[] = [...loose, { type: 'place', places }];
      if (!editor.apply(all ? edits : makeSpace(now, parts.catalog(), edits), { label: t('canvas.step.tidy') })) return;
      // A part that is longer than before may lead out of the view.
      requestAnimationFrame(() => (all ? handle.fit(true) : show(selection.nodes)));
    },
    arrange(how) {
      const { document: now, selection } = editor.getState();
      const places = arranged(now, parts.catalog(), selection.nodes, how);
      if (Object.keys(places).length > 0) editor.apply(makeSpace(now, parts.catalog(), [{ type: 'place', places }]), { label: t(`canvas.arrange.${how}`) });
    },
    group() {
      const { document: now, readOnly } = editor.getState();
      const steps = groupable(now, chosen());
      if (readOnly || steps.length === 0) return;
      const { edits, id } = groupEdits(now, steps, t('canvas.groups.new'));
      if (editor.apply(edits, { label: t('canvas.groups.make'), select: steps })) ui.setState({ groupDialog: id });
    },
    ungroup(id) {
      const { document: now } = editor.getState();
      const ids = groupsOf(now).filter((group) => (id === undefined ? group.steps.some((step) => chosen().includes(step)) : group.id === id)).flatMap((group) => group.steps);
      if (ids.length > 0) editor.apply({ type: 'ungroup', ids }, { label: t('canvas.groups.ungroup') });
    },
    chosenGroup() {
      const { document: now, selection } = editor.getState();
      const [first] = selection.nodes;
      return first === undefined ? undefined : groupOf(now, first)?.id;
    },
    foldGroup(id) {
      const folded = new Set(ui.getState().folded);
      if (!folded.delete(id)) folded.add(id);
      ui.setState({ folded });
    },
    editGroup() {
      const id = handle.chosenGroup();
      if (id !== undefined && !editor.getState().readOnly) ui.setState({ groupDialog: id });
    },
    toggleOutline() {
      const shown = ui.getState().outline;
      ui.setState({ outline: !shown });
      if (shown) focusCanvas();
    },
    say: (text) => parts.say(text, 'info'),
    showsSafe: () => ui.getState().showSafe,
    toggleSafe: () => ui.setState({ showSafe: !ui.getState().showSafe }),
    iteration(by) {
      const { runView } = ui.getState();
      const choice = runView && chooseWhole(runView, editor.getState().document, by);
      if (choice) parts.choose(choice);
    },
    hasIterations: () => (ui.getState().runView?.loops.size ?? 0) > 0,
    escape() {
      ui.setState({ search: null, finding: false, linking: null, connect: null, menu: null, renaming: null, dropEdge: null, dropFrame: null });
      editor.select([]);
    },
  };
  return handle;
}

export const movedLabel = (n: number): string => tn('canvas.step.move', n);
