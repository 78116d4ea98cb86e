/** What a form of the inbox shows is what it sends, and what it may not be sent is not offered. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useSends } from '../../features/inbox/sending.ts';
import type { Task } from '../../features/inbox/types.ts';
import { task } from '../../test/people.ts';
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
    fireEvent.click(await within(box).findByRole('button', { name: 'As it was' }));
    expect(within(box).getByLabelText<HTMLInputElement>(/^Holder/).value).toBe('');
    await within(box).findByText('Valid for this step');
    key('Enter', { ctrlKey: true });
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: /^Send/ }));
    await waitFor(() => expect(sends()).toMatchObject([{ correctedInput: { kind: 'bank', active: true } }]));
  });

  it('are shown as what comes, beside the form and in the question, before anything is typed', async () => {
    await showInbox('#/inbox/task-2', [form()]);
    const box = await detail();
    await within(box).findByText('Valid for this step');
    expect(within(box).queryByText('nothing yet')).toBeNull();
    key('Enter', { ctrlKey: true });
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).queryByText('The values stay as they are.')).toBeNull();
    expect(within(dialog).getByRole('group', { name: 'What changes' }).textContent).toContain('"kind": "bank"');
  });
});
