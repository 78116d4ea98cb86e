import { act as settle, cleanup, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../api/queries.ts';
import { renderWith } from '../test/render.tsx';
import { useWorkflowPins, withPins, type Pins } from './pins.ts';

afterEach(() => {
  cleanup();
  queryClient.clear();
});

const PIN = { ports: { success: [{ n: 1 }] }, runId: 'r-1', pinnedAt: '2026-11-28T08:00:00.000Z' };

function Shown({ seen, rename }: { seen(pins: Pins | null): void; rename(listener: (from: string, to: string) => void): () => void }) {
  seen(useWorkflowPins('w', rename));
  return null;
}

it('what is pinned is copied to the new id of its step, and a run waits for that', async () => {
  let pins: Pins | null = null;
  let tell: (from: string, to: string) => void = () => undefined;
  const { fake } = renderWith(<Shown seen={(next) => { pins = next; }} rename={(listener) => { tell = listener; return () => undefined; }} />, {
    who: () => ({ principal: 'user:ada', role: 'builder' }) as never,
    workflow_pins: () => ({ steps: { fetch: PIN }, file: '/w.signalbox.pins.json' }),
    workflow_pin: () => PIN,
  });
  await waitFor(() => expect(pins?.steps['fetch']).toEqual(PIN));
  expect(withPins(pins)).toEqual({ pins: 'w' });
  await settle(async () => {
    tell('fetch', 'orders');
    tell('other', 'another');
    await pins?.written();
  });
  expect(fake.calls.filter((call) => call.command === 'workflow_pin').map((call) => call.payload)).toEqual([{ ref: 'w', stepId: 'orders', fromStep: 'fetch' }]);
});
