import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../error.ts';
import { httpTransport, takeToken } from '../transport/http.ts';
import { SseParser } from '../transport/sse.ts';
import type { RunEvent } from '../types.ts';

vi.mock('../download-blob.ts', () => ({ downloadBlob: () => undefined }));

afterEach(() => vi.unstubAllGlobals());

describe('server-sent events', () => {
  it('reads frames that arrive in pieces, comments and several data lines', () => {
    const parser = new SseParser();
    expect(parser.push(': hello\n\nid: 1\nevent: step_done\nda')).toEqual([]);
    expect(parser.push('ta: {"a":1}\n\nid: 2\r\ndata: x\r\ndata: y\r\n\r\n')).toEqual([
      { id: '1', event: 'step_done', data: '{"a":1}' }, { id: '2', data: 'x\ny' },
    ]);
  });
});

describe('token', () => {
  it('is taken out of the address and kept for this window', () => {
    const storage = new Map<string, string>();
    const box = { getItem: (key: string) => storage.get(key) ?? null, setItem: (key: string, value: string) => void storage.set(key, value) } as unknown as Storage;
    const history = { replaceState: vi.fn() } as unknown as History;
    const at = { hash: '#token=s3cret%2B', pathname: '/', search: '' } as Location;
    expect(takeToken(at, history, box)).toBe('s3cret+');
    expect(history.replaceState).toHaveBeenCalledWith(null, '', '/#/workflows');
    expect(takeToken({ ...at, hash: '#/runs' }, history, box)).toBe('s3cret+');
  });
});

describe('calls', () => {
  it('sends the token in a header and gives the answer', async () => {
    const fetch = vi.fn(async () => new Response('[]'));
    vi.stubGlobal('fetch', fetch);
    expect(await httpTransport('http://host', () => 't').call('catalog_list', {})).toEqual([]);
    expect(fetch).toHaveBeenCalledWith('http://host/rpc/catalog_list', expect.objectContaining({ method: 'POST', body: '{}', headers: expect.objectContaining({ authorization: 'Bearer t' }) }));
  });

  it('lets what is sent when the page goes live on without it, as far as a browser does that', async () => {
    const fetch = vi.fn(async (_url: string, _request: RequestInit) => new Response('{}'));
    vi.stubGlobal('fetch', fetch);
    const put = (name: string, leaving?: boolean) => httpTransport('', () => 't').call('draft_put', { ref: 'w', document: { name } as never }, undefined, leaving);
    await put('A', true);
    await put('A');
    await put('a'.repeat(100_000), true);
    expect(fetch.mock.calls.map(([, request]) => request.keepalive)).toEqual([true, undefined, undefined]);
  });

  it('gives the host\'s own error, or plain words when there is none', async () => {
    vi.stubGlobal('fetch', async () => new Response('{"code":"CONFLICT","message":"Changed outside.","hint":"Reload.","details":{"revision":"r2"}}', { status: 409 }));
    await expect(httpTransport('', () => '').call('catalog_list', {})).rejects.toMatchObject({ code: 'CONFLICT', message: 'Changed outside.', hint: 'Reload.', details: { revision: 'r2' } });
    vi.stubGlobal('fetch', async () => new Response('<html>', { status: 401 }));
    await expect(httpTransport('', () => '').call('catalog_list', {})).rejects.toMatchObject({ code: 'AUTH', hint: expect.stringContaining('Open the complete address') });
    // The answer breaks off in the middle.
    vi.stubGlobal('fetch', async () => new Response('[{"id":'));
    await expect(httpTransport('', () => '').call('catalog_list', {})).rejects.toMatchObject({ code: 'CONNECTION' });
    vi.stubGlobal('fetch', async () => { throw new TypeError('fetch failed'); });
    await expect(httpTransport('', () => '').call('catalog_list', {})).rejects.toBeInstanceOf(ApiError);
  });

  it('follows a run from a seq on and says when the stream ends', async () => {
    const frames = 'id: 3\ndata: {"runId":"r","seq":3}\n\nid: 4\ndata: {"runId":"r","seq":4}\n\n';
    const fetch = vi.fn(async (_url: string) => new Response(frames));
    vi.stubGlobal('fetch', fetch);
    const batches: RunEvent[][] = [];
    await new Promise<void>((ended) => { httpTransport('', () => 't').subscribe('r', 2, (batch) => batches.push(batch), () => ended()); });
    expect(batches.flat().map((event) => event.seq)).toEqual([3, 4]);
    expect(fetch.mock.calls[0]?.[0]).toBe('/workflow/r/events?after=2');
  });

  it('says that the host is there before any event, and not of one that refuses', async () => {
    const open = vi.fn();
    vi.stubGlobal('fetch', async () => new Response(': connected\n\n'));
    await new Promise<void>((ended) => { httpTransport('', () => 't').subscribe('r', 0, () => undefined, () => ended(), open); });
    expect(open).toHaveBeenCalledTimes(1);
    vi.stubGlobal('fetch', async () => new Response('', { status: 401 }));
    await new Promise<void>((ended) => { httpTransport('', () => 't').subscribe('r', 0, () => undefined, () => ended(), open); });
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('takes much that comes at once in parts, all of it and in order, and nothing more when it is left', async () => {
    const frames = Array.from({ length: 250 }, (_, n) => `data: {"runId":"r","seq":${String(n + 1)}}\n\n`).join('');
    vi.stubGlobal('fetch', vi.fn(async () => new Response(frames)));
    const batches: RunEvent[][] = [];
    await new Promise<void>((ended) => { httpTransport('', () => 't').subscribe('r', 0, (batch) => batches.push(batch), () => ended()); });
    expect(batches.map((batch) => batch.length)).toEqual([100, 100, 50]);
    expect(batches.flat().map((event) => event.seq)).toEqual(Array.from({ length: 250 }, (_, n) => n + 1));
    const left: number[] = [];
    const stop = httpTransport('', () => 't').subscribe('r', 0, (batch) => { left.push(batch.length); stop(); }, () => left.push(-1));
    await new Promise((done) => { setTimeout(done, 50); });
    expect(left).toEqual([100]);
  });
});

describe('programs', () => {
  const answered = (response: Response) => {
    const asked = vi.fn((_url: string, _init?: RequestInit) => Promise.resolve(response));
    vi.stubGlobal('fetch', asked);
    return { asked, host: httpTransport('', () => 's3cret') };
  };

  it('are downloaded as they were chosen, with the hash that the host told', async () => {
    // SHA-256 of nothing.
    const digest = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';
    const { asked, host } = answered(new Response('', { headers: { 'repr-digest': digest } }));
    const saved = await host.saveProgram?.('a b', { target: 'bundle', callback: 'https://a.example/?x=1' }, 'orders');
    expect(saved).toEqual({ size: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' });
    expect(asked.mock.calls[0]?.[0]).toBe('/workflows/a%20b/program?target=bundle&callback=https%3A%2F%2Fa.example%2F%3Fx%3D1');
  });

  it('that are refused say why', async () => {
    const { host } = answered(new Response(JSON.stringify({ error: { code: 'RUNNER_MISSING', message: 'The runner is missing.', hint: 'Build it.' } }), { status: 404 }));
    await expect(host.saveProgram?.('a', {}, 'a')).rejects.toMatchObject({ code: 'RUNNER_MISSING', hint: 'Build it.' });
  });
});
