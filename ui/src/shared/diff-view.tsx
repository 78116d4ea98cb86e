// Original and corrected, line by line: always with a sign in front, not by colour alone.

import { useMemo, useState, type ReactNode } from 'react';
import type { JsonSchema } from '../api/types.ts';
import { t, tn } from '../i18n/index.ts';
import { diffLines, fold, type DiffLine, type Shown } from './diff.ts';
import { Pieces } from '../code/pieces.tsx';
import { holdsSecret, secretAt } from './secret-paths.ts';
import './diff.css';

const MOST = 600;

/** `schema`: that of the values. What it marks as secret is shown as dots. */
export function DiffView({ before, after, schema, view = 'together', label }: { before: unknown; after: unknown; schema?: JsonSchema | undefined; view?: 'together' | 'side'; label: string }) {
  const lines = useMemo(() => diffLines(before, after, schema && holdsSecret(schema) ? (path) => secretAt(schema, path) : undefined), [before, after, schema]);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [limit, setLimit] = useState(MOST);
  const shown = useMemo(() => fold(lines).flatMap<Shown>((one) => ('fold' in one && open.has(one.key) ? one.fold : [one])), [lines, open]);
  const unfold = (key: string) => setOpen(new Set(open).add(key));
  const rest = shown.length - limit;
  return (
    // Long differences scroll: the box takes the focus so that keys can do it.
    <div className={`diff ${view}`} role="group" aria-label={label} tabIndex={0}>
      {view === 'side' ? <SideBySide lines={shown.slice(0, limit)} onUnfold={unfold} /> : shown.slice(0, limit).map((one, index) => <Row key={`l${String(index)}`} one={one} onUnfold={unfold} />)}
      {rest > 0 ? <button type="button" className="diff-fold" onClick={() => setLimit(limit + MOST)}>{tn('diff.more', rest)}</button> : null}
    </div>
  );
}

function Row({ one, onUnfold }: { one: Shown; onUnfold(key: string): void }) {
  if ('fold' in one) return <button type="button" className="diff-fold" onClick={() => onUnfold(one.key)}>{tn('diff.same', one.fold.length)}</button>;
  return <Line line={one} />;
}

const CLASS = { ' ': '', '-': 'd', '+': 'a' } as const;
function Line({ line }: { line: DiffLine }) {
  return (
    <div className={`dl ${CLASS[line.mark]}`}>
      <span className="dl-mark">{line.mark === '-' ? <>−<span className="vh">{t('diff.gone')}</span></> : line.mark === '+' ? <>+<span className="vh">{t('diff.come')}</span></> : ''}</span>
      <bdi className="dl-text" style={{ paddingLeft: line.depth * 14 }}>{letters(line)}</bdi>
    </div>
  );
}

function letters(line: DiffLine): ReactNode {
  const { text, from, to } = line;
  if (from === undefined || to === undefined || from >= to) return <Pieces text={text} />;
  return <><Pieces text={text.slice(0, from)} /><mark className="ch"><Pieces text={text.slice(from, to)} /></mark><Pieces text={text.slice(to)} /></>;
}

function SideBySide({ lines, onUnfold }: { lines: Shown[]; onUnfold(key: string): void }) {
  const rows: [DiffLine | null, DiffLine | null][] = [];
  const out: ReactNode[] = [];
  let gone: DiffLine[] = [];
  let come: DiffLine[] = [];
  const pair = () => {
    for (let n = 0; n < Math.max(gone.length, come.length); n += 1) rows.push([gone[n] ?? null, come[n] ?? null]);
    gone = [];
    come = [];
  };
  const flush = () => {
    pair();
    for (const [left, right] of rows) {
      out.push(
        <div className="dl-two" key={`r${String(out.length)}`}>
          {left ? <Line line={left} /> : <div className="dl none" />}
          {right ? <Line line={right} /> : <div className="dl none" />}
        </div>,
      );
    }
    rows.length = 0;
  };
  for (const one of lines) {
    if ('fold' in one) {
      flush();
      out.push(<Row key={`r${String(out.length)}`} one={one} onUnfold={onUnfold} />);
    } else if (one.mark === '-') gone.push(one);
    else if (one.mark === '+') come.push(one);
    else {
      pair();
      rows.push([one, one]);
    }
  }
  flush();
  return <>{out}</>;
}
