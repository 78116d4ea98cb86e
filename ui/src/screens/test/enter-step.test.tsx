/** A double click on a step that runs another file. */
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { foldRun, type RunEventLike } from '../../run/run-state.ts';
import type { Workflow } from '../../api/types.ts';
import { createEditor } from '../../features/canvas/editor.ts';
import { useMessages } from '../../kit/messages.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { Workbench } from '../workbench/workbench.tsx';

pretendLayout();
// jsdom has none.
vi.stubGlobal('CSS', { escape: (name: string) => name });
afterEach(() => { window.location.hash = ''; });

const DRAWN = { signalbox: 1, id: 'w', name: 'Trip', nodes: { s: { type: 'flow.subworkflow', typeVersion: 1, title: 'Charge', config: { workflow: 'pay' } } }, edges: [], layout: { s: [0, 0] } } as Workflow;
const RAN = foldRun([{ runId: 'r', seq: 1, ts: '2026-11-21T23:00:00.000Z', type: 'workflow_start', payload: {} }, { runId: 'r', seq: 2, ts: '2026-11-21T23:00:00.000Z', type: 'step_start', stepId: 's', visit: 1, attempt: 0, payload: { type: 'flow.subworkflow' } }] as RunEventLike[], DRAWN);

const LIBRARY = [{ id: 'pay', ref: 'ref-of-pay', name: 'Pay' }];

/** One double click. */
async function press(inRun: boolean, library: () => Promise<unknown> = () => Promise.resolve(LIBRARY), then: (leave: () => void) => void = () => undefined) {
  const opened = vi.fn();
  const editor = createEditor(DRAWN);
  const { fake, unmount } = renderWith(
    <Workbench editor={editor} catalog={[]} diagnostics={null} view={RAN} bar={null} banners={null} logOpen={false} onLogOpen={opened} panelOpen onPanelOpen={() => undefined} problemsOpen={false} onProblemsOpen={() => undefined} workflowPanel={!inRun} />,
    { catalog_list: () => [], tool_list: () => [], workflow_list: library as never, run_step_data: () => null },
  );
  await vi.waitFor(() => expect(fake.calls.some((one) => one.command === 'workflow_list')).toBe(true));
  const [card] = await screen.findAllByText('Charge');
  fireEvent.doubleClick(card as Element);
  then(unmount);
  await vi.waitFor(() => expect(opened.mock.calls.length > 0 || window.location.hash !== '').toBe(true));
  return { opened: opened.mock.calls, hash: window.location.hash, chosen: editor.getState().selection.nodes };
}

it('leads to the file where it is edited', async () => {
  expect(await press(false)).toMatchObject({ opened: [], hash: '#/workflow/ref-of-pay' });
});

it('leads there also when the library is told after the double click', async () => {
  let tell: (list: unknown) => void = () => undefined;
  const late = new Promise((done) => { tell = done; });
  expect(await press(false, () => late, () => tell(LIBRARY))).toMatchObject({ hash: '#/workflow/ref-of-pay' });
  expect(useMessages.getState().shown).toEqual([]);
});

it('takes nobody away who has left before the library is told', async () => {
  let tell: (list: unknown) => void = () => undefined;
  const late = new Promise((done) => { tell = done; });
  await press(false, () => late, (leave) => {
    leave();
    window.location.hash = '#/runs';
    tell(LIBRARY);
  });
  await late;
  await new Promise((done) => { setTimeout(done); });
  // Neither to the file, nor with a word about it.
  expect([window.location.hash, useMessages.getState().shown]).toEqual(['#/runs', []]);
});

it('leads to what ran in it where a run is looked at, whatever the file is today', async () => {
  expect(await press(true)).toEqual({ opened: [[true]], hash: '', chosen: ['s'] });
});
