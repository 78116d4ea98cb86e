/** Groups on the canvas: a tinted area behind the steps, or, folded, one card that says how the steps in it are doing. */

import { Handle, type NodeProps, Position, useReactFlow, ViewportPortal } from '@xyflow/react';
import { memo, type PointerEvent as ReactPointerEvent, useState } from 'react';
import { useStore } from 'zustand';
import type { RunView } from '../../../run/run-state.ts';
import { t, tn } from '../../../i18n/index.ts';
import { Button } from '../../../kit/button.tsx';
import { Field, TextArea, TextInput } from '../../../kit/controls.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { type Signal, SignalIcon } from '../../../kit/signal.tsx';
import { changeGroup, type Group, GROUP_COLORS, groupOfCard, groupRect, groupsOf, insideGroup } from '../model/groups.ts';
import type { Rect } from '../model/place.ts';
import { snap } from '../model/ports.ts';
import type { CardNode } from './flow-nodes.ts';
import type { CanvasHandle } from './handle.ts';
import { useCanvas, useUi } from './ui.ts';

/** What is most in need of being seen first. */
const RANK: readonly (readonly [states: readonly string[], signal: Signal])[] = [
  [['failed'], 'err'], [['asks'], 'person'], [['waiting'], 'wait'], [['retrying'], 'retry'], [['running'], 'run'], [['handled'], 'kept'], [['done'], 'ok'],
];

/** The state of a group in a run: that of its step that needs a look most, and how many are done. As one text, so that a batch of events that
 * changes neither draws nothing. */
export function stateOfGroup(run: RunView, ids: readonly string[]): string {
  const states = ids.map((id) => run.nodes[id]?.state ?? 'idle');
  const found = RANK.find(([some]) => states.some((state) => some.includes(state)));
  return found ? `${found[1]} ${String(states.filter((state) => state === 'done' || state === 'handled' || state === 'kept').length)}` : '';
}

function GroupState({ group }: { group: Group }) {
  const { editor } = useCanvas();
  const text = useUi((s) => (s.runView ? stateOfGroup(s.runView, insideGroup(editor.getState().document, group)) : ''));
  if (text === '') return null;
  const [signal, done] = text.split(' ') as [Signal, string];
  const words = t('canvas.groups.done', { done, of: insideGroup(editor.getState().document, group).length });
  return <span className="cvg-state s" title={words} data-signal={signal}><SignalIcon signal={signal} size={12} />{words}</span>;
}

/** Takes hold of a group: its steps move with the pointer. */
function useGrip(group: Group, move: MoveSteps): (event: ReactPointerEvent<HTMLElement>) => void {
  const { editor } = useCanvas();
  const { getZoom } = useReactFlow();
  return (event) => {
    if (event.button !== 0 || !(event.target instanceof Element) || event.target.closest('button')) return;
    event.stopPropagation();
    const target = event.currentTarget;
    const [startX, startY, zoom] = [event.clientX, event.clientY, getZoom()];
    const by = (at: PointerEvent): readonly [number, number] => [snap((at.clientX - startX) / zoom), snap((at.clientY - startY) / zoom)];
    let moved = false;
    const drag = (at: PointerEvent): void => {
      const [dx, dy] = by(at);
      moved ||= dx !== 0 || dy !== 0;
      if (moved && !editor.getState().readOnly) move(group.steps, dx, dy, false);
    };
    const stop = (): void => {
      target.removeEventListener('pointermove', drag);
      target.removeEventListener('pointerup', drop);
      target.removeEventListener('pointercancel', cancel);
    };
    const drop = (at: PointerEvent): void => {
      stop();
      if (!moved) editor.select(group.steps);
      else if (!editor.getState().readOnly) move(group.steps, ...by(at), true);
    };
    const cancel = (): void => {
      stop();
      move(group.steps, 0, 0, true);
    };
    target.setPointerCapture(event.pointerId);
    target.addEventListener('pointermove', drag);
    target.addEventListener('pointerup', drop);
    target.addEventListener('pointercancel', cancel);
  };
}

/** Shows steps elsewhere while they are dragged; with `end` they stay there. */
export type MoveSteps = (ids: readonly string[], dx: number, dy: number, end: boolean) => void;

function Area({ group, rect, handle, move }: { group: Group; rect: Rect; handle: CanvasHandle; move: MoveSteps }) {
  const { ui, editor } = useCanvas();
  const readOnly = useStore(editor, (s) => s.readOnly);
  const grip = useGrip(group, move);
  return (
    <section className={`cvg c-${group.color}`} data-group={group.id} aria-label={t('canvas.groups.name', { title: group.title })} style={{ transform: `translate(${String(rect.x)}px, ${String(rect.y)}px)`, width: rect.width, height: rect.height }}>
      <header className="cvg-head nopan" onPointerDown={grip} onDoubleClick={(event) => { event.stopPropagation(); if (!readOnly) ui.setState({ groupDialog: group.id }); }}>
        <button type="button" className="cvg-fold" tabIndex={-1} aria-label={t('canvas.groups.fold', { title: group.title })} title={t('canvas.groups.fold', { title: group.title })} onClick={() => handle.foldGroup(group.id)}><Icon name="down" size={12} /></button>
        <b className="ell" title={group.title}>{group.title}</b>
        <GroupState group={group} />
        {readOnly ? null : <button type="button" className="cvg-edit" tabIndex={-1} aria-label={t('canvas.groups.editNamed', { title: group.title })} title={t('canvas.groups.edit')} onClick={() => ui.setState({ groupDialog: group.id })}><Icon name="pencil" size={12} /></button>}
      </header>
      {group.note ? <p className="cvg-note s ell" title={group.note}>{group.note}</p> : null}
    </section>
  );
}

/** Behind the cards. `rects`: where they are drawn now, folded groups left out. */
export function GroupAreas({ rects, handle, move }: { rects: ReadonlyMap<string, Rect>; handle: CanvasHandle; move: MoveSteps }) {
  const { editor } = useCanvas();
  const document = useStore(editor, (s) => s.settled);
  const folded = useUi((s) => s.folded);
  const far = useUi((s) => s.detail === 3);
  const groups = groupsOf(document).filter((group) => !folded.has(group.id));
  if (groups.length === 0) return null;
  return (
    <ViewportPortal>
      <div className={`cvg-layer ${far ? 'far' : ''}`}>
        {groups.map((group) => {
          const rect = groupRect(group, rects);
          return rect ? <Area key={group.id} group={group} rect={rect} handle={handle} move={move} /> : null;
        })}
      </div>
    </ViewportPortal>
  );
}

/** A folded group. Its steps are chosen, moved and deleted with it. */
export const GroupCard = memo(function GroupCard({ id, data, selected }: NodeProps<CardNode>) {
  const { editor, ui } = useCanvas();
  const group = useStore(editor, (s) => groupsOf(s.settled).find((one) => one.id === groupOfCard(id)));
  const open = (): void => {
    const folded = new Set(ui.getState().folded);
    folded.delete(groupOfCard(id) ?? '');
    ui.setState({ folded });
  };
  if (!group) return null;
  return (
    <div className={`cv-node cvg-card nokey c-${group.color} ${selected ? 'is-sel' : ''}`} data-folded={group.id}>
      <span id={`card-${id}`} className="vh">{t('canvas.groups.card', { title: group.title, steps: tn('canvas.groups.steps', data.holds) })}</span>
      <div className="cv-hd">
        <button type="button" className="cvg-fold nodrag nopan" aria-label={t('canvas.groups.unfold', { title: group.title })} title={t('canvas.groups.unfold', { title: group.title })} onClick={(event) => { event.stopPropagation(); open(); }}><Icon name="right" size={12} /></button>
        <div className="cv-tx">
          <div className="cv-r1"><b title={group.title}>{group.title}</b></div>
          <div className="cv-r2"><span className="cv-sum" title={group.note}>{group.note || tn('canvas.groups.steps', data.holds)}</span><GroupState group={group} /></div>
        </div>
      </div>
      {data.shape.input ? <Handle id="in" type="target" position={Position.Left} isConnectable={false} className="cv-hit" style={{ left: -13, top: data.shape.inputY - 13, height: 24 }}><i className="cv-p in on" /></Handle> : null}
      {data.shape.ports.map((port) => (
        <Handle key={port.id} id={port.id} type="source" isConnectable={false} position={port.kind === 'error' ? Position.Bottom : Position.Right} className="cv-hit" style={{ left: port.x - 13, top: port.y - 13, height: 24 }}><i className={`cv-p ${port.kind === 'error' ? 'er' : 'ok'} on`} /></Handle>
      ))}
    </div>
  );
});

/** Title, colour and note. */
export function GroupDialog({ handle }: { handle: CanvasHandle }) {
  const { editor, ui } = useCanvas();
  const id = useUi((s) => s.groupDialog);
  const group = useStore(editor, (s) => groupsOf(s.settled).find((one) => one.id === id));
  if (!group) return null;
  return <GroupForm key={group.id} group={group} onClose={() => ui.setState({ groupDialog: null })} onUngroup={() => { ui.setState({ groupDialog: null }); handle.ungroup(group.id); }} />;
}

function GroupForm({ group, onClose, onUngroup }: { group: Group; onClose(): void; onUngroup(): void }) {
  const { editor } = useCanvas();
  const [title, setTitle] = useState(group.title);
  const [color, setColor] = useState(group.color);
  const [note, setNote] = useState(group.note);
  const done = (): void => {
    editor.apply(changeGroup(group.id, { title: title.trim() || group.title, color, note: note.trim() }), { label: t('canvas.groups.edit') });
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={t('canvas.groups.edit')} closeLabel={t('canvas.groups.close')} typed width={400} footer={<>
      <Button icon="x" onClick={onUngroup}>{t('canvas.groups.ungroup')}</Button><span className="grow" />
      <Button onClick={onClose} keys="Escape">{t('canvas.groups.cancel')}</Button><Button variant="primary" onClick={done}>{t('canvas.groups.save')}</Button>
    </>}>
      <form className="col gap3" onSubmit={(event) => { event.preventDefault(); done(); }}>
        <Field label={t('canvas.groups.title')}>{({ id }) => <TextInput id={id} value={title} maxLength={200} onChange={setTitle} />}</Field>
        <fieldset className="cvg-colors"><legend className="lab">{t('canvas.groups.color')}</legend>
          {GROUP_COLORS.map((one) => (
            <label key={one} className={`cvg-color c-${one}`} title={t(`canvas.groups.color.${one}`)}><input type="radio" name="group-color" className="vh" checked={color === one} onChange={() => setColor(one)} aria-label={t(`canvas.groups.color.${one}`)} /><i aria-hidden="true">{color === one ? <Icon name="check" size={12} /> : null}</i></label>
          ))}
        </fieldset>
        <Field label={t('canvas.groups.note')}>{({ id }) => <TextArea id={id} value={note} rows={3} maxLength={2000} onChange={setNote} />}</Field>
      </form>
    </Dialog>
  );
}
