/** Short messages, on a place where nothing lies that is pressed or read. They wait while they are looked at. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { freePlace, type Box, type Corner } from './free-place.ts';
import { closeToast, holdMessages, MOST, showMessages, useMessages, type Shown } from './messages.ts';
import { SignalIcon } from './signal.tsx';

export { dismissToast, leaveScreen, showMessages, toast, type ToastMessage } from './messages.ts';

export interface ToasterWords {
  label: string;
  closeLabel: string;
  more(n: number): string;
  none: string;
  at(ms: number): string;
}

export function Toaster(words: ToasterWords) {
  const shown = useMessages((state) => state.shown);
  const open = useMessages((state) => state.listOpen);
  const box = useRef<HTMLDivElement>(null);
  const place = usePlace(box, shown);
  useHiddenPage();
  const seen = shown.slice(-MOST);
  const more = shown.length - seen.length;
  return (
    <>
      <div ref={box} className="toaster" role="region" aria-label={words.label} style={place}
        onPointerMove={() => holdMessages(true)} onPointerLeave={() => holdMessages(false)} onFocus={() => holdMessages(true)}
        onBlur={(event) => { if (!event.currentTarget.contains(event.relatedTarget)) holdMessages(false); }}>
        {more > 0 ? <Button small className="toast-more" onClick={() => showMessages(true)}>{words.more(more)}</Button> : null}
        {/* Each is announced once: by the place that was there before it, or, an error, by itself and at once. */}
        <div className="toast-part" aria-live="polite">{seen.filter((message) => message.signal !== 'err').map((message) => <Toast key={message.id} message={message} closeLabel={words.closeLabel} />)}</div>
        {seen.filter((message) => message.signal === 'err').map((message) => <Toast key={message.id} message={message} closeLabel={words.closeLabel} />)}
      </div>
      {open ? <MessageList words={words} /> : null}
    </>
  );
}

function Toast({ message, closeLabel }: { message: Shown; closeLabel: string }) {
  return (
    <div className="pop toast" role={message.signal === 'err' ? 'alert' : undefined}>
      <SignalIcon signal={message.signal} size={16} />
      <div className="grow col">
        <span>{message.text}{message.count > 1 ? <b className="t2 toast-count"> ×{message.count}</b> : null}</span>
        {message.detail ? <span className="s t2">{message.detail}</span> : null}
      </div>
      {message.action ? (
        <Button small onClick={() => { closeToast(message.id); message.action?.run(); }}>{message.action.label}</Button>
      ) : null}
      <IconButton small icon="x" label={closeLabel} onClick={() => closeToast(message.id)} />
    </div>
  );
}

/** What was said lately: nothing that went away is lost. */
function MessageList({ words }: { words: ToasterWords }) {
  const past = useMessages((state) => state.past);
  return (
    <Dialog open onClose={() => showMessages(false)} title={words.label} closeLabel={words.closeLabel} width={560}
      footer={<Button keys="Escape" onClick={() => showMessages(false)}>{words.closeLabel}</Button>}>
      {past.length ? (
        <ul className="toast-list">
          {past.map((message) => (
            <li key={message.id} className="row">
              <SignalIcon signal={message.signal} size={16} />
              <span className="grow col"><span>{message.text}{message.count > 1 ? <b className="t2"> ×{message.count}</b> : null}</span>{message.detail ? <span className="s t2">{message.detail}</span> : null}</span>
              <span className="s t3 nw">{words.at(message.at)}</span>
            </li>
          ))}
        </ul>
      ) : <p className="t2">{words.none}</p>}
    </Dialog>
  );
}

/** A message that nobody could see was not read. */
function useHiddenPage(): void {
  useEffect(() => {
    const onChange = () => holdMessages(document.hidden);
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
}

/** What must not be covered: whatever is operated beside it, banners, what is told elsewhere, and open menus, lists and dialogs as a whole. */
const PRESSED = ':is(button, a[href], input, textarea, select, [role=switch], [role=combobox], [role=tab], [role=radio], .cm-editor, .banner, .pop:not(.toast, .tip), .ib-send, .react-flow__node, .react-flow__minimap)';
/** What is read beside it. */
const READ = ':is(.field, .lab, .c-err, .c-wait, p, h1, h2, h3, li, dd, dt, pre, .box, .well, [role=row], [role=columnheader])';

/** A page that changes all the time, as a run does, is not measured with each frame. */
const LOOK_MS = 100;

function usePlace(box: { current: HTMLElement | null }, shown: readonly Shown[]): Corner | undefined {
  const [place, setPlace] = useState<Corner>();
  const some = shown.length > 0;
  const screen = useMessages((state) => state.screens);
  // On another screen the place means nothing, and what is new is where one looks for it.
  const about = `${String(screen)} ${String(shown.at(-1)?.id)}`;
  const placedFor = useRef(about);
  useLayoutEffect(() => {
    const own = box.current;
    if (!some || !own) return undefined;
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let looked = -Infinity;
    const look = () => {
      const page = document.getElementById('content') ?? document.body;
      const { left, top, right, bottom } = page.getBoundingClientRect();
      const room: Box = { left, top, right: Math.min(right, window.innerWidth), bottom: Math.min(bottom, window.innerHeight) };
      const beside = [...document.querySelectorAll<HTMLElement>(`${PRESSED}, ${READ}`)].filter((one) => !own.contains(one))
        .map((one) => ({ pressed: one.matches(PRESSED), box: one.getBoundingClientRect() })).filter(({ box: { width, height } }) => width > 0 && height > 0);
      const boxes = (pressed: boolean) => beside.filter((one) => one.pressed === pressed).map((one) => one.box);
      const taken = { pressed: boxes(true), read: boxes(false) };
      const known = placedFor.current === about;
      placedFor.current = about;
      setPlace((now) => freePlace(room, { width: own.offsetWidth, height: own.offsetHeight }, taken, known ? now : undefined));
    };
    const inFrame = () => {
      timer = undefined;
      frame = requestAnimationFrame(() => {
        frame = 0;
        looked = performance.now();
        look();
      });
    };
    const soon = () => {
      if (frame !== 0 || timer !== undefined) return;
      const rest = looked + LOOK_MS - performance.now();
      if (rest > 0) timer = setTimeout(inFrame, rest);
      else inFrame();
    };
    look();
    // A banner that comes later gets its room, and so does a menu: those are drawn beside the page, not in it.
    const changes = new MutationObserver((all) => { if (all.some((one) => !own.contains(one.target))) soon(); });
    changes.observe(document.body, { childList: true, subtree: true });
    window.addEventListener('resize', soon);
    return () => {
      changes.disconnect();
      window.removeEventListener('resize', soon);
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, [box, shown, some, about]);
  return place && { right: window.innerWidth - place.right, bottom: window.innerHeight - place.bottom };
}
