// A file that the system opens with the program (a double-click): the open window shows it, or says why it cannot.
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import type { Outside } from '../../api/transport/transport.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

let host: FakeTransport;
let give: (file: Outside) => void;
beforeEach(async () => {
  host = demoHost();
  host.onFile = (listener) => {
    give = listener;
    return () => undefined;
  };
  setTransport(host);
  queryClient.clear();
  window.location.hash = '#/runs';
  render(<App />);
  await screen.findByRole('navigation', { name: 'Main' });
});
afterEach(cleanup);
const opens = () => host.calls.filter((one) => one.command === 'workflow_open_path').map((one) => one.payload);

it('opens in the builder by the handle, and nothing runs', async () => {
  host.handlers.workflow_open_path = () => ({ ref: 'outside' }) as never;
  act(() => give({ handle: 'chosen:1', shown: '/tmp/a.signalbox.json' }));
  await waitFor(() => expect(window.location.hash).toBe('#/workflow/outside'));
  expect(opens()).toEqual([{ path: 'chosen:1' }]);
  expect(host.calls.map((one) => one.command)).not.toContain('run_start');
});

it('says why a file cannot be opened, and the person stays where they are', async () => {
  host.handlers.workflow_open_path = () => { throw new ApiError({ code: 'NOT_FOUND', message: '/tmp/gone.json could not be opened.', hint: 'Check the name.' }); };
  act(() => give({ handle: 'chosen:1', shown: '/tmp/gone.json' }));
  expect(await screen.findByText('/tmp/gone.json could not be opened.')).toBeTruthy();
  expect(window.location.hash).toBe('#/runs');
});

it('says of a file on another machine what to do', async () => {
  act(() => give({ shown: 'sftp://host/a.signalbox.json' }));
  expect(await screen.findByText('This file is on another machine: sftp://host/a.signalbox.json')).toBeTruthy();
  expect(opens()).toEqual([]);
});
