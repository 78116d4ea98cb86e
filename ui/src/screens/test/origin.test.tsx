// Where a run comes from, as the bar of its screen says it.
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { RunDetails } from '../../api/types.ts';
import { RETRY } from '../../test/fixtures.ts';
import { renderWith } from '../../test/render.tsx';
import { Origin } from '../run/origin.tsx';

afterEach(() => { cleanup(); window.location.hash = ''; });
const [first = ''] = Object.keys(RETRY.nodes);
const definition = { ...RETRY, nodes: { ...RETRY.nodes, [first]: { ...RETRY.nodes[first], title: 'Read the orders' } } } as RunDetails['definition'];
const show = (part: Partial<RunDetails>) => renderWith(<Origin run={{ definition, ...part }} catalog={[]} />);
const from = { type: 'checkpoint', version: 1 };

it('an imported run names the step by its title, and whose checkpoint it was and when', () => {
  show({ resumedFrom: first, importedFrom: { ...from, runId: 'job-17', createdAt: '2026-11-21T10:00:00' } });
  expect(screen.getByText('Began at Read the orders, at a checkpoint of another program. Run job-17 there. Taken at 2026-11-21 10:00')).toBeTruthy();
});

it('says what it knows: no step, no run, no time', () => {
  show({ importedFrom: from });
  expect(screen.getByText('Began at a checkpoint of another program')).toBeTruthy();
  cleanup();
  show({ resumedFrom: `each[2]/${first}`, importedFrom: { ...from, createdAt: 'yesterday' } });
  expect(screen.getByText('Began at each 3 › Read the orders, at a checkpoint of another program. Taken at yesterday')).toBeTruthy();
});

it('a re-run leads to the run that it is of', () => {
  show({ parentRunId: '0193a5c0-0000-7000-8000-0000000abcde', resumedFrom: first });
  fireEvent.click(screen.getByRole('button', { name: 'Re-run of 0abcde from Read the orders' }));
  expect(window.location.hash).toContain('0193a5c0-0000-7000-8000-0000000abcde');
  cleanup();
  show({ parentRunId: '0193a5c0-0000-7000-8000-0000000abcde' });
  expect(screen.getByRole('button', { name: 'Re-run of 0abcde' })).toBeTruthy();
});
