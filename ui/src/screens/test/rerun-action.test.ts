import { expect, it, vi } from 'vitest';
import type { RerunPlace } from '../../features/rerun/steps.ts';
import { useMessages } from '../../kit/messages.ts';
import { rerunAction } from '../builder/actions.ts';

it('asks for a re-run, says what is in its way, and is not there where there is nothing to say', () => {
  let place: RerunPlace | null = null;
  const ask = vi.fn();
  const action = rerunAction(() => place, ask);
  expect(action.when?.()).toBe(false);
  place = { name: 'each[1]/put' };
  expect(action.when?.()).toBe(true);
  action.run();
  expect(ask).toHaveBeenCalledExactlyOnceWith('each[1]/put');
  for (const [why, words] of [['iteration', 'Select an iteration:'], ['goesOn', 'The run has not ended']] as const) {
    place = { why };
    expect(action.when?.()).toBe(true);
    action.run();
    expect(useMessages.getState().shown.some((one) => one.text.startsWith(words))).toBe(true);
  }
  expect(ask).toHaveBeenCalledTimes(1);
});
