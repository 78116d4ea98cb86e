/** What leaves the page: to the clipboard, or as a file. */
import { t } from '../i18n/index.ts';
import { transport } from './client.ts';
import { downloadBlob } from './download-blob.ts';
import { ApiError } from './error.ts';

/** A text that is still on its way is promised to the clipboard within the press itself: a web view refuses it afterwards. */
export async function copyText(text: string | Promise<string>): Promise<void> {
  try {
    if (typeof text === 'string') return await navigator.clipboard.writeText(text);
    const blob = text.then((whole) => new Blob([whole], { type: 'text/plain' }));
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
  } catch {
    // Without the permission, and on a page that came over the network, the clipboard is closed: the old way asks for neither.
    if (!copyByElement(await text)) throw new ApiError({ code: 'CLIPBOARD', message: t('common.notCopied'), hint: t('common.notCopiedHint') });
  }
}

function copyByElement(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement || focused instanceof SVGElement) focused.focus();
  return done;
}

export type Content = { text: string } | { base64: string };

/** In the window the person says where it goes; a browser puts it among its downloads. `null`: the person chose nothing. */
export async function saveFile(wanted: string, content: Content): Promise<{ path?: string } | null> {
  const name = wanted.replace(/[^A-Za-z0-9._-]+/g, '-');
  const host = transport();
  if (host.saveFile) {
    const path = await host.saveFile(name, 'text' in content ? base64Of(new TextEncoder().encode(content.text)) : content.base64);
    return path === null ? null : { path };
  }
  const bytes = 'text' in content ? content.text : Uint8Array.from(atob(content.base64), (letter) => letter.charCodeAt(0));
  downloadBlob(new Blob([bytes]), name);
  return {};
}

function base64Of(bytes: Uint8Array): string {
  let letters = '';
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(letters);
}
