/** Ways through a long chain: to its ends, to a number, and to what came while the list did not follow. */
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { QueryClientProvider } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { useSettings } from '../../api/settings.ts';
import { auditHost, makeChain } from '../../test/chain.ts';
import { demoHost } from '../../test/fixtures.ts';
import { pretendLayout } from '../../test/render.tsx';
import { handleKey } from '../../kit/index.ts';
import { AuditScreen } from '../audit-screen.tsx';
import { useRoute } from '../router.ts';
import { key } from './inbox-page.tsx';

function Page() {
  const route = useRoute();
  return route.screen === 'audit' ? <AuditScreen query={route.query} seq={route.seq} /> : null;
}
beforeEach(() => { pretendLayout(); queryClient.clear(); useSettings.setState({ settings: { theme: 'system', layout: {}, keymap: {} } }); });
afterEach(() => { cleanup(); window.location.hash = ''; });
const rows = () => within(screen.getByRole('grid')).getAllByRole('row').slice(1);
const show = async (count: number, hash = '#/audit') => {
  const fake = demoHost();
  const records = await makeChain(count);
  auditHost(records, fake);
  setTransport(fake);
  window.location.hash = hash;
  render(<QueryClientProvider client={queryClient}><Page /></QueryClientProvider>);
  await waitFor(() => expect(rows().length).toBeGreaterThan(3));
  return { fake, records };
};
/** The record that the screen is at. */
const chosen = (seq: number) => waitFor(() => expect(window.location.hash).toMatch(new RegExp(`^#/audit/${String(seq)}(\\?|$)`)));
const highest = () => rows()[0]?.querySelector('.seq')?.textContent;

it('a number leads to its record, far behind what is loaded, and one outside of the chain is refused in words', async () => {
  await show(450);
  key('g');
  const dialog = await screen.findByRole('dialog', { name: 'Go to an entry' });
  const number = within(dialog).getByLabelText(/Number/);
  const go = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Go' });
  for (const outside of ['450', '-1', '1.5', 'first', '9'.repeat(16)]) {
    fireEvent.change(number, { target: { value: outside } });
    expect(within(dialog).getByRole('alert').textContent).toBe('Entries 0 to 449 are in the chain.');
    expect(go.disabled).toBe(true);
    await userEvent.type(number, '{Enter}');
  }
  expect(window.location.hash).toBe('#/audit');
  fireEvent.change(number, { target: { value: '449' } });
  expect(within(dialog).queryByRole('alert')).toBeNull();
  fireEvent.change(number, { target: { value: '20' } });
  await userEvent.type(number, '{Enter}');
  await chosen(20);
  await waitFor(() => expect(rows().find((row) => row.getAttribute('aria-selected') === 'true')?.querySelector('.seq')?.textContent).toBe('20'));
  expect(screen.queryByRole('dialog')).toBeNull();
}, 20_000);

it('pages are twenty records, and the ends of the list are the ends of the chain', async () => {
  await show(450);
  key('PageDown');
  await chosen(430);
  key('PageDown');
  await chosen(410);
  key('PageUp');
  await chosen(430);
  key('PageUp');
  key('PageUp');
  await chosen(449);
  // Far behind the two hundred that are loaded.
  key('End');
  await chosen(0);
  expect(await screen.findByText(/^Entries up to 199;/)).toBeTruthy();
  key('PageUp');
  await chosen(20);
  key('Home');
  await waitFor(() => expect(highest()).toBe('449'));
  expect(screen.queryByText(/^Entries up to/)).toBeNull();
  key('Home');
  await chosen(449);
}, 20_000);

it('pages and ends of a query are among its records, and the query stays', async () => {
  await show(450, `#/audit?query=${encodeURIComponent('event:NODE_ERROR')}`);
  await waitFor(() => expect(highest()).toBe('443'));
  const box = screen.getByRole<HTMLInputElement>('combobox');
  for (const [name, seq] of [['PageDown', 253], ['End', 3], ['PageUp', 203], ['Home', 443]] as const) {
    key(name);
    await chosen(seq);
    expect(box.value).toBe('event:NODE_ERROR');
    expect(window.location.hash).toContain(encodeURIComponent('event:NODE_ERROR'));
  }
}, 20_000);

it('in the box of the query the keys of pages and ends are those of its words', async () => {
  await show(60);
  const box = screen.getByRole('combobox');
  const taken: boolean[] = [];
  box.addEventListener('keydown', (event) => taken.push(handleKey(event)));
  for (const name of ['PageDown', 'PageUp', 'Home', 'End']) fireEvent.keyDown(box, { key: name });
  expect(taken).toEqual([false, false, false, false]);
  expect(window.location.hash).toBe('#/audit');
});

it('without following, new records of the query are counted, and lead to the top of the list', async () => {
  const { fake, records } = await show(60);
  key('f');
  expect(screen.getByRole('switch', { name: 'Follow new entries' }).getAttribute('aria-checked')).toBe('false');
  const later = await makeChain(63);
  records.push(...later.slice(60));
  // Asked every five seconds: nobody waits for that here.
  await act(() => queryClient.refetchQueries({ queryKey: ['audit_list'] }));
  const told = (await screen.findByText('3 new entries match.')).closest<HTMLElement>('[role=status]');
  expect(highest()).toBe('59');
  expect(fake.calls.findLast((one) => one.command === 'audit_list')?.payload).toMatchObject({ after: 59 });
  const list = screen.getByRole('grid').querySelector('.vlist');
  if (list) list.scrollTop = 280;
  fireEvent.click(within(told as HTMLElement).getByRole('button', { name: 'Show' }));
  await waitFor(() => expect(highest()).toBe('62'));
  expect(list?.scrollTop).toBe(0);
  expect(screen.queryByText(/new records? fits?/)).toBeNull();
});
