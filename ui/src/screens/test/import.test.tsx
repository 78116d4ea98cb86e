// Bringing in a workflow of another program: the question, the report, and what is refused.
import { act as settle, cleanup, fireEvent, renderHook, screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { ImportReport } from '../../api/types.ts';
import { LONG_MS } from '../../kit/index.ts';
import { queryClient } from '../../api/queries.ts';
import { useGrantRound } from '../../schema-form/folder-grants.ts';
import { RETRY } from '../../test/fixtures.ts';
import { renderOnce } from '../../test/render.tsx';
import { ImportDialog, importWorkflow, offerImport } from '../parts/import-dialog.tsx';
import { commandReader } from '../parts/paste-command.ts';
import { useForeignDrop } from '../parts/use-foreign-drop.ts';

afterEach(() => { cleanup(); window.location.hash = ''; });

const report: ImportReport = {
  format: 'vl', version: '3.13', steps: 2, nodes: 3, more: 0,
  translated: [{ step: 'Service_A', nodes: ['Service_A'], kind: 'foreign.step', status: 'red' }, { step: 'Set_Gone', nodes: [], status: 'green' }],
  notes: ['1 of 2 steps had no error handling; the default one was added.'],
  findings: [
    { level: 'problem', code: 'NOT_TRANSLATED', step: 'Service_A', path: '/steps/0', message: '"Service_A" could not be translated.', hint: 'Replace it.' },
    { level: 'warning', code: 'VERSION', path: '/version', message: 'The file is of version 3.13.', hint: 'Nothing.' },
  ],
};
const workflow = { ref: 'made', path: '/library/made.signalbox.json', folder: 'Library', revision: 'r', document: RETRY, diagnostics: [], readOnly: false };

it('an offer is taken: the workflow is opened, and the report says what became of what', async () => {
  const { fake } = renderOnce(<ImportDialog />, { workflow_import: () => ({ workflow, report }) });
  settle(() => offerImport({ text: '{"steps":[]}', name: 'old' }));
  fireEvent.click(screen.getByRole('button', { name: 'Import' }));
  const dialog = await screen.findByRole('dialog', { name: `Imported: ${RETRY.name}` });
  expect(fake.calls.filter((call) => call.command === 'workflow_import').map((call) => call.payload)).toEqual([{ text: '{"steps":[]}', name: 'old' }]);
  expect(window.location.hash).toContain('made');
  expect(dialog.textContent).toContain('2 steps in the file became 3 steps here.');
  expect(dialog.textContent).toContain('1 ready');
  expect(dialog.textContent).toContain('1 to mend');
  expect(dialog.textContent).toContain('1 of 2 steps had no error handling');
  expect(within(dialog).getByRole('region', { name: '1 step needs your attention' }).textContent).toContain('"Service_A" could not be translated. Replace it. /steps/0');
  expect(within(dialog).getByText('left out: no wire leads to it')).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Open the canvas' }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('who does not wait for the import any more stays where they are, and is told', async () => {
  vi.useFakeTimers();
  try {
    let answer: (made: object) => void = () => undefined;
    renderOnce(<ImportDialog />, { workflow_import: () => new Promise((done) => { answer = done as never; }) });
    settle(() => offerImport({ text: '{}' }));
    fireEvent.click(screen.getByRole('button', { name: 'Import' }));
    const cancel = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Cancel\s*Esc/ });
    expect(cancel().disabled).toBe(true);
    settle(() => { vi.advanceTimersByTime(LONG_MS); });
    fireEvent.click(cancel());
    await settle(async () => { answer({ workflow, report }); await vi.advanceTimersByTimeAsync(0); });
    expect(window.location.hash).toBe('');
    expect(screen.queryByRole('dialog')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Import report' }));
    expect(window.location.hash).toContain('made');
    expect(screen.getByRole('dialog', { name: `Imported: ${RETRY.name}` })).toBeTruthy();
    settle(() => fireEvent.click(screen.getByRole('button', { name: 'Open the canvas' })));
  } finally {
    vi.useRealTimers();
  }
});

it('what is refused is said in the dialog, and nothing is opened', async () => {
  renderOnce(<ImportDialog />, { workflow_import: () => { throw Object.assign(new Error('x'), { code: 'CANNOT_IMPORT', message: 'Duplicate step ID: "Set_a" (2 times).', hint: 'Give each step an id of its own.' }); } });
  settle(() => offerImport({ text: '{}' }));
  fireEvent.click(screen.getByRole('button', { name: 'Import' }));
  expect(await screen.findByText('Duplicate step ID: "Set_a" (2 times).')).toBeTruthy();
  expect(window.location.hash).toBe('');
  fireEvent.click(screen.getAllByRole('button', { name: /Cancel/ })[0] as HTMLElement);
  expect(screen.queryByRole('dialog')).toBeNull();
});

function Library() {
  useForeignDrop(true);
  return <ImportDialog />;
}

it('whoever drops a file learns what became of it; other texts that are pasted are left alone', async () => {
  const { fake } = renderOnce(<Library />, { workflow_import: () => { throw Object.assign(new Error('x'), { code: 'UNKNOWN_FORMAT', message: 'The file describes an API (OpenAPI).', hint: 'Import it in the catalog.' }); } });
  const drop = (name: string, text: string) => fireEvent.drop(document.body, { dataTransfer: { files: [new File([text], name)], types: ['Files'] } });
  drop('shop.json', '{"openapi":"3.0.0"}');
  expect(await screen.findByText('The file describes an API (OpenAPI).')).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
  const large = new File([''], 'big.json');
  Object.defineProperty(large, 'size', { value: 50 * 1024 * 1024 });
  fireEvent.drop(document.body, { dataTransfer: { files: [large], types: ['Files'] } });
  expect(await screen.findByText('big.json is larger than 16 MiB')).toBeTruthy();
  const asked = () => fake.calls.filter((call) => call.command === 'workflow_import').length;
  expect(asked()).toBe(1);
  const paste = (text: string) => fireEvent.paste(document.body, { clipboardData: { getData: () => text } });
  paste('Dear all,');
  expect(asked()).toBe(1);
  paste("curl -X POST https://example.org");
  expect(await screen.findByRole('dialog', { name: 'Import this cURL command?' })).toBeTruthy();
  settle(() => { fireEvent.click(screen.getAllByRole('button', { name: /Cancel/ })[0] as HTMLElement); });
  drop('flow.json', JSON.stringify({ nodes: [], connections: {} }));
  expect(await screen.findByRole('dialog', { name: 'Import this workflow?' })).toBeTruthy();
});

it('a file without findings says so', async () => {
  renderOnce(<ImportDialog />, { workflow_import: () => ({ workflow, report: { ...report, findings: [] } }) });
  await settle(() => importWorkflow({ text: '{}' }));
  const dialog = screen.getByRole('dialog');
  expect(dialog.textContent).toContain('Everything was translated.');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Open the canvas' }));
});

const given = { name: 'imported-token', kind: 'bearer' as const, value: 'k-canary-0123', host: 'api.example.com' };
const secrets = () => {
  const kept: object[] = [];
  return {
    secret_status: () => ({ state: 'ready', key: 'file', system: 'Keyring' }), secret_list: () => kept as never,
    secret_set: (secret: object) => { kept.push({ ...secret, createdAt: '', updatedAt: '' }); return { ...secret, createdAt: '', updatedAt: '' } as never; },
  };
};

it('a command that is pasted on a canvas is a step there, and its secret is added with what the command said', async () => {
  queryClient.clear();
  const made = { ...RETRY, params: { type: 'object', properties: { ID: { type: 'string' } } }, nodes: { start: { type: 'trigger.manual' }, request: { type: 'http.request', title: 'GET api.example.com', config: { method: 'GET', credential: 'secret://imported-token' } } } };
  const taken: ImportReport = { ...report, format: 'curl', findings: [{ level: 'missing', code: 'SECRET_IN_FILE', step: 'request', path: '', message: 'The header Authorization holds a secret; it was taken out.', hint: "Add it as the secret 'imported-token' of this machine (bearer), for this host." }] };
  const { fake } = renderOnce(<ImportDialog />, { import_preview: () => ({ workflow: made, report: taken, secret: given }), ...secrets() } as never);
  const document = { ...RETRY, params: { type: 'object', properties: { day: { type: 'string' } } } };
  const read = await settle(() => commandReader(() => document)('curl https://api.example.com'));
  expect(JSON.parse(read?.text ?? '')).toMatchObject({ fragment: true, nodes: { request: { type: 'http.request', config: { credential: 'secret://imported-token' } } } });
  expect(read?.more).toEqual([{ type: 'set', path: ['params'], value: { type: 'object', properties: { day: { type: 'string' }, ID: { type: 'string' } } } }]);
  const dialog = await screen.findByRole('dialog', { name: 'Added: GET api.example.com' });
  expect(dialog.textContent).toContain('The command has a secret for api.example.com. It was taken out; the step names it imported-token.');
  expect(dialog.textContent).not.toContain('it was taken out. Add it');
  fireEvent.click(await screen.findByRole('button', { name: 'Add the secret…' }));
  const { result: round } = renderHook(() => useGrantRound());
  const before = round.current;
  const form = await screen.findByRole('dialog', { name: 'New secret imported-token' });
  expect(within(form).queryByRole('textbox', { name: /^Name/ })).toBeNull();
  fireEvent.click(within(form).getByRole('button', { name: /Save/ }));
  expect(await screen.findByText('The secret imported-token is on this machine.')).toBeTruthy();
  // What the step lacked is looked at again.
  expect(round.current).toBe(before + 1);
  expect(fake.calls.find((call) => call.command === 'secret_set')?.payload).toEqual({ name: 'imported-token', kind: 'bearer', hosts: ['api.example.com'], value: 'k-canary-0123' });
  fireEvent.click(within(dialog).getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement);
});

it('an imported command offers its secret, too; one that cannot be read says why and adds nothing', async () => {
  queryClient.clear();
  renderOnce(<ImportDialog />, { workflow_import: () => ({ workflow, report: { ...report, findings: [] } }), import_preview: () => ({ workflow: RETRY, report, secret: given }), ...secrets() } as never);
  await settle(() => importWorkflow({ text: 'curl https://api.example.com' }));
  expect(await screen.findByRole('button', { name: 'Add the secret…' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Open the canvas' }));
  cleanup();
  renderOnce(<ImportDialog />, { import_preview: () => { throw Object.assign(new Error('x'), { code: 'CANNOT_IMPORT', message: 'The option -H has no value.', hint: 'Paste one command line.' }); } });
  expect(await settle(() => commandReader(() => RETRY)('curl -H'))).toBeNull();
  expect(await screen.findByText('The option -H has no value.')).toBeTruthy();
});
