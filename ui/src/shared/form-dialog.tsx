// Dialogs that send something: what is asked, and its answer when it fails.

import './keys.css';
import { useId, useRef, type ReactNode } from 'react';
import type { ApiError } from '../api/error.ts';
import { t } from '../i18n/index.ts';
import { Button, ConfirmDialog, Dialog, DialogCancel } from '../kit/index.ts';
import { useAsyncAction } from './use-async-action.ts';
import { Fault } from './form-error.tsx';

interface FormDialogProps {
  title: string;
  /** The strong button; null where there is nothing to send. */
  submit: string | null;
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

export function FormDialog({ title, submit, busy, error, complete, close = t('common.cancel'), danger, width, onSubmit, onClose, children, above }: FormDialogProps) {
  const form = useId();
  return (
    <Dialog open typed onClose={onClose} title={title} closeLabel={close} width={width} busy={busy}
      footer={<>
        <DialogCancel onClick={onClose} late={t('common.noAnswer')}>{close}</DialogCancel>
        {submit === null ? null : <Button variant={danger ? 'danger' : 'primary'} busy={busy} disabled={!complete} type="submit" form={form}>{submit}</Button>}
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
  const { busy, run } = useAsyncAction();
  const gone = useRef(false);
  const go = async () => {
    if (!await run(remove, done)) return;
    gone.current = true;
    onClose();
  };
  return (
    <ConfirmDialog open danger busy={busy} title={title} text={text} confirm={confirm} cancel={t('common.cancel')} late={t('common.noAnswer')} onConfirm={() => void go()} onClose={onClose}
      focusAfter={() => (gone.current ? document.getElementById(`set-${section}`) : null)} />
  );
}
