/** The canvas: the document as a picture that can be edited, and a run shown on it. */

import { ReactFlow, ReactFlowProvider } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { type CSSProperties, type MouseEvent as ReactMouseEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Choice } from '../../../run/run-paths.ts';
import type { RunView } from '../../../run/run-state.ts';
import type { Diagnostic, NodeDescriptor } from '../../../api/types.ts';
import { t } from '../../../i18n/index.ts';
import { Button } from '../../../kit/button.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { CANVAS_SCOPE } from '../actions.ts';
import type { EditorStore } from '../editor.ts';
import { withRoomForTitle } from '../model/make-space.ts';
import type { Catalog } from '../model/ports.ts';
import type { TemplateId } from '../templates.ts';
import './canvas.css';
import { Dots } from './grid-background.tsx';
import { FarView } from './low-detail-view.tsx';
import type { CardNode, WireEdge } from './flow-nodes.ts';
import { type CanvasHandle, MANY, MAX_ZOOM, MIN_ZOOM, type ReadCommand } from './handle.ts';
import { Ghosts, TemplatePreview } from './preview-nodes.tsx';
import { Outline } from './outline.tsx';
import { Overview } from './overview.tsx';
import { groupOfCard } from '../model/groups.ts';
import { GroupAreas, GroupCard, GroupDialog } from './groups.tsx';
import { FrameBox } from './frame-box.tsx';
import { RunIterations } from './iterations.tsx';
import { CanvasMenu, type CanvasMenus } from './menu.tsx';
import { NodeCard } from './node-card.tsx';
import type { OperationEntry } from '../../../code/connector-step.ts';
import type { ToolEntry } from '../tool-entry.ts';
import { AddBox, FindBox, LinkBox } from './search-box.tsx';
import { CanvasSession } from './session.ts';
import { Legend, TopTools, ZoomTools } from './tools.tsx';
import { CanvasContext, type CanvasParts, type Fate, type ProofMark, edgeOf, problemsByNode, useCanvas as useParts, useUi } from './ui.ts';
import { useClipboardKeys } from './use-clipboard-keys.ts';
import { stepsOfCard, useFlow } from './use-flow.ts';
import { DraggedWire, Wire } from './wire.tsx';

// Outside the component: new objects here would mount every card anew.
const NODE_TYPES = { card: NodeCard, frame: FrameBox, group: GroupCard };
const EDGE_TYPES = { wire: Wire };
const NO_NODES: CardNode[] = [];
const NO_EDGES: WireEdge[] = [];
const SNAP: [number, number] = [8, 8];
const SELECT_KEYS = ['Shift', 'Meta', 'Control'];

export interface CanvasProps {
  editor: EditorStore;
  catalog: readonly NodeDescriptor[];
  diagnostics?: readonly Diagnostic[];
  /** a run to show; null = none */
  runView?: RunView | null;
  /** step → the condition under which a run stops before it; empty for every time */
  breakpoints?: ReadonlyMap<string, string> | undefined;
  /** steps whose result is not what they would make now, and why in words */
  stale?: ReadonlyMap<string, string> | undefined;
  /** steps with pinned output, and what that means in words */
  pinned?: ReadonlyMap<string, string> | undefined;
  /** steps with a fault, and which in words */
  faulted?: ReadonlyMap<string, string> | undefined;
  /** what the last proof of this definition says about steps */
  proved?: ReadonlyMap<string, ProofMark> | undefined;
  /** steps that differ in the run that this one is compared with, and in what */
  differs?: ReadonlyMap<string, string> | undefined;
  /** What a proposal does with these steps. */
  proposed?: ReadonlyMap<string, Fate> | undefined;
  /** shows what the signs of a run mean */
  legend?: boolean;
  /** given once; the way to everything the canvas can do, for `canvasActions` */
  onReady?(handle: CanvasHandle): void;
  /** tools of approved servers, offered as steps */
  tools?: readonly ToolEntry[] | undefined;
  /** operations of connectors, offered as steps */
  operations?: readonly OperationEntry[] | undefined;
  /** another iteration is to be looked at; the screen narrows `runView` to it */
  onChoose?(choice: Choice): void;
  /** Enter or double-click on a step */
  onOpenNode?(id: string, keys?: boolean): void;
  /** double-click, where it means something else: true when it was taken */
  onEnterNode?(id: string): boolean;
  onMessage?(text: string, tone: 'info' | 'err'): void;
  /** reads a cURL command that is pasted */
  readCommand?: ReadCommand | undefined;
  /** what the menus of the canvas offer; without it there are none */
  menus?: CanvasMenus | undefined;
  /** shown instead of the hint when the document has no steps */
  empty?: ReactNode;
  /** Beside "Add the first step", as long as there is none. */
  emptyActions?: ReactNode;
}

const NO_TOOLS: readonly ToolEntry[] = [];
const NO_OPERATIONS: readonly OperationEntry[] = [];
const NO_DIAGNOSTICS: readonly Diagnostic[] = [];
const NO_POINTS: ReadonlyMap<string, string> = new Map();
const NO_PROOF: ReadonlyMap<string, ProofMark> = new Map();
const NO_FATES: ReadonlyMap<string, Fate> = new Map();
const nothing = (): void => {};

export function Canvas(props: CanvasProps) {
  const { editor, catalog: kinds } = props;
  const session = useMemo(() => new CanvasSession(editor), [editor]);
  const catalog = useMemo<Catalog>(() => new Map(kinds.map((kind) => [kind.type, kind])), [kinds]);
  const openNode = props.onOpenNode ?? nothing;
  const choose = props.onChoose ?? nothing;
  const tools = props.tools ?? NO_TOOLS;
  const operations = props.operations ?? NO_OPERATIONS;
  const parts = useMemo<CanvasParts>(() => ({
    editor, ui: session.ui, catalog, openNode, choose, tools, operations,
    rename: (id, title) => editor.apply(withRoomForTitle(editor.getState().document, catalog, [{ type: 'setNode', id, path: ['title'], value: title || undefined }]), { label: t('canvas.step.rename') }),
    explicit: (from) => session.handle.addTemplate('explicit', from),
  }), [editor, session, catalog, openNode, choose, tools, operations]);
  return (
    <CanvasContext value={parts}>
      <ReactFlowProvider key={session.id}>
        <div className="cv-beside"><OutlineSide session={session} /><Stage {...props} parts={parts} session={session} /></div>
      </ReactFlowProvider>
    </CanvasContext>
  );
}

function Stage({ parts, session, diagnostics = NO_DIAGNOSTICS, breakpoints = NO_POINTS, stale = NO_POINTS, pinned = NO_POINTS, faulted = NO_POINTS, proved = NO_PROOF, differs = NO_POINTS, proposed = NO_FATES, runView = null, legend, onReady, onMessage, readCommand, onEnterNode, menus, empty, emptyActions }: Omit<CanvasProps, 'editor' | 'catalog' | 'tools' | 'operations'> & { parts: CanvasParts; session: CanvasSession }) {
  const { editor, ui, catalog, openNode, choose } = parts;
  const { handle, gestures, setElement, init, zoomed, rested, point, addAt, clickPane, clickPort, cancelWire } = session;
  const document_ = useStore(editor, (s) => s.settled);
  const readOnly = useStore(editor, (s) => s.readOnly);
  const [said, setSaid] = useState('');
  const say = useCallback((text: string, tone: 'info' | 'err') => {
    setSaid(text);
    onMessage?.(text, tone);
  }, [onMessage]);
  const { flow, drawn, moveSteps, nodes, edges, onNodesChange, onEdgesChange, onNodeDrag, onNodeDragStop, onSelectionDragStop } = useFlow(parts, say);
  const detail = useStore(ui, (s) => s.detail);
  const zoom = useStore(ui, (s) => s.zoom);
  const fromInput = useStore(ui, (s) => s.connect !== null && s.connect.into !== null);
  const start = useStore(ui, (s) => s.start);
  const many = nodes.length > MANY;
  const far = many && detail === 3;

  useLayoutEffect(() => session.update({ flow, catalog, far, say, readCommand, openNode, choose }), [session, flow, catalog, far, say, readCommand, openNode, choose]);
  useLayoutEffect(() => ui.setState({ runView }), [ui, runView]);
  useLayoutEffect(() => ui.setState({ breakpoints }), [ui, breakpoints]);
  useLayoutEffect(() => ui.setState({ stale }), [ui, stale]);
  useLayoutEffect(() => ui.setState({ pinned }), [ui, pinned]);
  useLayoutEffect(() => ui.setState({ faulted, proved }), [ui, faulted, proved]);
  useLayoutEffect(() => ui.setState({ differs, proposed }), [ui, differs, proposed]);
  useLayoutEffect(() => ui.setState({ problems: problemsByNode(document_, diagnostics) }), [ui, document_, diagnostics]);
  useEffect(() => onReady?.(handle), [handle, onReady]);
  useClipboardKeys(handle);

  const style = { '--fz': `${Math.min(26, 11 / Math.min(1, zoom)).toFixed(2)}px`, '--edge': `${String(edgeOf(zoom))}px` } as CSSProperties;
  return (
    <section
      ref={setElement} className={`cv cv-d${detail} ${detail === 1 && zoom < 0.75 ? 'cv-tight' : ''} ${fromInput ? 'cv-from-input' : ''}`} style={style} aria-label={t('canvas.label')} data-scope={CANVAS_SCOPE} data-nodes={nodes.length} tabIndex={-1}
      onDoubleClick={(event) => { if (isPane(event)) addAt(event.clientX, event.clientY); }}
      onClick={(event) => clickPort(event.target, event.clientX, event.clientY)}
      onPointerMove={(event) => point({ x: event.clientX, y: event.clientY })}
      onPointerLeave={() => point(null)}
      onContextMenu={(event) => { if (menus && session.menuUnder(event.target, event.clientX, event.clientY, event.button === 2 || event.ctrlKey)) event.preventDefault(); }}
      onKeyDownCapture={(event) => { if (event.key === 'Escape') cancelWire(); }}
    >
      {start ? (
      <ReactFlow<CardNode, WireEdge>
        defaultViewport={start}
        nodes={far ? NO_NODES : nodes} edges={far ? NO_EDGES : edges} nodeTypes={NODE_TYPES} edgeTypes={EDGE_TYPES}
        onInit={init} onMove={(_, viewport) => zoomed(viewport.zoom)} onMoveEnd={(_, viewport) => rested(viewport)} minZoom={MIN_ZOOM} maxZoom={MAX_ZOOM} snapToGrid snapGrid={SNAP} nodeDragThreshold={3} zoomOnDoubleClick={false}
        onNodesChange={onNodesChange} onEdgesChange={onEdgesChange} onNodeDrag={onNodeDrag} onNodeDragStop={onNodeDragStop} onSelectionDragStop={onSelectionDragStop}
        onConnectStart={gestures.start} onConnectEnd={gestures.end} connectOnClick={false} connectionLineComponent={DraggedWire} isValidConnection={never}
        onPaneClick={(event) => (event.ctrlKey || event.metaKey ? addAt(event.clientX, event.clientY) : clickPane(event.clientX, event.clientY))}
        onNodeClick={(event, node) => { if (!event.shiftKey && !event.ctrlKey && !event.metaKey && editor.getState().selection.nodes.length > 1) editor.select(stepsOfCard(document_, node.id)); }}
        onNodeDoubleClick={(_, node) => { if (node.type === 'group') handle.foldGroup(groupOfCard(node.id) ?? ''); else if (!onEnterNode?.(node.id)) openNode(node.id); }}
        nodesDraggable={!readOnly} nodesConnectable={!readOnly} edgesFocusable={false} edgesReconnectable={false} deleteKeyCode={null} disableKeyboardA11y
        selectionKeyCode="Shift" multiSelectionKeyCode={SELECT_KEYS} onlyRenderVisibleElements={many} elevateNodesOnSelect={false} autoPanOnNodeFocus={false} proOptions={ABOUT}
      >
        <Dots />
        {far ? null : <GroupAreas rects={drawn} handle={handle} move={moveSteps} />}
        <TemplatePreview />
        <Ghosts handle={handle} />
        {many || nodes.length === 0 ? null : (
          <Overview rects={flow.rects} handle={handle} />
        )}
      </ReactFlow>
      ) : null}
      {far ? <FarView flow={flow} /> : null}
      {nodes.length === 0 ? (empty ?? <EmptyHint readOnly={readOnly} onAdd={() => handle.openAdd(false)} actions={emptyActions} />) : null}
      <div className="cv-bar"><TopTools handle={handle} /><RunIterations /></div>
      {legend ? <Legend rects={flow.rects} /> : null}
      <ZoomTools handle={handle} zoom={zoom} />
      <Boxes session={session} />
      <GroupDialog handle={handle} />
      {menus ? <CanvasMenu session={session} menus={menus} /> : null}
      <Why />
      <span className="vh" role="status" aria-live="polite">{said}</span>
    </section>
  );
}

function OutlineSide({ session }: { session: CanvasSession }) {
  return useUi((s) => s.outline) ? <Outline handle={session.handle} /> : null;
}

const isPane = (event: ReactMouseEvent): boolean => event.target instanceof Element && event.target.classList.contains('react-flow__pane');
/** Who made the canvas library stands in Settings, About. */
const ABOUT = { hideAttribution: true };
/** The library never connects by itself: `gestures.ts` decides where a wire may end. */
const never = (): boolean => false;

function Boxes({ session }: { session: CanvasSession }) {
  const { ui, editor, catalog, tools, operations } = useParts();
  const search = useUi((s) => s.search);
  const finding = useUi((s) => s.finding);
  const linking = useUi((s) => s.linking);
  const document_ = useStore(editor, (s) => s.settled);
  const close = useCallback(() => ui.setState({ search: null, finding: false, linking: null }), [ui]);
  const preview = useCallback((id: TemplateId | null) => ui.setState({ preview: id }), [ui]);
  if (search) return <AddBox search={search} document={document_} catalog={catalog} tools={tools} operations={operations} onPick={session.handle.pick} onTemplate={session.handle.addTemplate} onPreview={preview} onClose={close} />;
  if (linking) return <LinkBox linking={linking} document={document_} catalog={catalog} onLink={session.handle.link} onClose={() => { close(); session.handle.reveal(linking.id); }} />;
  if (finding) return <FindBox document={document_} catalog={catalog} onPick={(id) => { close(); session.handle.reveal(id); }} onClose={close} />;
  return null;
}

/** While a wire is dragged over a card that cannot take it: why not. */
function Why() {
  const connect = useUi((s) => s.connect);
  const reason = connect?.over ? connect.blocked.get(connect.over) : undefined;
  const own = connect?.over !== null && connect?.over === (connect?.from ? connect.from.slice(0, connect.from.lastIndexOf('.')) : connect?.into);
  if (!connect?.pointer || reason === undefined || (own && !connect.moving)) return null;
  return <div className="pop cv-why" style={{ left: connect.pointer[0], top: connect.pointer[1] }}><Icon name="ban" size={12} className="c-off" />{reason}</div>;
}

function EmptyHint({ readOnly, onAdd, actions }: { readOnly: boolean; onAdd(): void; actions: ReactNode }) {
  return (
    <div className="cv-note"><div>
      <b>{t('canvas.empty.title')}</b><span>{readOnly ? t('canvas.empty.readOnly') : t('canvas.empty.text')}</span>
      {readOnly ? null : <div className="row gap2"><Button icon="plus" onClick={onAdd}>{t('canvas.empty.add')}</Button>{actions}</div>}
    </div></div>
  );
}
