import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { foldRun } from '../../run/run-state.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { titleOf } from '../../features/canvas/view/flow-nodes.ts';
import { NodePanel, titleOf as titleIn } from '../../features/node-panel/index.ts';
import { rerunSteps } from '../../features/rerun/steps.ts';
import { renderWith } from '../../test/render.tsx';
import { FailureBanner } from '../workbench/failure-banner.tsx';
import { nowText } from '../workbench/status-bar.tsx';
import { titled } from '../workbench/titled.ts';
import { WaitingBanner } from '../workbench/waiting-banner.tsx';

afterEach(cleanup);

/** Turns everything after it, as long as nothing stops it. */
const TURN = '\u202e';
const TITLE = `Pay ${TURN}evil`;
const READ = 'Pay [U+202E]evil';
const DOCUMENT: Workflow = { signalbox: 1, id: 'w', name: `Book${TURN}k`, version: 1, nodes: { pay: { type: 'http.request', title: TITLE }, blank: { type: 'data.set', title: '  ' } }, edges: [] } as unknown as Workflow;
const KINDS = [{ type: 'data.set', title: 'Set fields', icon: 'box', category: 'data', ports: [], errors: [], examples: [], config: {} }] as unknown as NodeDescriptor[];
const event = (seq: number, type: string, more: object) => ({ v: 1, seq, runId: 'r', type, ts: '2026-11-23T10:00:00.000Z', ...more });
const STEP = { stepId: 'pay', visit: 1, attempt: 0 };
const begun = [event(1, 'workflow_start', { payload: {} }), event(2, 'step_start', { ...STEP, payload: { type: 'http.request', meta: { title: TITLE } } })];

it('a title that turns the line is marked wherever a step is named, and a blank one is none', () => {
  const view = foldRun(begun as never, DOCUMENT as never);
  const ran = (id: string) => id in DOCUMENT.nodes;
  const named = [view.nodes['pay']?.title, view.cards[0]?.title, titleIn(DOCUMENT, 'pay'), titled(DOCUMENT, KINDS).nodes['pay']?.title, rerunSteps(DOCUMENT, ran, KINDS)[0]?.title, titleOf(DOCUMENT.nodes['pay'] as never, undefined)];
  expect(named).toEqual(Array.from({ length: 6 }, () => READ));
  const blank = [titleIn(DOCUMENT, 'blank', KINDS), titled(DOCUMENT, KINDS).nodes['blank']?.title, rerunSteps(DOCUMENT, ran, KINDS)[1]?.title, titleOf(DOCUMENT.nodes['blank'] as never, KINDS[0])];
  expect(blank).toEqual(Array.from({ length: 4 }, () => 'Set fields'));
  expect(nowText(view)).not.toContain(TURN);
});

it('of two steps with the same title the second has the number of its card in the log, too', () => {
  const two = { ...DOCUMENT, nodes: { a: { type: 'http.request', title: 'Ask' }, b: { type: 'http.request', title: 'Ask' } } } as unknown as Workflow;
  const start = (seq: number, stepId: string) => event(seq, 'step_start', { stepId, visit: 1, attempt: 0, payload: { type: 'http.request', meta: { title: 'Ask' } } });
  const view = foldRun([event(1, 'workflow_start', { payload: {} }), start(2, 'a'), start(3, 'b')] as never, titled(two, KINDS));
  expect(view.cards.map((card) => card.title)).toEqual(['Ask', 'Ask 2']);
});

it('the head of the panel shows what turns the title of a step and the name of a workflow', () => {
  const panel = (selected: string[]) => <NodePanel document={DOCUMENT} selected={selected} catalog={KINDS} diagnostics={[]} onEdit={() => undefined} run={null} readOnly />;
  const { rerender } = renderWith(panel(['pay']), { expression_names: () => [], retry_timeline: () => [] });
  expect(screen.getByTitle(READ).textContent).toBe('Pay U+202Eevil');
  rerender(panel([]));
  expect(screen.getByTitle('Book[U+202E]k').textContent).toBe('BookU+202Ek');
});

it('the banners of a run that waits or failed show it, too', () => {
  const asks = foldRun([...begun, event(3, 'human_task_created', { ...STEP, taskId: 't', payload: { taskId: 't', title: `Pay ${TURN}?ti` } })] as never, DOCUMENT as never);
  const { rerender } = renderWith(<WaitingBanner view={asks} />, { catalog_list: () => KINDS });
  expect(screen.getByRole('status').textContent).toContain('Pay U+202E?ti.');
  const failed = { ...asks, status: 'failed' as const, failedStepId: 'pay', error: { type: 'ToolError', message: `no ${TURN}luck` } };
  rerender(<FailureBanner view={failed} document={DOCUMENT} onOpenStep={() => undefined} onRunAgain={undefined} onClose={() => undefined} />);
  expect(screen.getByRole('alert').textContent).toContain('no [U+202E]luck');
  expect(screen.getByRole('alert').textContent).not.toContain(TURN);
  expect(nowText(failed)).not.toContain(TURN);
});
