// A JSON value as text nodes: whatever it holds is shown as letters, never as markup.

import { writeExact } from '../json/exact-json.ts';
import { useMemo, useState, type DragEvent, type KeyboardEvent, type MouseEvent } from 'react';
import { call } from '../api/client.ts';
import { toApiError } from '../api/error.ts';
import { saveFile } from '../api/save-file.ts';
import { hasCut, loadFullValue } from '../api/load-full-value.ts';
import type { CutValue } from '../api/types.ts';
import { t } from '../i18n/index.ts';
import { IconButton, toast } from '../kit/index.ts';
import { pathExpression, startFieldDrag } from './field-drag.ts';
import { fieldTarget } from './field-target.ts';
import { plain } from '../text/letters.ts';
import { Pieces } from './pieces.tsx';
import { useCopy } from './use-copy.ts';
import { formatSize, keyOf, linesOf, searchIn, type ValueLine, type ValuePath } from './value-lines.ts';
import './value.css';

const PAGE = 400;

export interface ValueViewProps {
  value: unknown;
  /** Expression of the value itself; with it fields can be dragged. */
  root?: string | undefined;
  search?: string;
  label: string;
}

export function ValueView({ value, root, search = '', label }: ValueViewProps) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [limit, setLimit] = useState(PAGE);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    setFolded(new Set());
    setLimit(PAGE);
  }
  const { lines, hidden } = useMemo(() => linesOf(value, folded, limit), [value, folded, limit]);
  if (search.trim() !== '') return <Matches value={value} root={root} search={search.trim()} label={label} />;
  const toggle = (path: ValuePath) => {
    const key = keyOf(path);
    const next = new Set(folded);
    if (!next.delete(key)) next.add(key);
    setFolded(next);
  };
  return (
    <div className="well value" role="group" aria-label={label}>
      {lines.map((line, index) => <Line key={`${keyOf(line.path)} ${line.kind} ${String(index)}`} line={line} root={root} onToggle={toggle} />)}
      {hidden ? <button type="button" className="value-more" onClick={() => setLimit(limit + PAGE)}>{t('value.moreRows', { n: PAGE })}</button> : null}
    </div>
  );
}

function Line({ line, root, onToggle }: { line: ValueLine; root: string | undefined; onToggle: (path: ValuePath) => void }) {
  const close = line.bracket === '[' ? ']' : '}';
  return (
    <div className="vl" style={{ paddingLeft: line.depth * 12 }}>
      {line.name !== undefined ? <><Name name={line.name} path={line.path} root={root} /><span className="t3">: </span></> : null}
      {line.kind === 'open' || line.kind === 'folded' ? (
        <button type="button" className="vl-fold" aria-expanded={line.kind === 'open'} onClick={() => onToggle(line.path)}>
          {line.kind === 'open' ? line.bracket : `${line.bracket ?? ''} ${String(line.count ?? 0)} ${close}`}
        </button>
      ) : null}
      {line.kind === 'close' ? <span className="t3">{close}</span> : null}
      {line.kind === 'empty' ? <span className="t3">{line.bracket}{close}</span> : null}
      {line.kind === 'value' ? <span className={line.type === 'string' ? 'str' : 'num'}><Pieces text={line.text ?? ''} /></span> : null}
      {line.kind === 'cut' && line.cut ? <CutView key={line.cut.ref} cut={line.cut} name={line.name ?? String(line.path.at(-1) ?? 'value')} /> : null}
      {line.comma ? <span className="t3">,</span> : null}
    </div>
  );
}

/** A name without letters is one, too. */
const EMPTY_NAME = '""';

/** A field name that can be dragged onto a setting; Enter puts it into the setting that was typed in last, or copies its expression. */
export function Name({ name, path, root }: { name: string; path: ValuePath; root: string | undefined }) {
  const { copied, copy } = useCopy();
  const [used, setUsed] = useState('');
  if (root === undefined) return <span className="key"><Pieces text={name || EMPTY_NAME} /></span>;
  const expression = pathExpression(root, path);
  const use = () => {
    const target = fieldTarget();
    if (!target) return copy(expression);
    setUsed(t('data.fieldUsed', { text: plain(expression), field: target.label }));
    target.insert(expression);
  };
  return (
    <span
      className="key vl-drag"
      draggable
      role="button"
      tabIndex={0}
      title={copied ? t('data.fieldCopied', { text: plain(expression) }) : plain(expression)}
      aria-label={t('data.useField', { name: plain(expression) })}
      onDragStart={(event: DragEvent) => startFieldDrag(event.dataTransfer, expression)}
      // A screen reader presses without a pointer; who has one drags.
      onClick={(event: MouseEvent) => { if (event.detail === 0) use(); }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        use();
      }}
    >
      <Pieces text={name || EMPTY_NAME} />
      {copied ? <span className="vh" role="status">{t('data.fieldCopied', { text: plain(expression) })}</span> : null}
      {used === '' ? null : <span className="vh" role="status">{used}</span>}
    </span>
  );
}

function Matches({ value, root, search, label }: { value: unknown; root: string | undefined; search: string; label: string }) {
  const found = useMemo(() => searchIn(value, search), [value, search]);
  if (found.length === 0) return <p className="s t3">{t('value.noMatch', { text: search })}</p>;
  return (
    <div className="well value" role="group" aria-label={label}>
      {found.map((match) => {
        const name = pathExpression('', match.path).replace(/^\./, '') || '.';
        return (
          <div className="vl" key={keyOf(match.path)}>
            <Name name={name} path={match.path} root={root} /><span className="t3">: </span><span><Pieces text={match.text} /></span>
          </div>
        );
      })}
    </div>
  );
}

/** "(51.1KB, truncated)", the first letters, and the ways to the whole. */
function CutView({ cut, name }: { cut: CutValue; name: string }) {
  const [state, setState] = useState<{ kind: 'cut' | 'loading' } | { kind: 'whole'; value: unknown } | { kind: 'failed'; message: string }>({ kind: 'cut' });
  const { copied, copy } = useCopy();

  async function load(): Promise<unknown> {
    return state.kind === 'whole' ? state.value : await call('run_value', { ref: cut.ref });
  }
  const failed = (cause: unknown) => setState({ kind: 'failed', message: toApiError(cause).message });
  const show = () => {
    setState({ kind: 'loading' });
    load().then((value) => setState({ kind: 'whole', value }), failed);
  };
  // Neither needs the whole on the page, where it may be megabytes.
  const save = () => {
    load().then(async (value) => {
      const saved = await saveFile(`${name}.${typeof value === 'string' ? 'txt' : 'json'}`, { text: textOf(value) });
      if (saved?.path !== undefined) toast({ signal: 'ok', text: t('value.savedTo', { path: saved.path }) });
    }).catch(failed);
  };
  return (
    <span className="cut">
      <span className="cut-size t2">{state.kind === 'whole' ? formatSize(cut.length) : t('value.cut', { size: formatSize(cut.length) })}</span>
      <span className="cut-tools">
        {state.kind === 'whole' ? (
          <button type="button" className="lab-add" onClick={() => setState({ kind: 'cut' })}>{t('value.less')}</button>
        ) : (
          <button type="button" className="lab-add" disabled={state.kind === 'loading'} onClick={show}>
            {state.kind === 'loading' ? t('value.loading') : t('value.load')}
          </button>
        )}
        <IconButton small icon={copied ? 'check' : 'copy'} label={copied ? t('value.copied') : t('value.copy')}
          onClick={() => copy(state.kind === 'whole' ? textOf(state.value) : load().then(textOf))} />
        <IconButton small icon="dl" label={t('value.download')} onClick={save} />
      </span>
      {state.kind === 'failed' ? <span className="c-err cut-line">{t('value.loadFailed', { message: state.message })}</span> : null}
      {state.kind === 'whole' ? <Whole value={state.value} /> : <span className="cut-preview str"><Pieces text={cut.preview} /></span>}
    </span>
  );
}

/** More than this at once would hold the window. */
const MOST = 200_000;

function Whole({ value }: { value: unknown }) {
  const text = useMemo(() => textOf(value), [value]);
  if (text.length <= MOST) return <span className="cut-whole">{plain(text)}</span>;
  return <><span className="cut-whole">{plain(text.slice(0, MOST))}</span><span className="cut-line t2">{t('value.part', { size: formatSize(MOST), whole: formatSize(text.length) })}</span></>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (writeExact(value, 2) ?? ''));

/** A button that copies a value, and says so. What the wire has cut is loaded first. */
export function CopyButton({ value }: { value: unknown }) {
  const { copied, copy } = useCopy();
  return <IconButton small icon={copied ? 'check' : 'copy'} label={copied ? t('value.copied') : t('value.copy')} onClick={() => copy(hasCut(value) ? loadFullValue(value).then(textOf) : textOf(value))} />;
}
