/** A workflow of another program, or a cURL command, that is pasted or dropped on a screen: the import is offered. */
import { useEffect } from 'react';
import { isForeign } from '../commands.ts';
import { offerImport } from './import-dialog.tsx';

/** Largest text that is looked at; the host refuses larger files, too. */
const LARGEST = 16 * 1024 * 1024;

const types = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

export function useForeignDrop(enabled: boolean): void {
  useEffect(() => {
    if (!enabled) return undefined;
    const offer = (text: string, name?: string): void => {
      if (text.length <= LARGEST && isForeign(text)) offerImport(name ? { text, name } : { text });
    };
    const paste = (event: ClipboardEvent): void => {
      if (!types(event.target)) offer(event.clipboardData?.getData('text/plain') ?? '');
    };
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      if (file.size <= LARGEST) void file.text().then((text) => offer(text, file.name.split('.')[0]));
    };
    document.addEventListener('paste', paste);
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('paste', paste);
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
    };
  }, [enabled]);
}
