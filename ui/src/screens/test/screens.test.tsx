import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { RunDetails, RunEvent } from '../../api/types.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import { demoEvents, demoHost, ROWS, SAMPLES } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

let host: FakeTransport;
beforeEach(() => {
  host = demoHost();
  setTransport(host);
  queryClient.clear();
  window.location.hash = '';
});
afterEach(() => {
  cleanup();
  delete document.documentElement.dataset.theme;
});
const at = async (hash: string) => {
  window.location.hash = hash;
  render(<App />);
  await screen.findByRole('navigation', { name: 'Main' });
};

describe('gallery', () => {
  it('leads with one sample and one strong button, and lists samples, files and runs', async () => {
    await at('#/workflows');
    expect(await screen.findByRole('heading', { name: SAMPLES[0]?.title })).toBeTruthy();
    expect(document.querySelectorAll('.btn.pri')).toHaveLength(1);
    expect(screen.getByRole('button', { name: /^Open the sample\s*Orders by country/ })).toBeTruthy();
    const recent = await screen.findByRole('list');
    expect(within(recent).getAllByRole('listitem')).toHaveLength(5);
    expect(within(recent).getByText('The address did not answer within 10 s')).toBeTruthy();
    expect(within(recent).getByText('Unsaved draft')).toBeTruthy();
    expect(within(recent).getByText('Cannot be read')).toBeTruthy();
  });

  it('shows nothing that does not work yet', async () => {
    await at('#/workflows');
    const rail = screen.getByRole('navigation', { name: 'Main' });
    expect(within(rail).getAllByRole('link').map((link) => link.textContent)).toEqual(['Workflows', 'Runs', 'Automation', 'Inbox', 'Audit', 'Catalog', 'Help', 'Settings']);
  });

  it('draws nothing that the role takes away again: it is known before anything is drawn', async () => {
    let answer: () => void = () => undefined;
    host.handlers.who = () => new Promise((done) => { answer = () => done({ operatorId: 'user:vera', role: 'viewer', via: 'rest' }); });
    window.location.hash = '#/workflows';
    render(<App />);
    await waitFor(() => expect(host.calls.map((one) => one.command)).toContain('who'));
    expect(screen.queryByRole('navigation', { name: 'Main' })).toBeNull();
    await act(async () => { answer(); await Promise.resolve(); });
    await screen.findByRole('navigation', { name: 'Main' });
    expect(screen.queryByRole('button', { name: /New workflow/ })).toBeNull();
  });

  it('an import that goes on is seen, and is not begun twice', async () => {
    let refuse: () => void = () => undefined;
    host.handlers.workflow_import = () => new Promise((_, fail) => { refuse = () => fail(new ApiError({ code: 'CANNOT_IMPORT', message: 'No steps.', hint: '' })); });
    setTransport(Object.assign(host, { pickFile: () => Promise.resolve({ handle: 'old.json' } as never) }));
    await at('#/workflows');
    const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Import…' });
    fireEvent.click(button());
    await waitFor(() => expect(button().disabled).toBe(true));
    expect(button().getAttribute('aria-busy')).toBe('true');
    await act(async () => { refuse(); await Promise.resolve(); });
    await waitFor(() => expect(button().disabled).toBe(false));
    expect(host.calls.filter((one) => one.command === 'workflow_import')).toHaveLength(1);
  });

  it('teaches when there is nothing yet', async () => {
    host.handlers.workflow_list = () => [];
    host.handlers.run_list = () => ({ runs: [] });
    await at('#/workflows');
    expect(await screen.findByText('No workflows yet')).toBeTruthy();
    expect(await screen.findByText('No runs yet')).toBeTruthy();
  });

  it('holds the place of what is read', async () => {
    let answer: () => void = () => undefined;
    host.handlers.workflow_list = () => new Promise((done) => { answer = () => done([]); }) as never;
    await at('#/workflows');
    expect(await screen.findByRole('heading', { name: SAMPLES[0]?.title })).toBeTruthy();
    const rows = screen.getByLabelText('Loading the library');
    expect(rows.getAttribute('aria-busy')).toBe('true');
    expect(rows.querySelectorAll('.row')).toHaveLength(8);
    answer();
    expect(await screen.findByText('No workflows yet')).toBeTruthy();
    expect(screen.queryByLabelText('Loading the library')).toBeNull();
  });

  it('says what failed, what to do, and does it', async () => {
    let broken = true;
    host.handlers.workflow_list = () => {
      if (broken) throw new ApiError({ code: 'STORE', message: 'The library folder unreadable.', hint: 'Check that it exists.' });
      return [];
    };
    await at('#/workflows');
    expect(await screen.findByText('The library folder unreadable.')).toBeTruthy();
    expect(screen.getByText('Check that it exists.')).toBeTruthy();
    broken = false;
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('No workflows yet')).toBeTruthy();
  });

  it('asks before it deletes a file', async () => {
    host.handlers.workflow_delete = () => ({});
    await at('#/workflows');
    fireEvent.click(await screen.findByRole('button', { name: 'Actions of Invoice intake' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete…' }));
    expect(host.calls.some((call) => call.command === 'workflow_delete')).toBe(false);
    fireEvent.click(await screen.findByRole('button', { name: 'Delete workflow' }));
    await waitFor(() => expect(host.calls.find((call) => call.command === 'workflow_delete')?.payload).toEqual({ ref: 'invoice' }));
  });
});

describe('runs', () => {
  it('filters by status and words, and says when nothing fits', async () => {
    await at('#/runs');
    await screen.findByText('100 runs, more when you scroll');
    fireEvent.click(screen.getByRole('radio', { name: 'Failed' }));
    await waitFor(() => expect(host.calls.findLast((call) => call.command === 'run_list')?.payload).toMatchObject({ status: 'failed' }));
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'no such run' } });
    expect(await screen.findByText('No matching runs')).toBeTruthy();
    fireEvent.click(screen.getAllByRole('button', { name: 'Clear filters' })[0] as HTMLElement);
    await screen.findByText('100 runs, more when you scroll');
  });

  it('takes the workflow from the address', async () => {
    await at('#/runs?workflow=retry');
    await waitFor(() => expect(host.calls.some((call) => call.command === 'run_list' && (call.payload as { workflow?: string }).workflow === 'retry')).toBe(true));
    expect(ROWS.length).toBeGreaterThan(100);
  });
});

describe('settings', () => {
  it('are found by words', async () => {
    await at('#/settings');
    const box = await screen.findByRole('searchbox', { name: 'Find a setting' });
    fireEvent.change(box, { target: { value: 'theme' } });
    const parts = screen.getByRole('navigation', { name: 'Parts of the settings' });
    expect(within(parts).getAllByRole('link').map((link) => link.textContent)).toEqual(expect.arrayContaining(['Appearance']));
    expect(within(parts).queryByRole('link', { name: 'Folders' })).toBeNull();
    fireEvent.change(box, { target: { value: 'theme zzz' } });
    expect(screen.getByText('No setting contains “theme zzz”')).toBeTruthy();
    fireEvent.change(box, { target: { value: '' } });
    expect(within(parts).getByRole('link', { name: 'Folders' })).toBeTruthy();
  });
  it('are found by what people call them', async () => {
    await at('#/settings');
    const box = await screen.findByRole('searchbox', { name: 'Find a setting' });
    const titles = (text: string) => {
      fireEvent.change(box, { target: { value: text } });
      return [...document.querySelectorAll('.set-part:not([hidden]) section:not([hidden]) h2')].map((one) => one.textContent);
    };
    for (const [text, title] of [['keyboard', 'Shortcuts'], ['data size', 'Data folder'], ['roots', 'Folders'], ['retention', 'Old runs'], ['licences', 'About']] as const) {
      expect(titles(text), text).toContain(title);
      expect(titles(text).length, text).toBeLessThan(5);
    }
    expect(titles('keyboard')).toEqual(['Shortcuts']);
  });
  it('change the theme at once and are kept', async () => {
    await at('#/settings');
    fireEvent.click(await screen.findByRole('radio', { name: 'Dark' }));
    expect(document.documentElement.dataset.theme).toBe('dark');
    await waitFor(() => expect(host.calls.findLast((call) => call.command === 'settings_set')?.payload).toMatchObject({ settings: { theme: 'dark' } }));
    fireEvent.click(screen.getByRole('radio', { name: 'System' }));
    expect(document.documentElement.dataset.theme).toBeUndefined();
  });

  it('re-bind keys, switch them off and bring the default back', async () => {
    await at('#/settings');
    fireEvent.click(await screen.findByRole('button', { name: 'Change the keys of Go to runs' }));
    fireEvent.keyDown(window, { key: '9', ctrlKey: true });
    await waitFor(() => expect(screen.getByText('Ctrl 9')).toBeTruthy());
    fireEvent.keyDown(window, { key: '9', ctrlKey: true });
    expect(await screen.findByRole('heading', { name: 'Runs' })).toBeTruthy();
    expect(window.location.hash).toBe('#/runs');
  });
});

describe('a long run', () => {
  it('says how much of it is read, and stops saying so', async () => {
    const ended = ROWS.find((run) => run.status === 'completed')?.runId ?? '';
    const get = host.handlers.run_get;
    host.handlers.run_get = async (payload) => ({ ...(await get?.(payload)) as RunDetails, lastSeq: 1_500 });
    const start = demoEvents(ended)[0] as RunEvent;
    let rest: () => void = () => undefined;
    host.handlers.run_events = ({ after }) => {
      const page = Array.from({ length: after === 0 ? 1_000 : 500 }, (_, i): RunEvent => (after + i === 0 ? start : { ...start, seq: after + i + 1, type: 'later' } as unknown as RunEvent));
      return after === 0 ? page : new Promise((done) => { rest = () => done(page); });
    };
    await at(`#/run/${ended}`);
    expect(await screen.findByText('Loading the run, 1,000 of 1,500 events')).toBeTruthy();
    expect(screen.getByRole<HTMLProgressElement>('progressbar', { name: 'Opening the run' }).value).toBe(1_000);
    // It has ended: nothing says that it runs, or offers to stop it, because its first events do.
    expect(screen.getAllByText('Completed').length).toBeGreaterThan(1);
    for (const badge of document.querySelectorAll('.badge')) expect(badge.textContent).not.toMatch(/Running|Live/);
    expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull();
    await act(async () => { rest(); await Promise.resolve(); });
    await waitFor(() => expect(screen.queryByText(/^Loading the run/)).toBeNull());
  });
});

describe('a run that is held', () => {
  const RUNNING = ROWS.find((run) => run.status === 'running')?.runId ?? '';
  const held = (code: string, message: string) => {
    const get = host.handlers.run_get;
    host.handlers.run_get = async (payload) => ({ ...(await get?.(payload)) as RunDetails, runId: RUNNING, status: 'running', driven: false, trouble: { code, message } });
    host.handlers.run_events = () => [];
  };

  it('says that the disk is full, what to do, and that it goes on by itself', async () => {
    held('DISK_FULL', 'the disk of the data folder is full; the run goes on when there is room');
    await at(`#/run/${RUNNING}`);
    const banner = (await screen.findByText('The run is waiting: the disk is full')).closest('.banner') as HTMLElement;
    expect(banner.textContent).toContain('Free space on the disk');
    expect(banner.textContent).toContain('DISK_FULL');
    expect(banner.textContent.match(/full/g)).toHaveLength(1);
    expect(within(banner).queryByRole('button')).toBeNull();
    expect(screen.queryByText('No program is executing this run')).toBeNull();
  });

  it('waits for a worker: a queue without a fault, and why none takes it where that is known', async () => {
    held('WAITS_FOR_WORKER', '');
    await at(`#/run/${RUNNING}`);
    const banner = () => screen.getByText('The run is waiting for a worker').closest('.banner') as HTMLElement;
    await screen.findByText('The run is waiting for a worker');
    expect(banner().className).toContain('wait');
    expect(banner().textContent).toContain('It continues automatically');
    expect(within(banner()).queryByRole('button')).toBeNull();
    expect(screen.queryByText('No program is executing this run')).toBeNull();
  });

  it('offers to resume after a fault', async () => {
    host.handlers.run_resume = () => ({});
    held('INTERNAL', 'a fault of the program (x); nothing that was recorded is lost');
    await at(`#/run/${RUNNING}`);
    const banner = (await screen.findByText('The run was stopped by an internal error of Signalbox')).closest('.banner') as HTMLElement;
    fireEvent.click(within(banner).getByRole('button', { name: 'Resume' }));
    await waitFor(() => expect(host.calls.some((call) => call.command === 'run_resume')).toBe(true));
  });
});

describe('palette', () => {
  it('opens by its keys, finds actions, workflows and runs, and does what is chosen', async () => {
    await at('#/workflows');
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    const field = await screen.findByRole('combobox', { name: /Action, step/ });
    expect(await screen.findByText('New workflow', { selector: '.pal-row span' })).toBeTruthy();
    fireEvent.change(field, { target: { value: 'invoice in' } });
    await waitFor(() => expect(screen.getAllByRole('option')[0]?.textContent).toContain('Invoice intake'));
    fireEvent.change(field, { target: { value: 'go to cat' } });
    await waitFor(() => expect(screen.getAllByRole('option')[0]?.textContent).toContain('Go to the catalog'));
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(window.location.hash).toBe('#/catalog'));
  });

  it('marks letters that are not seen in names, in what is read aloud, too', async () => {
    const HOSTILE = 'Pay \u202egnp.exe';
    const { workflow_list: workflows, sample_list: samples } = host.handlers;
    host.handlers.workflow_list = async (payload) => (await workflows?.(payload) ?? []).map((one, n) => (n === 0 ? { ...one, name: HOSTILE } : one));
    host.handlers.sample_list = async (payload) => (await samples?.(payload) ?? []).map((one, n) => (n === 0 ? { ...one, title: HOSTILE } : one));
    host.handlers.run_list = () => ({ runs: [{ ...ROWS[0], workflowName: HOSTILE } as (typeof ROWS)[number]], total: 1 });
    await at('#/workflows');
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    fireEvent.change(await screen.findByRole('combobox', { name: /Action, step/ }), { target: { value: 'gnp' } });
    for (const what of ['workflow', 'sample', 'run']) expect(await screen.findByRole('option', { name: new RegExp(`^Pay \\[U\\+202E\\]gnp\\.exe ?${what}`) })).toBeTruthy();
    expect(screen.getByRole('listbox').textContent).not.toContain('\u202e');
  });

  it('shows all shortcuts', async () => {
    await at('#/workflows');
    fireEvent.keyDown(document.body, { key: '?', shiftKey: true });
    expect(await screen.findByRole('dialog', { name: 'Shortcuts' })).toBeTruthy();
  });
});

it('says so when Signalbox cannot be reached, and tries again', async () => {
  host.handlers.settings_get = () => { throw new ApiError({ code: 'CONNECTION', message: 'Signalbox does not respond.', hint: 'Start it again.' }); };
  render(<App />);
  expect(await screen.findByText('Signalbox cannot be reached')).toBeTruthy();
  host.handlers.settings_get = () => ({ theme: 'light', layout: {}, keymap: {} });
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('navigation', { name: 'Main' })).toBeTruthy();
  expect(document.documentElement.dataset.theme).toBe('light');
});

describe('catalog', () => {
  it('shows ports, settings and errors of a kind', async () => {
    await at('#/catalog/http.request');
    expect(await screen.findByRole('heading', { name: 'HTTP request' })).toBeTruthy();
    expect(screen.getByText('The address did not answer.')).toBeTruthy();
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'curl' } });
    expect(screen.getAllByRole('button', { current: true }).map((button) => button.textContent)).toEqual(['HTTP requesthttp.request']);
  });
});
