/** Kinds and documents for the tests of this folder. */

import type { NodeDescriptor, Workflow } from '../../../api/types.ts';
import type { Catalog } from '../model/ports.ts';

export function kind(type: string, more: Partial<NodeDescriptor> = {}): NodeDescriptor {
  return {
    type, version: 1, title: type.split('.').at(-1) ?? type, description: '', aliases: [], keywords: [], category: 'data', icon: 'box', role: 'step',
    modes: ['each'], effects: 'none', replay: 'safe', input: true, ports: [{ id: 'success' }, { id: 'error' }],
    config: { type: 'object', properties: {} }, errors: [], keepsError: false, examples: [], ...more,
  };
}

export const KINDS: NodeDescriptor[] = [
  kind('trigger.manual', { title: 'Manual start', input: false, category: 'start', icon: 'zap', role: 'trigger', ports: [{ id: 'success' }], summary: 'by hand' }),
  kind('http.request', {
    title: 'HTTP request', aliases: ['fetch', 'REST', 'web'], description: 'Calls a web address and reads the answer.', icon: 'globe', effects: 'read',
    summary: '{method} {url}', config: { type: 'object', properties: { method: { type: 'string', default: 'GET' }, url: { type: 'string' } } },
  }),
  kind('data.set', { title: 'Set fields', icon: 'pencil', aliases: ['assign'] }),
  kind('data.filter', { title: 'Filter', icon: 'filter', ports: [{ id: 'success', title: 'kept' }, { id: 'rest' }, { id: 'error' }], summary: '{when}' }),
  kind('flow.if', { title: 'If', icon: 'split', category: 'logic', ports: [{ id: 'true' }, { id: 'false' }, { id: 'error' }], summary: '{condition}' }),
  kind('flow.switch', { title: 'Switch', icon: 'git-fork', category: 'logic', dynamicPorts: { from: 'cases', id: 'port' }, ports: [{ id: 'default' }, { id: 'error' }] }),
  kind('flow.noop', { title: 'Nothing', icon: 'circle-dot', category: 'logic' }),
  kind('flow.stop', { title: 'Stop', icon: 'octagon', category: 'start', role: 'stop', ports: [] , summary: 'stop: {stopId}' }),
  kind('flow.fail', { title: 'Fail', icon: 'ban', category: 'error', ports: [{ id: 'error' }] }),

  kind('flow.loop', { title: 'Loop', category: 'logic', role: 'loop', icon: 'repeat' }),
  kind('flow.parallel', { title: 'Parallel', category: 'logic', role: 'parallel' }),
  kind('builtin.error_handler', {
    title: 'Error handler', category: 'error', role: 'recovery',
    ports: [{ id: 'retry' }, { id: 'auto_fix' }, { id: 'human_review' }, { id: 'fallback' }, { id: 'context' }, { id: 'abort' }],
  }),
  kind('builtin.self_healing', { title: 'Self-healing', category: 'error', role: 'recovery' }),
  kind('builtin.human_decision', {
    title: 'Human decision', category: 'person', role: 'recovery',
    ports: [{ id: 'retry' }, { id: 'corrected' }, { id: 'skip' }, { id: 'alternative' }, { id: 'abort' }, { id: 'error' }],
  }),
  kind('builtin.error_as_context', { title: 'Error as context', category: 'error' }),
  kind('builtin.audit', { title: 'Audit', category: 'audit' }),
];
export const CATALOG: Catalog = new Map(KINDS.map((k) => [k.type, k]));

export function sample(): Workflow {
  return {
    signalbox: 1,
    id: 'first',
    name: 'First light',
    'x-team': { owner: 'ops', '10': true },
    settings: { errorPolicy: 'safe' },
    nodes: {
      start: { type: 'trigger.manual' },
      fetch: { type: 'http.request', title: 'Fetch the user', config: { url: 'https://example.org/{{params.user}}' }, 'x-note': [1, 2] },
      adult: { type: 'flow.if', config: { condition: 'nodes.fetch.output.response.age >= 18' } },
      yes: { type: 'data.set', config: { assign: { v: "={{ 'nodes.fetch' }}", w: '=nodes.fetch.output', t: 'see nodes.fetch: {{ nodes.fetch.output.id }}' } } },
      end: { type: 'flow.stop', config: { stopId: 'done' } },
    },
    edges: [
      { from: 'start.success', to: 'fetch', 'x-colour': 'blue' },
      { from: 'fetch.success', to: 'adult' },
      { from: 'adult.true', to: 'yes' },
      { from: 'yes.success', to: 'end' },
    ],
    layout: { start: [0, 0], fetch: [248, 0], adult: [496, 0], yes: [744, 0], end: [992, 0] },
  } as Workflow;
}
