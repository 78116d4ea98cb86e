import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { renderOnce, renderWith } from '../../test/render.tsx';
import { SaveTest } from './save-test.tsx';
import { draftOf, isReady, mockDraft, problemsOf, testOf, type TestFile } from './test-draft.ts';
import { TestsChip } from './tests-chip.tsx';

const LIST = [{ file: 'a.signalbox-test.yaml', name: 'An adult' }, { file: 'b.signalbox-test.yaml', name: 'A \u202eminor' }];
const TITLES = new Map([['age', 'Is adult'], ['yes', 'Adult'], ['no', 'Minor']]);
const show = vi.fn();
const ports = (kind: NodeDescriptor) => kind.ports.map((port) => port.id);
const DOCUMENT = { nodes: { age: { type: 'flow.if' }, yes: { type: 'http.request' }, no: { type: 'data.set' } }, edges: [] } as unknown as Workflow;
const KINDS = [
  { type: 'http.request', role: 'step', ports: [{ id: 'success' }, { id: 'error' }], errors: [{ type: 'NetworkError', code: 'CONNECTION', when: 'The address did not answer.', retryable: true }] },
  { type: 'data.set', role: 'step', ports: [{ id: 'success' }, { id: 'error' }], errors: [] },
] as unknown as NodeDescriptor[];
const NOTHING = { steps: ['age', 'yes'], ports: [] };
const REPORT = {
  tests: [
    { file: 'a.signalbox-test.yaml', result: { name: 'An adult', passed: true, differences: [], notes: [], simulatedMs: 3, coverage: NOTHING } },
    { file: 'b.signalbox-test.yaml', result: { name: 'A minor', passed: false, differences: [{ step: 'yes', field: 'state', message: "'yes' state: expected \"SUCCEEDED\", got \"not called\"." }, { field: 'output/0', message: 'output/0: expected 1, got 2.' }], notes: ['The workflow has changed since the test was saved.'], simulatedMs: 3, coverage: NOTHING } },
  ],
  coverage: { stepsReached: 5, steps: 6, portsReached: 4, ports: 6, missingSteps: ['no'], missingPorts: [] },
};

it('lists tests, runs them, and shows what differs', async () => {
  renderWith(<TestsChip fileRef="first" document={DOCUMENT} catalog={KINDS} portsOf={ports} titles={TITLES} onShow={show} />, { test_list: () => LIST as never, test_run: () => REPORT as never });
  await waitFor(() => expect(screen.getByRole('button', { name: /Tests/ }).textContent).toBe('Tests2'));
  await userEvent.click(screen.getByRole('button', { name: /Tests/ }));
  const rows = await screen.findAllByRole('listitem');
  expect(rows[1]?.textContent).toContain('A U+202Eminor');
  await userEvent.click(screen.getByRole('button', { name: 'Run all' }));
  await screen.findByText('1 of 2 passed');
  expect(screen.getByText('Reached: 5 of 6 steps, 4 of 6 connected ports.')).toBeTruthy();
  expect(screen.getAllByRole('listitem')[1]?.textContent).toContain('expected "SUCCEEDED", got "not called".');
  const steps = within(screen.getByRole('group', { name: 'Steps of “A minor”' })).getAllByRole('button');
  expect(steps.map((one) => [one.textContent, within(one).getByRole('img').getAttribute('aria-label')])).toEqual([['Adult', 'Differs'], ['Is adult', 'As expected']]);
  expect(screen.getByText('Output of the run')).toBeTruthy();
  await userEvent.click(steps[0] as HTMLElement);
  expect(show).toHaveBeenCalledWith('yes');
});

it('says how to get the first test', async () => {
  renderWith(<TestsChip fileRef="first" document={DOCUMENT} catalog={KINDS} portsOf={ports} titles={TITLES} onShow={show} />, { test_list: () => [] as never });
  await userEvent.click(await screen.findByRole('button', { name: /Tests/ }));
  expect(await screen.findByText(/No tests yet/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Run all' })).toBeNull();
});

it('saves a run under a name and shows what to know about it', async () => {
  let refuse = true;
  const { fake } = renderOnce(<SaveTest runId="r-1" name="Orders" />, {
    run_save_test: (() => {
      if (refuse) throw new ApiError({ code: 'NOT_REPEATABLE', message: 'The run began in the middle.', hint: 'Save the original.' } as never);
      return { file: 'orders.two.signalbox-test.yaml', notes: ['Hidden values are saved as masks: params/token.'] };
    }) as never,
  });
  await userEvent.click(screen.getByRole('button', { name: 'Save as test' }));
  const name = screen.getByRole('textbox', { name: 'What the test shows' });
  await userEvent.clear(name);
  await userEvent.type(name, 'Two lines');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText(/The run began in the middle. Save the original./);
  refuse = false;
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Test saved: orders.two.signalbox-test.yaml');
  expect(screen.getByText(/Hidden values are saved as masks/)).toBeTruthy();
  expect(fake.calls.filter((call) => call.command === 'run_save_test').at(-1)?.payload).toEqual({ runId: 'r-1', name: 'Two lines', files: true });
});

const TEST = {
  signalboxTest: 1, name: 'An adult', workflow: 'first.signalbox.json', startedAt: '2026-01-05T09:00:00Z', params: {},
  mocks: [{ step: 'yes', path: 'loop[0]', output: { success: [{ n: 1 }], other: [{ n: 2 }] }, paired: [0] }, { step: 'yes', afterMs: 50 }],
  expect: { status: 'completed', steps: { yes: 'SUCCEEDED' }, notCalled: ['no'], assertions: ['true'] },
} as unknown as TestFile;

it('keeps what the form does not show, and says what is wrong', () => {
  const draft = draftOf(TEST);
  expect(testOf(draft, TEST)).toEqual(TEST);
  const [mock] = draft.mocks;
  if (mock === undefined) throw new Error('a mock');
  const made = (change: object) => testOf({ ...draft, mocks: [{ ...mock, ...change }] }, TEST).mocks?.[0];
  expect(made({ ending: 'error', code: 'X', errorType: 'Timeout', call: '2' })).toEqual({ step: 'yes', path: 'loop[0]', call: 2, error: { code: 'X', type: 'Timeout' } });
  expect(made({ ending: 'crash', delay: '9' })).toEqual({ step: 'yes', path: 'loop[0]', crash: true, afterMs: 9 });
  expect(made({ items: '[3]' })).toEqual({ step: 'yes', path: 'loop[0]', output: { success: [3], other: [{ n: 2 }] } });
  const wrong = (change: object) => problemsOf({ ...draft, mocks: [{ ...mockDraft({ step: 'yes' }), ...change }] }).mocks.values().next().value;
  expect(wrong({ ending: 'delay' })).toEqual({ delay: 'delayNeeded' });
  expect(wrong({ ending: 'output', items: '{}', call: '0', delay: 'x' })).toEqual({ items: 'items', call: 'call', delay: 'delay' });
  expect(wrong({ ending: 'error', code: ' ' })).toEqual({ code: 'code' });
  expect(isReady(problemsOf({ ...draft, expect: { ...draft.expect, ports: '{"a": {"b": "c"}}' } }))).toBe(false);
});

it('edits mocks and expectations, saves the file and runs the test', async () => {
  let refuse = true;
  const { fake } = renderOnce(<TestsChip fileRef="first" document={DOCUMENT} catalog={KINDS} portsOf={ports} titles={TITLES} onShow={show} />, {
    test_list: () => LIST as never, test_run: () => REPORT as never, test_get: () => ({ file: 'a.signalbox-test.yaml', test: TEST, revision: 'r1' }) as never,
    test_save: (() => {
      if (refuse) throw new ApiError({ code: 'CONFLICT', message: 'The test was changed elsewhere.', hint: 'Open it again.' } as never);
      return { file: 'a.signalbox-test.yaml', notes: ["The workflow has no step 'gone' any more."] };
    }) as never,
  });
  await userEvent.click(await screen.findByRole('button', { name: /Tests/ }));
  await userEvent.click(await screen.findByRole('button', { name: 'Edit An adult' }));
  const form = await screen.findByRole('dialog', { name: 'Edit test' });
  expect(within(form).getAllByRole('listitem').map((one) => one.getAttribute('aria-label'))).toEqual(['Mock 1: Adult', 'Mock 2: Adult']);
  await userEvent.click(within(form).getByRole('button', { name: 'Remove mock 1' }));
  await userEvent.click(within(form).getByRole('button', { name: 'Add mock' }));
  await userEvent.click(within(form).getByRole('checkbox', { name: 'Mock 2: one call only' }));
  await userEvent.clear(within(form).getByRole('textbox', { name: 'Error code' }));
  await userEvent.type(within(form).getByRole('textbox', { name: 'Error code' }), 'CONNECTION');
  await userEvent.click(within(form).getByRole('button', { name: 'Save and run' }));
  expect(await within(form).findByText(/changed elsewhere. Open it again./)).toBeTruthy();
  refuse = false;
  await userEvent.click(within(form).getByRole('button', { name: 'Save and run' }));
  await screen.findByText(/no step 'gone' any more/);
  const sent = fake.calls.filter((call) => call.command === 'test_save').at(-1)?.payload as { baseRevision: string; test: TestFile };
  expect(sent.baseRevision).toBe('r1');
  expect(sent.test.mocks).toEqual([{ step: 'yes', afterMs: 50 }, { step: 'yes', call: 1, output: { success: [{}] } }]);
  expect(sent.test.expect).toEqual({ ...TEST.expect, errorCode: 'CONNECTION' });
  expect(fake.calls.some((call) => call.command === 'test_run')).toBe(true);
});
