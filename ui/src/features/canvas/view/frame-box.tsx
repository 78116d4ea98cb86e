/** A container as a frame: a head, an edge with its ports, and an inside that belongs to the canvas. */

import { plain } from '../../../text/letters.ts';
import { type NodeProps, useReactFlow } from '@xyflow/react';
import { type CSSProperties, memo, type PointerEvent as ReactPointerEvent, useRef } from 'react';
import { useStore } from 'zustand';
import { isStoppedAt, onlyAsks } from '../../../run/run-location.ts';
import { formatNumber, t, tn } from '../../../i18n/index.ts';
import { Button } from '../../../kit/button.tsx';
import { NamedIcon } from '../../../kit/kind-icon.tsx';
import { applyEdits, type Edit } from '../document.ts';
import { BODY_AT } from '../model/frames.ts';
import { originOf, shapesOf } from '../model/place.ts';
import { ERROR, type Size, snap } from '../model/ports.ts';
import { makeSpace } from '../model/make-space.ts';
import { InputBar, Marks, PolicyStub, Port, Title, useNow, usePolicy, useWireMark } from './card-parts.tsx';
import type { CardNode } from './flow-nodes.ts';
import { IterationPicker, roundsAt } from './iterations.tsx';
import { lookOf } from './run-styles.ts';
import { useCanvas, useUi } from './ui.ts';

type Side = 'right' | 'bottom' | 'corner';
const SIDES: readonly Side[] = ['right', 'bottom', 'corner'];

/** Drags the size: never smaller than what is in it needs. */
function useResize(id: string): (side: Side, event: ReactPointerEvent<HTMLElement>) => void {
  const { editor, ui, catalog } = useCanvas();
  const { getZoom } = useReactFlow();
  const cancelled = useRef(false);
  return (side, event) => {
    if (event.button !== 0 || editor.getState().readOnly) return;
    event.stopPropagation();
    event.preventDefault();
    const { document: now } = editor.getState();
    const from: Size | undefined = shapesOf(now, catalog).get(id);
    const least: Size | undefined = shapesOf(applyEdits(now, [{ type: 'resize', id }]).document, catalog).get(id);
    if (!from || !least) return;
    const target = event.currentTarget;
    const [startX, startY, zoom] = [event.clientX, event.clientY, getZoom()];
    cancelled.current = false;
    let size: Size = from;
    const move = (at: PointerEvent): void => {
      size = {
        width: side === 'bottom' ? from.width : Math.max(least.width, snap(from.width + (at.clientX - startX) / zoom)),
        height: side === 'right' ? from.height : Math.max(least.height, snap(from.height + (at.clientY - startY) / zoom)),
      };
      ui.setState({ resizing: { id, ...size } });
    };
    const stop = (): void => {
      target.removeEventListener('pointermove', move);
      target.removeEventListener('pointerup', done);
      target.removeEventListener('pointercancel', stop);
      window.removeEventListener('keydown', key, true);
      ui.setState({ resizing: null });
    };
    const done = (): void => {
      stop();
      if (cancelled.current || (size.width === from.width && size.height === from.height)) return;
      const edits: Edit[] = [{ type: 'resize', id, size: size.width === least.width && size.height === least.height ? undefined : { width: size.width, height: size.height } }];
      editor.apply(makeSpace(now, catalog, edits), { label: t('canvas.step.resize'), select: [id] });
    };
    const key = (press: KeyboardEvent): void => {
      if (press.key !== 'Escape') return;
      press.stopPropagation();
      cancelled.current = true;
      stop();
    };
    target.setPointerCapture(event.pointerId);
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', done);
    target.addEventListener('pointercancel', stop);
    window.addEventListener('keydown', key, true);
  };
}

function EmptyFrame({ id, loop }: { id: string; loop: boolean }) {
  const { editor, ui } = useCanvas();
  const readOnly = useStore(editor, (s) => s.readOnly);
  if (readOnly) return null;
  const add = (event: { clientX: number; clientY: number; currentTarget: HTMLElement }): void => {
    const box = event.currentTarget.closest('.cv')?.getBoundingClientRect();
    const button = event.currentTarget.getBoundingClientRect();
    const [x, y] = originOf(editor.getState().document, id);
    ui.setState({ search: { screen: [button.left - (box?.left ?? 0), button.bottom + 4 - (box?.top ?? 0)], at: [x + BODY_AT[0] + 100, y + BODY_AT[1] + 28], frame: id } });
  };
  return (
    <div className="cvf-empty">
      <span className="s t2">{t(loop ? 'canvas.frame.emptyLoop' : 'canvas.frame.emptyParallel')}</span>
      <span className="s t3">{t('canvas.frame.emptyHow')}</span>
      <Button small icon="plus" className="nodrag nopan nokey" onClick={(event) => add(event)}>{t('canvas.frame.emptyAdd')}</Button>
    </div>
  );
}

export const FrameBox = memo(function FrameBox({ id, data, selected }: NodeProps<CardNode>) {
  const { node, descriptor, title, shape, summary, wired, arrives, holds } = data;
  const { editor, openNode } = useCanvas();
  const run = useUi((s) => s.runView?.nodes[id]);
  const live = useUi((s) => s.runView !== null);
  const safe = useUi((s) => s.showSafe);
  const size = useUi((s) => (s.resizing?.id === id ? s.resizing : null));
  const enters = useUi((s) => s.dropFrame === id);
  const problems = useUi((s) => s.problems.get(id));
  const pinned = useUi((s) => s.pinned.has(id));
  const policy = usePolicy();
  const editable = useStore(editor, (s) => !s.readOnly);
  const mark = useWireMark(id);
  const stopped = useUi((s) => isStoppedAt(s.runView, editor.getState().document, id));
  const asks = useUi((s) => onlyAsks(s.runView, id));
  const look = lookOf(run && asks ? { ...run, state: 'asks' } : run, node.disabled === true, useNow(run?.state === 'retrying' || run?.state === 'waiting'), stopped, useUi((s) => s.runView?.parentRunId), editable);
  const resize = useResize(id);
  const red = shape.ports.find((p) => p.kind === 'error');
  const state = look.words || (live ? t('canvas.state.idle') : '');
  // The icon says the kind; what has no more to say than that says nothing.
  const line = plain(look.line ?? (summary.text === descriptor?.title ? '' : summary.text));
  const whole = look.whole ?? line;
  const described = [
    t('canvas.node.describe', { title, kind: descriptor?.title ?? node.type, state }).replace(/, $/, ''), tn('canvas.frame.holds', holds),
    look.line === null ? null : whole, ...(problems ?? []).map((p) => plain(p.message)),
  ].filter(Boolean).join('. ');
  // One item of each iteration: their number stands beside it.
  const rounds = useUi((s) => roundsAt(s.runView, editor.getState().document.nodes, id, true)?.of);
  const count = run && (run.state === 'done' || run.state === 'handled') && run.itemsOut > 0 && run.itemsOut !== rounds ? run.itemsOut : null;
  return (
    <div
      className={`cv-node cvf nokey k-${descriptor?.category ?? 'start'} ${look.className} ${selected ? 'is-sel' : ''} ${mark} ${pinned ? 'is-pinned' : ''} ${enters ? 'cvf-in' : ''}`} data-node={id} data-frame={holds} data-state={run?.state ?? 'idle'}
      style={size ? { width: size.width, height: size.height } : undefined}
    >
      <span id={`card-${id}`} className="vh">{described}</span>
      <div className="cvf-head cvf-grip" style={{ '--cvf-title': `${String(title.length)}ch` } as CSSProperties} onDoubleClick={(event) => { event.stopPropagation(); openNode(id); }}>
        <NamedIcon name={descriptor?.icon ?? 'box'} size={16} />
        <Title id={id} title={title} own={node.title} />
        <span className={`cvf-sum ${summary.mono && look.line === null ? 'mono' : ''}`} title={whole}><span className="ell">{line}</span></span>
        <IterationPicker id={id} frame />
        {count === null ? null : <span className="cvf-n s t3">{formatNumber(count)}{run?.unloaded ? '+' : ''}</span>}
        <Marks id={id} look={look} />
      </div>
      <i className="cvf-edge top cvf-grip" /><i className="cvf-edge left cvf-grip" /><i className="cvf-edge right cvf-grip" /><i className="cvf-edge bottom cvf-grip" />
      {editable ? SIDES.map((side) => <i key={side} className={`cvf-size ${side} nodrag nopan`} data-size={side} title={side === 'corner' ? t('canvas.frame.resize', { name: title }) : undefined} onPointerDown={(event) => resize(side, event)} />) : null}
      {holds === 0 ? <EmptyFrame id={id} loop={descriptor?.role !== 'parallel'} /> : null}
      {shape.input ? <InputBar id={id} title={title} y={shape.inputY} arrives={arrives} /> : null}
      {shape.ports.map((port) => (
        <Port key={port.id} id={id} port={port} title={title} shape={shape} on={wired.includes(port.id) || (port.id === ERROR && run?.state === 'failed')} />
      ))}
      {red && safe && !wired.includes(red.id) && !node.errorHandling?.fallbackNodeId ? <PolicyStub from={`${id}.${red.id}`} x={red.x} y={red.y} policy={policy} press={editable} /> : null}
    </div>
  );
});
