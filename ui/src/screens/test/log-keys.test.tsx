/** Keys in the log stay in the log while it leads the canvas. */
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { useSettings } from '../../api/settings.ts';
import { createRunFold } from '../../run/run-state.ts';
import { createEditor, type EditorStore } from '../../features/canvas/editor.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { FIRST, FIRST_EVENTS } from '../../test/walkthrough.ts';
import { Workbench } from '../workbench/workbench.tsx';

pretendLayout();
// jsdom has none.
vi.stubGlobal('CSS', { escape: (name: string) => name });

// The view of the log is kept from one run to the next.
beforeEach(() => useSettings.setState({ settings: { theme: 'system', layout: {}, keymap: {} } }));

const CATALOG = { catalog_list: () => [], tool_list: () => [], workflow_list: () => [] };
const bench = (editor: EditorStore, fold: ReturnType<typeof createRunFold>) => (
  <Workbench editor={editor} catalog={[]} diagnostics={null} view={fold.view} bar={null} banners={null} logOpen onLogOpen={() => undefined} panelOpen onPanelOpen={() => undefined}
    problemsOpen={false} onProblemsOpen={() => undefined} workflowPanel={false} />
);
/** The canvas gives its keys away with the next frame. */
const nextFrame = () => act(() => new Promise((done) => { requestAnimationFrame(() => done(undefined)); }));

it('C21: arrows in the table of events choose steps on the canvas, and the keys stay in the table', async () => {
  const editor = createEditor(FIRST);
  const fold = createRunFold('R', FIRST);
  fold.apply(FIRST_EVENTS);
  renderWith(bench(editor, fold), CATALOG);
  await userEvent.click(screen.getByRole('radio', { name: 'Events' }));
  const table = screen.getByRole('listbox', { name: 'Events of the run' });
  table.focus();
  await userEvent.keyboard('{Home}{ArrowDown}');
  await waitFor(() => expect(editor.getState().selection.nodes).toEqual(['fetch']));
  await nextFrame();
  expect(document.activeElement).toBe(table);
});

it('following a run takes no letter from who searches the cards', async () => {
  const editor = createEditor(FIRST);
  const fold = createRunFold('R', FIRST);
  fold.apply(FIRST_EVENTS.slice(0, 3));
  const shown = renderWith(bench(editor, fold), CATALOG);
  await userEvent.click(screen.getByRole('button', { name: 'Follow' }));
  const search = screen.getByRole('textbox', { name: 'Search the cards' });
  search.focus();
  fold.apply(FIRST_EVENTS.slice(3, 5));
  shown.rerender(bench(editor, fold));
  await nextFrame();
  expect(editor.getState().selection.nodes).toEqual(['fetch']);
  expect(document.activeElement).toBe(search);
});

it('while nothing comes of a run its clock stands, and nothing turns', () => {
  vi.useFakeTimers();
  const began = Date.parse(FIRST_EVENTS[0]?.ts ?? '');
  vi.setSystemTime(began + 5000);
  const fold = createRunFold('R', FIRST);
  fold.apply(FIRST_EVENTS.slice(0, 3));
  const screenOf = (broken: boolean) => <Workbench editor={createEditor(FIRST)} catalog={[]} diagnostics={null} view={fold.view} broken={broken} bar={null} banners={null} logOpen={false} onLogOpen={() => undefined}
    panelOpen={false} onPanelOpen={() => undefined} problemsOpen={false} onProblemsOpen={() => undefined} workflowPanel={false} />;
  const shown = renderWith(screenOf(false), CATALOG);
  const took = () => document.querySelector('.wb-status')?.textContent;
  const before = took();
  act(() => { vi.advanceTimersByTime(3000); });
  expect(took()).not.toBe(before);
  shown.rerender(screenOf(true));
  const stands = took();
  act(() => { vi.advanceTimersByTime(60_000); });
  expect(took()).toBe(stands);
  expect(document.querySelector('.wb')?.classList.contains('broken')).toBe(true);
  vi.useRealTimers();
});
