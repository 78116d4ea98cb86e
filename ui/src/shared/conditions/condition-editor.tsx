// A condition as rows, with the same condition as an expression below: either can be edited.

import { useEffect, useId, useMemo, useState, type ReactNode } from 'react';
import type { ExpressionName } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { t } from '../../i18n/index.ts';
import { IconButton, Select, TextInput } from '../../kit/index.ts';
import { RowEditor, type RowScope } from './condition-row.tsx';
import { BLANK, completeOf, fieldsOf, valuesAt, type KnownField } from './fields.ts';
import type { Condition, FieldPath, Group } from './model.ts';
import { parseConditions } from './parse.ts';
import { printConditions } from './print.ts';
import './conditions.css';

export interface ConditionSource {
  names: () => Promise<readonly ExpressionName[]>;
  /** Values that a field had in the data at hand. */
  seen?: ((path: readonly (string | number)[]) => readonly unknown[]) | undefined;
  /** Changes when the data change. */
  revision: string | number;
}

interface Props {
  text: string;
  onText: (text: string) => void;
  label: string;
  source: ConditionSource | null;
  readOnly: boolean;
  /** Rows are shown from the beginning; else a button shows them. */
  open?: boolean;
  /** The box with the expression. */
  children: ReactNode;
}

const EMPTY: Group = { kind: 'group', join: 'all', rows: [] };
const NOTHING: readonly KnownField[] = [];

/** The fields that can be chosen; what was known stays until newer data are there. */
function useFields(source: ConditionSource | null, wanted: boolean): readonly KnownField[] {
  const [known, setKnown] = useState(NOTHING);
  const latest = useLatest(source);
  const revision = source?.revision;
  useEffect(() => {
    if (!wanted) return undefined;
    let current = true;
    latest.current?.names().then((names) => { if (current) setKnown(fieldsOf(names)); }, () => undefined);
    return () => { current = false; };
  }, [wanted, revision, latest]);
  return known;
}

export function ConditionEditor({ text, onText, label, source, readOnly, open = false, children }: Props) {
  const [shown, setShown] = useState(open);
  const [typing, setTyping] = useState(false);
  // The rows stand still while somebody types below them: nothing is read for each key.
  const calm = useCalm(text, typing);
  const parsed = useMemo(() => parseConditions(calm), [calm]);
  const [draft, setDraft] = useState<{ text: string; rows: Group } | null>(null);
  const now = draft !== null && draft.text === calm.trim() ? draft.rows : parsed.ok ? parsed.rows : null;
  const known = useFields(source, shown);
  const fieldList = useId();
  const offered = useMemo(() => <datalist id={fieldList}>{known.map((field) => <option key={field.text} value={field.text} label={field.sample} />)}</datalist>, [fieldList, known]);
  const seen = source?.seen;
  const scope = useMemo<RowScope>(() => ({ known, readOnly, fieldList, seen: (path: FieldPath) => seen?.(path) ?? sampleOf(known, path) }), [known, readOnly, fieldList, seen]);
  const told = useLatest({ text, onText });
  const rows = useMemo(() => {
    const group = now ?? EMPTY;
    const change = (next: Group) => {
      const printed = printConditions(completeOf(next));
      setDraft({ text: printed, rows: next });
      if (printed !== told.current.text) told.current.onText(printed);
    };
    return <GroupEditor group={group.rows.length > 0 || readOnly ? group : { ...group, rows: [BLANK] }} n="" scope={scope} onChange={change} />;
  }, [now, readOnly, scope, told]);
  return (
    <div className="cond">
      {!shown ? null : now === null ? <p className="s t2 cond-why">{t(`cond.why.${parsed.ok ? 'nothing' : parsed.why}`)}</p> : (
        <div className={typing ? 'cond-rows off' : 'cond-rows'} role="group" aria-label={t('cond.rows', { label })} inert={typing}>
          {rows}
          {offered}
        </div>
      )}
      {shown ? <span className="s t2">{t('cond.asExpression')}</span> : null}
      <div className="col gap1" onFocus={() => setTyping(true)} onBlur={(event) => { if (!event.currentTarget.contains(event.relatedTarget)) setTyping(false); }}>{children}</div>
      {open || readOnly ? null : <button type="button" className="link s cond-toggle" aria-expanded={shown} aria-label={`${t(shown ? 'cond.hide' : 'cond.show')}: ${label}`} onClick={() => setShown(!shown)}>{t(shown ? 'cond.hide' : 'cond.show')}</button>}
    </div>
  );
}

/** The text as it was when the typing began. */
function useCalm(text: string, typing: boolean): string {
  const [calm, setCalm] = useState(text);
  if (typing || calm === text) return calm;
  setCalm(text);
  return text;
}

const sampleOf = (known: readonly KnownField[], path: FieldPath): readonly unknown[] => {
  const found = known.find((field) => field.path.length === path.length && field.path.every((part, i) => part === path[i]));
  // A sample that was cut is no value.
  return found?.sample === undefined || found.sample.endsWith('…') || ['list', 'object'].includes(found.type) ? [] : [found.sample];
};

function GroupEditor({ group, n, scope, onChange, onRemove }: { group: Group; n: string; scope: RowScope; onChange: (group: Group) => void; onRemove?: () => void }) {
  const { readOnly } = scope;
  const put = (rows: readonly Condition[]) => onChange({ ...group, rows });
  const at = (index: number): string => (n === '' ? String(index + 1) : `${n}.${String(index + 1)}`);
  return (
    <div className={n === '' ? 'cond-group' : 'cond-group inner'} role="group" aria-label={n === '' ? t('cond.join') : t('cond.group', { n })}>
      {group.rows.length > 1 || n !== '' || group.join === 'none' ? (
        <span className="row gap1">
          <span className="grow cond-join">
            <Select<Group['join']> small label={n === '' ? t('cond.join') : t('cond.joinInner', { n })} value={group.join} disabled={readOnly} onChange={(join) => onChange({ ...group, join })}
              options={(['all', 'any', 'none'] as const).map((join) => ({ value: join, label: t(`cond.${join}`) }))} />
          </span>
          {onRemove && !readOnly ? <IconButton small icon="x" label={t('cond.removeGroup', { n })} onClick={onRemove} /> : null}
        </span>
      ) : null}
      {group.rows.map((one, index) => {
        const set = (next: Condition) => put(group.rows.map((other, i) => (i === index ? next : other)));
        const remove = () => put(group.rows.filter((_, i) => i !== index));
        // Rows are told apart by their place.
        const key = `row ${String(index)}`;
        if (one.kind === 'group') return <GroupEditor key={key} group={one} n={at(index)} scope={scope} onChange={set} onRemove={remove} />;
        if (one.kind === 'row') return <RowEditor key={key} row={one} n={at(index)} scope={scope} onChange={set} onRemove={remove} />;
        return (
          <div key={key} className="cond-row free" role="group" aria-label={t('cond.row', { n: at(index) })}>
            <TextInput mono value={one.cel} aria-label={t('cond.free', { n: at(index) })} readOnly={readOnly} onChange={(cel) => set({ kind: 'free', cel })} />
            {readOnly ? null : <IconButton small icon="x" label={t('cond.remove', { n: at(index) })} onClick={remove} />}
          </div>
        );
      })}
      {readOnly ? null : (
        <span className="row gap1">
          <button type="button" className="cond-add" aria-label={n === '' ? t('cond.addFirst') : t('cond.addTo', { n })} onClick={() => put([...group.rows, BLANK])}>+ {t('cond.add')}</button>
          {n.split('.').length > 2 ? null : <button type="button" className="cond-add" aria-label={n === '' ? t('cond.addGroupLabel') : t('cond.addGroupTo', { n })} onClick={() => put([...group.rows, { kind: 'group', join: group.join === 'all' ? 'any' : 'all', rows: [BLANK] }])}>+ {t('cond.addGroup')}</button>}
        </span>
      )}
    </div>
  );
}

/** Values that were seen in items. */
export const seenIn = (items: readonly unknown[]) => (path: readonly (string | number)[]): readonly unknown[] => valuesAt(path, items);
