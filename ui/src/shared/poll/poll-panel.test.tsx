import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Commands, JsonMap, Workflow } from '../../api/types.ts';
import { renderOnce } from '../../test/render.tsx';
import { TriggerRunContext } from '../trigger-run-context.ts';
import { PollPanel } from './poll-panel.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
});

const who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' }) as Commands['who']['response'];
const CONFIG = { every: 60_000, url: 'https://shop.example/orders', key: 'item.id' };
const tested: Commands['poll_test']['response'] = { items: [{ item: { id: 7 }, seen: true }, { item: { id: 8 }, seen: false }], total: 2, cursor: '2026-11-30' };

it('asks the source once, shows its items, and runs the draft with them', async () => {
  const asked: unknown[] = [];
  const runs: [string, JsonMap | null][] = [];
  renderOnce(
    <TriggerRunContext.Provider value={(nodeId, event) => { runs.push([nodeId, event]); }}>
      <PollPanel workflowId="orders" nodeId="new" config={CONFIG} />
    </TriggerRunContext.Provider>,
    { who, poll_test: (request: unknown) => { asked.push(request); return tested; } },
  );
  const panel = await screen.findByRole('group', { name: 'Test' });
  await userEvent.click(within(panel).getByRole('button', { name: 'Test' }));
  expect(await within(panel).findByText('2 items, already taken: 1, Cursor: 2026-11-30')).toBeTruthy();
  expect(within(panel).getByLabelText('Items of the source').textContent).toContain('"id": 8');
  expect(asked).toEqual([{ workflowId: 'orders', nodeId: 'new', config: CONFIG }]);
  await userEvent.click(within(panel).getByRole('button', { name: 'Run with these items' }));
  expect(runs[0]?.[0]).toBe('new');
  expect(runs[0]?.[1]?.['items']).toEqual([{ id: 7 }, { id: 8 }]);
});

it('says why the source cannot be read', async () => {
  renderOnce(<PollPanel workflowId="orders" nodeId="new" config={CONFIG} />, { who, poll_test: () => { throw new Error('The source cannot be read: status 503.'); } });
  const panel = await screen.findByRole('group', { name: 'Test' });
  await userEvent.click(within(panel).getByRole('button', { name: 'Test' }));
  expect(await within(panel).findByText('The source cannot be read: status 503.')).toBeTruthy();
});

it('sends the workflow as it is edited, and links the run of a workflow that is the source', async () => {
  const asked: unknown[] = [];
  const draft = { signalbox: 1, id: 'orders', name: 'Orders', nodes: {}, edges: [] } as unknown as Workflow;
  const config = { source: { kind: 'workflow', workflow: 'shop' }, key: 'item.id' };
  renderOnce(<PollPanel workflowId="orders" nodeId="new" config={config} draft={() => draft} />, { who, poll_test: (request: unknown) => { asked.push(request); return { ...tested, runId: 'r-1' }; } });
  const panel = await screen.findByRole('group', { name: 'Test' });
  expect(within(panel).getByText(/Runs the workflow once/)).toBeTruthy();
  await userEvent.click(within(panel).getByRole('button', { name: 'Test' }));
  expect((await within(panel).findByRole('link', { name: 'Open the run' })).getAttribute('href')).toBe('#/run/r-1');
  expect(asked).toEqual([{ workflowId: 'orders', nodeId: 'new', config, document: draft }]);
});
