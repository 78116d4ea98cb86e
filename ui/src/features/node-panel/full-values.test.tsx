import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { Cut } from '../../json/json.ts';
import { renderWith } from '../../test/render.tsx';
import { cutsOf, LOADED, withLoaded } from './full-values.ts';
import { NodePanel } from './node-panel.tsx';
import type { StepValues } from './step-data.ts';

const cut = (ref: string, length: number) => new Cut({ _truncated: true, type: 'object', length, preview: '{"status":200…', ref });
const values = (output: unknown[]): StepValues => ({ source: 'last', runId: 'R', startedAt: '', input: [], output: { success: output.map((data, id) => ({ id: String(id), data })) }, config: undefined, running: false });

it('what was cut is loaded in its order, up to a size, and takes its place', () => {
  const found = cutsOf(values([{ result: cut('a', 100) }, cut('large', LOADED), { rows: [cut('b', 5)] }, cut('', 5)]));
  expect(found.map((one) => one.ref)).toEqual(['a', 'b']);
  const whole = withLoaded(values([{ id: 1, result: cut('a', 100) }, cut('large', LOADED)]), new Map([['a', { response: [1] }]]));
  expect(whole.output['success']?.map((one) => one.data)).toEqual([{ id: 1, result: { response: [1] } }, expect.objectContaining({ ref: 'large' })]);
});

const KIND = { type: 'http.request', version: 1, title: 'HTTP request', description: '', aliases: [], keywords: [], category: 'data', icon: 'globe', role: 'step', modes: ['each'], effects: 'read', replay: 'safe', input: true, ports: [{ id: 'success' }], config: { type: 'object', properties: {} }, errors: [], keepsError: false, examples: [] } as unknown as NodeDescriptor;
const FLOW: Workflow = { signalbox: 1, id: 'w', name: 'W', nodes: { get: { type: 'http.request', typeVersion: 1, config: { keepInput: true } } }, edges: [] };

it('a long response shows its fields, and its entries can be taken one by one', async () => {
  const each: [string, string][] = [];
  renderWith(<NodePanel document={FLOW} selected={['get']} catalog={[KIND]} diagnostics={[]} run={null} onEdit={() => undefined} onEachEntry={(id, list) => each.push([id, list])} />, {
    run_step_data: () => ({ runId: 'R', startedAt: '2026-11-21T23:00:00.000Z', config: {}, counts: { input: 0, output: { success: 1 } }, input: [], output: { success: [{ id: '0', data: { result: { _truncated: true, type: 'object', length: 20_000, preview: '{"status"', ref: 'R/2/payload/items/success/0/data/result' } } }] } }),
    expression_preview: () => ({ state: 'no_data' }), expression_names: () => [],
    run_value: () => ({ status: 200, response: [{ customer: 'Ada' }] }),
  });
  await userEvent.click(screen.getByRole('tab', { name: /Output/ }));
  await userEvent.click(await screen.findByRole('button', { name: 'Continue with each entry' }));
  expect(each).toEqual([['get', 'result.response']]);
  await userEvent.click(screen.getByRole('radio', { name: 'Schema' }));
  await waitFor(() => expect(screen.getByText('customer')).toBeTruthy());
});
