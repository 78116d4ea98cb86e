// Examples of a kind as a person reads them: what comes in, how it is set, what goes out.

import type { JsonSchema, NodeDescriptor } from '../../api/types.ts';
import { isObject } from '../../json/json.ts';
import { t } from '../../i18n/index.ts';
import { labelOf } from '../../schema-form/index.ts';

export function Examples({ kind, config }: { kind: NodeDescriptor; config: JsonSchema }) {
  if (kind.examples.length === 0) return null;
  return (
    <section>
      <h3>{t('catalog.examples')}</h3>
      <ul className="col c-examples">
        {kind.examples.map((example) => (
          <li key={example.title} className="box">
            <b>{example.title}</b>
            <dl className="kv">
              {kind.input && example.input.length > 0 ? <><dt>{t('catalog.exampleIn')}</dt><dd><Data items={example.input} /></dd></> : null}
              {isObject(example.config) && Object.keys(example.config).length > 0 ? <><dt>{t('catalog.settings')}</dt><dd><Settings config={example.config} schema={config} /></dd></> : null}
              {Object.entries(example.output ?? {}).map(([port, items]) => (
                <Out key={port} name={portName(kind, port)} items={items} />
              ))}
              {example.error ? <><dt>{t('catalog.exampleError')}</dt><dd><code>{example.error}</code> {kind.errors.find((one) => one.code === example.error)?.when ?? ''}</dd></> : null}
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}

const portName = (kind: NodeDescriptor, port: string): string => kind.ports.find((one) => one.id === port)?.title ?? port;

const Out = ({ name, items }: { name: string; items: readonly unknown[] }) => <><dt>{t('catalog.exampleOut', { port: name })}</dt><dd>{items.length ? <Data items={items} /> : t('catalog.exampleNothing')}</dd></>;

function Settings({ config, schema }: { config: { readonly [name: string]: unknown }; schema: JsonSchema }) {
  return <ul>{Object.entries(config).map(([name, value]) => <li key={name}>{labelOf(name, schema.properties?.[name] ?? {})}: <code>{short(value)}</code></li>)}</ul>;
}

const short = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Plain records as a table, anything else as it is written. */
function Data({ items }: { items: readonly unknown[] }) {
  const flat = items.length > 0 && items.every((item) => isObject(item) && Object.values(item).every((value) => typeof value !== 'object' || value === null));
  const columns = flat ? [...new Set(items.flatMap((item) => Object.keys(item as object)))] : [];
  if (columns.length === 0 || columns.length > 5) return <code className="c-json">{items.map(short).join('\n')}</code>;
  return (
    <div className="box x"><table className="c-table">
      <thead><tr>{columns.map((name) => <th key={name}>{name}</th>)}</tr></thead>
      <tbody>{items.map((item, row) => (
        // Rows of an example never change.
        <tr key={`row ${String(row)}`}>{columns.map((name) => <td key={name}>{short((item as { [name: string]: unknown })[name])}</td>)}</tr>
      ))}</tbody>
    </table></div>
  );
}
