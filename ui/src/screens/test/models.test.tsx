import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import type { ModelProvider } from '../../api/types.ts';
import { freeName, hostFor, modelsOf, secretFor, textOf } from '../../features/models/words.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

const HOUSE: ModelProvider = { name: 'house', kind: 'openai', baseUrl: 'https://models.example/v1', credential: 'secret://model-house', models: [], here: true, changedBy: 'user:anna', changedAt: '2026-11-22T10:00:00.000Z' };

const usage = (calls: number) => ({ calls, inputTokens: 10, outputTokens: 1, thinkingTokens: 0, costMicros: 2_000_000, unpriced: 0 });
const errorText = (n: number) => ({ days: [], today: usage(1), total: usage(n), workflows: Array.from({ length: n }, (_, i) => ({ workflowId: `w-${String(i)}`, usage: usage(1) })), models: [] });

let host: FakeTransport;
beforeEach(() => {
  host = demoHost();
  setTransport(host);
  queryClient.clear();
  host.handlers.who = () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' });
  host.handlers.model_list = () => ({ providers: [HOUSE], default: { provider: 'house', model: 'small' } });
  host.handlers.model_usage = () => errorText(0) as never;
});
afterEach(cleanup);
const choose = async (list: string, option: string) => {
  await userEvent.click(screen.getByRole('combobox', { name: list }));
  await userEvent.click(await screen.findByRole('option', { name: option }));
};
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
    host.handlers.model_test = () => ({ ok: false, message: "The model provider 'house' refused the key (401).", hint: 'Create a new key where you got this one, and set it.', models: [], tookMs: 120 });
    const part = await section();
    expect(await part.findByText('Default: small')).toBeTruthy();
    fireEvent.click(await part.findByRole('button', { name: 'Test house' }));
    expect(await part.findByText(/refused the key/)).toBeTruthy();
    expect(part.getByText('Create a new key where you got this one, and set it.')).toBeTruthy();
  });

  it('find servers of this machine by themselves, and say nothing where there are none', async () => {
    host.handlers.model_discover = () => [];
    const part = await section();
    expect(await part.findByText('Default: small')).toBeTruthy();
    await waitFor(() => expect(host.calls.filter((one) => one.command === 'model_discover')).toHaveLength(1));
    expect(part.queryByText('No local model server found')).toBeNull();
    fireEvent.click(part.getByRole('button', { name: 'Find local servers' }));
    expect(await part.findByText('No local model server found')).toBeTruthy();
    cleanup();
    queryClient.clear();
    host.handlers.model_discover = () => [{ name: 'ollama', title: 'Ollama', kind: 'ollama', baseUrl: 'http://127.0.0.1:11434', models: ['a'] }];
    expect(await (await section()).findByRole('button', { name: 'Use Ollama' })).toBeTruthy();
  });

  it('offer what was found, and what is known already only once', async () => {
    host.handlers.model_discover = () => [
      { name: 'ollama', title: 'Ollama', kind: 'ollama', baseUrl: 'http://127.0.0.1:11434', models: ['a', 'b'] },
      { name: 'x', title: 'Known', kind: 'openai', baseUrl: HOUSE.baseUrl, models: [] },
    ];
    const part = await section();
    fireEvent.click(await part.findByRole('button', { name: 'Find local servers' }));
    expect(await part.findByText('2 models')).toBeTruthy();
    expect(part.getByRole('button', { name: 'Use Ollama' })).toBeTruthy();
    expect(part.queryByText('Known')).toBeNull();
  });

  it('let an operator look only, and say so to a viewer', async () => {
    host.handlers.who = () => ({ operatorId: 'user:bob', role: 'operator', via: 'rest' });
    const part = await section();
    expect(await part.findByText('house')).toBeTruthy();
    await waitFor(() => expect(queryClient.getQueryData(['who', {}])).toMatchObject({ role: 'operator' }));
    expect(part.queryAllByRole('button')).toHaveLength(0);
    cleanup();
    queryClient.clear();
    host.handlers.model_list = () => { throw new ApiError({ code: 'FORBIDDEN', message: 'This needs the role operator.', hint: 'Use a token with that role.' }); };
    const other = await section();
    expect(await other.findByText(/Your role cannot see the providers/)).toBeTruthy();
  });

  it('say why they unreadable, and are read again', async () => {
    host.handlers.model_list = () => { throw new ApiError({ code: 'STORE_BUSY', message: 'The store is busy.', hint: 'Try again.' }); };
    const part = await section();
    expect(await part.findByText('The store is busy.')).toBeTruthy();
    host.handlers.model_list = () => ({ providers: [HOUSE] });
    fireEvent.click(part.getByRole('button', { name: 'Try again' }));
    expect(await part.findByText('house')).toBeTruthy();
  });

  it('are named anew when the usual name is taken, for each kind', async () => {
    expect(freeName('a', ['a', 'a-2'])).toBe('a-3');
    host.handlers.model_list = () => ({ providers: [{ ...HOUSE, name: 'anthropic' }] });
    const part = await section();
    fireEvent.click(await part.findByRole('button', { name: 'Add a provider…' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByRole<HTMLInputElement>('textbox', { name: /^Name/ }).value).toBe('anthropic-2');
    expect(dialog.queryByText('A provider with this name already exists.')).toBeNull();
    // Another kind brings its own name and address, as long as nobody has touched them.
    const name = () => dialog.getByRole<HTMLInputElement>('textbox', { name: /^Name/ }).value;
    const address = dialog.getByRole<HTMLInputElement>('textbox', { name: /^Address/ });
    await choose('API', 'Ollama');
    expect([name(), address.value]).toEqual(['ollama', 'http://127.0.0.1:11434']);
    fireEvent.change(address, { target: { value: 'http://nas.lan:11434' } });
    await choose('API', 'OpenAI or compatible');
    expect([name(), address.value]).toEqual(['openai', 'http://nas.lan:11434']);
  });

  it('say why a key cannot be kept', async () => {
    host.handlers.secret_status = () => { throw new ApiError({ code: 'STORE_BUSY', message: 'The store is busy.', hint: 'Try again.' }); };
    const part = await section();
    fireEvent.click(await part.findByRole('button', { name: 'Add a provider…' }));
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.change(dialog.getByLabelText('Key', { selector: 'input' }), { target: { value: 'k' } });
    expect(await dialog.findByText('The store is busy.')).toBeTruthy();
  });

  it('keep the field under the hands when the provider answers late', async () => {
    let answer: (found: { models: string[] }) => void = () => undefined;
    host.handlers.model_names = () => new Promise((done) => { answer = done; });
    let chosen: unknown;
    host.handlers.model_default_set = (request) => { chosen = request; return { providers: [HOUSE], default: request.default }; };
    const part = await section();
    fireEvent.click(await part.findByRole('button', { name: 'Choose…' }));
    const dialog = within(await screen.findByRole('dialog'));
    const field = dialog.getByRole<HTMLInputElement>('textbox', { name: /^Model/ });
    fireEvent.change(field, { target: { value: 'fine-tuned.' } });
    answer({ models: ['small', 'big'] });
    expect(await dialog.findByRole('combobox', { name: 'Listed by the provider' })).toBeTruthy();
    expect(dialog.getByRole('textbox', { name: /^Model/ })).toBe(field);
    expect(field.value).toBe('fine-tuned.');
    // One that the provider does not list is one too; and it is not asked again when the window comes back.
    fireEvent.change(field, { target: { value: 'fine-tuned.1' } });
    fireEvent.focus(window);
    fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(chosen).toEqual({ default: { provider: 'house', model: 'fine-tuned.1' } }));
    expect(host.calls.filter((one) => one.command === 'model_names')).toHaveLength(1);
  });
});

describe('what models cost', () => {
  it('is read again after a failure, and the budget can be set meanwhile', async () => {
    host.handlers.model_usage = () => { throw new ApiError({ code: 'STORE_BUSY', message: 'The store is busy.', hint: 'Try again.' }); };
    const part = await section();
    expect(await part.findByText('The store is busy.')).toBeTruthy();
    expect(part.getByRole('button', { name: 'Change… the daily budget on this machine' }).textContent).toBe('Change…');
    host.handlers.model_usage = () => errorText(1) as never;
    fireEvent.click(part.getByRole('button', { name: 'Try again' }));
    expect(await part.findByText('Last 30 days')).toBeTruthy();
  });

  it('names workflows as they are called, and shows all of them', async () => {
    host.handlers.model_usage = () => errorText(9) as never;
    host.handlers.workflow_list = () => [{ id: 'w-1', name: 'Letters', ref: 'r', path: '/w/letters' }] as never;
    const part = await section();
    fireEvent.click(await part.findByRole('radio', { name: 'Workflow' }));
    expect((await part.findByText('Letters')).title).toBe('Letters, w-1');
    expect(part.queryByText('w-8')).toBeNull();
    fireEvent.click(part.getByRole('button', { name: 'Show 2 more' }));
    expect(part.getByText('w-8').title).toBe('w-8');
    expect(part.queryByRole('button', { name: /^Show/ })).toBeNull();
  });

  it('the entry that asks to choose takes no name away', async () => {
    host.handlers.model_names = () => ({ models: ['big'] }) as never;
    const part = await section();
    fireEvent.click(await part.findByRole('button', { name: 'Choose…' }));
    await screen.findByRole('combobox', { name: 'Listed by the provider' });
    await choose('Listed by the provider', 'Choose…');
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^Model/ }).value).toBe('small');
  });
});
