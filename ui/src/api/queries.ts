/** Server state by TanStack Query. What a command makes stale is declared next to the command in Rust. */
import { useCallback } from 'react';
import { QueryClient, hashKey, useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import { commands as table } from './bindings.gen.ts';
import { call } from './client.ts';
import type { ApiError } from './error.ts';
import type { Command, Commands } from './types.ts';

/** Workflows that were asked about, each with a number: one may be large, and to write it out for a key at every drawing takes longer than the drawing. */
const numbers = new WeakMap<object, number>();
let last = 0;

function numberOf(document: object): number {
  const known = numbers.get(document) ?? (last += 1);
  numbers.set(document, known);
  return known;
}

/** A document is never changed in place: the same object is the same workflow. */
function hashOf(key: QueryKey): string {
  const payload = key[1];
  if (typeof payload !== 'object' || payload === null || !('document' in payload) || typeof payload.document !== 'object' || payload.document === null) return hashKey(key);
  return hashKey([key[0], { ...payload, document: numberOf(payload.document) }, ...key.slice(2)]);
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The host is on this machine: a failure is an answer, not a hiccup.
      queries: { queryKeyHashFn: hashOf, retry: false, staleTime: 2_000, refetchOnWindowFocus: true, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

export const queryClient = makeQueryClient();

type Options<K extends Command> = Omit<UseQueryOptions<Commands[K]['response'], ApiError>, 'queryKey' | 'queryFn'>;

export function useCommand<K extends Command>(command: K, payload: Commands[K]['request'], options?: Options<K>) {
  return useQuery<Commands[K]['response'], ApiError>({
    queryKey: [command, payload],
    queryFn: ({ signal }) => call(command, payload, signal),
    ...options,
  });
}

const RANK: { [R in Commands['who']['response']['role']]: number } = { viewer: 0, operator: 1, builder: 2 };

/** Asks who the caller is before anything is drawn. A failure is told by what is asked next. */
export const loadRole = (): Promise<void> => queryClient.prefetchQuery({ queryKey: ['who', {}], queryFn: ({ signal }) => call('who', {}, signal), staleTime: 60_000 });

/** Whether the caller may do something: nothing is offered that is refused afterwards. While nobody could say who the caller is, all is. */
export function usePermission(): (command: Command) => boolean {
  const { role, workspaces } = useCommand('who', {}, { staleTime: 60_000 }).data ?? {};
  const limited = workspaces?.limited === true;
  return useCallback((command) => role === undefined || (RANK[role] >= RANK[table[command].role] && !(limited && table[command].wholeServer)), [role, limited]);
}

/** Whether the caller is for the whole server, and not limited to workspaces. */
export const useWholeServer = (): boolean => useCommand('who', {}, { staleTime: 60_000 }).data?.workspaces?.limited !== true;

/** Runs a command and refreshes what it made stale. */
export async function act<K extends Command>(command: K, payload: Commands[K]['request']): Promise<Commands[K]['response']> {
  const answer = await call(command, payload);
  await invalidate(command);
  return answer;
}

export async function invalidate(command: Command): Promise<void> {
  const stale = table[command].stale;
  await Promise.all(stale.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}
