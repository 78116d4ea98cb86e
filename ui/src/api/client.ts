/** The one transport of this page. */
import { hasToken, httpTransport, keepToken, takeToken } from './transport/http.ts';
import { isTauri, tauriTransport } from './transport/tauri.ts';
import type { Transport } from './transport/transport.ts';
import type { Command, Commands } from './types.ts';

let current: Transport | undefined;
let token: string | undefined;
const toldOfToken = new Set<() => void>();

/** Tests and the entry set it; everybody else only calls. */
export function setTransport(transport: Transport): void {
  current = transport;
}

export function transport(): Transport {
  current ??= isTauri() ? tauriTransport() : httpTransport(window.location.origin, tokenOfPage);
  return current;
}

/** Another token from here on; with an empty one nobody is signed in. */
export function replaceToken(next: string): void {
  keepToken(window.sessionStorage, next);
  token = next;
}

export function tokenOfPage(): string {
  token ??= takeToken(window.location, window.history, window.sessionStorage);
  return token;
}

/** The address of a host that began anew, opened where the page is: only what follows `#` differs, so nothing is loaded. To be called before anybody
 * else listens: the page stays where it is, and nobody takes a token for a route. */
export function listenForToken(): () => void {
  if (isTauri()) return () => undefined;
  const take = ({ oldURL }: HashChangeEvent) => {
    if (!hasToken(window.location)) return;
    const before = new URL(oldURL || window.location.pathname, window.location.href).hash.slice(1);
    token = takeToken(window.location, window.history, window.sessionStorage, before || undefined);
    for (const listener of toldOfToken) listener();
  };
  window.addEventListener('hashchange', take);
  return () => window.removeEventListener('hashchange', take);
}

/** What was refused with the old token may be taken now. */
export function whenTokenChanges(listener: () => void): () => void {
  toldOfToken.add(listener);
  return () => toldOfToken.delete(listener);
}

/** `leaving`: the page is closed, and what is sent goes on without it. */
export function call<K extends Command>(command: K, payload: Commands[K]['request'], signal?: AbortSignal, leaving?: boolean): Promise<Commands[K]['response']> {
  return transport().call(command, payload, signal, leaving);
}
