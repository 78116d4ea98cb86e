/** Server state by TanStack Query. What a command makes stale is declared next to the command in Rust. */
import { QueryClient, useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { commands as table } from './bindings.gen.ts';
import { call } from './client.ts';
import type { ApiError } from './error.ts';
import type { Command, Commands } from './types.ts';

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The host is on this machine: a failure is an answer, not a hiccup.
      queries: { retry: false, staleTime: 2_000, refetchOnWindowFocus: true, networkMode: 'always' },
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
