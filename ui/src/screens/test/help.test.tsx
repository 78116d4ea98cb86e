import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { KINDS, demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

beforeEach(() => {
  setTransport(demoHost());
  queryClient.clear();
});
afterEach(cleanup);

it.each([['#/failures', 'failures', 'Failures: correct one, replay all'], ['#/health', 'health', 'Health of workflows'], ['#/catalog', 'steps', 'All steps'], ['#/inbox', 'inbox', 'The inbox']])('F1 on %s opens the page %s', async (hash, page, title) => {
  window.location.hash = hash;
  render(<App />);
  await screen.findByRole('navigation', { name: 'Main' });
  fireEvent.keyDown(document.body, { key: 'F1' });
  expect(await screen.findByRole('heading', { level: 1, name: title })).toBeTruthy();
  expect(window.location.hash).toBe(`#/help/${page}`);
});

it('shows the steps that the host has', async () => {
  window.location.hash = '#/help/steps';
  render(<App />);
  for (const kind of KINDS) expect(await screen.findByRole('link', { name: kind.title })).toBeTruthy();
});
