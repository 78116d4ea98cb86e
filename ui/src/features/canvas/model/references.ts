/**
 * What of a workflow file names steps, and what becomes of it when their ids change: the one place that renaming, copying, pasting and
 * duplicating go by. Which fields those are says the schema (references.gen.ts, ADR 89).
 */

import { isObject } from '../../../json/json.ts';
import type { Workflow, WorkflowNode } from '../../../api/types.ts';
import { toolInId } from '../../../code/tool-step.ts';
import { renameInCel, renameInValue, type Renames } from '../../../shared/cel-references.ts';
import type { Patch, Path } from './patch.ts';
import { OF_FILE, OF_KINDS } from './references.gen.ts';

/** A place of the file. */
export interface Place {
  /**
   * What a text here is. `step`: an id; `port`: `id.port`; `cel`: an expression; `value`: a text that may hold expressions, and so are the
   * texts below it; `config`: as the kind of the step says; `own-id`: without it the step's own id tells it; `none`: it means itself.
   */
  readonly is?: 'step' | 'port' | 'cel' | 'value' | 'config' | 'own-id' | 'none';
  /** The names of its fields are ids of steps. */
  readonly keys?: true;
  readonly fields?: { readonly [name: string]: Place };
  /** Its elements, and the fields that have no place of their own. */
  readonly any?: Place;
}

/** The kind of steps that an imported file could not be translated to: what it keeps is of another program. */
const PLACEHOLDER = 'foreign.step';
const NOTHING: Place = {};

const own = (table: { readonly [name: string]: Place } | undefined, name: string): Place | undefined => (table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined);

/** The settings of a kind: texts are values, unless something else is said of them. */
function configOf(kind: unknown): Place {
  if (kind === PLACEHOLDER) return { is: 'none' };
  return { is: 'value', ...own(OF_KINDS, String(kind)) };
}

function renamed(text: string, is: Place['is'], renames: Renames): string {
  switch (is) {
    case 'step':
      return renames.get(text) ?? text;
    case 'port': {
      const dot = text.lastIndexOf('.');
      const next = renames.get(dot < 0 ? text : text.slice(0, dot));
      return next === undefined ? text : next + (dot < 0 ? '' : text.slice(dot));
    }
    case 'cel':
      return renameInCel(text, renames);
    case 'value':
      return renameInValue(text, renames);
    default:
      return text;
  }
}

/** A field that a step may leave out because its id tells it, said by the step when its new id tells something else. */
function withOwnId(node: unknown, place: Place, from: string, to: string): unknown {
  if (place.fields?.['config']?.is !== 'config' || !isObject(node)) return node;
  const told = toolInId(from);
  const settings = isObject(node['config']) ? node['config'] : {};
  const lost = told === undefined || told === toolInId(to) ? [] : Object.entries(configOf(node['type']).fields ?? {}).filter(([name, field]) => field.is === 'own-id' && !Object.hasOwn(settings, name));
  return lost.length === 0 ? node : { ...node, config: { ...settings, ...Object.fromEntries(lost.map(([name]) => [name, told])) } };
}

/** The place of a field, and what a text in it is: of its own, or because of what it stands in. */
function below(value: { readonly [name: string]: unknown }, name: string, place: Place, is: Place['is']): [Place, Place['is']] {
  const found = own(place.fields, name) ?? place.any ?? NOTHING;
  const field = found.is === 'config' ? configOf(value['type']) : found;
  return [field, field.is ?? (is === 'value' ? is : undefined)];
}

/** The value with the new ids; the same object when nothing changes. */
function mapped(value: unknown, place: Place, is: Place['is'], renames: Renames): unknown {
  if (typeof value === 'string') return renamed(value, is, renames);
  if (Array.isArray(value)) {
    const each = place.any ?? NOTHING;
    const next = value.map((one) => mapped(one, each, each.is ?? (is === 'value' ? is : undefined), renames));
    return next.some((one, i) => one !== value[i]) ? next : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const next = entries.map(([name, one]): [string, unknown] => {
    const [field, inner] = below(value, name, place, is);
    const to = place.keys === true ? renames.get(name) : undefined;
    const made = mapped(one, field, inner, renames);
    return [to ?? name, to === undefined ? made : withOwnId(made, field, name, to)];
  });
  return next.some(([name, one], i) => name !== entries[i]?.[0] || one !== entries[i]?.[1]) ? Object.fromEntries(next) : value;
}

/** What makes a file name its steps by their new ids: a patch for each step, wire and setting that changes. The ids must be free. */
export function renameInFile(file: Workflow, renames: Renames): Patch[] {
  const patches: Patch[] = [];
  const put = (path: Path, before: unknown, after: unknown): void => {
    if (after !== before) patches.push({ op: 'set', path, value: after });
  };
  const sections: { readonly [section: string]: unknown } = { ...file };
  for (const [section, value] of Object.entries(sections)) {
    const [place, is] = below(sections, section, OF_FILE, undefined);
    if (Array.isArray(value)) {
      const after = mapped(value, place, is, renames) as unknown[];
      value.forEach((one, i) => put([section, i], one, after[i]));
    } else if (isObject(value)) {
      for (const [name, one] of Object.entries(value)) {
        const [field, inner] = below(value, name, place, is);
        const to = place.keys === true ? renames.get(name) : undefined;
        // View state may be left of a step that had the id before.
        if (to !== undefined && Object.hasOwn(value, to)) patches.push({ op: 'unset', path: [section, to] });
        if (to !== undefined) patches.push({ op: 'rename', path: [section, name], key: to });
        const made = mapped(one, field, inner, renames);
        put([section, to ?? name], one, to === undefined ? made : withOwnId(made, field, name, to));
      }
    } else put([section], value, mapped(value, place, is, renames));
  }
  return patches;
}

const one = (id: string, node: WorkflowNode, renames: Renames): { [id: string]: WorkflowNode } =>
  mapped({ [id]: node }, own(OF_FILE.fields, 'nodes') ?? NOTHING, undefined, renames) as { [id: string]: WorkflowNode };

/** A step under its new id, together with others that get new ids; the same object when nothing changes. */
export const renameInStep = (id: string, node: WorkflowNode, renames: Renames): WorkflowNode => Object.values(one(id, node, renames))[0] ?? node;

/** The ids that a step names, its own included. */
export function stepsNamedBy(id: string, node: WorkflowNode): Set<string> {
  const named = new Set<string>();
  one(id, node, { get: (name) => { named.add(name); return undefined; } });
  return named;
}
