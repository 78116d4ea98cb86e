import { ReactFlowProvider } from '@xyflow/react';
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { foldRun, type RunEventLike } from '../../../run/run-state.ts';
import type { Workflow } from '../../../api/types.ts';
import { MomentContext } from '../../../kit/use-now.ts';
import { createEditor } from '../editor.ts';
import { FrameBox } from '../view/frame-box.tsx';
import { flowBuilder } from '../view/flow-nodes.ts';
import { NodeCard } from '../view/node-card.tsx';
import { CanvasContext, createUi } from '../view/ui.ts';
import { CATALOG } from './fixtures.ts';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const WORKFLOW: Workflow = {
  signalbox: 1, id: 'w', name: 'W',
  nodes: {
    each: { type: 'flow.loop', typeVersion: 1, title: 'Each order' }, inside: { type: 'data.set', typeVersion: 1, parent: 'each' },
    both: { type: 'flow.parallel', typeVersion: 1 }, branch: { type: 'data.set', typeVersion: 1, parent: 'both' },
  },
  edges: [],
};

function events(outOfLoop: number): RunEventLike[] {
  let seq = 0;
  const event = (type: string, stepId: string, path: string | null, payload: object): RunEventLike => ({ runId: 'R', seq: ++seq, ts: '2026-11-21T23:00:00.000Z', type, stepId, path, visit: 1, attempt: 0, payload });
  const call = (id: string, type: string, path: string | null, n: number, between: () => RunEventLike[] = () => [], out = n) => [
    event('step_start', id, path, { type, meta: {}, config: {}, input: Array.from({ length: n }, (_, item) => ({ item, data: item })) }), ...between(), event('step_done', id, path, { ports: { success: out }, items: {} }),
  ];
  const each = call('each', 'flow.loop', null, 3, () => [0, 1, 2].flatMap((n) => call('inside', 'data.set', `each[${String(n)}]`, 1)), outOfLoop);
  return [...each, ...call('both', 'flow.parallel', null, 5, () => call('branch', 'data.set', 'both/branch', 5))];
}

function shown(id: string, outOfLoop = 3): HTMLElement {
  return drawn(id, events(outOfLoop)).container;
}

/** `stands`: the moment at which time stands. */
function drawn(id: string, list: RunEventLike[], stands?: number) {
  const editor = createEditor(WORKFLOW);
  const ui = createUi();
  ui.setState({ runView: foldRun(list, WORKFLOW) });
  const node = flowBuilder()(WORKFLOW, CATALOG).nodes.find((one) => one.id === id);
  if (!node) throw new Error(`${id} is not drawn.`);
  const Drawn = node.type === 'frame' ? FrameBox : NodeCard;
  const nothing = () => undefined;
  return render(
    <MomentContext value={stands}>
      <CanvasContext value={{ editor, ui, catalog: CATALOG, tools: [], operations: [], rename: nothing, openNode: nothing, choose: nothing, explicit: nothing }}>
        <ReactFlowProvider><Drawn {...({ id, data: node.data, selected: false } as Parameters<typeof NodeCard>[0])} /></ReactFlowProvider>
      </CanvasContext>
    </MomentContext>,
  );
}

it('a frame says a number once: what came out of it stands there where it is not the number of its iterations', () => {
  expect(shown('each').querySelector('.cv-rounds')?.textContent).toBe('all/3');
  expect(shown('each').querySelector('.cvf-n')).toBeNull();
  expect(shown('each', 7).querySelector('.cvf-n')?.textContent).toBe('7');
});

it('a card in a parallel frame counts its items; in a loop the choice of the iteration stands there', () => {
  expect(shown('branch').querySelector('.cv-r2')?.textContent).toMatch(/5$/);
  expect(shown('inside').querySelector('.cv-r2')?.textContent).toMatch(/all\/3$/);
});

it('a card counts down to the next call, and stands where nothing comes of the run any more', () => {
  vi.useFakeTimers();
  const began = Date.parse('2026-11-21T23:00:00.000Z');
  const event = (seq: number, type: string, payload: object): RunEventLike => ({ runId: 'R', seq, ts: '2026-11-21T23:00:00.000Z', type, stepId: 'both', visit: 1, attempt: 0, payload });
  const retries = [
    event(1, 'step_start', { type: 'flow.parallel', meta: {}, config: {}, input: [] }), event(2, 'step_error', { error: { type: 'NetworkError', message: 'no' } }),
    event(3, 'retry_scheduled', { attempt: 1, delayMs: 60_000 }),
  ];
  const counts = (stands?: number) => {
    vi.setSystemTime(began);
    const { container, unmount } = drawn('both', retries, stands);
    const line = () => /next in \d+ (min|s)/.exec(container.textContent ?? '')?.[0];
    const first = line();
    act(() => { vi.advanceTimersByTime(20_000); });
    const later = line();
    unmount();
    return [first, later];
  };
  expect(counts()).toEqual(['next in 1 min', 'next in 40 s']);
  expect(counts(began)).toEqual(['next in 1 min', 'next in 1 min']);
});
