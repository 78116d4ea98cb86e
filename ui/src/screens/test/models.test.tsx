import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import type { ModelProvider } from '../../api/types.ts';
import { hostFor, modelsOf, secretFor, textOf } from '../../features/models/words.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

const HOUSE: ModelProvider = { name: 'house', kind: 'openai', baseUrl: 'https://models.example/v1', credential: 'secret://model-house', models: [], here: true, changedBy: 'user:anna', changedAt: '2026-11-22T10:00:00.000Z' };

let host: FakeTransport;
beforeEach(() => {
  host = demoHost();
  setTransport(host);
  queryClient.clear();
  host.handlers.who = () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' });
  host.handlers.model_list = () => ({ providers: [HOUSE], default: { provider: 'house', model: 'small' } });
});
afterEach(cleanup);
const section = async () => {
  window.location.hash = '#/settings';
  render(<App />);
  return within(await screen.findByRole('region', { name: 'Models' }));
};

describe('what a person types about a provider', () => {
  it('becomes a secret for its host alone', () => {
    expect(hostFor(' https://api.anthropic.com ')).toBe('api.anthropic.com');
    expect(hostFor('http://nas.lan:8000/v1')).toBe('http://nas.lan:8000');
    expect(hostFor('nas.lan')).toBeUndefined();
    expect(hostFor('file:///x')).toBeUndefined();
    expect(secretFor({ name: 'a', kind: 'anthropic', baseUrl: 'https://api.anthropic.com' }, 'k')).toEqual({ name: 'model-a', kind: 'header', field: 'x-api-key', hosts: ['api.anthropic.com'], value: 'k' });
    expect(secretFor({ name: 'b', kind: 'openai', baseUrl: 'https://x.example/v1' }, 'k')).toEqual({ name: 'model-b', kind: 'bearer', hosts: ['x.example'], value: 'k' });
  });

  it('has prices, or says which line has none', () => {
    const models = [{ name: 'small', inputPrice: 0.25, outputPrice: 1.25 }, { name: 'org/big:free' }];
    expect(modelsOf('small = 0.25 / 1.25\n\n org/big:free ')).toEqual({ models });
    expect(modelsOf(textOf(models))).toEqual({ models });
    for (const wrong of ['a = 1', 'a = x / y', '= 1 / 2', 'a = 1 /', 'a = -1 / 2']) expect(modelsOf(wrong)).toEqual({ wrong });
  });
});

describe('models', () => {
  it('say what a test found, in plain words', async () => {
    host.handlers.model_test = () => ({ ok: false, message: "The model provider 'house' refused the key (401).", hint: 'Make the key anew where you got it and set it again.', models: [], tookMs: 120 });
    const part = await section();
    expect(await part.findByText('Default: small')).toBeTruthy();
    fireEvent.click(await part.findByRole('button', { name: 'Test house' }));
    expect(await part.findByText(/refused the key/)).toBeTruthy();
    expect(part.getByText('Make the key anew where you got it and set it again.')).toBeTruthy();
  });

  it('offer what was found, and what is known already only once', async () => {
    host.handlers.model_discover = () => [
      { name: 'ollama', title: 'Ollama', kind: 'ollama', baseUrl: 'http://127.0.0.1:11434', models: ['a', 'b'] },
      { name: 'x', title: 'Known', kind: 'openai', baseUrl: HOUSE.baseUrl, models: [] },
    ];
    const part = await section();
    fireEvent.click(await part.findByRole('button', { name: 'Look on this machine' }));
    expect(await part.findByText('2 models')).toBeTruthy();
    expect(part.getByRole('button', { name: 'Use Ollama' })).toBeTruthy();
    expect(part.queryByText('Known')).toBeNull();
  });

  it('let an operator look only, and say so to a viewer', async () => {
    host.handlers.who = () => ({ operatorId: 'user:bob', role: 'operator', via: 'rest' });
    const part = await section();
    expect(await part.findByText('house')).toBeTruthy();
    expect(part.queryAllByRole('button')).toHaveLength(0);
    cleanup();
    queryClient.clear();
    host.handlers.model_list = () => { throw new ApiError({ code: 'FORBIDDEN', message: 'This needs the role operator.', hint: 'Use a token with that role.' }); };
    const other = await section();
    expect(await other.findByText(/Your role does not see the providers/)).toBeTruthy();
  });
});
