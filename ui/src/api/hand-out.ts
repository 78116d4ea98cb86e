/** What leaves the page: to the clipboard, or as a file. */
import { transport } from './client.ts';

/** A text that is still on its way is promised to the clipboard within the press itself: a web view refuses it afterwards. */
export async function copyText(text: string | Promise<string>): Promise<void> {
  if (typeof text === 'string') return await navigator.clipboard.writeText(text);
  const blob = text.then((whole) => new Blob([whole], { type: 'text/plain' }));
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
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
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  return {};
}

function base64Of(bytes: Uint8Array): string {
  let letters = '';
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(letters);
}
