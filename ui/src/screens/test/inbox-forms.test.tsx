/** What a form of the inbox shows is what it sends, and what it may not be sent is not offered. */
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useSends } from '../../features/inbox/sending.ts';
import type { Task } from '../../features/inbox/types.ts';
import { task } from '../../test/people.ts';
import { Toaster } from '../../kit/index.ts';
import { detail, freshInbox, key, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });
const sends = () => useSends.getState().sends;

const ACCOUNT = { type: 'object', required: ['kind'], properties: { kind: { type: 'string', title: 'Kind', enum: ['bank', 'card'], default: 'bank' }, active: { type: 'boolean', title: 'Active', default: true }, holder: { type: 'string', title: 'Holder' } } };
const form = (more: Partial<Task> = {}) => task(2, { kind: 'form', reason: 'step', allowedActions: ['submit'], error: undefined, errorMessage: undefined, errorCode: undefined, suggestions: [], redacted: [], sameCount: 1, input: {}, schema: ACCOUNT as never, ...more });

describe('UX-D2.4 the defaults of a form', () => {
  it('stand there again after a reset, in the fields and in what is sent', async () => {
    await showInbox('#/inbox/task-2', [form()]);
    const box = await detail();
    await userEvent.type(await within(box).findByLabelText(/^Holder/), 'Ada');
    fireEvent.click(await within(box).findByRole('button', { name: 'Reset' }));
    expect(within(box).getByLabelText<HTMLInputElement>(/^Holder/).value).toBe('');
    await within(box).findByText('Valid for this step');
    key('Enter', { ctrlKey: true });
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: /^Submit/ }));
    await waitFor(() => expect(sends()).toMatchObject([{ correctedInput: { kind: 'bank', active: true } }]));
  });

  it('are shown as what comes, beside the form and in the question, before anything is typed', async () => {
    await showInbox('#/inbox/task-2', [form()]);
    const box = await detail();
    await within(box).findByText('Valid for this step');
    expect(within(box).queryByText('none yet')).toBeNull();
    key('Enter', { ctrlKey: true });
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).queryByText('The values are unchanged.')).toBeNull();
    expect(within(dialog).getByRole('group', { name: 'Changes' }).textContent).toContain('"kind": "bank"');
  });
});

describe('D2.7 several forms', () => {
  it('are filled one by one: what one person writes is no answer to all', async () => {
    await showInbox('#/inbox/task-2', [form({ sameCount: 3 })]);
    const box = await detail();
    await within(box).findByLabelText(/^Holder/);
    expect(within(box).queryByRole('button', { name: 'Review all' })).toBeNull();
  });
});

describe('a value that its schema marks as secret', () => {
  const PIN = { type: 'object', properties: { pin: { type: 'string', title: 'Pin', 'x-secret': true }, city: { type: 'string', title: 'City' } } };
  const secret = (n: number, more: Partial<Task> = {}) => task(n, {
    schema: PIN as never, input: { pin: '9999', city: 'Bonn' }, redacted: [],
    suggestions: [{ source: 'history', correctedInput: { pin: '4321', city: 'Bonn' }, rationale: 'Colleagues chose this', valid: true, changes: ['pin: 9999 → 4321'] }], ...more,
  });
  const onDisk = () => JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]);

  it('is neither in a suggestion nor in the review of many, and not on the disk', async () => {
    await showInbox('#/inbox/task-1', [secret(1), secret(2)]);
    const box = await detail();
    expect(within(box).queryByText(/4321/)).toBeNull();
    // By the title of its field, as in the form.
    const offered = within(box).getByRole('button', { name: 'Use' }).parentElement as HTMLElement;
    expect(within(offered).getByText('Pin')).toBeTruthy();
    fireEvent.click(within(box).getByRole('button', { name: 'Use' }));
    await within(box).findByText('Valid for this step');
    expect(onDisk()).not.toContain('4321');
    fireEvent.click(within(box).getByRole('button', { name: 'Review all' }));
    const bulk = await screen.findByRole('region', { name: 'Selected tasks' });
    expect(await within(bulk).findByText('2 fit')).toBeTruthy();
    expect(bulk.textContent).toContain('pin = "••••••••"');
    expect(bulk.textContent).not.toMatch(/4321|9999/);
    fireEvent.click(within(bulk).getByRole('button', { name: /Correct and retry: 2/ }));
    expect(sends()).toMatchObject([{ patch: [{ path: '/pin', value: '4321' }], unmasked: true }]);
    expect(onDisk()).not.toContain('4321');
  });

  it('that is typed lives as long as the page, and so does its send', async () => {
    await showInbox('#/inbox/task-1', [secret(1)]);
    const box = await detail();
    await userEvent.type(await within(box).findByLabelText(/^Note/), 'called');
    const city = await within(box).findByLabelText(/^City/);
    await userEvent.type(city, 'Koeln');
    expect(onDisk()).toContain('called');
    expect(onDisk()).not.toMatch(/Koeln|9999/);
    await within(box).findByText('Valid for this step');
    key('Enter', { ctrlKey: true });
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: /^Correct and retry/ }));
    expect(sends()).toMatchObject([{ correctedInput: { pin: '9999', city: 'BonnKoeln' } }]);
    expect(onDisk()).not.toMatch(/Koeln|9999/);
  });
});

it('a suggestion that takes the place of what was typed gives it back', async () => {
  await showInbox('#/inbox/task-2', [task(2)]);
  render(<Toaster label="Messages" closeLabel="Discard" more={String} none="" at={String} />);
  const box = await detail();
  const total = await within(box).findByLabelText<HTMLInputElement>(/Total/);
  await userEvent.clear(total);
  await userEvent.type(total, '7');
  fireEvent.click(await within(box).findByRole('button', { name: 'Use' }));
  expect(within(box).getByLabelText<HTMLInputElement>(/Supplier number/).value).toBe('S-2041');
  fireEvent.click(within(await screen.findByRole('region', { name: 'Messages' })).getByRole('button', { name: 'Undo' }));
  expect(within(box).getByLabelText<HTMLInputElement>(/Total/).value).toBe('7');
  expect(within(box).getByLabelText<HTMLInputElement>(/Supplier number/).value).not.toBe('S-2041');
});
