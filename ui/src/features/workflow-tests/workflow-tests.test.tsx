import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { renderOnce, renderWith } from '../../test/render.tsx';
import { SaveTest } from './save-test.tsx';
import { TestsChip } from './tests-chip.tsx';

const LIST = [{ file: 'a.signalbox-test.yaml', name: 'An adult' }, { file: 'b.signalbox-test.yaml', name: 'A \u202eminor' }];
const TITLES = new Map([['age', 'Is adult'], ['yes', 'Adult'], ['no', 'Minor']]);
const show = vi.fn();
const NOTHING = { steps: ['age', 'yes'], ports: [] };
const REPORT = {
  tests: [
    { file: 'a.signalbox-test.yaml', result: { name: 'An adult', passed: true, differences: [], notes: [], simulatedMs: 3, coverage: NOTHING } },
    { file: 'b.signalbox-test.yaml', result: { name: 'A minor', passed: false, differences: [{ step: 'yes', field: 'state', message: "'yes' state: expected \"SUCCEEDED\", got \"not called\"." }, { field: 'output/0', message: 'output/0: expected 1, got 2.' }], notes: ['The workflow has changed since the test was saved.'], simulatedMs: 3, coverage: NOTHING } },
  ],
  coverage: { stepsReached: 5, steps: 6, portsReached: 4, ports: 6, missingSteps: ['no'], missingPorts: [] },
};

it('lists tests, runs them, and shows what differs', async () => {
  renderWith(<TestsChip fileRef="first" titles={TITLES} onShow={show} />, { test_list: () => LIST as never, test_run: () => REPORT as never });
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
  renderWith(<TestsChip fileRef="first" titles={TITLES} onShow={show} />, { test_list: () => [] as never });
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
  expect(fake.calls.filter((call) => call.command === 'run_save_test').at(-1)?.payload).toEqual({ runId: 'r-1', name: 'Two lines' });
});
