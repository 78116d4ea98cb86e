/** The HTTP host: POST /rpc/{command}, and server-sent events read by fetch because EventSource cannot send a header. */
import { t } from '../../i18n/index.ts';
import { createYieldToMain } from '../yield-to-main.ts';
import { markTruncated, markEvents } from '../truncated-values.ts';
import { ApiError, toApiError } from '../error.ts';
import { parseExact, writeExact } from '../../json/exact-json.ts';
import type { Command, Commands, RunEvent } from '../types.ts';
import { downloadBlob } from '../download-blob.ts';
import { SseParser, type SseFrame } from './sse.ts';
import type { Transport } from './transport.ts';

const TOKEN_KEY = 'signalbox.token';
/** Bytes of a request that goes on after its page. */
const KEPT_ALIVE = 60_000;

const TOKEN = /^#(?:\/?)token=([^&]+)(?:&(.*))?$/;
export const hasToken = ({ hash }: Location): boolean => TOKEN.test(hash);

/** Takes the token out of the address (`#token=…`) so that it does not stay in history or bookmarks. `stay`: where the page is, if it is open. */
export function takeToken(location: Location, history: History, storage: Storage, stay = '/workflows'): string {
  const match = TOKEN.exec(location.hash);
  if (match?.[1]) {
    const token = decoded(match[1]);
    storage.setItem(TOKEN_KEY, token);
    history.replaceState(null, '', `${location.pathname}${location.search}#${match[2] ?? stay}`);
    return token;
  }
  return storage.getItem(TOKEN_KEY) ?? '';
}

export function keepToken(storage: Storage, token: string): void {
  if (token) storage.setItem(TOKEN_KEY, token);
  else storage.removeItem(TOKEN_KEY);
}

/** A cut address is a wrong token, not a crash. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let onRefused: () => { provider: string | null } = () => ({ provider: null });
/** Hears of requests that were refused for want of a valid token, and says who signs people in. */
export function whenRefused(listener: () => { provider: string | null }): void {
  onRefused = listener;
}

async function failure(response: Response): Promise<ApiError> {
  if (response.status === 401) {
    const { provider } = onRefused();
    if (provider !== null) return new ApiError({ code: 'AUTH', message: t('signIn.endedText'), hint: t('signIn.again', { provider }) });
    // The host speaks of headers and tokens; a person opened an address.
    return new ApiError({ code: 'AUTH', message: t('auth.why'), hint: t('auth.now') });
  }
  const text = await response.text().catch(() => '');
  try {
    const body: unknown = JSON.parse(text);
    return toApiError(typeof body === 'object' && body !== null && 'error' in body ? body.error : body);
  } catch {
    return new ApiError({
      code: 'HTTP_STATUS',
      message: t('http.status', { status: response.status }),
      hint: t('http.statusNow'),
    });
  }
}

function unreachable(): ApiError {
  return new ApiError({
    code: 'CONNECTION', message: t('http.silent'),
    hint: t('http.silentNow'),
  });
}

/** The token is asked for with each request: an open page may get another one. */
export function httpTransport(base: string, token: () => string): Transport {
  const headers = () => ({ authorization: `Bearer ${token()}` });
  const download = async (path: string, name: string): Promise<{ blob: Blob; digest: string | null }> => {
    let blob: Blob;
    let digest: string | null;
    try {
      const response = await fetch(`${base}${path}`, { headers: headers(), cache: 'no-store' });
      if (!response.ok) throw await failure(response);
      digest = response.headers.get('repr-digest');
      // The browser keeps a large one on its disk. One that breaks off is an error here, and no half file there.
      blob = await response.blob();
    } catch (cause) {
      if (cause instanceof ApiError) throw cause;
      throw unreachable();
    }
    downloadBlob(blob, name);
    return { blob, digest };
  };
  return {
    host: 'http',
    async call<K extends Command>(command: K, payload: Commands[K]['request'], signal?: AbortSignal, leaving = false): Promise<Commands[K]['response']> {
      let response: Response;
      const body = writeExact(payload);
      // A browser refuses to see more than this off.
      const keepalive = leaving && new Blob([body]).size < KEPT_ALIVE;
      try {
        response = await fetch(`${base}/rpc/${command}`, {
          method: 'POST', headers: { ...headers(), 'content-type': 'application/json' }, body, signal, cache: 'no-store', ...(keepalive ? { keepalive } : {}),
        });
      } catch (cause) {
        if (signal?.aborted) throw cause;
        throw unreachable();
      }
      if (!response.ok) throw await failure(response);
      try {
        const text = await response.text();
        return markTruncated(command, parseExact(text) as Commands[K]['response'], text);
      } catch (cause) {
        if (signal?.aborted) throw cause;
        // The connection broke in the middle of the answer.
        throw unreachable();
      }
    },
    subscribe(runId, after, onEvents, onError, onOpen) {
      const stop = new AbortController();
      const onFrames = (frames: SseFrame[]) => {
        const batch = frames.flatMap((frame) => (frame.data ? markEvents([parseExact(frame.data) as RunEvent], frame.data) : []));
        if (batch.length) onEvents(batch);
      };
      follow(`${base}/workflow/${encodeURIComponent(runId)}/events?after=${String(after)}`, headers(), stop.signal, onFrames, onError, onOpen);
      return () => stop.abort();
    },
    async saveRunFile(runId, seq, name, acceptChanged) {
      await download(`/workflow/${encodeURIComponent(runId)}/files/${String(seq)}${acceptChanged ? '?changed=accept' : ''}`, name);
      return {};
    },
    async saveProgram(workflowId, choices, name) {
      const { blob, digest } = await download(`/workflows/${encodeURIComponent(workflowId)}/program?${new URLSearchParams(choices).toString()}`, name);
      return { size: blob.size, sha256: digest === null ? undefined : sha256Of(digest) };
    },
    onTaskChange(onChange, onError) {
      const stop = new AbortController();
      follow(`${base}/human-tasks/changes`, headers(), stop.signal, (frames) => { if (frames.some((frame) => frame.event === 'tasks')) onChange(); }, onError);
      return () => stop.abort();
    },
  };
}

/** The hash of `Repr-Digest` (RFC 9530), in hex. */
export function sha256Of(digest: string): string | undefined {
  const base64 = /sha-256=:([A-Za-z0-9+/]{43}=):/.exec(digest)?.[1];
  if (base64 === undefined) return undefined;
  return Array.from(atob(base64), (letter) => letter.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

function follow(url: string, headers: Record<string, string>, signal: AbortSignal, onFrames: (frames: SseFrame[]) => void, onError: (cause: unknown) => void, onOpen?: () => void): void {
  void stream(url, headers, signal, onFrames, onOpen).then(
    () => { if (!signal.aborted) onError(null); },
    (cause: unknown) => { if (!signal.aborted) onError(cause); },
  );
}

/** Frames that are taken without a break. */
const PART = 100;

async function stream(url: string, headers: Record<string, string>, signal: AbortSignal, onFrames: (frames: SseFrame[]) => void, onOpen?: () => void): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal, cache: 'no-store' });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw unreachable();
  }
  if (!response.ok || !response.body) throw await failure(response);
  onOpen?.();
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const yieldToMain = createYieldToMain();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = parser.push(decoder.decode(value, { stream: true }));
    // What came while the browser was busy is there at once, and it may be much: in between it draws.
    for (let at = 0; at < frames.length; at += PART) {
      onFrames(frames.slice(at, at + PART));
      await yieldToMain(); // eslint-disable-line no-await-in-loop
      signal.throwIfAborted();
    }
  }
}
