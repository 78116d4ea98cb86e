/** The desktop host. The only file that imports @tauri-apps. */
import { Channel, invoke, isTauri } from '@tauri-apps/api/core';
import { markTruncated, markEvents } from '../truncated-values.ts';
import { toApiError } from '../error.ts';
import { parseExact, writeExact } from '../../json/exact-json.ts';
import { randomId } from '../../text/random-id.ts';
import type { Command, Commands, RunEvent } from '../types.ts';
import { listen } from '@tauri-apps/api/event';
import type { ClosingAsked, Outside, Picked, Transport } from './transport.ts';

export { isTauri };

export function tauriTransport(): Transport {
  return {
    host: 'desktop',
    async call<K extends Command>(command: K, payload: Commands[K]['request']): Promise<Commands[K]['response']> {
      try {
        // As text, both ways: the shell would read and write numbers as the browser does.
        const text = await invoke<string>('rpc', { cmd: command, payload: writeExact(payload) });
        return markTruncated(command, parseExact(text) as Commands[K]['response'], text);
      } catch (cause) {
        throw toApiError(cause);
      }
    },
    subscribe(runId, after, onEvents, onError) {
      let open = true;
      const channel = new Channel<string>();
      // An empty batch is the last one. The command's answer is not the end: it overtakes a large batch.
      channel.onmessage = (text) => {
        if (!open) return;
        const batch = markEvents(parseExact(text) as RunEvent[], text);
        if (batch.length > 0) onEvents(batch);
        else onError(null);
      };
      const id = randomId();
      invoke('rpc_subscribe', { id, runId, after, channel }).catch((cause: unknown) => { if (open) onError(toApiError(cause)); });
      return () => {
        open = false;
        invoke('rpc_unsubscribe', { id }).catch(() => undefined);
      };
    },
    onTaskChange(onChange, onError) {
      let open = true;
      const channel = new Channel<number>();
      channel.onmessage = () => { if (open) onChange(); };
      const id = randomId();
      invoke('rpc_task_changes', { id, channel }).then(() => { if (open) onError(null); }, (cause: unknown) => { if (open) onError(toApiError(cause)); });
      return () => {
        open = false;
        invoke('rpc_unsubscribe', { id }).catch(() => undefined);
      };
    },
    pickFile: () => invoke<Picked | null>('pick_file'),
    pickFolder: () => invoke<Picked | null>('pick_folder'),
    async saveRunFile(runId, seq, name, acceptChanged) {
      try {
        const path = await invoke<string | null>('save_run_file', { runId, seq, name, acceptChanged });
        return path === null ? null : { path };
      } catch (cause) {
        throw toApiError(cause);
      }
    },
    async saveFile(name, base64) {
      try {
        return await invoke<string | null>('save_file', { name, base64 });
      } catch (cause) {
        throw toApiError(cause);
      }
    },
    onMenu(listener) {
      const unlisten = listen<string>('menu', (event) => listener(event.payload));
      return () => { void unlisten.then((stop) => stop()); };
    },
    notify: (notice) => invoke('notify', notice),
    waiting: (open) => invoke('waiting', { open }),
    onClosing(listener) {
      // Listen first, then say that the page can ask.
      const unlisten = listen<ClosingAsked>('closing', (event) => listener(event.payload));
      unlisten.then(() => invoke('closing', { said: 'ready' })).catch(() => undefined);
      return () => { void unlisten.then((stop) => stop()); };
    },
    closing: (said) => invoke('closing', { said }),
    onTask(listener) {
      // Listen first, then ask for what came before.
      const unlisten = listen<string>('task', (event) => listener(event.payload));
      unlisten.then(() => invoke<string | null>('linked_task')).then((id) => { if (id) listener(id); }, () => undefined);
      return () => { void unlisten.then((stop) => stop()); };
    },
    onFile(listener) {
      const unlisten = listen<Outside>('file', (event) => listener(event.payload));
      unlisten.then(() => invoke<Outside | null>('linked_file')).then((file) => { if (file) listener(file); }, () => undefined);
      return () => { void unlisten.then((stop) => stop()); };
    },
  };
}
