/** The line under a card's title: the kind's template `{field}` filled from the node's config. */

import { choiceWord, formatPause, t, tn } from '../../../i18n/index.ts';
import { asSchema } from '../../../json/json-schema.ts';
import { MCP_TOOL, toolInId } from '../../../code/tool-step.ts';
import { scheduleOf, scheduleText, type ScheduleConfig } from '../../../shared/schedule/schedule-model.ts';
import type { JsonSchema, NodeDescriptor, WorkflowNode } from '../../../api/types.ts';

export interface Summary {
  text: string;
  /** data and expressions are set in the mono family */
  mono: boolean;
}

function fieldAt(config: unknown, path: string): unknown {
  let here = config;
  for (const part of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as { [key: string]: unknown })[part];
  }
  return here;
}

function words(value: unknown, field: JsonSchema | undefined, name: string): string {
  if (typeof value === 'number' && field?.['x-ui']?.['widget'] === 'duration') return formatPause(value);
  if (value === undefined || value === null) return '';
  const label = typeof value === 'string' ? (field?.['x-ui']?.['labels'] as { [value: string]: string } | undefined)?.[value] : undefined;
  // As the form says it; a label of many words would leave no room for what follows.
  if (label !== undefined && label.split(' ').length <= 2) return label;
  if (typeof value === 'string') return shortened(value.replace(/^=\s*/, '').replace(/\s+/g, ' '));
  if (Array.isArray(value)) return counted(value.length, name);
  if (typeof value === 'object') {
    const keys = Object.keys(value);
    return keys.length <= 3 ? keys.join(', ') : tn('canvas.summary.fields', keys.length);
  }
  return String(value);
}

/** Letters of one value: more than a card has room for, and as much as a tooltip is read. */
const MOST = 120;

/** Cut between two words or entries, and marked as cut. */
function shortened(text: string): string {
  if (text.length <= MOST) return text;
  const most = text.slice(0, MOST - 1);
  const whole = most.slice(0, Math.max(most.lastIndexOf(' '), most.lastIndexOf(',')) + 1);
  return `${whole.length > MOST / 2 ? whole : most}…`;
}

/** "2 rules", by the name of the list. */
function counted(n: number, path: string): string {
  const name = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  if (!/[a-z]s$/.test(name)) return tn('canvas.summary.entries', n);
  return n === 1 ? `1 ${name.slice(0, -1)}` : `${n} ${name}`;
}

function schemaAt(descriptor: NodeDescriptor, path: string): JsonSchema | undefined {
  return path.split('.').reduce<JsonSchema | undefined>((here, part) => here?.properties?.[part], asSchema(descriptor.config));
}

/** What a loop goes over, or how long it goes round; how many at once where it is not one after the other. */
function loopSummary(config: WorkflowNode['config']): Summary {
  const of = (path: string): string => words(fieldAt(config, path), undefined, path);
  const [condition, source] = [of('while'), of('source')];
  const over = condition ? t('canvas.summary.while', { condition }) : source || t('canvas.summary.items');
  const text = fieldAt(config, 'mode') === 'parallel' ? t('canvas.summary.loop', { over, n: of('maxConcurrency') || String(AT_ONCE) }) : over;
  return { text, mono: condition !== '' || source !== '' };
}

/** Iterations that a parallel loop runs at the same time when nothing else is set. */
const AT_ONCE = 8;

const SCHEDULE = 'trigger.schedule';

/** `id`: that of the step, which may be called after its tool. */
export function summaryOf(descriptor: NodeDescriptor | undefined, node: WorkflowNode, id?: string): Summary {
  if (!descriptor) return { text: t('canvas.kind.unknown', { kind: node.type }), mono: false };
  if (node.type === 'flow.loop') return loopSummary(node.config);
  const { cron, every } = (node.config ?? {}) as ScheduleConfig;
  if (node.type === SCHEDULE && (cron !== undefined || every !== undefined)) return { text: scheduleText(scheduleOf({ cron, every })), mono: false };
  const template = descriptor.summary;
  if (!template) return { text: descriptor.title, mono: false };
  let filled = false;
  const text = template
    .replace(/\{([A-Za-z_][A-Za-z0-9_.|]*)\}/g, (_, paths: string) => {
      // `a|b`: the second one where the first is not set.
      const all = paths.split('|');
      const path = all.find((one) => !['', undefined].includes(fieldAt(node.config, one) as string | undefined)) ?? all[0] ?? '';
      const own = fieldAt(node.config, path) ?? (node.type === MCP_TOOL && path === 'tool' && id !== undefined ? toolInId(id) : undefined);
      if (own !== undefined && own !== '') filled = true;
      const field = schemaAt(descriptor, path);
      const value = own ?? field?.default;
      return choiceWord(node.type, path, value) ?? words(value, field, path);
    })
    .replace(/\s+/g, ' ')
    // What stood between two settings says nothing beside an empty one.
    .replace(/^[ :,·]+|[ :,·]+$/g, '');
  if (!filled && template.includes('{')) {
    // Where nothing has to be filled in, an empty config is a finished one.
    const complete = (asSchema(descriptor.config).required ?? []).length === 0;
    return { text: text || (complete ? descriptor.description : t('canvas.summary.none')), mono: false };
  }
  return { text, mono: filled };
}
