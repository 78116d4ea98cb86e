/** Every field of the schemas that is marked as naming a step follows it, and nothing else does. */

import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Workflow, WorkflowNode } from '../../../api/types.ts';
import { isObject } from '../../../json/json.ts';
import { applyEdits, type Edit, textOf } from '../document.ts';
import { createEditor } from '../editor.ts';
import { fragmentOf, fragmentText, pasteEdits, readFragment } from '../model/fragment.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8'));
interface Schema { [keyword: string]: unknown }
const FILE = read('../../../../../schemas/workflow.schema.json') as Schema;
const KINDS = read('../../../test/catalog.gen.json') as { type: string; config: Schema }[];
const apply = (document: Workflow, ...edits: Edit[]): Workflow => applyEdits(document, edits).document;

/** What the id of a step is in the file that is made. */
type Names = (id: string) => string;
const same: Names = (id) => id;
const swap = (from: string, to: string): Names => (id) => (id === from ? to : id);

/** Looks like a reference and is none. */
const PLAIN = "nodes.a, a, a.success, {{ nodes.a.output }}, =nodes.a, nodes['a']";
const text = (value: unknown): boolean => value === 'string' || (Array.isArray(value) && value.includes('string'));
const schema = (value: unknown): Schema => (isObject(value) ? value : {});

class Maker {
  /** places that were filled, for a look at whether there were any */
  readonly filled: string[] = [];
  constructor(readonly n: Names, readonly one: string) {}

  cel = (): string => `nodes['${this.n('a')}'].output == 'nodes.a' && has(nodes['${this.n('out')}'].output.nodes.a) && items.all(nodes, nodes.a)`;
  value = (): unknown => ({ list: [`=${this.cel()}`, `a {{ ${this.cel()} }} nodes.a {{ '}} nodes.a' + nodes["${'out'}"].output }}`], 'nodes.a': { a: `=${this.cel()}`, literal: '==nodes.a', plain: 'nodes.a' } });

  marked(word: unknown, at: Schema, kind: string): unknown {
    switch (word) {
      case 'step': return this.n(this.one);
      case 'port': return `${this.n(this.one)}.success`;
      case 'cel': return this.cel();
      case 'value': return text(at['type']) ? `x {{ ${this.cel()} }} nodes.a` : this.value();
      case 'config': return this.config(schema(KINDS.find((one) => one.type === kind)?.config));
      case 'own-id': return PLAIN;
      default: throw new Error(`x-ref ${String(word)}`);
    }
  }

  /** A value of the settings of a kind that names steps wherever it may. */
  config(at: Schema): unknown {
    if (at['x-ref'] !== undefined) return this.marked(at['x-ref'], at, '');
    if (at['x-raw'] === true) return { any: [PLAIN], nodes: PLAIN };
    if (at['x-cel'] === true) return this.cel();
    const properties = Object.entries(schema(at['properties']));
    if (properties.length > 0) return Object.fromEntries(properties.map(([name, one]) => [name, this.config(schema(one))]));
    if (isObject(at['items'])) return [this.config(schema(at['items']))];
    if (isObject(at['additionalProperties'])) return { 'nodes.a': this.config(schema(at['additionalProperties'])) };
    return text(at['type']) ? `=${this.cel()}` : this.value();
  }

  /** A value of the file's schema. */
  file(given: Schema, kind: string, name: string): unknown {
    const at = { ...schema(schema(FILE['$defs'])[String(given['$ref'] ?? '').replace('#/$defs/', '')]), ...given };
    const word = at['x-ref'];
    if (word !== undefined && word !== 'step-keys') {
      this.filled.push(name);
      return this.marked(word, at, kind);
    }
    const made: { [name: string]: unknown } = {};
    for (const [pattern, what] of Object.entries(schema(at['x-refs']))) {
      const steps = pattern.split('/');
      const value = steps.reduceRight<unknown>((inner, step, i) => (step === '*' ? (steps[i + 1] === '*' ? { k: inner } : [inner]) : { [step]: inner }), this.marked(what, {}, ''));
      this.filled.push(`${name}/${pattern}`);
      if (Array.isArray(value)) return value;
      Object.assign(made, value);
    }
    if (word === 'step-keys') {
      this.filled.push(name);
      for (const id of ['a', 'out']) made[this.n(id)] = name === 'layout' ? [0, 0] : { type: 'flow.parallel' };
      return made;
    }
    if (Object.keys(made).length > 0) return made;
    for (const variant of [...(at['anyOf'] as Schema[] ?? []), ...(at['oneOf'] as Schema[] ?? [])].toReversed()) {
      if (variant['type'] !== 'null') return this.file(variant, kind, name);
    }
    const properties = Object.entries(schema(at['properties']));
    if (properties.length > 0) return Object.fromEntries(properties.flatMap(([field, one]) => {
      const value = field === 'type' ? kind : this.file(schema(one), kind, field);
      return value === undefined ? [] : [[field, value]];
    }));
    if (isObject(at['items'])) return [this.file(schema(at['items']), kind, name)];
    return text(at['type']) || at['type'] === undefined ? PLAIN : undefined;
  }

  step(kind: string): WorkflowNode {
    return this.file({ $ref: '#/$defs/Node' }, kind, 'node') as WorkflowNode;
  }
}

const inside = (kind: string): string => `in_${kind.replace('.', '_')}`;
const outside = (kind: string): string => `on_${kind.replace('.', '_')}`;

/** A file with a step of each kind that names `a` and stands in it, and one that names `out`. */
function made(n: Names): { document: Workflow; filled: string[] } {
  const [first, second] = [new Maker(n, 'a'), new Maker(n, 'out')];
  const document = first.file(FILE, '', 'file') as Workflow;
  for (const { type } of KINDS) {
    document.nodes[inside(type)] = first.step(type);
    document.nodes[outside(type)] = second.step(type);
  }
  const edge = (maker: Maker): Workflow['edges'] => maker.file({ type: 'array', items: { $ref: '#/$defs/Edge' } }, '', 'edges') as Workflow['edges'];
  document.edges = [...edge(first), ...edge(second), { from: `${n('a')}.success`, to: n('out') }];
  return { document, filled: first.filled };
}

const id = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,12}$/).filter((one) => !['a', 'out', 'nodes'].includes(one) && !/^(in|on)_/.test(one));

describe('references over the schema', () => {
  it('renaming carries every marked field, and undo brings the bytes back', () => {
    expect(new Set(made(same).filled)).toEqual(new Set([
      'nodes', 'layout', 'layout/$view/*/*', 'from', 'to', 'onAbort', 'when', 'toolRules/*/when', 'auditRules/*/when', 'concurrency/key', 'if', 'print', 'in', 'config', 'out',
      'idempotencyKey', 'guardrails/before/*/refuse', 'guardrails/before/*/value', 'guardrails/after/*/refuse', 'guardrails/after/*/value', 'parent', 'fallbackNodeId',
    ]));
    fc.assert(fc.property(id, (to) => {
      const editor = createEditor(made(same).document);
      expect(editor.apply({ type: 'renameNode', id: 'a', to })).toBe(true);
      expect(editor.getState().document).toEqual(made(swap('a', to)).document);
      editor.undo();
      expect(textOf(editor.getState().document)).toBe(textOf(made(same).document));
    }), { numRuns: 25 });
  });

  it('a copy names its own steps, and those outside as before, through the text of the clipboard', () => {
    const { document } = made(same);
    const fragment = readFragment(fragmentText(fragmentOf(document, ['a', ...KINDS.map(({ type }) => outside(type))])));
    if ('problem' in fragment) throw new Error(fragment.problem);
    const next = apply(document, ...pasteEdits(document, fragment, [0, 900], false).edits);
    const copied = swap('a', 'a_2');
    for (const { type } of KINDS) {
      expect(next.nodes[`${inside(type)}_2`], type).toEqual(new Maker(copied, 'a').step(type));
      const { parent: _, ...free } = new Maker(copied, 'out').step(type);
      expect(next.nodes[`${outside(type)}_2`], type).toEqual(free);
    }
    // What was there stays.
    for (const [one, node] of Object.entries(document.nodes)) expect(next.nodes[one]).toBe(node);
    expect(next.edges.slice(document.edges.length)).toEqual([{ ...document.edges[0], from: 'a_2.success', to: 'a_2' }]);
  });

  it('pasting into another file renames what is taken there, and nothing takes the id of a step that stays outside', () => {
    const source = { nodes: { fetch: { type: 'data.set', config: { assign: { v: '=nodes.fetch_2.output + nodes.fetch.output' } } } }, edges: [] };
    const fragment = readFragment(JSON.stringify({ signalbox: 1, ...source }));
    if ('problem' in fragment) throw new Error(fragment.problem);
    const target = { signalbox: 1, id: 't', name: 'T', nodes: { fetch: { type: 'flow.noop' } }, edges: [] };
    const { edits, ids } = pasteEdits(target, fragment, [0, 0], false);
    expect(ids).toEqual(['fetch_3']);
    expect(apply(target, ...edits).nodes['fetch_3']?.config).toEqual({ assign: { v: '=nodes.fetch_2.output + nodes.fetch_3.output' } });
  });

  it('a tool that only the id names stays the same tool', () => {
    const document: Workflow = { signalbox: 1, id: 't', name: 'T', nodes: { Tool_010_ReadFile: { type: 'mcp.tool', config: { server: 'files' } } }, edges: [] };
    const renamed = apply(document, { type: 'renameNode', id: 'Tool_010_ReadFile', to: 'read' });
    expect(renamed.nodes['read']?.config).toEqual({ server: 'files', tool: 'ReadFile' });
    const again = apply(document, { type: 'renameNode', id: 'Tool_010_ReadFile', to: 'Tool_020_ReadFile' });
    expect(again.nodes['Tool_020_ReadFile']?.config).toEqual({ server: 'files' });
    const copy = apply(document, ...pasteEdits(document, fragmentOf(document, ['Tool_010_ReadFile']), [0, 200], false).edits);
    expect(copy.nodes['Tool_010_ReadFile_2']?.config).toEqual({ server: 'files', tool: 'ReadFile' });
    const bare = apply({ ...document, nodes: { Tool_1_x: { type: 'mcp.tool' } } }, { type: 'renameNode', id: 'Tool_1_x', to: 'y' });
    expect(bare.nodes['y']?.config).toEqual({ tool: 'x' });
  });

  it('what a step of another program keeps is left alone, and the config of an unknown kind is values', () => {
    const config = { next: 'a', when: 'nodes.a.output', text: '{{ nodes.a.output }}' };
    const document: Workflow = { signalbox: 1, id: 't', name: 'T', nodes: { a: { type: 'flow.noop' }, old: { type: 'foreign.step', config }, own: { type: 'x.y', config } }, edges: [], layout: { b: [1, 2], a: [3, 4] } };
    const next = apply(document, { type: 'renameNode', id: 'a', to: 'b' });
    expect(next.nodes['old']?.config).toEqual(config);
    expect(next.nodes['own']?.config).toEqual({ ...config, text: '{{ nodes.b.output }}' });
    // A place that was left of a step of that name.
    expect(next.layout).toEqual({ b: [3, 4] });
  });

  it('listeners hear of a new id, also when it is undone', () => {
    const editor = createEditor(made(same).document);
    const heard: string[] = [];
    const end = editor.onRename((from, to) => heard.push(`${from}>${to}`));
    editor.apply([{ type: 'renameNode', id: 'a', to: 'b' }, { type: 'renameNode', id: 'b', to: 'c' }]);
    editor.undo();
    editor.redo();
    end();
    editor.undo();
    expect(heard).toEqual(['a>b', 'b>c', 'c>b', 'b>a', 'a>b', 'b>c']);
  });
});

describe('fields that look like references', () => {
  /** Names and descriptions that speak of steps or expressions without naming one: each with what it is. */
  const OTHERS: { readonly [place: string]: string } = JSON.parse(readFileSync(join(import.meta.dirname, 'not-references.json'), 'utf8')) as { [place: string]: string };
  const NAME = /(?:node|step)s?(?:Ids?|Names?)?$|(?:^|[a-z])(?:Node|Step)(?:[A-Z]|s?$)|^(?:on[A-Z].*|parent|target|fallback|next|goto|when|if|while|until|from|to|source|condition|expression)$|(?:Target|Fallback|Condition|Expression|Parent)$/;
  const WORDS = /\b(?:node|step) ?ids?\b|\bids? of (?:a|an|the|its|another) (?:node|step|chain|container)|\bnode that\b|\bCEL\b|\bexpressions?\b|\bcondition\b|\btemplate\b/i;
  const marks = ['x-ref', 'x-refs', 'x-cel', 'x-url'];

  function* fields(at: unknown, place: string): Generator<[string, string, Schema]> {
    if (!isObject(at)) return;
    for (const [name, one] of Object.entries(schema(at['properties']))) {
      yield [`${place}/${name}`, name, schema(one)];
      yield* fields(one, `${place}/${name}`);
    }
    for (const below of ['items', 'additionalProperties']) yield* fields(at[below], `${place}/*`);
    for (const list of ['anyOf', 'oneOf', 'allOf']) for (const one of Array.isArray(at[list]) ? at[list] as unknown[] : []) yield* fields(one, place);
  }

  it('are marked, or are listed as something else', () => {
    const all = [
      ...fields(FILE, 'Workflow'),
      ...Object.entries(schema(FILE['$defs'])).flatMap(([name, one]) => [...fields(one, name)]),
      ...KINDS.flatMap(({ type, config }) => [...fields(config, type)]),
    ];
    expect(all.length).toBeGreaterThan(150);
    const smells = all.filter(([, name, one]) => (NAME.test(name) || WORDS.test(String(one['description'] ?? ''))) && !marks.some((mark) => one[mark] !== undefined)).map(([place]) => place);
    // A new one: mark it in the schema (docs/formats.md, "Descriptors"), or say in not-references.json what it is.
    expect(smells.filter((place) => OTHERS[place] === undefined)).toEqual([]);
    expect(Object.keys(OTHERS).filter((place) => !smells.includes(place))).toEqual([]);
  });

  it('are found by name and by words', () => {
    const found = (name: string, description = ''): boolean => NAME.test(name) || WORDS.test(description);
    for (const name of ['nodeId', 'fallbackNodeId', 'stepId', 'targetNodeId', 'onAbort', 'parent', 'steps', 'afterStep', 'when', 'untilStep']) expect(found(name), name).toBe(true);
    expect(found('chain', 'Id of the step that begins it')).toBe(true);
    expect(found('rule', 'CEL over item')).toBe(true);
    expect(found('title', 'Shown on the card')).toBe(false);
  });
});
