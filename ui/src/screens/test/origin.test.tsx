// Where a run comes from, as the bar of its screen says it.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { RunDetails } from '../../api/types.ts';
import { RETRY } from '../../test/fixtures.ts';
import { renderWith } from '../../test/render.tsx';
import { Began, Origin } from '../run/origin.tsx';

afterEach(() => { cleanup(); window.location.hash = ''; });
const [first = ''] = Object.keys(RETRY.nodes);
const definition = { ...RETRY, nodes: { ...RETRY.nodes, [first]: { ...RETRY.nodes[first], title: 'Read the orders' } } } as RunDetails['definition'];
const show = (part: Partial<RunDetails>) => renderWith(<Origin run={{ definition, ...part }} catalog={[]} />);
const from = { type: 'checkpoint', version: 1 };

it('an imported run names the step by its title, and whose checkpoint it was and when', () => {
  show({ resumedFrom: first, importedFrom: { ...from, runId: 'job-17', createdAt: '2026-11-21T10:00:00' } });
  expect(screen.getByText('Started at Read the orders, from a checkpoint of another program. Run job-17 there. Taken at 2026-11-21 10:00')).toBeTruthy();
});

it('says what it knows: no step, no run, no time', () => {
  show({ importedFrom: from });
  expect(screen.getByText('Started from a checkpoint of another program')).toBeTruthy();
  cleanup();
  show({ resumedFrom: `each[2]/${first}`, importedFrom: { ...from, createdAt: 'yesterday' } });
  expect(screen.getByText('Started at each 3 › Read the orders, from a checkpoint of another program. Taken at yesterday')).toBeTruthy();
});

it('a re-run leads to the run that it is of', () => {
  show({ parentRunId: '0193a5c0-0000-7000-8000-0000000abcde', resumedFrom: first });
  fireEvent.click(screen.getByRole('button', { name: 'Re-run of 0abcde from Read the orders' }));
  expect(window.location.hash).toContain('0193a5c0-0000-7000-8000-0000000abcde');
  cleanup();
  show({ parentRunId: '0193a5c0-0000-7000-8000-0000000abcde' });
  expect(screen.getByRole('button', { name: 'Re-run of 0abcde' })).toBeTruthy();
});

it('names a step of a called file by its title, also where it began', async () => {
  const CALLS = { ...definition, nodes: { charge: { type: 'flow.subworkflow', title: 'Charge', config: { workflow: 'pay' } }, log: { type: 'data.set', title: 'Write the log' } } } as unknown as RunDetails['definition'];
  const file = { ...CALLS, id: 'pay', nodes: { log: { type: 'data.set', title: 'Log the charge' } } };
  renderWith(<Origin run={{ definition: CALLS, parentRunId: '0193a5c0-0000-7000-8000-0000000abcde', resumedFrom: 'charge[0]/log' }} catalog={[]} />, {
    workflow_list: () => [{ id: 'pay', ref: 'r-pay' }] as never, workflow_open: ({ ref }) => ({ ref, document: file }) as never,
  });
  expect(await screen.findByRole('button', { name: 'Re-run of 0abcde from Charge 1 › Log the charge' })).toBeTruthy();
});

const ID = (n: number) => `0193a5c0-0000-7000-8000-00000000000${String(n)}`;
const original = { runId: ID(1) };
const began = (n: number) => ({ runId: ID(n), startedAt: `2026-11-23T1${String(n)}:00:00Z`, parentRunId: ID(1) });

it('c25: the original leads to the run that began from it, and to each one where there are several', async () => {
  const { fake } = renderWith(<Began run={original} supersededBy={undefined} />, { run_list: (({ parent }: { parent?: string }) => ({ runs: parent === ID(1) ? [began(4), began(2)] : [] })) as never });
  fireEvent.click(await screen.findByRole('button', { name: '2 runs were re-run from this one' }));
  // The oldest first.
  expect((await screen.findAllByRole('menuitem')).map((one) => one.textContent)).toEqual(['Run 000002 was re-run from this one', 'Run 000004 was re-run from this one']);
  expect(fake.calls).toHaveLength(1);
  fireEvent.click(screen.getByRole('menuitem', { name: /000004/ }));
  await waitFor(() => expect(window.location.hash).toContain(ID(4)));
});

it('c25: says which run took the place of one that waited, also when the list does not reach it', async () => {
  const none = { run_list: (() => ({ runs: [] })) as never };
  renderWith(<Began run={original} supersededBy={ID(3)} />, none);
  fireEvent.click(await screen.findByRole('button', { name: 'Run 000003 replaced this one' }));
  expect(window.location.hash).toContain(ID(3));
  cleanup();
  const { container } = renderWith(<Began run={original} supersededBy={undefined} />, none);
  expect(container.textContent).toBe('');
});
