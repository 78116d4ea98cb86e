import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Workflow } from '../../api/types.ts';
import { renderOnce } from '../../test/render.tsx';
import { ExportDialog, type ExportProps } from './export-dialog.tsx';

const DOCUMENT = { signalbox: 1, id: 'orders', name: 'Orders', nodes: { ask: { type: 'builtin.human_form' }, call: { type: 'http.request' } }, edges: [] } as unknown as Workflow;
const LIST = {
  name: 'orders', title: 'Orders', platform: 'linux-x86_64', audit: 'sqlite', human: 'ui', callback: null, sizeBytes: 8_360_000,
  modules: [{ name: 'core', kinds: [] }, { name: 'http', kinds: ['http.request'] }, { name: 'people', kinds: ['builtin.human_form'] }],
  needs: { params: ['day'], secrets: [{ name: 'erp', hosts: ['a.example'], steps: ['orders/call'] }, { name: 'open', hosts: [], steps: ['sub/x'] }], folders: [], addresses: [{ steps: ['orders/call'] }] },
  workflows: [{ id: 'orders', sha256: 'a' }], connectors: [],
};
const GOOD = { checkList: LIST, problems: [], start: 'chmod +x orders && ./orders run', fileName: 'orders' };
const NOBODY = { ...GOOD, checkList: { ...LIST, human: 'none', modules: LIST.modules.slice(0, 2) } };
const REFUSED = {
  checkList: LIST,
  problems: [
    { code: 'PLAIN_SECRET', path: '/nodes/call/config/url', message: 'The address holds a credential.', hint: 'Keep it as a secret.' },
    { code: 'RUNNER_MISSING', path: '', message: 'The runner is missing.', hint: 'Build it.' },
  ],
};

beforeEach(() => { queryClient.clear(); });

function shown(answer: object, props: Partial<ExportProps> = {}, handlers: object = {}) {
  const told = { onSave: vi.fn(), onShow: vi.fn(), onClose: vi.fn() };
  const made = renderOnce(<ExportDialog fileRef="f" document={DOCUMENT} catalog={[]} dirty={false} titleOf={(id) => `Step ${id}`} {...told} {...props} />, { workflow_export_check: () => answer, ...handlers } as never);
  return { ...made, ...told };
}
const asked = (fake: ReturnType<typeof shown>['fake']) => fake.calls.filter((one) => one.command === 'workflow_export_check').map((one) => (one.payload as { choices: unknown }).choices);

it('shows what a program needs and contains before anything is written', async () => {
  shown(GOOD);
  const needs = await screen.findByRole('region', { name: 'What the machine needs' });
  expect(within(needs).getAllByRole('listitem').map((row) => row.textContent)).toEqual([
    'Paramday', 'Secreterp, sent to a.exampleStep call', 'Secretopen, given together with its hostssub/x', 'AddressKnown only during the runStep call',
  ]);
  const parts = screen.getByRole('region', { name: 'What the program contains' });
  expect(parts.textContent).toContain('Peoplebuiltin.human_form');
  expect(parts.textContent).toContain('About 8.4 MB, for linux-x86_64');
});

it('names what is in the way with its place, and writes nothing', async () => {
  const { onShow } = shown(REFUSED);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('The workflow cannot be exported, for 2 reasons');
  expect(alert.textContent).toContain('Step call: The address holds a credential.');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Download' }).disabled).toBe(true);
  await userEvent.click(within(alert).getByRole('button', { name: 'Show the step' }));
  expect(onShow).toHaveBeenCalledWith('call');
});

it('says why in the language of the window, and what can be chosen in the dialog', async () => {
  shown({ checkList: LIST, problems: [{ code: 'EXPORT_KIND', path: '/nodes/ask/type', message: "'Ask' (builtin.human_form) asks a person.", hint: 'Choose --human ui.', reason: 'people' }] });
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('Step ask: This step asks a person, and the program has no way to ask.Choose above how people answer, or remove the step.');
});

it('asks again for each choice, and for another service only with an address', async () => {
  const { fake } = shown(GOOD);
  await screen.findByRole('region', { name: 'What the machine needs' });
  await userEvent.click(screen.getByRole('radio', { name: 'Newest entries' }));
  await userEvent.click(screen.getByRole('combobox', { name: 'People answer' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Through another service' }));
  const address = await screen.findByRole('textbox', { name: 'Address for tasks' });
  await userEvent.type(address, 'ftp://x');
  expect(await screen.findByText('Enter an address that begins with https:// or http://.')).toBeTruthy();
  expect(asked(fake)).toEqual([{ target: 'bundle', audit: 'sqlite', human: 'ui' }, { target: 'bundle', audit: 'ring', human: 'ui' }]);
  await userEvent.clear(address);
  await userEvent.type(address, 'https://a');
  await waitFor(() => expect(asked(fake).at(-1)).toEqual({ target: 'bundle', audit: 'ring', human: 'callback', callback: 'https://a' }));
});

it('a smaller file is offered where the system can execute it, and asked for with one file only', async () => {
  const { fake } = shown(GOOD);
  await userEvent.click(await screen.findByRole('switch', { name: 'Smaller file' }));
  await waitFor(() => expect(asked(fake).at(-1)).toEqual({ target: 'bundle', audit: 'sqlite', human: 'ui', compress: true }));
  await userEvent.click(screen.getByRole('radio', { name: 'Container image' }));
  await waitFor(() => expect(asked(fake).at(-1)).toEqual({ target: 'container', audit: 'sqlite', human: 'ui' }));
  expect(screen.queryByRole('switch', { name: 'Smaller file' })).toBeNull();
});

it('a system that executes no program from memory offers no smaller file', async () => {
  shown({ ...GOOD, checkList: { ...LIST, platform: 'windows-x86_64' } });
  await screen.findByRole('region', { name: 'What the machine needs' });
  expect(screen.queryByRole('switch', { name: 'Smaller file' })).toBeNull();
});

it('says that nobody is asked, and that unsaved changes are left out', async () => {
  const { onSave } = shown(NOBODY, { dirty: true });
  expect(await screen.findByText('No step asks a person.')).toBeTruthy();
  expect(screen.queryByRole('combobox', { name: 'People answer' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(onSave).toHaveBeenCalled();
});

it('downloads in a browser, and says the hash and how to start it', async () => {
  const { fake } = shown(GOOD);
  fake.saveProgram = vi.fn(() => Promise.resolve({ size: 8_360_512, sha256: 'ab12' }));
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Download' }).disabled).toBe(false));
  await userEvent.click(screen.getByRole('button', { name: 'Download' }));
  expect(await screen.findByText('chmod +x orders && ./orders run')).toBeTruthy();
  expect(screen.getByText('ab12')).toBeTruthy();
  expect(fake.saveProgram).toHaveBeenCalledWith('orders', { target: 'bundle', audit: 'sqlite', human: 'ui' }, 'orders');
  expect(screen.getAllByRole('button', { name: /^Copy the/ })).toHaveLength(3);
});

it('writes into a chosen folder in the window, and keeps the dialog when that fails', async () => {
  let fail = true;
  const { fake } = shown(GOOD, {}, {
    workflow_export: () => {
      if (fail) throw Object.assign(new Error('The folder /srv/orders is not empty.'), { code: 'FOLDER_NOT_EMPTY', hint: 'Choose another one.' });
      return { path: '/srv/orders/orders', sizeBytes: 8_360_512, sha256: 'ab12', start: '/srv/orders/orders run' };
    },
  });
  fake.pickFolder = () => Promise.resolve({ handle: 'chosen:1', shown: '/srv' });
  const write = await screen.findByRole<HTMLButtonElement>('button', { name: /export$/ });
  await waitFor(() => expect(write.disabled).toBe(false));
  await userEvent.click(write);
  expect((await screen.findByRole('alert')).textContent).toContain('The folder /srv/orders is not empty.');
  fail = false;
  await userEvent.click(write);
  expect(await screen.findByText('/srv/orders/orders run')).toBeTruthy();
  expect(fake.calls.findLast((one) => one.command === 'workflow_export')?.payload).toEqual({ ref: 'f', choices: { target: 'bundle', audit: 'sqlite', human: 'ui' }, folder: 'chosen:1' });
});
