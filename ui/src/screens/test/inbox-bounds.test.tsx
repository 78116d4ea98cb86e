/** A text that is too long is kept as it was typed, says by how much, and is not sent. */
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MOST, tooLong } from '../../features/inbox/bounds.ts';
import { useSends } from '../../features/inbox/sending.ts';
import { task } from '../../test/people.ts';
import { detail, freshInbox, key, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });

const LONG = 'x'.repeat(MOST + 2_000);
const SAID = 'At most 10,000 characters: 2,000 too many.';

it('counts letters as the host does, not their halves', () => {
  expect(tooLong('🙂'.repeat(MOST))).toBeUndefined();
  expect(tooLong(`${'🙂'.repeat(MOST)}a`)).toBe('At most 10,000 characters: 1 too many.');
});

it('a long note keeps its end and is not sent until it is shorter', async () => {
  await showInbox('#/inbox/task-1', [task(1)]);
  const box = await detail();
  const note = within(box).getByRole('textbox', { name: /^Note/ }) as HTMLTextAreaElement;
  fireEvent.change(note, { target: { value: LONG } });
  expect(note.value).toHaveLength(MOST + 2_000);
  expect(within(box).getByRole('alert').textContent).toBe(SAID);
  expect((within(box).getByRole('button', { name: /^Skip/ }) as HTMLButtonElement).disabled).toBe(true);
  key('s');
  expect(useSends.getState().sends).toEqual([]);
  fireEvent.change(note, { target: { value: 'short' } });
  expect(within(box).queryByRole('alert')).toBeNull();
  key('s');
  expect(useSends.getState().sends).toMatchObject([{ action: 'skip', notes: 'short' }]);
});

it('also in the question before it is sent', async () => {
  await showInbox('#/inbox/task-1', [task(1)]);
  fireEvent.click(within(await detail()).getByRole('button', { name: /^Abort/ }));
  const dialog = await screen.findByRole('dialog');
  fireEvent.change(within(dialog).getByRole('textbox', { name: 'Note' }), { target: { value: LONG } });
  expect(within(dialog).getByText(SAID)).toBeTruthy();
  const send = within(dialog).getByRole('button', { name: /^Abort/ }) as HTMLButtonElement;
  expect(send.disabled).toBe(true);
  fireEvent.keyDown(within(dialog).getByRole('textbox'), { key: 'Enter', ctrlKey: true });
  expect(useSends.getState().sends).toEqual([]);
});

it('also of a name and a note beside it', async () => {
  const host = await showInbox('#/inbox/task-1', [task(1)]);
  fireEvent.click(within(await detail()).getByRole('button', { name: 'More' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: /^Reassign/ }));
  const dialog = await screen.findByRole('dialog');
  const [to, note] = within(dialog).getAllByRole('textbox') as [HTMLElement, HTMLElement];
  const submit = within(dialog).getAllByRole('button').at(-1) as HTMLButtonElement;
  fireEvent.change(to, { target: { value: 'n'.repeat(201) } });
  expect(within(dialog).getByText('At most 200 characters: 1 too many.')).toBeTruthy();
  expect(submit.disabled).toBe(true);
  fireEvent.change(to, { target: { value: 'grace' } });
  fireEvent.change(note, { target: { value: LONG } });
  expect(submit.disabled).toBe(true);
  fireEvent.change(note, { target: { value: 'yours' } });
  fireEvent.click(submit);
  await waitFor(() => expect(host.calls('task_reassign')).toMatchObject([{ to: 'user:grace', notes: 'yours' }]));
});
