import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { firstAnswers } from '../shared/form/form-fields.tsx';
import { FormPage } from './form-page.tsx';

const definition = {
  title: 'Vacation', description: '', submitLabel: '', waits: false, maxBytes: 2000,
  schema: { type: 'object', required: ['name'], properties: { name: { type: 'string', title: 'Name' }, paper: { type: 'string', title: 'Paper', format: 'binary' } } },
};
const answer = (status: number, body: unknown) => new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const posted: Record<string, unknown>[] = [];
let next: () => Promise<Response>;

beforeEach(() => {
  posted.length = 0;
  window.sessionStorage.clear();
  next = () => Promise.resolve(answer(200, { status: 'accepted', thanks: 'See you' }));
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
    if (init?.method !== 'POST') return Promise.resolve(url === '/forms/a/definition' ? answer(200, definition) : answer(404, {}));
    posted.push(JSON.parse(String(init.body)) as Record<string, unknown>);
    return next();
  });
});
afterEach(() => vi.unstubAllGlobals());

it('sends once, however often one presses, and the same key after a reload', async () => {
  const { unmount } = render(<FormPage address="/forms/a" />);
  await userEvent.type(await screen.findByLabelText(/Name/), 'Ada');
  next = () => Promise.reject(new Error('offline'));
  const button = screen.getByRole('button', { name: 'Submit' });
  fireEvent.click(button);
  fireEvent.click(button);
  expect(await screen.findByText(/Your answers are still here/)).toBeTruthy();
  expect(posted).toHaveLength(1);
  unmount();
  next = () => Promise.resolve(answer(200, { status: 'accepted', thanks: 'See you' }));
  render(<FormPage address="/forms/a" />);
  await userEvent.type(await screen.findByLabelText(/Name/), 'Ada');
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await screen.findByText('See you')).toBeTruthy();
  expect(posted[1]).toEqual(posted[0]);
  // Afterwards it is another filling-in.
  await userEvent.click(screen.getByRole('button', { name: 'Submit another response' }));
  await userEvent.type(await screen.findByLabelText(/Name/), 'Ada');
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  await waitFor(() => expect(posted).toHaveLength(3));
  expect(posted[2]?.['key']).not.toBe(posted[0]?.['key']);
});

it('says what is wrong at its field, and sends nothing that is missing or too large', async () => {
  render(<FormPage address="/forms/a" />);
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }));
  expect(screen.getByText('An answer is required')).toBeTruthy();
  await userEvent.type(screen.getByLabelText(/Name/), 'A');
  expect(screen.queryByText('An answer is required')).toBeNull();
  await userEvent.upload(screen.getByLabelText('Paper'), new File([new Uint8Array(3000)], 'a.pdf'));
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  expect(screen.getByText(/larger than 2.0 KB/)).toBeTruthy();
  expect(posted).toHaveLength(0);
  await userEvent.click(screen.getByRole('button', { name: 'Remove: Paper' }));
  next = () => Promise.resolve(answer(422, { error: { code: 'FORM_INVALID', message: 'x', hint: '', details: { violations: [{ path: '/name', message: 'Too short' }] } } }));
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await screen.findByText('Too short')).toBeTruthy();
});

it('keeps what was entered when the disk of the server is full', async () => {
  render(<FormPage address="/forms/a" />);
  await userEvent.type(await screen.findByLabelText(/Name/), 'Ada Lovelace');
  next = () => Promise.resolve(answer(503, { error: { code: 'DISK_FULL', message: 'The disk is full.', hint: 'Try again later.' } }));
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await screen.findByText(/The disk is full/)).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>(/Name/).value).toBe('Ada Lovelace');
  next = () => Promise.resolve(answer(200, { status: 'accepted', thanks: 'See you' }));
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await screen.findByText('See you')).toBeTruthy();
  expect(posted[1]).toEqual(posted[0]);
});

it('says that there is no form', async () => {
  render(<FormPage address="/forms/none" />);
  expect(await screen.findByRole('heading', { name: 'There is no open form at this address' })).toBeTruthy();
  await waitFor(() => { expect(document.title).toBe('There is no open form at this address'); });
});

it('begins with the defaults of the schema, and with required switches off', () => {
  expect(firstAnswers({ type: 'object', required: ['sure'], properties: { kind: { type: 'string', default: 'paid' }, sure: { type: 'boolean' }, more: { type: 'boolean' }, at: { type: 'object', properties: { city: { type: 'string', default: 'Oslo' } } } } }))
    .toEqual({ kind: 'paid', sure: false, at: { city: 'Oslo' } });
});
