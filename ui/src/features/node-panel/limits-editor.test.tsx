import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import type { Diagnostic } from '../../api/types.ts';
import { applyEdit } from '../../schema-form/model.ts';
import { FormScopeProvider, type Path } from '../../schema-form/index.ts';
import { LimitsEditor } from './limits-editor.tsx';

afterEach(cleanup);

type Settings = { concurrency?: unknown; rateLimit?: unknown };
let written: Settings = {};

function Edited({ start, diagnostics, readOnly }: { start: Settings; diagnostics: readonly Diagnostic[]; readOnly: boolean }) {
  const [file, setFile] = useState<unknown>({ settings: start });
  const edit = (path: Path, value: unknown) => {
    const next = applyEdit(file, path, value) as { settings?: Settings };
    setFile(next);
    written = next.settings ?? {};
  };
  const settings = (file as { settings?: Settings }).settings ?? {};
  return (
    <FormScopeProvider value={{ base: '', diagnostics, host: null, readOnly, edit }}>
      <LimitsEditor concurrency={settings.concurrency} rateLimit={settings.rateLimit} diagnostics={diagnostics} readOnly={readOnly} onChange={edit} />
    </FormScopeProvider>
  );
}
const editor = (start: Settings, { diagnostics = [], readOnly = false }: { diagnostics?: readonly Diagnostic[]; readOnly?: boolean } = {}) => render(<Edited start={start} diagnostics={diagnostics} readOnly={readOnly} />);

it('limits the runs at the same time in plain words, and takes the limit away again', async () => {
  editor({});
  await userEvent.click(screen.getByRole('switch', { name: 'Limit runs at the same time' }));
  expect(written).toEqual({ concurrency: { max: 1 } });
  await userEvent.click(screen.getByRole('combobox', { name: 'When the limit is reached' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Cancel the oldest run' }));
  expect(written).toEqual({ concurrency: { max: 1, onLimit: 'cancel_oldest' } });
  await userEvent.click(screen.getByRole('switch', { name: 'Limit runs at the same time' }));
  expect(written.concurrency).toBeUndefined();
});

it('limits how often it starts, and shows what is wrong at its place', async () => {
  editor({}, { diagnostics: [{ code: 'BAD_CONFIG', severity: 'error', path: '/settings/rateLimit', message: 'This is not an object', hint: 'Write { "count": 10, "perMs": 60000 }' }] });
  await userEvent.click(screen.getByRole('switch', { name: 'Limit how often it starts' }));
  expect(written).toEqual({ rateLimit: { count: 10, perMs: 60_000 } });
  expect(screen.getByText('This is not an object')).toBeTruthy();
});

it('a reader changes nothing', () => {
  editor({ concurrency: { max: 2 } }, { readOnly: true });
  for (const one of screen.getAllByRole('switch')) expect((one as HTMLButtonElement).getAttribute('aria-disabled') ?? String((one as HTMLButtonElement).disabled)).toBe('true');
});
