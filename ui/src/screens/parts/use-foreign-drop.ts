/** What is pasted or dropped on a screen: the import of a workflow of another program, or of a cURL command, is offered. Whoever drops a file is always
 * told what became of it; other texts that are pasted are left alone. */
import { useEffect } from 'react';
import { t } from '../../i18n/index.ts';
import { toast } from '../../kit/index.ts';
import { isForeign, takeText } from '../commands.ts';
import { offerImport } from './import-dialog.tsx';

/** Largest text that is looked at; the host refuses larger files, too. */
const LARGEST = 16 * 1024 * 1024;

const types = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

export function useForeignDrop(enabled: boolean): void {
  useEffect(() => {
    if (!enabled) return undefined;
    const paste = (event: ClipboardEvent): void => {
      const text = types(event.target) ? '' : event.clipboardData?.getData('text/plain') ?? '';
      if (text.length <= LARGEST && isForeign(text)) offerImport({ text });
    };
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      if (file.size > LARGEST) {
        toast({ signal: 'err', text: t('import.tooLarge', { name: file.name }), detail: t('import.tooLargeHint') });
        return;
      }
      const [name] = file.name.split('.');
      file.text().then((text) => takeText(name ? { text, name } : { text }), () => toast({ signal: 'err', text: t('import.unreadable', { name: file.name }) }));
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
