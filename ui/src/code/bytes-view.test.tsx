import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { Cut } from '../json/json.ts';
import { ApiError } from '../api/error.ts';
import { renderWith } from '../test/render.tsx';
import { BytesView } from './BytesView.tsx';
import { endingOf, kindOf } from './bytes-words.ts';

const HASH = 'ab'.repeat(32);
const picture = { ref: HASH, mime: 'image/png', size: 70, sha256: HASH };

const who = (role: 'viewer' | 'operator') => () => ({ operatorId: 'user:vera', role, via: 'rest' as const });

describe('d_10: bytes that came with an item', () => {
  it('d_10 are told in plain words and saved under a plain name', async () => {
    const asked = vi.fn(() => ({ bytesBase64: btoa('png!') }));
    const { fake } = renderWith(<BytesView runId="R" step="fetch" items={[{ binary: { response: picture } }, {}]} />, { run_binary: asked });
    const saveFile = vi.fn(async (_name: string, _base64: string) => '/home/ada/fetch-response.png');
    Object.assign(fake, { saveFile });
    expect(screen.getByText('PNG picture, 70B')).toBeTruthy();
    expect(document.querySelector('img')).toBeNull();
    await userEvent.click(await screen.findByRole('button', { name: 'Save response as a file' }));
    expect(fake.calls.map((one) => [one.command, one.payload])).toContainEqual(['run_binary', { runId: 'R', sha256: HASH }]);
    expect(saveFile.mock.calls).toEqual([['fetch-response.png', btoa('png!')]]);
  });

  it('those of one name are told apart by their items', async () => {
    const saveFile = vi.fn(async (_name: string, _base64: string) => null);
    const { fake } = renderWith(<BytesView runId="R" step="fetch" items={[{ binary: { page: picture } }, {}, { binary: { page: picture, note: picture } }]} />, { run_binary: () => ({ bytesBase64: btoa('png!') }) });
    Object.assign(fake, { saveFile });
    await userEvent.click(await screen.findByRole('button', { name: 'Save page of item 3 as a file' }));
    expect(screen.getAllByRole('listitem').map((one) => one.textContent?.split('PNG')[0])).toEqual(['pageitem 1', 'pageitem 3', 'note']);
    expect(saveFile.mock.calls.map(([name]) => name)).toEqual(['fetch-page-3.png']);
  });

  it('ts_052 says why they are refused', async () => {
    renderWith(<BytesView runId="R" step="fetch" items={[{ binary: { response: picture } }]} />, {
      run_binary: () => { throw new ApiError({ code: 'FORBIDDEN', message: 'You see this run with masks, and nothing can be masked in bytes.', hint: 'Say why.' }); },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Save response as a file' }));
    expect(await screen.findByText(/nothing can be masked in bytes. Say why./)).toBeTruthy();
  });

  it('are counted when there are very many, and nothing of a foreign type gets into a name', async () => {
    renderWith(<BytesView runId="R" step="fetch" items={Array.from({ length: 60 }, (_, n) => ({ binary: { [`p${String(n)}`]: picture } }))} />);
    expect(await screen.findAllByRole('button')).toHaveLength(50);
    expect(screen.getByText('and 10 more')).toBeTruthy();
    const cut = new Cut({ _truncated: true, type: 'object', length: 20_000, preview: '{...', ref: 'R/3/payload/items' });
    renderWith(<BytesView runId="R" step="fetch" items={[{ binary: cut as never }]} />);
    expect(screen.getByText(/Too many files to list/)).toBeTruthy();
    expect([kindOf('application/x-own'), endingOf('a/../../x')]).toEqual(['application/x-own', 'bin']);
  });

  it('d_10 are not offered to who would be refused: a viewer, and who sees the run with masks', async () => {
    const shown = <BytesView runId="R" step="fetch" items={[{ binary: { response: picture } }]} />;
    const { unmount } = renderWith(shown, { who: who('viewer') });
    await waitFor(() => expect(screen.queryByRole('button')).toBeNull());
    expect(screen.getByText('PNG picture, 70B')).toBeTruthy();
    unmount();
    renderWith(shown, { who: who('operator'), run_get: () => ({ runId: 'R', masked: true }) as never });
    expect(await screen.findByText(/^Masked: files cannot be masked in part/)).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('d_10 are not offered before it is known whether the run is seen with masks', async () => {
    let answer: (run: object) => void = () => undefined;
    renderWith(<BytesView runId="R" step="fetch" items={[{ binary: { response: picture } }]} />, { who: who('operator'), run_get: () => new Promise((done) => { answer = done as never; }) });
    expect(screen.getByText('PNG picture, 70B')).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
    await waitFor(() => { answer({ runId: 'R', masked: false }); expect(screen.getByRole('button', { name: 'Save response as a file' })).toBeTruthy(); });
  });

  it('of one item say nothing of those of another', async () => {
    const other = { ...picture, sha256: 'cd'.repeat(32) };
    const { rerender } = renderWith(<BytesView runId="R" step="fetch" items={[{ binary: { response: picture } }]} />, {
      run_binary: () => { throw new ApiError({ code: 'NOT_FOUND', message: 'It is gone.', hint: '' }); },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Save response as a file' }));
    expect(await screen.findByText(/It is gone/)).toBeTruthy();
    rerender(<BytesView runId="R" step="fetch" items={[{ binary: { response: other } }]} />);
    expect(screen.queryByText(/It is gone/)).toBeNull();
  });

  it('d_10 of each type that the engine names have a word and the ending that they came with', () => {
    const source = readFileSync(join(import.meta.dirname, '../../../src-tauri/crates/model/src/media.rs'), 'utf8');
    const table = /const KINDS[\s\S]*?\n\];/.exec(source)?.[0] ?? '';
    const named = [...table.matchAll(/^ *\("([^"]+)", &\[((?:"\w+"(?:, )?)+)\]\),$/gm)].map(([, mime = '', endings = '']) => ({ mime, endings: [...endings.matchAll(/\w+/g)].map(([one]) => one) }));
    expect(named.length).toBeGreaterThan(14);
    for (const { mime, endings } of named) {
      expect(endings, mime).toContain(endingOf(mime));
      expect(kindOf(mime)).not.toBe(mime);
    }
  });
});
