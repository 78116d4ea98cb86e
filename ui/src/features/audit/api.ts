// The commands about the audit chain, typed.

import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { transport } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import type { Command } from '../../api/types.ts';
import type { AuditCommands } from './types.ts';

export function ask<K extends keyof AuditCommands>(command: K, payload: AuditCommands[K]['request'], signal?: AbortSignal): Promise<AuditCommands[K]['response']> {
  return transport().call(command as unknown as Command, payload as never, signal) as unknown as Promise<AuditCommands[K]['response']>;
}
type Options<K extends keyof AuditCommands> = Omit<UseQueryOptions<AuditCommands[K]['response'], ApiError>, 'queryKey' | 'queryFn'>;
export function useAudit<K extends keyof AuditCommands>(command: K, payload: AuditCommands[K]['request'], options?: Options<K>) {
  return useQuery<AuditCommands[K]['response'], ApiError>({ queryKey: [command, payload], queryFn: ({ signal }) => ask(command, payload, signal), ...options });
}
