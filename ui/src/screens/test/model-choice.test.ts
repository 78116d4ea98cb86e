import { describe, expect, it } from 'vitest';
import { chosenFor, knownModels, typedModel, withModels, withName } from '../../features/node-panel/model-choice.ts';

const USUAL = { provider: 'house', model: 'big' };
const behind = (own: { provider?: unknown; model?: unknown }, setting?: unknown, usual: typeof USUAL | undefined = USUAL) => {
  const { provider, model } = chosenFor(own, setting, usual);
  return [provider, model];
};

describe('which model a step asks', () => {
  it('k_41 its own, then that of its workflow, then the default of the machine where nobody is named', () => {
    expect(behind({})).toEqual(['house', 'big']);
    expect(behind({}, 'small')).toEqual(['house', 'small']);
    expect(behind({}, { provider: 'far', model: 'tiny' })).toEqual(['far', 'tiny']);
    expect(behind({ model: 'own' }, { provider: 'far', model: 'tiny' })).toEqual(['far', 'own']);
    // A provider of one's own has no default of another one.
    expect(behind({ provider: 'far' })).toEqual(['far', undefined]);
    expect(behind({ provider: '' })).toEqual(['house', 'big']);
    expect(chosenFor({}, undefined, undefined)).toEqual({ provider: undefined, model: undefined, providerWords: undefined, modelWords: undefined });
  });
  it('what is an address or an expression is known in the run only', () => {
    expect(behind({ provider: { kind: 'openai', baseUrl: 'http://127.0.0.1:9' } })).toEqual([undefined, undefined]);
  });
  it('the words say where an empty field gets it from', () => {
    expect(chosenFor({}, 'small', USUAL)).toMatchObject({ modelWords: 'small, from this workflow', providerWords: 'house, default on this machine' });
  });
  it('is written as short as it can be', () => {
    expect(withName(undefined, 'model', 'small')).toBe('small');
    expect(withName('small', 'provider', 'far')).toEqual({ provider: 'far', model: 'small' });
    expect(withName({ provider: 'far', model: 'small' }, 'provider', undefined)).toBe('small');
    expect(withName({ provider: 'far', model: 'small' }, 'model', undefined)).toEqual({ provider: 'far' });
    expect(withName('small', 'model', undefined)).toBeUndefined();
  });
  it('is shown letter by letter, and keeps what the two fields do not show', () => {
    expect(typedModel(withName(undefined, 'model', 'my '))).toEqual({ provider: undefined, model: 'my ' });
    expect(chosenFor({}, 'my ', undefined).model).toBe('my');
    expect(withName({ model: 'small', later: 1 }, 'model', 'big')).toEqual({ model: 'big', later: 1 });
    expect(withName({ model: 'small', later: 1 }, 'model', undefined)).toEqual({ later: 1 });
  });
  it('models are offered that are known without asking', () => {
    const providers = [{ name: 'house', kind: 'openai' as const, baseUrl: '', models: [{ name: 'small' }], here: true, changedBy: '', changedAt: '' }];
    expect(knownModels({ providers, default: USUAL }, 'house')).toEqual(['big', 'small']);
    expect(knownModels({ providers, default: USUAL }, 'far')).toEqual([]);
    expect(knownModels(undefined, 'house')).toEqual([]);
  });
  it('only kinds that ask models have the two fields', () => {
    const config = { properties: { provider: { type: 'string' }, model: { type: 'string' } } };
    expect(withModels(config, { type: 'llm.chat' }).properties?.['model']?.['x-ui']).toEqual({ widget: 'model' });
    const other = { properties: { model: { type: 'string' } } };
    expect(withModels(other, { type: 'data.set' })).toBe(other);
  });
});
