/** All kinds of step: what they do, their ports, settings and errors. */
import './catalog.css';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Examples } from './examples.tsx';
import { asSchema } from '../../json/json-schema.ts';
import type { JsonSchema, NodeDescriptor } from '../../api/types.ts';
import { formatDuration, t, type MessageKey } from '../../i18n/index.ts';
import { choicesOf, hintsOf, labelOf, typesOf } from '../../schema-form/index.ts';
import { Badge, Button, EmptyState, Menu, TextInput, Tile } from '../../kit/index.ts';

const ORDER = ['start', 'logic', 'data', 'ai', 'error', 'person', 'system'];

export function searchKinds(kinds: NodeDescriptor[], text: string): NodeDescriptor[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return kinds.filter((kind) => {
    const all = [kind.title, kind.type, kind.description, ...kind.aliases, ...kind.keywords].join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

export function groupKinds(kinds: NodeDescriptor[]): [string, NodeDescriptor[]][] {
  const names = [...new Set([...ORDER, ...kinds.map((kind) => kind.category)])];
  return names
    .map((name): [string, NodeDescriptor[]] => [name, kinds.filter((kind) => kind.category === name)])
    .filter(([, list]) => list.length > 0);
}

function categoryTitle(category: string): string {
  return ORDER.includes(category) ? t(`catalog.cat.${category}` as MessageKey) : category;
}

/** Where a step can be added to. */
export interface AddTargets {
  workflows: readonly { ref: string; name: string }[];
  /** Without a file: to a new workflow. */
  onAdd(kind: string, ref: string | undefined): void;
}

export function CatalogView({ kinds, chosen, onChoose, add }: { kinds: NodeDescriptor[]; chosen: string | undefined; onChoose(kind: string): void; add?: AddTargets | undefined }) {
  const [text, setText] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupKinds(searchKinds(kinds, text)), [kinds, text]);
  const flat = groups.flatMap(([, entries]) => entries);
  const shown = flat.find((kind) => kind.type === chosen) ?? flat[0];
  const shownType = shown?.type;
  useEffect(() => {
    itemOf(list.current, shownType)?.scrollIntoView({ block: 'nearest' });
  }, [shownType]);
  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step || !shown) return;
    event.preventDefault();
    const next = flat[Math.max(0, Math.min(flat.length - 1, flat.indexOf(shown) + step))];
    if (!next) return;
    onChoose(next.type);
    itemOf(list.current, next.type)?.focus();
  }
  return (
    <div className="c-mid">
      <div className="c-side">
        <div className="c-find">
          <TextInput icon="search" type="search" value={text} placeholder={t('catalog.search')} aria-label={t('catalog.search')} onChange={setText} />
        </div>
        <div ref={list} className="c-list" role="navigation" aria-label={t('catalog.list')} onKeyDown={onKeyDown}>
          {groups.map(([category, entries]) => (
            <section key={category}>
              <h3 className="cap">{categoryTitle(category)}</h3>
              {entries.map((kind) => (
                <button key={kind.type} type="button" data-kind={kind.type} className={`c-item ${kind === shown ? 'on' : ''}`} aria-current={kind === shown ? 'true' : undefined}
                  tabIndex={kind === shown ? 0 : -1} onClick={() => onChoose(kind.type)}>
                  <Tile icon={kind.icon} tone={kind.category} size={24} />
                  <span className="col" title={`${kind.title}, ${kind.type}`}><span className="ell">{kind.title}</span><span className="mono t3 ell">{kind.type}</span></span>
                </button>
              ))}
            </section>
          ))}
          {flat.length === 0 ? <EmptyState title={t('catalog.none', { text })} text={t('catalog.noneHint')} /> : null}
        </div>
      </div>
      <div className="c-main">{shown ? <Kind kind={shown} add={add} /> : null}</div>
    </div>
  );
}

function itemOf(list: HTMLElement | null, kind: string | undefined): HTMLElement | undefined {
  return [...(list?.querySelectorAll<HTMLElement>('[data-kind]') ?? [])].find((item) => item.dataset.kind === kind);
}

function Kind({ kind, add }: { kind: NodeDescriptor; add: AddTargets | undefined }) {
  const config = asSchema(kind.config);
  const fields = Object.entries(config.properties ?? {});
  const required = config.required ?? [];
  return (
    <article key={kind.type}>
      <header className="row" style={{ gap: 12 }}>
        <Tile icon={kind.icon} tone={kind.category} />
        <div className="col grow"><h2 className="l">{kind.title}</h2><code className="t3">{kind.type}, {t('catalog.version')} {kind.version}</code></div>
        {add ? (
          <Menu trigger={<Button variant="primary" icon="plus">{t('catalog.add')}</Button>} entries={[
            { id: 'new', label: t('catalog.addNew'), icon: 'plus', onSelect: () => add.onAdd(kind.type, undefined) },
            ...(add.workflows.length ? [null] : []),
            ...add.workflows.map((one) => ({ id: one.ref, label: one.name, icon: 'flow' as const, onSelect: () => add.onAdd(kind.type, one.ref) })),
          ]} />
        ) : null}
      </header>
      <p>{kind.description}</p>
      <dl className="kv" style={{ gridTemplateColumns: '112px minmax(0, 1fr)' }}>
        <dt>{t('catalog.effects')}</dt><dd>{effectText(kind.effects)}</dd>
        <dt>{t('catalog.mode')}</dt><dd>{kind.modes.map((mode) => t(`catalog.mode.${mode}`)).join(', ')}</dd>
        {kind.timeoutMs ? <><dt>{t('catalog.timeLimit')}</dt><dd>{formatDuration(kind.timeoutMs)}</dd></> : null}
        {kind.aliases.length ? <><dt>{t('catalog.aliases')}</dt><dd>{kind.aliases.join(', ')}</dd></> : null}
      </dl>
      <Examples kind={kind} config={config} />
      <section>
        <h3>{t('catalog.ports')}</h3>
        <div className="box">
          <PortLine shape="in" name={t('catalog.input')} what={kind.input ? t('catalog.inputYes') : t('catalog.inputNo')} />
          {kind.dynamicPorts ? <PortLine shape="ok" name={[`${kind.dynamicPorts.from}[]`, kind.dynamicPorts.id].filter(Boolean).join('.')} what={t('catalog.dynamic', { field: kind.dynamicPorts.from })} mono /> : null}
          {kind.ports.map((port) => (
            <PortLine key={port.id} shape={port.id === 'error' ? 'err' : 'ok'} name={port.title ?? port.id}
              what={port.id === 'error' ? t('catalog.error') : port.title ? t('catalog.portId', { id: port.id }) : t('catalog.success')} />
          ))}
        </div>
      </section>
      <section>
        <h3>{t('catalog.settings')}</h3>
        {fields.length ? (
          <div className="box x">
            <table className="c-table">
              <thead><tr><th>{t('catalog.setting')}</th><th>{t('catalog.meaning')}</th></tr></thead>
              <tbody>
                {fields.map(([name, schema]) => (
                  <tr key={name}>
                    <td>{labelOf(name, schema)} <code className="t3 block">{name}</code>{required.includes(name) ? <> <Badge>{t('catalog.required')}</Badge></> : null}</td>
                    <td><span className="t2">{schema.description ?? ''}</span> <span className="t3">{typeText(schema)}</span></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ) : <p className="t2">{t('catalog.noSettings')}</p>}
      </section>
      <section>
        <h3>{t('catalog.errors')}</h3>
        {kind.errors.length ? (
          <div className="box x">
            <table className="c-table">
              <thead><tr><th>{t('catalog.code')}</th><th>{t('catalog.when')}</th><th>{t('catalog.retry')}</th></tr></thead>
              <tbody>
                {kind.errors.map((error) => (
                  <tr key={`${error.code}-${error.type}-${error.when}`}>
                    <td><code>{error.code}</code></td><td>{error.when}</td><td className="t2">{error.retryable ? t('catalog.yes') : t('catalog.no')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ) : <p className="t2">{t('catalog.noErrors')}</p>}
      </section>
    </article>
  );
}

function PortLine({ shape, name, what, mono }: { shape: 'in' | 'ok' | 'err'; name: string; what: string; mono?: boolean }) {
  return (
    <div className="c-port">
      <svg width="12" height="16" viewBox="0 0 12 16" aria-hidden="true">
        {shape === 'in' ? <rect x="3.5" y="0" width="5" height="16" rx="2" fill="var(--wire-idle)" /> : null}
        {shape === 'ok' ? <circle cx="6" cy="8" r="5" fill="var(--bg-surface)" stroke="var(--wire-ok)" strokeWidth="2" /> : null}
        {shape === 'err' ? <path d="M6 2.5L11.5 8 6 13.500.5 8z" fill="var(--wire-err)" /> : null}
      </svg>
      <span className={mono ? 'mono' : ''} style={{ minWidth: 88 }}>{name}</span>
      <span className="t2 ell" title={what}>{what}</span>
    </div>
  );
}

function effectText(effects: NodeDescriptor['effects']): string {
  if (typeof effects === 'string') return t(`catalog.effect.${effects}`);
  return t('catalog.effect.by', { field: 'tools' in effects ? effects.tools : effects.field });
}

function typeText(schema: JsonSchema): string {
  const kept = schema.default === undefined || schema.default === '' || typeof schema.default === 'object' ? '' : t('catalog.default', { value: choiceText(schema, schema.default) });
  return [typeWords(schema), kept].filter(Boolean).join(' · ');
}

const choiceText = (schema: JsonSchema, value: unknown): string =>
  choicesOf(schema)?.find((one) => one.value === value)?.label ?? (typeof value === 'boolean' ? t(value ? 'catalog.yes' : 'catalog.no') : isSpan(schema) && typeof value === 'number' ? formatDuration(value) : String(value));
const isSpan = (schema: JsonSchema): boolean => hintsOf(schema).widget === 'duration';

/** What is to be filled in, in words of people. */
function typeWords(schema: JsonSchema): string {
  const choices = choicesOf(schema);
  if (choices) return choices.map((one) => one.label).join(', ');
  const widget = hintsOf(schema).widget;
  if (widget === 'condition') return t('catalog.type.condition');
  if (schema['x-cel'] === true) return t('catalog.type.expression');
  if (isSpan(schema)) return t('catalog.type.duration');
  const words = typesOf(schema).map((type) => (TYPES.has(type) ? t(`catalog.type.${type}` as MessageKey) : type));
  return words.join(', ');
}
const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);
