/** An error whose message is longer than what travels at once. */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Cut } from '../../json/json.ts';
import { foldRun, type RunEventLike } from '../../run/run-state.ts';
import { CopyButton } from '../../code/ValueView.tsx';
import { DataTab } from '../../features/node-panel/data-tab.tsx';
import { valuesOfCards } from '../../features/node-panel/step-data.ts';
import { DetailLog } from '../../features/run-log/index.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { FIRST, FIRST_EVENTS } from '../../test/walkthrough.ts';
import { FailureBanner } from '../workbench/failure-banner.tsx';
import { nowText } from '../workbench/status-bar.tsx';

pretendLayout();
const WHOLE = `It began so, ${'and so on, '.repeat(2000)}`;
const CUT = new Cut({ _truncated: true, type: 'string', length: WHOLE.length + 2, preview: 'It began so, and so on...', ref: 'R/3/payload/error/message' });
const ERROR = { type: 'ToolError', message: CUT, provenanceRef: 'audit:R:3', details: { code: 'SCRIPT_ERROR' } };
const EVENTS = [
  ...FIRST_EVENTS.slice(0, 2), { ...FIRST_EVENTS[2], payload: { error: ERROR } },
  { runId: 'R', seq: 4, ts: '2026-11-21T23:00:00.004Z', type: 'workflow_failed', payload: { error: { ...ERROR, message: new Cut({ ...CUT, ref: 'R/4/payload/error/message' }) }, failed_step_id: 'fetch', duration_ms: 4 } },
] as RunEventLike[];
const VIEW = foldRun(EVENTS, FIRST);
const host = { catalog_list: () => [], run_value: () => WHOLE };

it('banner, status bar, panel and log say how it begins', async () => {
  const values = valuesOfCards(VIEW, 'fetch');
  if (!values) throw new Error('It was called.');
  renderWith(<>
    <FailureBanner view={VIEW} document={FIRST} onOpenStep={() => undefined} onRunAgain={undefined} onClose={() => undefined} />
    <DataTab nodeId="fetch" side="output" state={{ kind: 'data', values }} item={0} onItem={() => undefined} />
    <DetailLog run={VIEW} document={FIRST} onSelectNode={() => undefined} />
  </>, host);
  expect(screen.getAllByText('It began so, and so on...')).toHaveLength(3);
  expect(nowText(VIEW)).toContain('It began so, and so on...');
  expect(VIEW.nodes['fetch']?.message).toBe('It began so, and so on...');
  // Where it is data all of it can be loaded.
  await userEvent.click(screen.getByRole('button', { name: /^Error/ }));
  expect(screen.getByRole('button', { name: 'Load full value' })).toBeTruthy();
  // E-16: its record is one click away.
  expect(screen.getByRole('link', { name: 'Open the audit record' }).getAttribute('href')).toBe('#/audit?query=ref%3Aaudit%3AR%3A3');
});

it('what is copied is the whole', async () => {
  const user = userEvent.setup();
  const written = vi.fn((items: ClipboardItem[]) => Promise.resolve(items[0]?.getType('text/plain')));
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { write: written, writeText: () => Promise.reject(new Error('not asked for')) } });
  vi.stubGlobal('ClipboardItem', class { constructor(private readonly data: Record<string, Promise<Blob>>) {} getType(type: string) { return this.data[type]; } });
  renderWith(<>
    <FailureBanner view={VIEW} document={FIRST} onOpenStep={() => undefined} onRunAgain={undefined} onClose={() => undefined} />
    <CopyButton value={{ list: [1, { part: CUT }] }} />
  </>, host);
  const copied = async (n: number) => {
    await waitFor(() => expect(written).toHaveBeenCalledTimes(n));
    const copy = await (written.mock.results[n - 1] as { value: Promise<Blob> }).value;
    return copy.text();
  };
  await user.click(screen.getByRole('button', { name: 'Copy error' }));
  expect(JSON.parse(await copied(1))).toEqual({ ...ERROR, message: WHOLE });
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(JSON.parse(await copied(2))).toEqual({ list: [1, { part: WHOLE }] });
});
