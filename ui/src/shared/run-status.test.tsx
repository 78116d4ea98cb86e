import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { StatusBadge, stateText } from './run-status.tsx';

it('a run that waits in a queue says in which, and its place', () => {
  expect(stateText({ status: 'queued', place: 2 })).toBe('Queued, place 2');
  expect(stateText({ status: 'running', place: 4 })).toBe('Waiting for a worker, place 4');
  // It was answered, and no worker has gone on with it.
  expect(stateText({ status: 'paused', openTaskCount: 1, place: 1 })).toBe('Waiting for a worker, place 1');
  render(<StatusBadge status="running" place={4} />);
  expect(screen.getByText('Waiting for a worker, place 4').closest('.badge')?.className).toContain('wait');
});

it('a run that rests because somebody is asked waits for a person, in words and by its icon', () => {
  expect(stateText({ status: 'paused' })).toBe('Paused');
  expect(stateText({ status: 'paused', openTaskCount: 1 })).toBe('Waiting for a person');
  expect(stateText({ status: 'paused', openTaskCount: 3 })).toBe('3 tasks wait for a person');
  // While it does something else, too, that is said first.
  expect(stateText({ status: 'running', openTaskCount: 3 })).toBe('Running');
  render(<><StatusBadge status="paused" openTaskCount={1} /><StatusBadge status="paused" /></>);
  expect(screen.getByText('Waiting for a person').closest('.badge')?.className).toContain('person');
  expect(screen.getByText('Paused').closest('.badge')?.className).toContain('wait');
});
