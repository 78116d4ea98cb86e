/** The one transport of this page. */
import { httpTransport, takeToken } from './transport/http.ts';
import { isTauri, tauriTransport } from './transport/tauri.ts';
import type { Transport } from './transport/transport.ts';
import type { Command, Commands } from './types.ts';

let current: Transport | undefined;

/** Tests and the entry set it; everybody else only calls. */
export function setTransport(transport: Transport): void {
  current = transport;
}

export function transport(): Transport {
  current ??= isTauri() ? tauriTransport() : httpTransport(window.location.origin, takeToken(window.location, window.history, window.sessionStorage));
  return current;
}

/** `leaving`: the page is closed, and what is sent goes on without it. */
export function call<K extends Command>(command: K, payload: Commands[K]['request'], signal?: AbortSignal, leaving?: boolean): Promise<Commands[K]['response']> {
  return transport().call(command, payload, signal, leaving);
}
