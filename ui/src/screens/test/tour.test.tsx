import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { Tour, TourOffer } from '../parts/tour.tsx';
import { endTour } from '../parts/tour-steps.ts';
import { setTransport } from '../../api/client.ts';
import { demoHost } from '../../test/fixtures.ts';

beforeEach(() => {
  setTransport(demoHost());
  endTour();
  window.location.hash = '';
});

it('is offered once, leads through six screens, and can be left at any step', async () => {
  const user = userEvent.setup();
  render(<><TourOffer /><Tour /></>);
  await user.click(screen.getByRole('button', { name: 'Take the tour' }));
  expect(screen.queryByText('New to Signalbox?')).toBeNull();
  const seen: string[] = [];
  for (let step = 1; step <= 6; step += 1) {
    expect(screen.getByText(`Step ${String(step)} of 6`)).toBeTruthy();
    seen.push(window.location.hash);
    if (step < 6) await user.click(screen.getByRole('button', { name: 'Next' }));
  }
  expect(seen).toEqual(['#/workflows', '#/runs', '#/inbox', '#/automations', '#/audit', '#/help']);
  await user.click(screen.getByRole('button', { name: 'Back' }));
  expect(window.location.hash).toBe('#/audit');
  await user.keyboard('{Escape}');
  expect(screen.queryByText(/Step/)).toBeNull();
  // Not asked again.
  expect(screen.queryByText('New to Signalbox?')).toBeNull();
});
