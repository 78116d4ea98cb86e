/** A press on a problem leads to what it is about. */
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Diagnostic, Workflow } from '../../api/types.ts';
import { createEditor } from '../../features/canvas/editor.ts';
import { kind } from '../../test/fixtures.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { Workbench } from '../workbench/workbench.tsx';

pretendLayout();
// jsdom has none.
vi.stubGlobal('CSS', { escape: (name: string) => name });

const DRAWN: Workflow = {
  signalbox: 1, id: 'w', name: 'W', nodes: { a: { type: 'data.set', typeVersion: 1 }, b: { type: 'data.set', typeVersion: 1 }, c: { type: 'data.set', typeVersion: 1 } },
  edges: [{ from: 'a.error', to: 'b' }, { from: 'a.error', to: 'c' }, { from: 'a.error', to: 'gone' }], layout: { a: [0, 0], b: [300, 0], c: [300, 200] },
};
const problem = (path: string): Diagnostic => ({ code: 'HANDLER_UNREACHABLE', severity: 'warning', path, message: `About ${path}`, hint: '' });

it('selects the wire that it is about; one that is not drawn leads to its step', async () => {
  const editor = createEditor(DRAWN);
  renderWith(
    <Workbench editor={editor} catalog={[kind('data.set')]} diagnostics={[problem('/edges/1'), problem('/edges/2'), problem('/nodes/b')]} view={null} bar={null} banners={null} logOpen={false} onLogOpen={() => undefined}
      panelOpen={false} onPanelOpen={() => undefined} problemsOpen onProblemsOpen={() => undefined} workflowPanel />,
    { catalog_list: () => [], tool_list: () => [], workflow_list: () => [] },
  );
  const chosen = async (about: string) => {
    await userEvent.click(await screen.findByText(about));
    return editor.getState().selection;
  };
  expect(await chosen('About /edges/1')).toEqual({ nodes: [], edges: ['a.error>c'] });
  expect(await chosen('About /edges/2')).toEqual({ nodes: ['a'], edges: [] });
  expect(await chosen('About /nodes/b')).toEqual({ nodes: ['b'], edges: [] });
});
