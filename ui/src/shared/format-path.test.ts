import { expect, it } from 'vitest';
import { foldRun, type RunEventLike } from '../run/run-state.ts';
import { namesIn, formatPath, formatPlace, formatStep } from './format-path.ts';

const DRAWN = {
  name: 'Day', edges: [],
  nodes: {
    each: { type: 'flow.loop', title: 'Each order' }, ship: { type: 'flow.subworkflow', title: 'Ship it', parent: 'each' },
    tell: { type: 'flow.parallel', title: 'Tell people' }, mail: { type: 'data.set', title: 'Write a mail', parent: 'tell' }, sent: { type: 'data.set', title: 'Send it', parent: 'tell' },
  },
} as never;
const start = (seq: number, stepId: string, path: string, type: string, title: string): RunEventLike => ({ runId: 'r', seq, ts: '', type: 'step_start', stepId, path, payload: { type, meta: { title } } });
const VIEW = foldRun([
  start(1, 'parcels', 'each[0]/ship', 'flow.loop', 'Each parcel'), start(2, 'pack', 'each[0]/ship/parcels[1]', 'data.set', 'Pack it'),
], DRAWN);
const titles: Record<string, string> = { each: 'Each order', ship: 'Ship it', tell: 'Tell people', mail: 'Write a mail', sent: 'Send it' };
const names = namesIn(VIEW, DRAWN, (id) => titles[id] ?? id);

it('a place says everything once, by titles, those of another file too', () => {
  expect(formatPath('each[0]/ship/parcels[1]', names)).toBe('Each order 1 › Ship it › Each parcel 2');
  expect(formatStep('each[0]/ship/parcels[1]/pack', names)).toBe('Each order 1 › Ship it › Each parcel 2 › Pack it');
  // A branch is named after the step that it begins with.
  expect([formatPlace('tell/mail', 'mail', names), formatPlace('tell/mail', 'sent', names)]).toEqual(['Tell people', 'Tell people › Write a mail']);
  expect(formatStep('tell/mail/mail', names)).toBe('Tell people › Write a mail');
});

it('a step of another file that has not begun here has its title from where it has', () => {
  expect(formatStep('each[4]/ship/parcels[0]/pack', names)).toBe('Each order 5 › Ship it › Each parcel 1 › Pack it');
  expect(formatStep('each[4]/ship/other', names)).toBe('Each order 5 › Ship it › other');
});
