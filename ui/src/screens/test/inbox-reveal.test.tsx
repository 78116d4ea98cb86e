/** Values that a policy hides, and what a person has typed beside them. */
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unmask } from '../../features/inbox/drafts.ts';
import { task } from '../../test/people.ts';
import { detail, freshInbox, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });

it('a reveal after something was typed shows the value, and claims no change that nobody made', async () => {
  const host = await showInbox('#/inbox/task-2');
  const box = await detail();
  host.on({ task_reveal: () => ({ input: { ...(host.tasks.get('task-2')?.input as object), invoice: 'R-77', bankAccount: 'DE02 1203' } }) });
  const supplier = await within(box).findByLabelText(/Supplier number/);
  await userEvent.clear(supplier);
  await userEvent.type(supplier, 'S-2041');
  fireEvent.click(within(box).getByRole('button', { name: 'Reveal (recorded)' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reveal hidden values' });
  await userEvent.type(within(dialog).getByLabelText(/Why do you need/), 'call back');
  fireEvent.click(within(dialog).getByRole('button', { name: /^Reveal/ }));
  expect(((await within(box).findByLabelText(/Bank account/)) as HTMLInputElement).value).toBe('DE02 1203');
  expect((within(box).getByLabelText(/^Invoice/) as HTMLInputElement).value).toBe('R-77');
  expect((within(box).getByLabelText(/Supplier number/) as HTMLInputElement).value).toBe('S-2041');
  const changed = [...within(box).getByRole('group', { name: 'Changes' }).querySelectorAll('.dl.a, .dl.d')].map((line) => line.textContent);
  expect(changed).toEqual([expect.stringContaining('S-Z002'), expect.stringContaining('S-2041')]);
  expect(within(box).getByText('1 field')).toBeTruthy();
});

it('a value that the schema marks as secret is dots in the difference, and text once it was revealed', async () => {
  const schema = { type: 'object', properties: { iban: { type: 'string', title: 'Account', 'x-secret': true } } };
  const host = await showInbox('#/inbox/task-2', [task(2, { schema, input: { iban: '••••••••' }, redacted: ['/iban'], suggestions: [] })]);
  const box = await detail();
  host.on({ task_reveal: () => ({ input: { iban: 'DE02 1203' } }) });
  const changes = within(box).getByRole('group', { name: 'Changes' });
  expect(changes.textContent).not.toContain('DE02');
  fireEvent.click(within(box).getByRole('button', { name: 'Reveal (recorded)' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reveal hidden values' });
  await userEvent.type(within(dialog).getByLabelText(/Why do you need/), 'call back');
  fireEvent.click(within(dialog).getByRole('button', { name: /^Reveal/ }));
  await waitFor(() => expect(changes.textContent).toContain('DE02 1203'));
  const field = await within(box).findByLabelText('Account');
  expect((field as HTMLInputElement).type).toBe('password');
  fireEvent.change(field, { target: { value: 'DE02 1204' } });
  await waitFor(() => expect(changes.textContent).toContain('DE02 1204'));
});

it('carries what was typed over the masked input, value by value', () => {
  const masked = { mail: '•••1•', note: 'a', list: [{ iban: '•••2•', n: 1 }, { iban: '•••3•', n: 2 }] };
  const shown = { mail: 'ada@example.org', note: 'a', list: [{ iban: 'DE1', n: 1 }, { iban: 'DE2', n: 2 }] };
  expect(unmask({ ...masked, note: 'b' }, masked, shown)).toEqual({ ...shown, note: 'b' });
  expect(unmask({ ...masked, mail: 'x' }, masked, shown)).toEqual({ ...shown, mail: 'x' });
  expect(unmask({ ...masked, list: [{ iban: '•••2•', n: 9 }, masked.list[1]] }, masked, shown)).toEqual({ ...shown, list: [{ iban: 'DE1', n: 9 }, shown.list[1]] });
  expect(unmask({ ...masked, list: [masked.list[1]] }, masked, shown)).toEqual({ ...shown, list: [shown.list[1]] });
  expect(unmask({ ...masked, list: [...masked.list, { iban: 'new', n: 3 }] }, masked, shown)).toEqual({ ...shown, list: [...shown.list, { iban: 'new', n: 3 }] });
  expect(unmask({ ...masked, list: [masked.list[0]] }, masked, shown)).toEqual({ ...shown, list: [shown.list[0]] });
  expect(unmask(masked, masked, shown)).toBe(shown);
});
