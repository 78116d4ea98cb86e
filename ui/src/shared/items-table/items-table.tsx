// Items as a table that is edited: a row for each item, a column for each field.

import { useState } from 'react';
import { Pieces } from '../../code/pieces.tsx';
import { t } from '../../i18n/index.ts';
import { Button, IconButton, TextInput } from '../../kit/index.ts';
import type { ItemTable } from './cells.ts';

export function ItemsTable({ table, onChange }: { table: ItemTable; onChange: (next: ItemTable) => void }) {
  const { columns, rows } = table;
  const [field, setField] = useState('');
  const [added, setAdded] = useState<readonly string[]>([]);
  const all = [...columns, ...added.filter((name) => !columns.includes(name))];
  const name = field.trim();
  const change = (row: number, column: number, value: string) =>
    onChange({ columns: all, rows: rows.map((cells, i) => all.map((_, j) => (i === row && j === column ? value : cells[j]))) });
  return (
    <div className="col gap1">
      <div className="box data-table pin-table">
        <table aria-label={t('pins.tableLabel')}>
          <thead><tr><th scope="col">#</th>{all.map((one) => <th scope="col" key={one}><Pieces text={one} /></th>)}<th /></tr></thead>
          <tbody>
            {rows.map((cells, row) => (
              // An item has no other name than its place.
              <tr key={row}>
                <th scope="row">{row + 1}</th>
                {all.map((one, column) => (
                  <td key={one}><Cell label={t('pins.cell', { column: one, n: row + 1 })} value={cells[column] ?? ''} onChange={(value) => change(row, column, value)} /></td>
                ))}
                <td><IconButton small icon="x" label={t('pins.removeRow', { n: row + 1 })} onClick={() => onChange({ columns: all, rows: rows.filter((_, i) => i !== row) })} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="row">
        <Button small icon="plus" onClick={() => onChange({ columns: all, rows: [...rows, all.map((one) => (columns.includes(one) ? '' : undefined))] })}>{t('pins.addRow')}</Button>
        <span className="grow" />
        <TextInput aria-label={t('pins.columnName')} placeholder={t('pins.columnName')} value={field} onChange={setField} />
        <Button small icon="plus" disabled={name === '' || all.includes(name)} onClick={() => { setAdded([...added, name]); setField(''); }}>{t('pins.addColumn')}</Button>
      </div>
      <p className="s t3">{t('pins.tableHint')}</p>
    </div>
  );
}

/** What is typed is kept as typed until the field is left: `1.` is on its way to `1.5`. */
function Cell({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput mono aria-label={label} value={typed ?? value} onChange={(next) => { setTyped(next); onChange(next); }} onBlur={() => setTyped(null)} />
  );
}
