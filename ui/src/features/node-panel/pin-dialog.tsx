// Editing the pinned output of a step, as JSON or as a table.

import { useMemo, useState } from 'react';
import { CodeEditor } from '../../code/CodeEditor.tsx';
import { Pieces } from '../../code/pieces.tsx';
import { formatSize, sizeOf } from '../../code/value-lines.ts';
import { jsonWords, t } from '../../i18n/index.ts';
import { writeExact } from '../../json/exact-json.ts';
import { readJson } from '../../json/read-json.ts';
import { Icon, Segmented } from '../../kit/index.ts';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { plain } from '../../text/letters.ts';
import type { Pins } from '../../shared/pins.ts';
import { itemsOf, tableOf } from '../../shared/items-table/cells.ts';
import { ItemsTable } from '../../shared/items-table/items-table.tsx';
import type { PortTitles } from './data-tab.tsx';

type Ports = Record<string, unknown[]>;

export function PinDialog({ pins, step, title, first, ports: offered, portTitles, onClose }: {
  pins: Pins; step: string; title: string;
  /** What is edited. */
  first: Ports;
  /** The output ports of the step, without that of errors. */
  ports: readonly string[];
  portTitles: PortTitles | undefined;
  onClose: () => void;
}) {
  const names = useMemo(() => [...new Set([...Object.keys(first), ...offered])], [first, offered]);
  const [port, setPort] = useState(names[0] ?? 'success');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() => Object.fromEntries(Object.entries(first).map(([name, items]) => [name, writeExact(items, 2)])));
  const [view, setView] = useState<'json' | 'table'>('json');
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const text = texts[port] ?? '[]';
  const items = useMemo(() => listIn(text), [text]);
  const table = useMemo(() => ('items' in items ? tableOf(items.items) : null), [items]);
  const setText = (next: string) => setTexts({ ...texts, [port]: next });
  const problems = Object.values(texts).some((one) => 'problem' in listIn(one));
  const save = async () => {
    const ports: Ports = {};
    for (const [name, one] of Object.entries(texts)) {
      const read = listIn(one);
      if (!('items' in read)) return;
      if (read.items.length > 0 || Object.hasOwn(first, name)) ports[name] = read.items;
    }
    if (await run(() => pins.pin(step, { ports }), t('pins.done'))) onClose();
  };
  const shown = view === 'table' && table ? 'table' : 'json';
  return (
    <FormDialog title={t('pins.dialog', { step: plain(title) })} submit={t('pins.save')} busy={busy} error={error} complete={!problems} width={760} onSubmit={() => void save()} onClose={onClose}>
      <div className="row data-tools">
        {names.length > 1 ? <Segmented small label={t('pins.port')} value={port} onChange={setPort} options={names.map((name) => ({ value: name, label: portTitles?.[name] ?? name }))} /> : null}
        <span className="grow" />
        <Segmented<'json' | 'table'> small label={t('pins.view')} value={shown} onChange={setView} options={[{ value: 'json', label: t('pins.json') }, { value: 'table', label: t('pins.table') }]} />
      </div>
      {shown === 'table' && table ? (
        <ItemsTable key={port} table={table} onChange={(next) => setText(writeExact(itemsOf(next), 2))} />
      ) : (
        <>
          <CodeEditor key={port} mode="json" minLines={10} label={t('pins.jsonLabel')} value={text} invalid={'problem' in items} onChange={setText} />
          {view === 'table' ? <p className="s t2">{t('pins.noTable')}</p> : null}
          {'problem' in items ? <p className="s c-err row gap1" role="alert"><Icon name="errd" size={12} />{items.problem}</p>
            : <p className="s t3">{t('pins.jsonHint')} {formatSize(sizeOf(items.items))}</p>}
        </>
      )}
      <p className="s t3"><Pieces text={t('pins.where', { file: pins.file })} /></p>
    </FormDialog>
  );
}

/** The items of a text, or why it is no list. */
function listIn(text: string): { items: unknown[] } | { problem: string } {
  const read = readJson(text);
  if ('problem' in read) return { problem: jsonWords(read.problem, text) };
  return Array.isArray(read.value) ? { items: read.value } : { problem: t('pins.notList') };
}
