/** Ctrl+V and Ctrl+Shift+V: the system's paste event brings the text without asking for a permission. */

import { useEffect } from 'react';
import type { CanvasHandle } from './handle.ts';

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target.closest('.cm-editor') !== null);

export function useClipboardKeys(handle: CanvasHandle): void {
  useEffect(() => {
    let incoming = false;
    let readAt = 0;
    let pending: ReturnType<typeof setTimeout> | null = null;
    const stop = (): void => {
      if (pending) clearTimeout(pending);
      pending = null;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'v' || !(event.ctrlKey || event.metaKey) || event.altKey || isField(event.target) || !handle.isActive()) return;
      incoming = event.shiftKey;
      stop();
      // Some web views send no paste event outside a text field: then the clipboard is read.
      pending = setTimeout(() => {
        pending = null;
        readAt = Date.now();
        handle.paste(incoming);
      }, 120);
    };
    const onPaste = (event: ClipboardEvent): void => {
      if (isField(event.target) || !handle.isActive()) return;
      const text = event.clipboardData?.getData('text/plain');
      if (!text) return;
      event.preventDefault();
      stop();
      // A late event after the clipboard was read: pasted already.
      if (Date.now() - readAt < 1000) return;
      handle.paste(incoming, text);
      incoming = false;
    };
    window.addEventListener('keydown', onKey);
    window.addEventListener('paste', onPaste);
    return () => {
      stop();
      window.removeEventListener('keydown', onKey);
      window.removeEventListener('paste', onPaste);
    };
  }, [handle]);
}
