// The records of a query, newest first: older ones by scrolling, new ones as they are written. Or from a place in the chain back.

import { useCallback, useEffect, useReducer, useRef } from 'react';
import { toApiError, type ApiError } from '../../api/error.ts';
import { call } from '../../api/client.ts';
import type { AuditPage, AuditRow } from './types.ts';

const PAGE = 200;
const POLL_MS = 2_000;
/** Beyond this many new records in one question the list begins anew at its top. */
const JUMP = 500;

/** `query`: what is asked now, with the place from which on. `of`: what the rows answer. */
interface State { query: string; of: string; rows: AuditRow[] | undefined; total: number; more: boolean; head: AuditPage['head'] | undefined; end: boolean; error: ApiError | null; added: number }
type Event =
  | { type: 'reset'; query: string }
  | { type: 'first' | 'newer'; query: string; page: AuditPage }
  /** `before`: the record that the page was asked to go on behind. */
  | { type: 'older'; query: string; before: number; page: AuditPage }
  | { type: 'failed'; query: string; error: ApiError };

const EMPTY: State = { query: '', of: '', rows: undefined, total: 0, more: false, head: undefined, end: false, error: null, added: 0 };

/** The query itself is at fault: asking again gives the same. */
export const isWrong = (error: ApiError | null): boolean => error?.code === 'BAD_REQUEST';

export function step(state: State, event: Event): State {
  // The old rows stay until the new are there: nothing jumps while a query is typed.
  if (event.type === 'reset') return { ...state, query: event.query, error: null, added: 0 };
  // An answer to a question that is not asked any more.
  if (event.query !== state.query) return state;
  // What cannot be asked has no records: those of the query before would look like its answer.
  if (event.type === 'failed') return { ...state, error: event.error, ...(isWrong(event.error) ? { of: event.query, rows: undefined, total: 0, more: false } : {}) };
  const { page } = event;
  const about = { total: page.total, more: page.more === true, head: page.head, error: null };
  if (event.type === 'first') return { ...state, ...about, of: event.query, rows: page.entries, end: page.entries.length < PAGE, added: 0 };
  // Nothing is put beside rows of another query.
  if (state.of !== event.query) return state;
  const rows = state.rows ?? [];
  if (event.type === 'older') {
    // The list began anew meanwhile: behind its rows this page would leave some out.
    if (rows.at(-1)?.seq !== event.before) return state;
    return { ...state, ...about, rows: [...rows, ...page.entries.filter((row) => row.seq < event.before)], end: page.entries.length < PAGE, added: 0 };
  }
  const newest = rows[0]?.seq ?? -1;
  const fresh = page.entries.filter((row) => row.seq > newest);
  return { ...state, ...about, rows: fresh.length ? [...fresh, ...rows] : rows, added: fresh.length };
}

/** `below`: only records before this one, so that one far back can be looked at; nothing is followed then. */
export function useAuditRows(text: string, follow: boolean, below?: number) {
  const query = below === undefined ? text : `${text}\n${String(below)}`;
  const [state, send] = useReducer(step, EMPTY);
  const busy = useRef(false);
  const first = useCallback(async (signal?: AbortSignal) => {
    try {
      send({ type: 'first', query, page: await call('audit_list', { query: text, ...(below === undefined ? {} : { before: below }), limit: PAGE }, signal) });
    } catch (cause) {
      if (!signal?.aborted) send({ type: 'failed', query, error: toApiError(cause) });
    }
  }, [query, text, below]);
  useEffect(() => {
    const stop = new AbortController();
    send({ type: 'reset', query });
    void first(stop.signal);
    return () => stop.abort();
  }, [query, first]);

  const { rows } = state;
  const newest = rows?.[0]?.seq;
  const oldest = rows?.at(-1)?.seq;
  const ready = rows !== undefined && state.of === query;
  useEffect(() => {
    if (!follow || !ready || below !== undefined) return undefined;
    let asking = false;
    const timer = setInterval(() => {
      if (asking || document.hidden) return;
      asking = true;
      call('audit_list', newest === undefined ? { query: text, limit: PAGE } : { query: text, after: newest, limit: JUMP }).then((page) => {
        if (page.entries.length >= JUMP) return first();
        send({ type: newest === undefined ? 'first' : 'newer', query, page });
        return undefined;
      }, (cause: unknown) => send({ type: 'failed', query, error: toApiError(cause) })).finally(() => { asking = false; });
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [follow, ready, newest, query, text, below, first]);

  const older = useCallback(() => {
    if (busy.current || !ready || oldest === undefined || state.end) return;
    busy.current = true;
    call('audit_list', { query: text, before: oldest, limit: PAGE }).then((page) => send({ type: 'older', query, before: oldest, page }), (cause: unknown) => send({ type: 'failed', query, error: toApiError(cause) }))
      .finally(() => { busy.current = false; });
  }, [oldest, query, text, ready, state.end]);
  return { ...state, stale: state.of !== query || rows === undefined, older, retry: () => void first() };
}
