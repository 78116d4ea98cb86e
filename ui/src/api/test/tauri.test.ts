import { beforeEach, describe, expect, it, vi } from 'vitest';
import { tauriTransport } from '../transport/tauri.ts';
import type { RunEvent } from '../types.ts';

// What the shell puts into its page; the rest is the real package.
const shell = { invoke: vi.fn<(command: string, args: { channel?: { onmessage(batch: string): void } }) => Promise<unknown>>() };
let callbacks = 0;
beforeEach(() => {
  Object.assign(window, { __TAURI_INTERNALS__: {
    invoke: (command: string, args: { channel?: { onmessage(batch: string): void } }) => shell.invoke(command, args),
    transformCallback: () => { callbacks += 1; return callbacks; },
  } });
});

describe('events in the window', () => {
  it('takes a batch that comes after the answer of the command, and ends with the empty one', async () => {
    let arrive: (batch: unknown[]) => void = () => undefined;
    shell.invoke.mockImplementation(async (_command, args) => { arrive = (batch) => args.channel?.onmessage(JSON.stringify(batch)); });
    const batches: RunEvent[][] = [];
    const onError = vi.fn();
    tauriTransport().subscribe('r', 0, (batch) => batches.push(batch), onError);
    await Promise.resolve();
    await Promise.resolve();
    expect(onError).not.toHaveBeenCalled();
    arrive([{ runId: 'r', seq: 1 }]);
    expect(batches.flat().map((event) => event.seq)).toEqual([1]);
    arrive([]);
    expect(onError).toHaveBeenCalledExactlyOnceWith(null);
  });

  it('what goes there and back is text: large numbers stay what they are', async () => {
    shell.invoke.mockImplementation(async () => '{"params":{"id":9007199254740993}}');
    const answer = await tauriTransport().call('run_get', { runId: 'r' });
    expect(answer.params).toEqual({ id: 9007199254740993n });
    await tauriTransport().call('run_start', { params: answer.params as never });
    expect(shell.invoke).toHaveBeenLastCalledWith('rpc', { cmd: 'run_start', payload: '{"params":{"id":9007199254740993}}' });
  });

  it('says why when the host refuses', async () => {
    shell.invoke.mockImplementation(async () => { throw { code: 'NOT_FOUND', message: 'No such run.', hint: '' }; }); // eslint-disable-line no-throw-literal
    const why = await new Promise((said) => { tauriTransport().subscribe('r', 0, () => undefined, said); });
    expect(why).toMatchObject({ code: 'NOT_FOUND' });
  });
});
