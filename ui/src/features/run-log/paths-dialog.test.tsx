import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { PathOrder } from './path-order.ts';
import { PathsDialog } from './paths-dialog.tsx';

pretendLayout();
const path = (n: number, more: object = {}) => ({ path: `each[${String(n)}]`, firstSeq: n * 2 + 3, lastSeq: n * 2 + 4, running: false, failed: false, waiting: false, kept: false, ...more });

it('C20: reads all pages and leads to the one iteration that failed', async () => {
  const onLook = vi.fn();
  const asked: unknown[] = [];
  renderWith(<PathsDialog runId="R" live={false} words={(one) => one} onLook={onLook} onClose={() => undefined} />, {
    run_paths: (request: { after?: number }) => {
      asked.push(request.after);
      const first = request.after === undefined ? 0 : 1000;
      return { paths: Array.from({ length: 1000 }, (_, n) => path(first + n, { failed: first + n === 1777 })), containers: {}, truncated: request.after === undefined };
    },
  });
  await waitFor(() => expect(screen.getByText(/^2,000 in total/)).toBeTruthy());
  expect(asked).toEqual([undefined, 999 * 2 + 3]);
  expect(screen.getAllByRole('option').length).toBeLessThan(60);
  fireEvent.click(screen.getByRole('radio', { name: 'Failed 1' }));
  expect(screen.getAllByRole('option')).toHaveLength(1);
  fireEvent.click(screen.getByRole('option'));
  expect(onLook).toHaveBeenCalledWith('each[1777]');
  fireEvent.click(screen.getByRole('radio', { name: 'Running 0' }));
  expect(screen.getByText('None')).toBeTruthy();
});

it('says what is wrong and tries again', async () => {
  let broken = true;
  renderWith(<PathsDialog runId="R" live={false} words={(one) => one} onLook={() => undefined} onClose={() => undefined} />, {
    run_paths: () => {
      if (broken) throw new ApiError({ code: 'STORE', message: 'The store unreadable', hint: 'Review the disk.' });
      return { paths: [path(0)], containers: {}, truncated: false };
    },
  });
  expect(await screen.findByText('The store unreadable')).toBeTruthy();
  broken = false;
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(/^1 in total/)).toBeTruthy();
});

it('says which stand from the original run', async () => {
  renderWith(<PathsDialog runId="R" live={false} words={(one) => one} onLook={() => undefined} onClose={() => undefined} />, {
    run_paths: () => ({ paths: [path(0, { firstSeq: 1, lastSeq: 1, kept: true }), path(1)], containers: {}, truncated: false }),
  });
  const rows = (await screen.findAllByRole('option')).map((row) => row.textContent);
  expect(rows).toEqual(['each[0]from the original run', 'each[1]events 5 to 6']);
});

it('iterations stand in their order, also the one that a re-run ran again, and those of a loop inside behind theirs', async () => {
  const at = (name: string, firstSeq: number, kept = false) => ({ ...path(0, { firstSeq, lastSeq: firstSeq, kept }), path: name });
  const found = [at('each[0]', 1, true), at('each[2]', 1, true), at('each[10]', 1, true), at('each[2]/all[1]', 1, true), at('before', 4), at('each[1]', 5), at('each[1]/all[10]', 6), at('each[1]/all[9]', 7)];
  renderWith(<PathsDialog runId="R" live={false} words={(one) => `${one}:`} onLook={() => undefined} onClose={() => undefined} />, {
    run_paths: ({ after }: { after?: number }) => ({ paths: after === undefined ? found.slice(0, 5) : found.slice(5), containers: {}, truncated: after === undefined }),
  });
  await screen.findByText(/^8 in total/);
  const rows = screen.getAllByRole('option').map((row) => row.textContent?.split(':')[0]);
  expect(rows).toEqual(['each[0]', 'each[1]', 'each[1]/all[9]', 'each[1]/all[10]', 'each[2]', 'each[2]/all[1]', 'each[10]', 'before']);
});

it('the chosen one stays chosen when a page that comes later is laid in before it, and more is to come until the last page', async () => {
  const onLook = vi.fn();
  let more = (): void => undefined;
  const second = new Promise<void>((done) => { more = done; });
  const pages = async ({ after }: { after?: number }) => {
    if (after !== undefined) await second;
    return { paths: after === undefined ? [path(5), path(6)] : [path(1, { firstSeq: 90 }), path(2, { firstSeq: 91 })], containers: {}, truncated: after === undefined };
  };
  const { rerender } = renderWith(<PathsDialog runId="R" live={false} words={(one) => one} onLook={onLook} onClose={() => undefined} />, { run_paths: pages as never });
  expect(await screen.findByText(/^2 so far/)).toBeTruthy();
  const list = screen.getByRole('listbox');
  list.focus();
  await userEvent.keyboard('{ArrowDown}');
  more();
  expect(await screen.findByText(/^4 in total/)).toBeTruthy();
  await userEvent.keyboard('{Enter}');
  expect(onLook).toHaveBeenCalledExactlyOnceWith('each[6]');
  // Of a run that goes on nobody knows.
  rerender(<PathsDialog runId="R" live words={(one) => one} onLook={onLook} onClose={() => undefined} />);
  expect(screen.getByText(/^4 so far/)).toBeTruthy();
});

it('what is there is drawn now and then while pages come, and at the end: each drawing looks at all of it', async () => {
  const drawn = vi.spyOn(PathOrder.prototype, 'with');
  renderWith(<PathsDialog runId="R" live={false} words={(one) => one} onLook={() => undefined} onClose={() => undefined} />, {
    run_paths: ({ after = 1 }: { after?: number }) => {
      const n = (after - 1) / 2;
      return { paths: [path(n)], containers: {}, truncated: n < 199 };
    },
  });
  expect(await screen.findByText(/^200 in total/)).toBeTruthy();
  expect(drawn.mock.calls.length).toBeLessThan(50);
  drawn.mockRestore();
});
