/** What an agent writes: names of variables with their types, which are declared for the whole workflow. */
import { useEffect, useId, useRef, useState } from 'react';
import { isObject } from '../../json/json.ts';
import type { Diagnostic, WorkflowNode } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { IconButton, Select, TextInput } from '../../kit/index.ts';
import { Findings, diagnosticsAt, pointerOf } from '../../schema-form/index.ts';
import type { NodePanelProps, PanelEdit } from './types.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
type Type = (typeof TYPES)[number];
const isType = (value: unknown): value is Type => TYPES.some((one) => one === value);

/** `other`: a schema that this form does not show. `none`: the workflow declares no such variable. */
interface Declared { type: Type | 'other' | 'none'; about: string }

function declaredOf(schema: unknown, name: string): Declared {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  if (!Object.hasOwn(properties, name)) return { type: 'none', about: '' };
  const own = properties[name];
  const about = isObject(own) && typeof own['description'] === 'string' ? own['description'] : '';
  return { type: isObject(own) && isType(own['type']) ? own['type'] : 'other', about };
}

/** Whether a pointer is down just now. */
function usePressed(): { readonly current: boolean } {
  const pressed = useRef(false);
  useEffect(() => {
    const down = () => { pressed.current = true; };
    const up = () => { pressed.current = false; };
    window.addEventListener('pointerdown', down, true);
    window.addEventListener('pointerup', up, true);
    window.addEventListener('pointercancel', up, true);
    return () => {
      window.removeEventListener('pointerdown', down, true);
      window.removeEventListener('pointerup', up, true);
      window.removeEventListener('pointercancel', up, true);
    };
  }, []);
  return pressed;
}

export function WritesEditor({ nodeId, node, schema, diagnostics, readOnly, onEdit }: {
  nodeId: string; node: WorkflowNode; schema: unknown; diagnostics: readonly Diagnostic[]; readOnly: boolean; onEdit: NodePanelProps['onEdit'];
}) {
  const [draft, setDraft] = useState('');
  const known = useId();
  const pressed = usePressed();
  /** Taken while a press goes on: its row comes after it, else what is pressed would move away from under the pointer. */
  const [late, setLate] = useState<string | null>(null);
  const writes = node.writes ?? [];
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  const free = Object.keys(properties).filter((name) => !writes.includes(name));
  const pointer = pointerOf('', ['nodes', nodeId, 'writes']);
  const list = (names: readonly string[]): PanelEdit => ({ type: 'setNode', id: nodeId, path: ['writes'], value: names.length > 0 ? [...names] : undefined });
  const declare = (name: string, own: unknown): PanelEdit => ({
    type: 'set', path: ['context', 'schema'],
    value: { type: 'object', ...(isObject(schema) ? schema : {}), properties: { ...properties, [name]: own } },
  });
  const change = (name: string, part: Record<string, unknown>) => {
    const own = properties[name];
    onEdit(declare(name, { ...(isObject(own) ? own : { type: 'string' }), ...part }), { label: t('writes.title'), merge: `writes ${nodeId} ${name}` });
  };
  function add() {
    const name = draft.trim().replace(/^\$/, '');
    if (name === '' || writes.includes(name)) return;
    setDraft('');
    if (pressed.current) {
      setLate(name);
      const over = () => setTimeout(() => setLate(null));
      for (const end of ['pointerup', 'pointercancel'] as const) window.addEventListener(end, over, { once: true });
    }
    const edits = [list([...writes, name])];
    if (!Object.hasOwn(properties, name)) edits.push(declare(name, { type: 'string' }));
    onEdit(edits, { label: t('writes.title') });
  }
  return (
    <div className="field" role="group" aria-label={t('writes.title')}>
      <span className="lab">{t('writes.title')}</span>
      <span className="s t3">{t('writes.hint')}</span>
      {writes.map((name, i) => {
        if (name === late) return null;
        const { type, about } = declaredOf(schema, name);
        const options = [...TYPES.map((one) => ({ value: one as string, label: t(`writes.type.${one}`) })), ...(isType(type) ? [] : [{ value: type, label: t(`writes.type.${type}`) }])];
        return (
          <div key={name} className="writes-row">
            <code className="ell" title={name}>{name}</code>
            <Select<string> label={t('writes.typeOf', { name })} value={type} disabled={readOnly} options={options} onChange={(next) => { if (isType(next)) change(name, { type: next }); }} />
            <IconButton icon="x" label={t('writes.remove', { name })} disabled={readOnly} onClick={() => onEdit(list(writes.filter((other) => other !== name)), { label: t('writes.title') })} />
            <TextInput className="writes-about" aria-label={t('writes.aboutOf', { name })} placeholder={t('writes.about')} value={about} readOnly={readOnly} onChange={(next) => change(name, { description: next === '' ? undefined : next })} />
            <Findings findings={diagnosticsAt(diagnostics, `${pointer}/${String(i)}`, true)} />
          </div>
        );
      })}
      {readOnly ? null : (
        <div className="row gap1">
          <TextInput className="grow" mono aria-label={t('writes.new')} placeholder={t('writes.new')} value={draft} list={known} onChange={setDraft} onKeyDown={(event) => { if (event.key === 'Enter') add(); }} onBlur={add} />
          <datalist id={known}>{free.map((name) => <option key={name} value={name} />)}</datalist>
          <IconButton icon="plus" label={t('writes.add')} disabled={draft.trim() === ''} onClick={add} />
        </div>
      )}
      <Findings findings={diagnosticsAt(diagnostics, pointer, false)} />
    </div>
  );
}
