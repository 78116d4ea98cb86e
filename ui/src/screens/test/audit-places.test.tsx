/** Ways through a long chain: to its ends, to a number, and to what came while the list did not follow. */
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { QueryClientProvider } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { useSettings } from '../../api/settings.ts';
import { auditHost, makeChain } from '../../test/chain.ts';
import { demoHost } from '../../test/fixtures.ts';
import { pretendLayout } from '../../test/render.tsx';
import { AuditScreen } from '../audit-screen.tsx';
import { useRoute } from '../router.ts';

function Page() {
  const route = useRoute();
  return route.screen === 'audit' ? <AuditScreen query={route.query} seq={route.seq} /> : null;
}
beforeEach(() => { pretendLayout(); queryClient.clear(); useSettings.setState({ settings: { theme: 'system', layout: {}, keymap: {} } }); });
afterEach(() => { cleanup(); window.location.hash = ''; });
const rows = () => within(screen.getByRole('grid')).getAllByRole('row').slice(1);

it('a number leads to its record, far behind what is loaded, and one outside of the chain is refused in words', async () => {
  const fake = demoHost();
  auditHost(await makeChain(450), fake);
  setTransport(fake);
  window.location.hash = '#/audit';
  render(<QueryClientProvider client={queryClient}><Page /></QueryClientProvider>);
  await waitFor(() => expect(rows().length).toBeGreaterThan(3));
  await userEvent.click(screen.getByRole('button', { name: 'Go to record…' }));
  const dialog = screen.getByRole('dialog', { name: 'Go to a record' });
  await userEvent.type(within(dialog).getByLabelText(/Number/), '450');
  expect(within(dialog).getByRole('alert').textContent).toContain('0 to 449');
  await userEvent.clear(within(dialog).getByLabelText(/Number/));
  await userEvent.type(within(dialog).getByLabelText(/Number/), '20{Enter}');
  await waitFor(() => expect(window.location.hash).toContain('/20'));
  await waitFor(() => expect(rows().find((row) => row.getAttribute('aria-selected') === 'true')?.textContent).toContain('20'));
}, 20_000);
