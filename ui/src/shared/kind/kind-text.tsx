/** What is said of a kind of step: what it does, its examples, ports, settings and errors. The Catalog and Help show it. */
import './kind.css';
import type { JsonSchema, NodeDescriptor } from '../../api/types.ts';
import { formatDuration, t, type MessageKey } from '../../i18n/index.ts';
import { asSchema } from '../../json/json-schema.ts';
import { Badge } from '../../kit/index.ts';
import { choicesOf, hintsOf, labelOf, typesOf } from '../../schema-form/index.ts';
import { Examples } from './examples.tsx';

export function KindText({ kind }: { kind: NodeDescriptor }) {
  const config = asSchema(kind.config);
  const fields = Object.entries(config.properties ?? {});
  const required = config.required ?? [];
  return (
    <div className="c-kind">
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
    </div>
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
