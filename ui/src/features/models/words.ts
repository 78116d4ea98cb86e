// What a person types about a provider, and what is sent of it.

import type { ModelEntry, ModelKind, ModelSet, SecretSet } from '../../api/types.ts';

export const KINDS: readonly ModelKind[] = ['anthropic', 'openai', 'ollama'];
/** Where each kind usually is, and what it is then called. */
export const USUAL = {
  anthropic: { name: 'anthropic', url: 'https://api.anthropic.com' },
  openai: { name: 'openai', url: 'https://api.openai.com/v1' },
  ollama: { name: 'ollama', url: 'http://127.0.0.1:11434' },
} as const;

/** The host of an address as a secret allows it: without encryption only where a person wrote it so. */
export function hostFor(address: string): string | undefined {
  let url: URL;
  try {
    url = new URL(address.trim());
  } catch {
    return undefined;
  }
  if (url.protocol === 'https:') return url.host;
  return url.protocol === 'http:' ? `http://${url.host}` : undefined;
}

/** The secret of a provider: Anthropic takes its key in a header of its own. */
export function secretFor(provider: Pick<ModelSet, 'name' | 'kind' | 'baseUrl'>, value: string): SecretSet | undefined {
  const host = hostFor(provider.baseUrl);
  if (!host) return undefined;
  const secret = { name: secretName(provider.name), hosts: [host], value };
  return provider.kind === 'anthropic' ? { ...secret, kind: 'header', field: 'x-api-key' } : { ...secret, kind: 'bearer' };
}

export const secretName = (provider: string) => `model-${provider}`;

/** This name, or the next of its kind that nobody has. */
export function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let n = 2; taken.includes(free); n += 1) free = `${name}-${n}`;
  return free;
}

/** The models of a text with one a line; a line that is none is given back. */
export function modelsOf(text: string): { models: ModelEntry[] } | { wrong: string } {
  const models: ModelEntry[] = [];
  for (const line of text.split('\n').map((part) => part.trim()).filter(Boolean)) {
    const at = line.lastIndexOf('=');
    if (at < 0) {
      models.push({ name: line });
      continue;
    }
    const prices = line.slice(at + 1).split('/').map((part) => part.trim());
    const [input, output] = prices.map(Number);
    const name = line.slice(0, at).trim();
    if (prices.length !== 2 || prices.includes('') || name === '' || input === undefined || output === undefined || !(input >= 0 && output >= 0)) return { wrong: line };
    models.push({ name, inputPrice: input, outputPrice: output });
  }
  return { models };
}

/** The text of such models. */
export function textOf(models: readonly ModelEntry[]): string {
  return models.map(({ name, inputPrice, outputPrice }) => (inputPrice === undefined && outputPrice === undefined ? name : `${name} = ${inputPrice ?? 0} / ${outputPrice ?? 0}`)).join('\n');
}
