// The questions before a decision is sent, and the small ones beside it.

import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { formatDateTime, t } from '../../i18n/index.ts';
import { Button, Dialog, DialogCancel, Field, Icon, TextArea, TextInput } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { hiddenIn } from '../../shared/evidence/controls.ts';
import { DiffView } from '../../shared/diff-view.tsx';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { MOST, tooLong } from './bounds.ts';
import { toolWords } from './tool-call.tsx';
import type { Task, TaskAction } from './types.ts';
import type { Work } from './use-work.ts';
import { ACTION_ICON, actionOn, afterText, localInput, pathText, snoozeTimes } from './words.ts';

/** Ctrl+Enter in a dialog is its strong button. */
const onSubmitKey = (submit: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  // Held since before the dialog: nobody has read it yet.
  if (!event.repeat) submit();
};

export function ConfirmDecision({ task, work, action, onSend, onClose }: { task: Task; work: Work; action: TaskAction; onSend(target?: string): void; onClose(): void }) {
  const input = action === 'correct' || action === 'submit';
  const danger = action === 'abort' || action === 'reject';
  const words = action === 'reject' ? toolWords(task, action) : undefined;
  const hidden = input ? hiddenIn(work.value) : [];
  const long = tooLong(work.notes);
  return (
    <Dialog open typed onClose={onClose} title={words ? t('inbox.tool.confirm') : t(task.kind === 'pause' && action === 'submit' ? 'inbox.confirm.resume' : `inbox.confirm.${input ? action : danger ? action : 'other'}` as 'inbox.confirm.correct')} closeLabel={t('common.cancel')} width={input ? 720 : 480}
      footer={<>
        <span className="s t3 grow">{t('inbox.confirm.undo')}</span>
        <Button onClick={onClose} keys="Escape">{t('common.cancel')}</Button>
        <Button variant={danger ? 'danger' : 'primary'} icon={ACTION_ICON[action]} keys="Mod+Enter" disabled={long !== undefined} onClick={() => onSend()}>{words ?? actionOn(task, action)}</Button>
      </>}>
      <div className="ib-dialog" role="presentation" onKeyDown={onSubmitKey(() => { if (long === undefined) onSend(); })}>
        <p><b><SafeText text={task.title} cut={200} /></b></p>
        {input ? (work.differs ? <DiffView before={work.original} after={work.value} schema={work.hides} label={t('inbox.changes')} /> : <p className="t2">{t('inbox.confirm.unchanged')}</p>) : null}
        {hidden.length ? <p className="s c-wait row gap1"><Icon name="warn" size={12} />{t('inbox.confirm.hidden', { where: hidden.slice(0, 3).map((one) => `${pathText(plain(one.path))} (${one.codes.join(', ')})`).join('; ') })}</p> : null}
        <p className="t2"><SafeText text={afterText(task, action)} /></p>
        <Field label={t('inbox.note')} hint={t('inbox.noteHint')} error={long}>{({ id, describedBy, invalid }) => <TextArea id={id} aria-describedby={describedBy} invalid={invalid} value={work.notes} onChange={work.setNotes} rows={2} />}</Field>
      </div>
    </Dialog>
  );
}

export function ChooseAlternative({ task, onPick, onClose }: { task: Task; onPick(target: string): void; onClose(): void }) {
  return (
    <Dialog open onClose={onClose} title={t('inbox.alternative.title')} closeLabel={t('common.cancel')} footer={<Button onClick={onClose} keys="Escape">{t('common.cancel')}</Button>}>
      <div className="ib-dialog">
        <p className="t2">{t('inbox.alternative.text')}</p>
        {task.alternatives.map((one) => (
          <button key={one.targetNodeId} type="button" className="btn ib-alt" onClick={() => onPick(one.targetNodeId)}>
            <Icon name="split" /><SafeText line text={one.label} /><span className="end s t3 mono"><SafeText line text={one.targetNodeId} /></span>
          </button>
        ))}
        {task.alternatives.length ? null : <p className="t3">{t('inbox.alternative.none')}</p>}
      </div>
    </Dialog>
  );
}

/** Whether who asked still waits: what ends later would close another dialog. */
function useWaits(): { current: boolean } {
  const waits = useRef(true);
  useEffect(() => {
    waits.current = true;
    return () => { waits.current = false; };
  }, []);
  return waits;
}

/** One text that has to be given. */
export function Ask({ title, text, label, hint, submit, danger, many = true, most = many ? MOST : 200, start = '', complete = true, extra, onDone, onClose }: {
  title: string; text: ReactNode; label: string; hint?: string; submit: string; danger?: boolean; many?: boolean; /** Letters. */ most?: number; start?: string; /** Whether what stands in `extra` can be sent. */ complete?: boolean; extra?: (busy: boolean) => ReactNode; onDone(text: string): Promise<boolean>; onClose(): void;
}) {
  const [value, setValue] = useState(start);
  const [busy, setBusy] = useState(false);
  const waits = useWaits();
  const long = tooLong(value.trim(), most);
  const ready = value.trim() !== '' && long === undefined && complete;
  const done = async () => {
    if (!ready || busy) return;
    setBusy(true);
    const done = await onDone(value.trim());
    if (!waits.current) return;
    if (done) onClose();
    else setBusy(false);
  };
  return (
    <Dialog open typed onClose={onClose} title={title} closeLabel={t('common.cancel')} busy={busy}
      footer={<><DialogCancel onClick={onClose} late={t('common.noAnswer')}>{t('common.cancel')}</DialogCancel><Button variant={danger ? 'danger' : 'primary'} busy={busy} disabled={!ready} keys="Mod+Enter" onClick={() => void done()}>{submit}</Button></>}>
      <div className="ib-dialog" role="presentation" onKeyDown={onSubmitKey(() => void done())}>
        <p className="t2">{text}</p>
        <Field label={label} hint={hint} error={long} required>
          {({ id, describedBy, invalid }) => many
            ? <TextArea id={id} aria-describedby={describedBy} invalid={invalid} value={value} onChange={setValue} rows={2} />
            : <TextInput id={id} aria-describedby={describedBy} invalid={invalid} value={value} onChange={setValue} />}
        </Field>
        {extra?.(busy)}
      </div>
    </Dialog>
  );
}

export function RevealDialog({ onReveal, onClose }: { onReveal(reason: string): Promise<boolean>; onClose(): void }) {
  return <Ask title={t('inbox.reveal.title')} text={t('inbox.reveal.text')} label={t('inbox.reveal.why')} hint={t('inbox.reveal.hint')} submit={t('inbox.reveal.yes')} onDone={onReveal} onClose={onClose} />;
}

export function ReassignDialog({ task, onReassign, onClose }: { task: Task; onReassign(to: string, notes: string): Promise<boolean>; onClose(): void }) {
  const [notes, setNotes] = useState('');
  const long = tooLong(notes.trim());
  return (
    <Ask complete={long === undefined} title={t('inbox.reassign.title')} text={t('inbox.reassign.text')} label={t('inbox.reassign.to')} hint={t('inbox.reassign.hint')} submit={t('inbox.reassign.yes')} many={false} start={task.assignee ?? ''}
      onDone={(to) => onReassign(/^(?:user|group):/.test(to) ? to : `user:${to}`, notes.trim())} onClose={onClose}
      extra={() => <Field label={t('inbox.note')} error={long}>{({ id, describedBy, invalid }) => <TextArea id={id} aria-describedby={describedBy} invalid={invalid} value={notes} onChange={setNotes} rows={2} />}</Field>} />
  );
}

export function HoldDialog({ onHold, onClose }: { onHold(notes: string): Promise<boolean>; onClose(): void }) {
  return <Ask title={t('inbox.hold.title')} text={t('inbox.hold.text')} label={t('inbox.hold.whom')} hint={t('inbox.hold.hint')} submit={t('inbox.hold.yes')} onDone={onHold} onClose={onClose} />;
}

export function SaveViewDialog({ names, onSave, onClose }: { names: string[]; onSave(name: string): Promise<boolean>; onClose(): void }) {
  return <Ask title={t('inbox.views.title')} text={names.length ? t('inbox.views.textMore') : t('inbox.views.text')} label={t('inbox.views.name')} submit={t('inbox.views.yes')} many={false} most={60} onDone={onSave} onClose={onClose} />;
}

export function SnoozeDialog({ expiresAt, onSnooze, onClose }: { expiresAt: string | undefined; onSnooze(until: Date): Promise<boolean>; onClose(): void }) {
  const [now] = useState(() => Date.now());
  const [own, setOwn] = useState(() => localInput(new Date(now + 7_200_000)));
  const [busy, setBusy] = useState(false);
  const waits = useWaits();
  const at = new Date(own);
  const bad = Number.isNaN(at.getTime()) || at.getTime() <= now;
  const snooze = async (until: Date) => {
    setBusy(true);
    const done = await onSnooze(until);
    if (!waits.current) return;
    if (done) onClose();
    else setBusy(false);
  };
  return (
    <Dialog open typed onClose={onClose} title={t('inbox.snooze.title')} closeLabel={t('common.cancel')} busy={busy}
      footer={<><DialogCancel onClick={onClose} late={t('common.noAnswer')}>{t('common.cancel')}</DialogCancel><Button variant="primary" busy={busy} disabled={bad} onClick={() => void snooze(at)}>{t('inbox.snooze.yes')}</Button></>}>
      <div className="ib-dialog">
        <p className="t2">{t('inbox.snooze.text')}{expiresAt ? ` ${t('inbox.snooze.ends', { at: formatDateTime(expiresAt) })}` : ''}</p>
        <div className="row wrap">
          {snoozeTimes(now).map((one) => <Button key={one.id} disabled={busy} onClick={() => void snooze(one.at)}>{t(`inbox.snooze.${one.id}`)}</Button>)}
        </div>
        <Field label={t('inbox.snooze.own')} error={bad ? t('inbox.snooze.past') : undefined}>
          {({ id, invalid }) => <TextInput id={id} type="datetime-local" value={own} invalid={invalid} onChange={setOwn} />}
        </Field>
      </div>
    </Dialog>
  );
}

