import { expect, it } from 'vitest';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { kind } from '../../test/fixtures.ts';
import { canTryRequest } from './try-request.ts';

const of = (type: string, category: string, effects: NodeDescriptor['effects'] = 'none'): NodeDescriptor => ({ ...kind(type), category, effects });
const CATALOG = [of('trigger.manual', 'start'), of('data.set', 'data'), of('http.request', 'data', { field: 'method', values: {}, otherwise: 'read' }), of('human.approval', 'person')];
const drawn = (before: string, config: unknown): Workflow => ({
  signalbox: 1, id: 'w', name: 'W',
  nodes: { start: { type: 'trigger.manual', typeVersion: 1 }, before: { type: before, typeVersion: 1 }, get: { type: 'http.request', typeVersion: 1, config: config as never } },
  edges: [{ from: 'start.success', to: 'before' }, { from: 'before.success', to: 'get' }],
});
const may = (before: string, config: unknown) => canTryRequest(drawn(before, config), 'get', CATALOG);

it('tries only what reads, behind steps that do nothing outside and ask nobody', () => {
  const url = 'https://shop.example/orders';
  expect(may('data.set', { url })).toBe(true);
  expect(may('data.set', { url, method: 'HEAD' })).toBe(true);
  expect(may('data.set', { url, method: 'POST' })).toBe(false);
  expect(may('data.set', { url, method: '=item.method' })).toBe(false);
  expect(may('data.set', { url: '' })).toBe(false);
  expect(may('http.request', { url })).toBe(false);
  expect(may('human.approval', { url })).toBe(false);
});
