import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../api/error.ts';
import { renderWith } from '../test/render.tsx';
import { BytesView } from './BytesView.tsx';
import { endingOf, kindOf } from './bytes-words.ts';

const HASH = 'ab'.repeat(32);
const picture = { ref: HASH, mime: 'image/png', size: 70, sha256: HASH };

describe('d_10: bytes that came with an item', () => {
  it('d_10 are told in plain words and saved under a plain name', async () => {
    const asked = vi.fn(() => ({ bytesBase64: btoa('png!') }));
    const { fake } = renderWith(<BytesView runId="R" step="fetch" items={[{ binary: { response: picture } }, {}]} />, { run_binary: asked });
    const saveFile = vi.fn(async (_name: string, _base64: string) => '/home/ada/fetch-response.png');
    Object.assign(fake, { saveFile });
    expect(screen.getByText('PNG picture, 70 B')).toBeTruthy();
    expect(document.querySelector('img')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Save response as a file' }));
    expect(fake.calls.map((one) => [one.command, one.payload])).toContainEqual(['run_binary', { runId: 'R', sha256: HASH }]);
    expect(saveFile.mock.calls).toEqual([['fetch-response.png', btoa('png!')]]);
  });

  it('ts_052 says why they are refused', async () => {
    renderWith(<BytesView runId="R" step="fetch" items={[{ binary: { response: picture } }]} />, {
      run_binary: () => { throw new ApiError({ code: 'FORBIDDEN', message: 'You see this run with masks, and nothing can be masked in bytes.', hint: 'Say why.' }); },
    });
    await userEvent.click(screen.getByRole('button', { name: 'Save response as a file' }));
    expect(await screen.findByText(/nothing can be masked in bytes. Say why./)).toBeTruthy();
  });

  it('are counted when there are very many, and nothing of a foreign type gets into a name', () => {
    renderWith(<BytesView runId="R" step="fetch" items={Array.from({ length: 60 }, (_, n) => ({ binary: { [`p${String(n)}`]: picture } }))} />);
    expect(screen.getAllByRole('button')).toHaveLength(50);
    expect(screen.getByText('and 10 more')).toBeTruthy();
    const cut = { _truncated: true, type: 'object', length: 20_000, preview: '{...', ref: 'R/3/payload/items' };
    renderWith(<BytesView runId="R" step="fetch" items={[{ binary: cut as never }]} />);
    expect(screen.getByText(/So many files/)).toBeTruthy();
    expect([kindOf('application/x-own'), endingOf('a/../../x')]).toEqual(['application/x-own', 'bin']);
  });
});
