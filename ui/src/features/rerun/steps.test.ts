import { expect, it } from 'vitest';
import { viewAt } from '../../run/run-paths.ts';
import { foldRun, type RunEventLike } from '../../run/run-state.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { ranIn, rerunPlace, rerunSteps } from './steps.ts';

const DRAWN = { nodes: { each: { type: 'flow.loop' }, put: { type: 'data.set', parent: 'each' }, heal: { type: 'fix', parent: 'each' }, last: { type: 'data.set' } }, edges: [] } as unknown as Workflow;
const CATALOG = [{ type: 'fix', role: 'recovery' }] as unknown as NodeDescriptor[];
const log = (...list: [type: string, stepId: string | null, path?: string][]): RunEventLike[] =>
  list.map(([type, stepId, path], i) => ({ runId: 'r', seq: i + 1, ts: new Date(1_000 * i).toISOString(), type, stepId, visit: 1, attempt: 0, ...(path ? { path } : {}), payload: type === 'step_start' ? { input: [{ item: 0, data: {} }] } : {} }));
const ONCE: [string, string | null, string?][] = [['workflow_start', null], ['step_start', 'each'], ['step_start', 'put', 'each[0]'], ['step_done', 'put', 'each[0]'], ['step_start', 'heal', 'each[0]'], ['step_done', 'heal', 'each[0]']];
const TWICE: [string, string | null, string?][] = [...ONCE, ['step_start', 'put', 'each[1]'], ['step_done', 'put', 'each[1]'], ['step_done', 'each']];
const place = (events: [string, string | null, string?][], id: string, choice = {}, picked?: { nodeId: string; path?: string }) =>
  rerunPlace(viewAt(foldRun(log(...events), DRAWN), DRAWN, choice), DRAWN, CATALOG, id, picked);
const ended: [string, string | null] = ['workflow_done', null];

it('begins at a step of the top, or where a step in a loop ran alone', () => {
  expect(place([...TWICE, ended], 'each')).toEqual({ name: 'each' });
  expect(place([...ONCE, ended], 'put')).toEqual({ name: 'each[0]/put' });
});

it('takes the iteration that is looked at, and the card that is chosen in it', () => {
  expect(place([...TWICE, ended], 'put')).toEqual({ why: 'iteration' });
  expect(place([...TWICE, ended], 'put', { each: 1 })).toEqual({ name: 'each[1]/put' });
  expect(place([...TWICE, ended], 'put', {}, { nodeId: 'put', path: 'each[1]' })).toEqual({ name: 'each[1]/put' });
  // Another iteration is looked at since, or another step is chosen: the card is none of it.
  expect(place([...TWICE, ended], 'put', { each: 0 }, { nodeId: 'put', path: 'each[1]' })).toEqual({ name: 'each[0]/put' });
  expect(place([...TWICE, ended], 'put', {}, { nodeId: 'each', path: 'each[1]' })).toEqual({ why: 'iteration' });
});

it('says that the run goes on, and nothing of what never ran or works on failures of others', () => {
  expect(place(TWICE, 'put')).toEqual({ why: 'goesOn' });
  expect([place([...TWICE, ended], 'last'), place([...TWICE, ended], 'heal'), place([...TWICE, ended], 'nobody'), place(TWICE, 'last')]).toEqual([null, null, null, null]);
});

it('begins at what was kept of the original, too: at the top, and in an iteration (C25)', () => {
  const drawn = { ...DRAWN, kept: ['last', 'each[0]/put'] };
  const view = foldRun(log(['workflow_start', null], ['step_start', 'each'], ['step_start', 'put', 'each[1]'], ['step_done', 'put', 'each[1]'], ['step_done', 'each'], ended), drawn);
  const at = (id: string, choice = {}) => rerunPlace(viewAt(view, DRAWN, choice), DRAWN, CATALOG, id);
  expect([at('last'), at('put', { each: 0 }), at('put', { each: 1 })]).toEqual([{ name: 'last' }, { name: 'each[0]/put' }, { name: 'each[1]/put' }]);
  expect(rerunSteps(DRAWN, ranIn(view), CATALOG).map((one) => one.name)).toEqual(['each', 'last']);
});
