/** The settings of each kind of step that there is: the form is drawn, each control is used once, and what it writes is of the kind's shape. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { act, fireEvent, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { asSchema } from '../../json/json-schema.ts';
import type { JsonSchema, NodeDescriptor, WorkflowEntry, WorkflowNode } from '../../api/types.ts';
import type { Handlers } from '../../api/transport/fake.ts';
import { t, withChoiceWords } from '../../i18n/index.ts';
import { applyEdit, choicesOf, hintsOf, initialValue, labelOf, propertiesOf } from '../../schema-form/model.ts';
import { renderWith, typeCode } from '../../test/render.tsx';
import { shapeFaults } from '../../test/shape.ts';
import { SettingsTab } from './settings-tab.tsx';
import type { PanelEdit } from './types.ts';

const KINDS = JSON.parse(readFileSync(join(import.meta.dirname, '../../test/catalog.gen.json'), 'utf8')) as NodeDescriptor[];
const HOST: Handlers = {
  expression_preview: () => ({ state: 'no_data' }), expression_names: () => [], tool_list: () => [], secret_status: () => ({ state: 'ready', file: '', system: '' }),
  secret_list: () => [{ name: 'kept', kind: 'bearer', hosts: [], createdAt: '', updatedAt: '' }],
  model_list: () => ({ providers: [], reserved: [] } as never),
  workflow_list: () => [{ ref: 'orders', id: 'orders', name: 'Orders', location: 'library' } as unknown as WorkflowEntry],
};
/** Settings that have an editor of their own beside the form (schedule-editor.tsx). */
const EDITED_ELSEWHERE: Readonly<Record<string, readonly string[]>> = { 'trigger.schedule': ['cron', 'every'] };
/** What is chosen where the choices come from the host. */
const OF_HOST: Readonly<Record<string, RegExp>> = { Credential: /kept/, Password: /kept/, Secret: /kept/, Workflow: /Orders/ };

const host = { preview: () => Promise.resolve(null), names: () => Promise.resolve([]), item: 0, setItem: () => undefined, revision: 0 };

function Step({ kind, start, onConfig }: { kind: NodeDescriptor; start: unknown; onConfig(config: unknown): void }) {
  const [node, setNode] = useState<WorkflowNode>({ type: kind.type, config: start } as WorkflowNode);
  const onEdit = (given: PanelEdit | readonly PanelEdit[]) => {
    let next: unknown = node;
    for (const edit of [given].flat() as PanelEdit[]) if (edit.type === 'setNode') next = applyEdit(next, edit.path, edit.value);
    onConfig((next as WorkflowNode).config);
    setNode(next as WorkflowNode);
  };
  return <SettingsTab nodeId="step" node={node} descriptor={kind} diagnostics={[]} host={host} contextSchema={undefined} model={undefined} skills={{ workflowId: 'w', folder: undefined }} incoming={INCOMING} readOnly={false} onEdit={onEdit} />;
}

/** Two steps are connected: what takes two lists may choose between them. */
const INCOMING = [{ id: 'orders', title: 'Orders' }, { id: 'customers', title: 'Customers' }];

function open(type: string, config?: unknown) {
  const kind = KINDS.find((one) => one.type === type);
  if (!kind) throw new Error(`No kind ${type}`);
  const schema = asSchema(kind.config);
  const start = config ?? kind.examples[0]?.config ?? initialValue({ ...schema, type: 'object', properties: schema.properties ?? {} });
  const writes: unknown[] = [];
  const names = [t('settings.config', { kind: kind.title }), t('settings.folded', { kind: kind.title })];
  renderWith(<Step kind={kind} start={start} onConfig={(next) => writes.push(next)} />, HOST);
  return { schema, start, writes, form: () => all(document.body, '[role=group]').filter((group) => names.includes(nameOf(group))) };
}

// By selectors: to ask for roles takes jsdom seconds in a form of this size.
const all = (form: HTMLElement | HTMLElement[], selector: string) => [form].flat().flatMap((part) => [...part.querySelectorAll<HTMLElement>(selector)]);
const nameOf = (of: HTMLElement) => of.getAttribute('aria-label') ?? of.id;

/** Each "+ Add" once, those that come with what was added, too. A row of a table is there when it has a name. */
function addAll(form: () => HTMLElement[], check: (what: string) => void) {
  const pressed = new Set<string>();
  for (;;) {
    const button = all(form(), '.lab-add').find((one) => !pressed.has(nameOf(one)));
    if (!button) return;
    pressed.add(nameOf(button));
    fireEvent.click(button);
    const key = all(form(), 'input.kvt-key').find((one) => (one as HTMLInputElement).value === '');
    if (key) {
      fireEvent.change(key, { target: { value: 'added' } });
      act(() => key.focus());
      fireEvent.keyDown(key, { key: 'Enter' });
    }
    check(nameOf(button));
  }
}

/** Every control that the form has after that, once; rows of a condition and of a form's fields have tests of their own. JSON is left as it is: it is whatever one writes. */
async function useAll(form: () => HTMLElement[], check: (what: string) => void) {
  const controls = 'input:not(.kvt-key):not([type=checkbox]):not([aria-hidden]), textarea, .cm-content:not([data-language=json]), button[role=switch], span[role=switch], button[role=combobox]';
  const own = () => all(form(), controls).filter((one) => one.closest('.cond-rows, .param') === null);
  for (let i = 0; i < own().length; i += 1) {
    const one = own()[i];
    if (!one) return;
    const what = `${nameOf(one)} (control ${String(i)})`;
    if (one.classList.contains('cm-content')) act(() => typeCode(one, '1'));
    else if (one.role === 'switch') fireEvent.click(one);
    else if (one.role === 'combobox') {
      fireEvent.click(one);
      const other = await waitFor(() => {
        const offered = all(document.body, '[role=option]:not([aria-selected=true])').findLast((option) => (OF_HOST[nameOf(one)] ?? /./).test(option.textContent)
          // Rows of a list offer the same words: a list that was open before is still there, but takes no click.
          && !option.closest('[style*="pointer-events: none"]'));
        if (!offered) throw new Error(`${what} has nothing to choose`);
        return offered;
      });
      await userEvent.click(other);
    } else fireEvent.change(one, { target: { value: `${(one as HTMLInputElement).value}1` } });
    check(what);
  }
}

const FORMS = KINDS.filter((kind) => Object.keys(asSchema(kind.config).properties ?? {}).length > 0).map((kind) => kind.type);

describe.each(FORMS)('the settings of %s', (type) => {
  it('show each field, and write what fits', async () => {
    const { schema, start, writes, form } = open(type);
    expect(shapeFaults(schema, start)).toEqual([]);
    for (const [name, property] of propertiesOf(schema, start)) if (!EDITED_ELSEWHERE[type]?.includes(name)) expect(form().map((part) => part.textContent).join(), name).toContain(labelOf(name, property));
    let before = 0;
    const check = (what: string) => {
      expect(writes.length, `${what} writes something`).toBeGreaterThan(before);
      expect(shapeFaults(schema, writes.at(-1)), what).toEqual([]);
      before = writes.length;
    };
    addAll(form, check);
    await useAll(form, check);
    expect(before).toBeGreaterThan(0);
    // A form of forty controls on a busy machine.
  }, 60_000);
});

it('names only widgets that the form has', () => {
  const lost: string[] = [];
  const walk = (of: unknown, at: string): void => {
    if (typeof of !== 'object' || of === null) return;
    const hints = (of as JsonSchema)['x-ui'];
    if (hints?.['widget'] !== undefined && hintsOf(of as JsonSchema).widget === undefined) lost.push(`${at} ${String(hints['widget'])}`);
    for (const [name, one] of Object.entries(of)) walk(one, `${at}/${name}`);
  };
  for (const kind of KINDS) walk(kind.config, kind.type);
  expect(lost).toEqual([]);
});

it('names each choice in words, not as the file does', () => {
  const bare: string[] = [];
  // Names of others stay as they are: methods, types of errors, levels, and those below.
  const named = (value: unknown) => typeof value !== 'string' || /^[A-Z]|\d/.test(value);
  const walk = (of: unknown, at: string): void => {
    if (typeof of !== 'object' || of === null) return;
    const { enum: values, 'x-ui': hints } = of as JsonSchema;
    if (Array.isArray(values) && hints?.['widget'] === 'select') {
      for (const { value, label } of choicesOf(of as JsonSchema) ?? []) if (!named(value) && label === value) bare.push(`${at} ${String(value)}`);
    }
    for (const [name, one] of Object.entries(of)) walk(one, `${at}/${name}`);
  };
  for (const kind of KINDS) walk(withChoiceWords(kind.type, asSchema(kind.config)), kind.type);
  expect(bare).toEqual(['archive.pack/properties/format tar', 'archive.pack/properties/format tar.gz', 'sheet.read/properties/encoding shift_jis', 'sheet.read/properties/encoding euc-kr']);
});

it('a case of a switch has its port, and keeps what it has when its condition is edited', () => {
  const { writes, form } = open('flow.switch', { cases: [{ when: 'item.n > 1', port: 'large' }, { when: 'item.n > 0', port: 'small' }] });
  expect(form().flatMap((part) => within(part).queryAllByText('Port'))).toHaveLength(2);
  const when = all(form(), '.cm-content')[0];
  if (!when) throw new Error('no condition');
  act(() => typeCode(when, '0'));
  expect(writes.at(-1)).toEqual({ cases: [{ when: 'item.n > 10', port: 'large' }, { when: 'item.n > 0', port: 'small' }] });
});

it('a rule of an error handler chooses between what a handler can do', () => {
  const { form } = open('builtin.error_handler', { rules: [{ name: 'again', when: 'error.retryable', action: 'retry' }] });
  const text = form().map((part) => part.textContent).join();
  expect(text).toContain('Retry');
  expect(text).not.toContain('not in this version');
});
