// Importing an API: a file becomes a connector, one with the name of another is replaced only when a person says so.
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Connector } from '../../code/connector-step.ts';
import { renderOnce } from '../../test/render.tsx';
import { ImportApiDialog } from '../parts/import-api.tsx';

afterEach(cleanup);

const added = { name: 'shop', title: 'Shop', file: '/data/connectors/shop.yaml', operations: 12, leftOut: 1, findings: [{ path: '/paths/~1a', message: 'The operation is left out.' }], moreFindings: 0 };
const OWN: Connector = { name: 'old', title: 'Old shop', description: '', keywords: [], own: true, variables: [], operations: [] };
const drop = (text: string) => {
  const file = new File([text], 'openapi.json', { type: 'application/json' });
  fireEvent.drop(screen.getByText('Drop a file here (JSON or YAML)'), { dataTransfer: { files: [file] } });
};

it('a dropped document is imported, and what differs is listed', async () => {
  const { fake } = renderOnce(<ImportApiDialog onClose={() => undefined} />, { connector_list: () => [], connector_add: () => added });
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Import' });
  expect(button.disabled).toBe(true);
  drop('{"openapi":"3.0.0"}');
  fireEvent.change(screen.getByRole('textbox', { name: /Name/ }), { target: { value: ' shop ' } });
  fireEvent.click(button);
  const dialog = await screen.findByRole('dialog', { name: 'Imported: Shop' });
  expect(fake.calls.filter((call) => call.command === 'connector_add').map((call) => call.payload)).toEqual([{ text: '{"openapi":"3.0.0"}', name: 'shop' }]);
  expect(dialog.textContent).toContain('12 operations · 1 left out');
  expect(within(dialog).getByText('The operation is left out.')).toBeTruthy();
});

it('an import takes the credential that new steps begin with, of an address and of a file', async () => {
  const secrets = [{ name: 'shop', kind: 'bearer' as const, hosts: [], createdAt: '', updatedAt: '' }];
  const { fake } = renderOnce(<ImportApiDialog onClose={() => undefined} />, { connector_list: () => [], secret_list: () => secrets, connector_add: () => added });
  const url = 'https://api.example.com/graphql';
  fireEvent.change(screen.getByRole('textbox', { name: /GraphQL address/ }), { target: { value: ` ${url} ` } });
  await userEvent.click(await screen.findByRole('combobox', { name: 'Credential' }));
  await userEvent.click(await screen.findByRole('option', { name: 'shop' }));
  drop('{"data":{}}');
  fireEvent.click(screen.getByRole('button', { name: 'Import' }));
  await screen.findByRole('dialog', { name: 'Imported: Shop' });
  expect(fake.calls.filter((call) => call.command === 'connector_add').map((call) => call.payload)).toEqual([{ text: '{"data":{}}', credential: 'secret://shop', address: url }]);
});

it('a connector of the same name is replaced on request, and own ones are removed', async () => {
  let asked = 0;
  const { fake } = renderOnce(<ImportApiDialog onClose={() => undefined} />, {
    connector_list: () => [OWN, { ...OWN, name: 'slack', title: 'Slack', own: false }],
    connector_remove: () => ({}),
    connector_add: () => {
      asked += 1;
      if (asked > 1) return added;
      throw Object.assign(new Error('x'), { code: 'CONNECTOR_EXISTS', message: "There is a connector 'shop' already.", hint: 'Give it another name.' });
    },
  });
  drop('{}');
  fireEvent.click(screen.getByRole('button', { name: 'Import' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Replace the old one' }));
  await screen.findByRole('dialog', { name: 'Imported: Shop' });
  expect(fake.calls.filter((call) => call.command === 'connector_add').map((call) => call.payload)).toEqual([{ text: '{}' }, { text: '{}', replace: true }]);
});

it('lists own connectors only, each with a way to remove it', async () => {
  const { fake } = renderOnce(<ImportApiDialog onClose={() => undefined} />, { connector_list: () => [OWN, { ...OWN, name: 'slack', title: 'Slack', own: false }], connector_remove: () => ({}) });
  const list = await screen.findByRole('region', { name: 'Your connectors' });
  expect(list.textContent).not.toContain('Slack');
  fireEvent.click(within(list).getByRole('button', { name: 'Remove' }));
  await expect.poll(() => fake.calls.find((call) => call.command === 'connector_remove')?.payload).toEqual({ name: 'old' });
});

it('whoever has no secret yet learns where one is added, before the service refuses', async () => {
  queryClient.clear();
  renderOnce(<ImportApiDialog onClose={() => undefined} />, { connector_list: () => [], secret_list: () => [] });
  expect(screen.queryByText(/needs a credential/)).toBeNull();
  fireEvent.change(screen.getByRole('textbox', { name: 'GraphQL address' }), { target: { value: 'https://shop.example/graphql' } });
  expect(await screen.findByText(/If the service needs a credential, add it first/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Secrets in Settings' }).getAttribute('href')).toBe('#/settings/secrets');
});
