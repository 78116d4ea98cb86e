import { render, screen } from '@testing-library/react';
import { lazy, Suspense } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CrashGuard, part } from '../parts/crash-guard.tsx';

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

it('says that a part could not be read, and offers a fresh page', async () => {
  const Part = lazy(() => part<{ default: () => null }>(Promise.reject(new TypeError('Failed to fetch'))));
  render(<CrashGuard><Suspense><Part /></Suspense></CrashGuard>);
  expect(await screen.findByText('A part of Signalbox could not be loaded')).toBeTruthy();
  expect(screen.getByText('Failed to fetch')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy();
});

it('opens a screen that stopped once more', () => {
  let stops = true;
  const Once = () => {
    if (stops) throw new Error('Something is undefined');
    return <p>Here</p>;
  };
  render(<CrashGuard><Once /></CrashGuard>);
  expect(screen.getByText('Something is undefined')).toBeTruthy();
  stops = false;
  screen.getByRole('button', { name: 'Open again' }).click();
  return screen.findByText('Here');
});
