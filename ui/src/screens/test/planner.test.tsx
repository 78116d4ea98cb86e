/** The planner of the builder: what a person sees of a proposal, and what is sent for each press. */
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { PlanView, Workflow } from '../../api/types.ts';
import { openParts, type Part } from '../../features/planner/changes.ts';
import { PlannerPanel, type PlannerProps } from '../../features/planner/planner-panel.tsx';
import { renderWith } from '../../test/render.tsx';

const workflow = (nodes: Workflow['nodes']): Workflow => ({ signalbox: 1, id: 'w', name: 'W', nodes, edges: [] }) as unknown as Workflow;
const base = workflow({});
const proposed = workflow({ fetch: { type: 'http.request', title: 'Fetch' }, send: { type: 'http.request', title: 'Send' } } as unknown as Workflow['nodes']);
const call = (step: string, effect: string) => ({ step, title: step, effect, target: `GET https://${step}.example.com`, real: effect === 'read' });
const view: PlanView = {
  model: { provider: 'house', model: 'small' },
  messages: [
    { by: 'person', at: '2026-11-28T20:00:00Z', text: 'fetch the user' },
    { by: 'planner', at: '2026-11-28T20:00:01Z', outcome: 'intent_changed', text: '<b>not bold</b>', intentChanges: ['The correction drops the step'], usage: { questions: 3, inputTokens: 300, outputTokens: 30, costMicros: 1000 } },
  ],
  proposal: { base, document: proposed, revision: 'r1', by: 'planner', at: '2026-11-28T20:00:00Z', calls: [call('fetch', 'read'), call('send', 'write')] },
};

function draw(more: Partial<PlannerProps> = {}) {
  const parts: readonly Part[] = openParts(base, proposed, base);
  const props: PlannerProps = {
    view, parts, readOnly: false, hasRun: true, busy: false, explanation: null,
    titleOf: (step) => proposed.nodes[step]?.title ?? step, onStep: vi.fn(), onEvent: vi.fn(), onAsk: vi.fn(() => Promise.resolve(true)), onExplain: vi.fn(), onTry: vi.fn(), onCancel: vi.fn(),
    onForget: vi.fn(), onAccept: vi.fn(), onReject: vi.fn(), onSettings: vi.fn(), onSamples: vi.fn(), onClose: vi.fn(), ...more,
  };
  renderWith(<PlannerPanel {...props} />, {});
  return props;
}

it('shows a proposal with its parts, its cost, and what the model said as text', () => {
  const props = draw();
  expect(screen.getByText('<b>not bold</b>')).toBeTruthy();
  expect(screen.getByText('The correction drops the step')).toBeTruthy();
  expect(screen.getByText(/^3 questions, 330 tokens, /)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Accept Send' }));
  expect(props.onAccept).toHaveBeenCalledWith([{ key: 'step:send', kind: 'new', step: 'send' }]);
  fireEvent.click(screen.getByRole('button', { name: 'Reject all' }));
  expect(props.onReject).toHaveBeenCalledWith(props.parts);
});

it('ts_145 asks for consent once, and calls a write only when it is selected', () => {
  const props = draw();
  fireEvent.click(screen.getByRole('button', { name: 'Try it' }));
  const dialog = screen.getByRole('dialog', { name: 'Try the proposal' });
  expect(within(dialog).getByText('GET https://fetch.example.com')).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('checkbox', { name: 'Call send for real' }));
  expect(props.onTry).not.toHaveBeenCalled();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Try it now' }));
  expect(props.onTry).toHaveBeenCalledWith(['send']);
});

it('says how to add a model where there is none, and still explains', () => {
  const { model: _, proposal: __, ...none } = view;
  const props = draw({ view: { ...none, messages: [] }, parts: [] });
  expect(screen.queryByRole('textbox')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Add a model' }));
  fireEvent.click(screen.getByRole('button', { name: 'Start from a sample' }));
  fireEvent.click(screen.getByRole('button', { name: 'Why did this run fail?' }));
  expect([props.onSettings, props.onSamples].every((press) => vi.mocked(press).mock.calls.length === 1)).toBe(true);
  expect(props.onExplain).toHaveBeenCalledWith(true);
});

it('leads from an explanation to its step and its event', () => {
  const props = draw({ explanation: { runId: 'run-1', status: 'failed', lines: [{ step: 'fetch', title: 'Fetch', seq: 7, code: 'HTTP_404', text: 'Not found' }] } });
  const told = screen.getByRole('region', { name: 'What went wrong in the run' });
  fireEvent.click(within(told).getByRole('button', { name: 'event 7' }));
  expect(props.onEvent).toHaveBeenCalledWith('run-1', 7);
  fireEvent.click(within(told).getByRole('button', { name: 'Fetch' }));
  expect(props.onStep).toHaveBeenCalledWith('fetch');
});

it('can be cancelled while it works, and offers nothing of the proposal meanwhile', () => {
  const working = { stage: 'generate', questionTokens: 1200, steps: ['Fetch the user'], calls: [], attempts: [], usage: { questions: 1, inputTokens: 100, outputTokens: 10 } };
  const props = draw({ view: { ...view, working } });
  expect(screen.getByText('Writing the draft…')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Accept all' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(props.onCancel).toHaveBeenCalledOnce();
});
