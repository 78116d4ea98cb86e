import { afterEach, describe, expect, it, vi } from 'vitest';
import { setTransport } from '../client.ts';
import { copyText, saveFile } from '../save-file.ts';
import { fakeTransport } from '../transport/fake.ts';

afterEach(() => vi.unstubAllGlobals());

describe('what leaves the page', () => {
  it('is written where the person says, in the window', async () => {
    const saveFileOfHost = vi.fn(async (_name: string, _base64: string): Promise<string | null> => '/home/ada/a-b.txt');
    setTransport(Object.assign(fakeTransport(), { saveFile: saveFileOfHost }));
    const text = 'ü'.repeat(20_000);
    expect(await saveFile('a / b.txt', { text })).toEqual({ path: '/home/ada/a-b.txt' });
    expect(saveFileOfHost.mock.calls[0]?.[0]).toBe('a-b.txt');
    expect(Buffer.from(saveFileOfHost.mock.calls[0]?.[1] ?? '', 'base64').toString('utf8')).toBe(text);
    saveFileOfHost.mockResolvedValue(null);
    expect(await saveFile('a.txt', { base64: 'QQ==' })).toBeNull();
  });

  it('is promised to the clipboard at once, while it is still being loaded', async () => {
    const write = vi.fn(async (_items: unknown[]) => undefined);
    vi.stubGlobal('navigator', { clipboard: { write, writeText: vi.fn() } });
    vi.stubGlobal('ClipboardItem', class { constructor(readonly parts: Record<string, Promise<Blob>>) {} });
    let arrive: (text: string) => void = () => undefined;
    const copied = copyText(new Promise<string>((done) => { arrive = done; }));
    expect(write).toHaveBeenCalledOnce();
    arrive('whole');
    await copied;
    const items = (write.mock.calls[0]?.[0] ?? []) as { parts: Record<string, Promise<Blob>> }[];
    expect(await (await items[0]?.parts['text/plain'])?.text()).toBe('whole');
  });
});
