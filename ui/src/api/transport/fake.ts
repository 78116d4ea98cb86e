/** A host in memory, for tests only. Every command can be replaced; unknown ones fail as the real host does. */
import { markTruncated, markEvents } from '../truncated-values.ts';
import { ApiError } from '../error.ts';
import type { Command, Commands, RunEvent } from '../types.ts';
import type { Transport } from './transport.ts';

export type Handlers = { [K in Command]?: (payload: Commands[K]['request']) => Commands[K]['response'] | Promise<Commands[K]['response']> };

export interface FakeTransport extends Transport {
  calls: { command: Command; payload: unknown }[];
  handlers: Handlers;
  /** Sends events to everyone who follows the run. */
  emit(runId: string, batch: RunEvent[]): void;
}

export function fakeTransport(handlers: Handlers = {}): FakeTransport {
  const followers = new Map<string, Set<(batch: RunEvent[]) => void>>();
  const fake: FakeTransport = {
    host: 'fake',
    calls: [],
    handlers,
    async call<K extends Command>(command: K, payload: Commands[K]['request']): Promise<Commands[K]['response']> {
      fake.calls.push({ command, payload });
      const handler = fake.handlers[command] as ((payload: Commands[K]['request']) => Commands[K]['response']) | undefined;
      if (!handler) throw new ApiError({ code: 'UNKNOWN_COMMAND', message: `No handler for ${command}.`, hint: 'Add one to the test.' });
      return markTruncated(command, await handler(payload));
    },
    subscribe(runId, _after, onEvents) {
      const set = followers.get(runId) ?? new Set();
      set.add(onEvents);
      followers.set(runId, set);
      return () => set.delete(onEvents);
    },
    emit(runId, batch) {
      markEvents(batch);
      for (const follower of followers.get(runId) ?? []) follower(batch);
    },
  };
  return fake;
}
