/** What cards and frames have in common: title, marks, ports, what an unwired error port means. */

import { Handle, Position } from '@xyflow/react';
import type { KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import { isFault, isTodo } from '../../../api/diagnostics.ts';
import { plain } from '../../../text/letters.ts';
import { Pieces } from '../../../code/pieces.tsx';
import { t, tn } from '../../../i18n/index.ts';
import { Icon } from '../../../kit/icon.tsx';
import { SignalIcon } from '../../../kit/signal.tsx';
import { useShownNow } from '../../../kit/use-now.ts';
import { sameJson } from '../model/patch.ts';
import type { PortSpot, Shape } from '../model/ports.ts';
import type { CardLook } from './run-styles.ts';
import { useCanvas, useUi } from './ui.ts';

/** The clock of what is shown: of a moment of the past it stands still. */
export function useNow(wanted: boolean): number {
  const moment = useUi((s) => s.runView?.moment);
  const now = useShownNow(wanted && moment === undefined);
  return moment ?? now;
}

/** `title`: as it is read; `own`: as it stands in the document, which is what is renamed. */
export function Title({ id, title, own }: { id: string; title: string; own: string | undefined }) {
  const { ui, rename } = useCanvas();
  const renaming = useUi((s) => s.renaming === id);
  if (!renaming) return <b title={title}><bdi><Pieces text={own !== undefined && plain(own.trim()) === title ? own.trim() : title} /></bdi></b>;
  const first = own ?? title;
  const stop = (): void => ui.setState({ renaming: null });
  const onKey = (event: KeyboardEvent<HTMLInputElement>): void => {
    event.stopPropagation();
    if (event.key === 'Enter') event.currentTarget.blur();
    if (event.key === 'Escape') {
      event.currentTarget.value = first;
      event.currentTarget.blur();
    }
  };
  return (
    <input
      className="cv-rename nodrag nopan" defaultValue={first} aria-label={t('canvas.rename')} maxLength={200} autoFocus
      onFocus={(e) => e.currentTarget.select()} onKeyDown={onKey}
      onBlur={(e) => {
        // The keyboard goes on at the card.
        const back = e.relatedTarget === null ? e.currentTarget.closest<HTMLElement>('.react-flow__node') : null;
        rename(id, e.currentTarget.value.trim());
        stop();
        back?.focus({ preventScroll: true });
      }}
    />
  );
}

export function Port({ id, port, title, shape, on }: { id: string; port: PortSpot; title: string; shape: Shape; on: boolean }) {
  const error = port.kind === 'error';
  // Two ports 18 px apart: their hit areas must not cover each other.
  const height = shape.style === 'text' && !error ? 18 : 24;
  const editable = useStore(useCanvas().editor, (s) => !s.readOnly);
  const label = t('canvas.port.output', { port: port.title, name: title });
  return (
    <Handle
      id={port.id} type="source" position={error ? Position.Bottom : Position.Right} className="cv-hit nokey" data-port={`${id}.${port.id}`}
      style={{ left: port.x - 13, top: port.y - height / 2 - 1, height }} title={port.unknown ? t('canvas.port.unknown') : editable ? t('canvas.plus.port', { port: port.title }) : port.title} role="img" aria-label={label}
    >
      <i className={`cv-p ${error ? 'er' : 'ok'} ${on ? 'on' : editable ? 'free' : ''} ${port.unknown ? 'lost' : ''}`} />
    </Handle>
  );
}

/** What an unwired error port means: the workflow's policy, faintly, and one press that draws it. */
export function PolicyStub({ from, x, y, policy, press }: { from: string; x: number; y: number; policy: string; press: boolean }) {
  const { explicit } = useCanvas();
  // In a run it is what might have been, and numbers of items stand beside it.
  const brief = useUi((s) => s.runView !== null);
  // A healer that gives up asks a person, whatever the policy is.
  const named = policy === 'safe' || policy === 'fail' || policy === 'ask';
  const words = named ? t(`canvas.policy.${policy}`) : tn('canvas.policy.rules', Number(policy));
  const title = [t(`canvas.policy.explain.${named ? policy : 'rules'}`), press ? t('canvas.policy.make') : ''].join(' ').trim();
  const inner = <><Icon name={policy === 'fail' ? 'octa' : 'shield'} size={12} /><span className="cv-long">{words}</span><span className="cv-short">{named ? t(`canvas.policy.short.${policy}`) : words}</span></>;
  return (
    <div className={`cv-safe ${brief ? 'brief' : ''}`} style={{ left: x - 1, top: y + 7 }} title={title}>
      {press ? <button type="button" className="cv-safe-tag nodrag nopan nokey" tabIndex={-1} data-policy={from} aria-label={`${words}. ${title}`} onClick={(event) => { event.stopPropagation(); explicit(from); }}>{inner}</button>
        : <span className="cv-safe-tag">{inner}</span>}
    </div>
  );
}

/** Compared once per pair of versions, not on every key press anywhere. */
const compared = new WeakMap<object, { saved: unknown; same: boolean }>();
function changed(now: object | undefined, saved: unknown): boolean {
  if (now === saved || now === undefined) return false;
  const known = compared.get(now);
  if (known && known.saved === saved) return !known.same;
  const same = sameJson(now, saved);
  compared.set(now, { saved, same });
  return !same;
}

function useUnsaved(id: string): boolean {
  const { editor } = useCanvas();
  return useStore(editor, (s) => changed(s.document.nodes[id], s.saved.nodes[id]));
}

const FATES = { new: { icon: 'plus', tone: 'c-ok' }, changed: { icon: 'swap', tone: 'c-sel' }, removed: { icon: 'minus', tone: 'c-err' } } as const;

export function Marks({ id, look }: { id: string; look: CardLook }) {
  const problems = useUi((s) => s.problems.get(id));
  const unsaved = useUnsaved(id);
  const all = problems ?? [];
  const todo = all.length > 0 && all.every(isTodo);
  const words = all.map((p) => plain(todo ? p.hint : p.message));
  const point = useUi((s) => s.breakpoints.get(id));
  const stopped = look.className === 'is-stopped';
  const stale = useUi((s) => s.stale.get(id));
  const pinned = useUi((s) => s.pinned.get(id));
  const faulted = useUi((s) => s.faulted.get(id));
  // In a run its states are what counts.
  const proved = useUi((s) => (s.runView === null ? s.proved.get(id) : undefined));
  const differs = useUi((s) => s.differs.get(id));
  const fate = useUi((s) => s.proposed.get(id)) ?? 'changed';
  const pointWords = point === undefined ? '' : point === '' ? t('debug.mark') : t('debug.markWhen', { when: point });
  return (
    <>
      {point === undefined ? null : <span className="cv-st c-err" title={pointWords} data-mark="breakpoint"><Icon name="brk" size={12} label={pointWords} /></span>}
      {stopped ? <span className="cv-st c-run" title={look.words} data-mark="stopped"><Icon name="pause" size={12} /></span> : null}
      {all.length > 0 ? (
        <span className={`cv-st ${todo ? 'c-off' : all.some(isFault) ? 'c-err' : 'c-wait'}`} title={words.join('\n')} data-mark={todo ? 'todo' : 'problem'}>
          <Icon name={todo ? 'pencil' : 'warn'} size={12} label={`${todo ? t('todo.step') : tn('canvas.problems', all.length)}: ${words.join(' ')}`} />
        </span>
      ) : null}
      {stale === undefined ? null : <span className="cv-st c-off" title={stale} data-mark="stale"><Icon name="stale" size={12} label={stale} /></span>}
      {pinned === undefined ? null : <span className="cv-st c-sel" title={pinned} data-mark="pinned"><Icon name="pin" size={12} label={pinned} /></span>}
      {faulted === undefined ? null : <span className="cv-st c-wait" title={faulted} data-mark="fault"><Icon name="bolt" size={12} label={faulted} /></span>}
      {proved === undefined ? null : <span className={`cv-st ${proved.proved ? 'c-ok' : 'c-err'}`} title={proved.words} data-mark={proved.proved ? 'proved' : 'unproved'}><Icon name="shield" size={12} label={proved.words} /></span>}
      {differs === undefined ? null : <span className={`cv-st ${FATES[fate].tone}`} title={differs} data-mark="differs" data-fate={fate}><Icon name={FATES[fate].icon} size={12} label={differs} /></span>}
      {unsaved ? <span className="cv-dot" title={t('canvas.unsaved')} data-mark="unsaved"><span className="vh">{t('canvas.unsaved')}</span></span> : null}
      {look.signal ? <span className="cv-st" title={look.words}><SignalIcon signal={look.signal} size={12} /></span> : null}
    </>
  );
}

/** The input bar. */
export function InputBar({ id, title, y, arrives }: { id: string; title: string; y: number; arrives: 'none' | 'ok' | 'err' }) {
  return (
    <Handle id="in" type="target" position={Position.Left} className="cv-hit nokey" data-input={id} style={{ left: -13, top: y - 13, height: 24 }} role="img" aria-label={t('canvas.port.input', { name: title })}>
      <i className={`cv-p in ${arrives === 'none' ? '' : 'on'} ${arrives === 'err' ? 'e' : ''}`} />
    </Handle>
  );
}

/** What the workflow does with errors that no wire takes, as the tag of an error port says it. */
export function usePolicy(): string {
  return useStore(useCanvas().editor, (s) => {
    const own = s.document.settings?.errorPolicy ?? 'fail';
    return typeof own === 'object' ? String(own.rules.length) : own;
  });
}

/** Whether the wire that is being dragged may end here, as a class. */
export const useWireMark = (id: string): string => useUi((s) => (s.connect === null ? '' : s.connect.blocked.has(id) ? 'cv-no' : s.connect.over === id ? 'cv-over' : 'cv-yes'));
