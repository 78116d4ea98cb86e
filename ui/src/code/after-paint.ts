// What a key changes elsewhere waits until the letter is on the screen. Whoever types sees the letter first; the rest of the page follows
// in the same moment, before the next key, press or blur can look at it.

import { flushSync } from 'react-dom';

/** Where no frame comes (a page in the background), it is done after this time. */
const LATEST_MS = 100;

const waiting = new Map<object, () => void>();
let frame: number | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const channel = typeof MessageChannel === 'undefined' ? null : new MessageChannel();
if (channel) channel.port1.onmessage = () => runWaiting();

function stop(): void {
  if (frame !== undefined) cancelAnimationFrame(frame);
  clearTimeout(timer);
  frame = undefined;
  timer = undefined;
}

/** Does now what waits, and draws what follows from it. */
export function runWaiting(): void {
  if (waiting.size === 0) return;
  stop();
  const works = [...waiting.values()];
  waiting.clear();
  // Drawn at once: a text field that React writes a moment later would take the next letter back.
  flushSync(() => { for (const work of works) work(); });
}

/** Does `work` once the next frame is drawn; a later work of the same owner takes its place. */
export function afterPaint(owner: object, work: () => void): void {
  waiting.set(owner, work);
  if (frame !== undefined) return;
  frame = requestAnimationFrame(() => {
    frame = undefined;
    // A message comes behind the drawing of this frame.
    if (channel) channel.port2.postMessage(null);
    else runWaiting();
  });
  timer = setTimeout(runWaiting, LATEST_MS);
}

/** Does what waits for this owner, without drawing: for an owner that goes away while React draws. */
export function settle(owner: object): void {
  const work = waiting.get(owner);
  waiting.delete(owner);
  if (waiting.size === 0) stop();
  work?.();
}

// Commands, menus and the next letter find everything done.
if (typeof window !== 'undefined') {
  for (const event of ['keydown', 'pointerdown', 'click', 'paste', 'drop', 'blur', 'beforeunload', 'pagehide']) window.addEventListener(event, runWaiting, { capture: true });
}
