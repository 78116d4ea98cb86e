/** Tables and columns of the database that a step names: a click or a drag puts a name into the settings. */
import '../webhook/webhook.css';
import { useState, type DragEvent } from 'react';
import { errorText, toApiError } from '../../api/error.ts';
import { act, usePermission } from '../../api/queries.ts';
import type { Commands, JsonMap } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import { Button, SignalIcon } from '../../kit/index.ts';

type Tables = Commands['database_tables']['response'];
type Table = Tables['tables'][number];

export interface TableBrowserProps {
  workflowId: string;
  config: JsonMap;
  readOnly: boolean;
  /** A name as the settings need it; its parts are a schema and a table, or a column. */
  written(parts: readonly string[]): string;
  onTable(table: Table): void;
  onColumn(table: Table, column: string): void;
}

export function TableBrowser({ workflowId, config, readOnly, written, onTable, onColumn }: TableBrowserProps) {
  const may = usePermission();
  const [asking, setAsking] = useState(false);
  const [found, setFound] = useState<Tables | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [search, setSearch] = useState('');
  if (!may('database_tables')) return null;
  const ask = async () => {
    setAsking(true);
    try {
      setFound(await act('database_tables', { workflowId, config }));
      setProblem(null);
    } catch (error) {
      setFound(null);
      setProblem(errorText(toApiError(error)) || t('tables.failed'));
    } finally {
      setAsking(false);
    }
  };
  const dragged = (parts: readonly string[]) => ({
    draggable: !readOnly,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData('text/plain', written(parts));
      event.dataTransfer.effectAllowed = 'copy';
    },
  });
  const wanted = search.trim().toLowerCase();
  const fits = (table: Table) => wanted === '' || tableName(table).toLowerCase().includes(wanted) || table.columns.some((column) => column.name.toLowerCase().includes(wanted));
  const tables = (found?.tables ?? []).filter(fits);
  return (
    <div className="webhook" role="group" aria-label={t('tables.title')}>
      <span className="s t3">{t('tables.hint')}</span>
      <div className="webhook-buttons">
        <Button small icon="search" disabled={asking} onClick={() => void ask()}>{asking ? t('tables.asking') : t('tables.show')}</Button>
        {(found?.tables.length ?? 0) > 5 ? <input className="input s" type="search" value={search} placeholder={t('tables.search')} aria-label={t('tables.search')} onChange={(event) => setSearch(event.target.value)} /> : null}
      </div>
      <div className="row gap1" aria-live="polite">
        {problem === null ? null : <span className="s c-err row gap1"><SignalIcon signal="err" />{problem}</span>}
        {found ? <span className="s">{found.total === 0 ? t('tables.none') : found.tables.length < found.total ? t('tables.first', { shown: found.tables.length, n: found.total }) : tn('tables.count', found.total)}</span> : null}
      </div>
      {tables.map((table) => (
        <details key={tableName(table)} open={tables.length === 1}>
          <summary className="s">
            <button type="button" className="link mono" disabled={readOnly} {...dragged(tableParts(table))} aria-label={t('tables.insert', { name: tableName(table) })} onClick={(event) => { event.preventDefault(); onTable(table); }}>{tableName(table)}</button>
            {table.kind === 'view' ? <span className="t3"> {t('tables.view')}</span> : null}
          </summary>
          <ul className="s">
            {table.columns.map((column) => (
              <li key={column.name}>
                <button type="button" className="link mono" disabled={readOnly} {...dragged([column.name])} aria-label={t('tables.insert', { name: column.name })} onClick={() => onColumn(table, column.name)}>{column.name}</button>
                <span className="t3"> {column.type}{table.primaryKey.includes(column.name) ? `, ${t('tables.key')}` : ''}</span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

/** Schema and name. The main schema of a SQLite file goes without saying. */
export const tableParts = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string[] => (schema === undefined || schema === 'main' ? [name] : [schema, name]);
export const tableName = (table: Pick<Table, 'schema' | 'name'>): string => tableParts(table).join('.');

