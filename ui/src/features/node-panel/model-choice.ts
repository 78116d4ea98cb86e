// Which model a step asks (K-41): its own settings, then those of its workflow, then the default of this machine. Pure.

import { isObject } from '../../json/json.ts';
import type { JsonSchema, Models, WorkflowNode } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';

export interface ModelChoice { provider?: string | undefined; model?: string | undefined }
export interface Chosen {
  /** Who is asked, as far as it is known. */
  provider: string | undefined;
  model: string | undefined;
  /** What an empty field comes to, in words; none when nothing stands behind it. */
  providerWords: string | undefined;
  modelWords: string | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);

/** `settings.model` of a workflow: a name, or `{provider, model}`. */
const namesOfModel = (setting: unknown): Record<string, unknown> => (isObject(setting) ? setting : setting === undefined ? {} : { model: setting });

/** Letter by letter, as the two fields show it while one types. */
export function typedModel(setting: unknown): ModelChoice {
  const { provider, model } = namesOfModel(setting);
  return { provider: typeof provider === 'string' ? provider : undefined, model: typeof model === 'string' ? model : undefined };
}

/** Another name in one of the two, written the shortest way; what else the file holds there stays. */
export function withName(setting: unknown, field: 'provider' | 'model', name: string | undefined): unknown {
  const { provider, model, ...others } = { ...namesOfModel(setting), [field]: name };
  if (provider === undefined && Object.keys(others).length === 0) return model;
  return { ...(provider === undefined ? {} : { provider }), ...(model === undefined ? {} : { model }), ...others };
}

/** `own`: the settings of the step; what is no plain name (an address, an expression) is known in the run only. */
export function chosenFor(own: { provider?: unknown; model?: unknown }, setting: unknown, usual: Models['default']): Chosen {
  const named = namesOfModel(setting);
  const workflow = { provider: text(named['provider']), model: text(named['model']) };
  const inWorkflow = (name: string) => t('model.ofWorkflow', { name });
  const providerOwn = own.provider === undefined || own.provider === '' ? undefined : own.provider;
  // The machine's default stands behind a step only where nobody is named.
  const machine = providerOwn === undefined && workflow.provider === undefined && text(own.model) === undefined && workflow.model === undefined ? usual : undefined;
  const behind = workflow.provider ?? usual?.provider;
  return {
    provider: providerOwn === undefined ? behind : text(providerOwn),
    model: text(own.model) ?? workflow.model ?? machine?.model,
    providerWords: workflow.provider !== undefined ? inWorkflow(workflow.provider) : usual ? t('model.ofMachine', { name: usual.provider }) : undefined,
    modelWords: workflow.model !== undefined ? inWorkflow(workflow.model) : machine ? t('model.ofMachine', { name: machine.model }) : undefined,
  };
}

/** Models of a provider that are known without asking it. */
export function knownModels(models: Models | undefined, provider: string | undefined): string[] {
  const named = models?.providers.find((one) => one.name === provider)?.models.map((one) => one.name) ?? [];
  const usual = models?.default?.provider === provider ? models?.default?.model : undefined;
  return usual === undefined || named.includes(usual) ? named : [usual, ...named];
}

/** The two fields are chosen among what there is on this machine. */
export function withModels(config: JsonSchema, node: WorkflowNode): JsonSchema {
  const { provider, model } = config.properties ?? {};
  if (!provider || !model || node.type === 'mcp.tool') return config;
  const as = (schema: JsonSchema, widget: 'provider' | 'model'): JsonSchema => ({ ...schema, 'x-ui': { ...schema['x-ui'], widget } });
  return { ...config, properties: { ...config.properties, provider: as(provider, 'provider'), model: as(model, 'model') } };
}
