// Dialogs that send something: what is asked, its answer when it fails, and no way out while it is under way, unless that lasts.

import './keys.css';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import type { ApiError } from '../api/error.ts';
import { t } from '../i18n/index.ts';
import { Button, ConfirmDialog, Dialog } from '../kit/index.ts';
import { useDoing } from './doing.ts';
import { Fault } from './fault.tsx';

interface FormDialogProps {
  title: string;
  /** The strong button. */
  submit: string;
  busy: boolean;
  error: Pick<ApiError, 'message' | 'hint'> | null;
  /** Whether what was typed can be sent. */
  complete: boolean;
  /** The way out; "Cancel" without one. */
  close?: string;
  danger?: boolean;
  width?: number;
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
  /** Another dialog above this one. */
  above?: ReactNode;
}

/** An answer that has not come by then may wait for something that is closed: the person may go. */
export const LONG_MS = 30_000;

/** Busy for so long that nobody has to wait. */
function useLong(busy: boolean): boolean {
  const [long, setLong] = useState(false);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [busy]);
  return busy && long;
}

export function FormDialog({ title, submit, busy, error, complete, close = t('common.cancel'), danger, width, onSubmit, onClose, children, above }: FormDialogProps) {
  const form = useId();
  const long = useLong(busy);
  const held = busy && !long;
  return (
    <Dialog open typed onClose={onClose} title={title} closeLabel={close} width={width} busy={held}
      footer={<>
        {busy && !held ? <span className="s t2 grow" role="status">{t('common.noAnswer')}</span> : null}
        <Button onClick={onClose} disabled={held} keys="Escape">{close}</Button>
        <Button variant={danger ? 'danger' : 'primary'} busy={busy} disabled={!complete} type="submit" form={form}>{submit}</Button>
      </>}>
      <form id={form} className="sec-form" onSubmit={(event) => { event.preventDefault(); if (complete && !busy) onSubmit(); }}>
        {error ? <Fault error={error} /> : null}
        {children}
      </form>
      {above}
    </Dialog>
  );
}

/** Asks before something of a part of the settings goes. The focus goes on from that part: the button that was pressed goes too. */
export function ConfirmRemove({ section, title, text, confirm, done, remove, onClose }: {
  section: string; title: string; text: ReactNode; confirm: string; done: string; remove(): Promise<unknown>; onClose(): void;
}) {
  const { busy, run } = useDoing();
  const gone = useRef(false);
  const go = async () => {
    if (!await run(remove, done)) return;
    gone.current = true;
    onClose();
  };
  return (
    <ConfirmDialog open danger busy={busy} title={title} text={text} confirm={confirm} cancel={t('common.cancel')} onConfirm={() => void go()} onClose={onClose}
      focusAfter={() => (gone.current ? document.getElementById(`set-${section}`) : null)} />
  );
}
