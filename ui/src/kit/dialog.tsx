import { Dialog as Base } from '@base-ui/react/dialog';
import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { pushScope } from './action.ts';
import { Button, IconButton } from './button.tsx';

export interface DialogProps {
  open: boolean;
  onClose(): void;
  title: string;
  closeLabel: string;
  children: ReactNode;
  /** Buttons, the strong one last. */
  footer?: ReactNode;
  width?: number | undefined;
  /** Leaves the title to screen readers only. */
  bare?: boolean;
  /** Something was sent and is answered here: until then it cannot be closed, unless that lasts. What ends later would act on what is open then. */
  busy?: boolean | undefined;
  /** Something is typed in it: a press beside it does not throw that away. */
  typed?: boolean | undefined;
  /** What has the focus when it closes; without one, or when it is not there, what had it before. */
  focusAfter?: (() => HTMLElement | null) | undefined;
}

const FIELDS = [':is(.dialog-body, .dialog-bare)'].flatMap((box) => ['input', 'textarea', '.select', '.cm-content', '.vlist'].map((field) => `${box} ${field}:not(:disabled)`)).join(', ');

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

const Wait = createContext<{ held: boolean; long: boolean }>({ held: false, long: false });

/** The button that leaves a dialog as it was; pressed by Esc, too. `late`: said when the answer does not come and one may go all the same. */
export function DialogCancel({ late, onClick, children }: { late?: string | undefined; onClick(): void; children: ReactNode }) {
  const { held, long } = useContext(Wait);
  return (
    <>
      {long && late !== undefined ? <span className="s t2 grow" role="status">{late}</span> : null}
      <Button onClick={onClick} disabled={held} keys="Escape">{children}</Button>
    </>
  );
}

/** Of a double press on what opened the dialog the second falls beside it: nobody has seen yet what it would close. */
const isSecondPress = (event: Event): boolean => event instanceof MouseEvent && event.detail > 1;

/** A modal: focus stays inside, Esc closes, keys of the page behind do nothing. */
export function Dialog({ open, onClose, title, closeLabel, children, footer, width = 480, bare, busy, typed, focusAfter }: DialogProps) {
  useEffect(() => (open ? pushScope('dialog') : undefined), [open]);
  const long = useLong(open && busy === true);
  const held = busy === true && !long;
  const popup = useRef<HTMLDivElement>(null);
  // The first field or list, else the answer that changes nothing, else the dialog itself; never the cross with its tooltip.
  const first = () => popup.current?.querySelector<HTMLElement>(FIELDS) ?? popup.current?.querySelector<HTMLElement>('.dialog-foot button') ?? popup.current;
  return (
    <Base.Root open={open} disablePointerDismissal={typed ?? false} onOpenChange={(next, { event }) => { if (!next && !held && !isSecondPress(event)) onClose(); }}>
      <Base.Portal>
        <Base.Backdrop className="scrim" />
        <Base.Popup ref={popup} initialFocus={first} finalFocus={() => focusAfter?.() ?? true} className={`pop dialog ${bare ? 'bare' : ''}`} style={{ width }}>
          {bare ? <Base.Title className="vh">{title}</Base.Title> : (
            <header className="dialog-head">
              <Base.Title className="l ell">{title}</Base.Title>
              <IconButton icon="x" label={closeLabel} disabled={held} onClick={onClose} />
            </header>
          )}
          <div className={bare ? 'dialog-bare' : 'dialog-body'}>{children}</div>
          {footer ? <footer className="dialog-foot"><Wait.Provider value={{ held, long }}>{footer}</Wait.Provider></footer> : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A question with two answers. */
export function ConfirmDialog({ open, title, text, confirm, cancel, late, danger, busy, focusAfter, onConfirm, onClose }: {
  open: boolean; title: string; text: ReactNode; confirm: string; cancel: string; /** See `DialogCancel`. */ late?: string; danger?: boolean; busy?: boolean | undefined; focusAfter?: DialogProps['focusAfter'];
  onConfirm(): void; onClose(): void;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={title} closeLabel={cancel} width={400} busy={busy} focusAfter={focusAfter}
      footer={<>
        <DialogCancel onClick={onClose} late={late}>{cancel}</DialogCancel>
        <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>{confirm}</Button>
      </>}>
      <p className="t2">{text}</p>
    </Dialog>
  );
}
