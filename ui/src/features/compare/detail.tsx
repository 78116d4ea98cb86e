/** A step of two runs, side by side: what it came to, and its values. */
import './compare.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import { toApiError, errorText } from '../../api/error.ts';
import { writeExact } from '../../json/exact-json.ts';
import { isCut } from '../../json/json.ts';
import { useCommand } from '../../api/queries.ts';
import { hasCut, loadFullValue } from '../../api/load-full-value.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatSize } from '../../code/value-lines.ts';
import { formatNumber, t, tn } from '../../i18n/index.ts';
import { Badge, Button, EmptyState, Skeleton, Tabs } from '../../kit/index.ts';
import { ValueView } from '../../code/ValueView.tsx';
import { DiffView } from '../../shared/diff-view.tsx';
import { shortRunId } from '../../shared/run-status.tsx';
import { formatStep, type NameOf } from '../../shared/format-path.ts';
import { bothOf, changeOf, isIdle, laidOut, ran, SIDES, signalOf, stateWords, type Comparison, type Side } from './words.ts';

const PARTS = ['input', 'config', 'output', 'error'] as const;
type Part = (typeof PARTS)[number];
/** What a person looks for first. */
const FIRST: readonly Part[] = ['error', 'output', 'input', 'config'];

/** Brings the keys to what a detail shows as soon as it is there, when somebody goes into it; `enter` is told that it is done. */
export function useEnter<E extends HTMLElement>(enter: (() => void) | null, ready: boolean) {
  const box = useRef<E>(null);
  useEffect(() => {
    if (!enter || !ready) return;
    enter();
    (box.current?.querySelector<HTMLElement>('[role=group][tabindex="0"]') ?? box.current?.querySelector<HTMLElement>('[role=tab][tabindex="0"]'))?.focus();
  }, [enter, ready]);
  return box;
}

/** Asks again when the runs have come further than when it was asked; what is on its way is waited for. `came`: how far they are, null while nobody
 * knows. */
export function useAgain(came: string | null, { isFetching, refetch }: { isFetching: boolean; refetch: () => Promise<unknown> }): void {
  const asked = useRef(came);
  useEffect(() => {
    asked.current ??= came;
    if (isFetching || asked.current === came) return;
    asked.current = came;
    void refetch();
  }, [came, isFetching, refetch]);
}

export function StepDetail({ found, came, name, titleOf, inOtherFile, enter }: { found: Comparison; came: string; name: string; titleOf: NameOf; /** It stands in a file that is called. */ inOtherFile: boolean; enter: (() => void) | null }) {
  const both = useCommand('run_diff_step', { runId: found.a.runId, with: found.b.runId, stepId: name }, { refetchOnWindowFocus: false });
  useAgain(came, both);
  const [chosen, setChosen] = useState<Part | null>(null);
  const box = useEnter<HTMLElement>(enter, both.data !== undefined);
  if (both.error) return <div className="cmp-detail"><EmptyState title={errorText(both.error)} text={both.error.hint} actions={<Button icon="retry" onClick={() => void both.refetch()}>{t('common.tryAgain')}</Button>} /></div>;
  if (!both.data) return <div className="cmp-detail"><div className="cmp-none"><Skeleton rows={5} /></div></div>;
  const { a, b, differs } = both.data;
  // Names of steps in other files may be those of steps here.
  const absent = {
    a: !a && !inOtherFile && changeOf(found, name) === 'added' ? t('compare.notDefined') : stateWords(a?.state),
    b: !b && !inOtherFile && changeOf(found, name) === 'removed' ? t('compare.notDefined') : stateWords(b?.state),
  };
  const none = { a: ran(a) ? t('compare.nothing') : absent.a, b: ran(b) ? t('compare.nothing') : absent.b };
  const part = chosen ?? FIRST.find((one) => differs.includes(one)) ?? 'output';
  return (
    <section ref={box} className="cmp-detail" aria-label={formatStep(name, titleOf)}>
      <header className="cmp-head row"><b className="ell"><Pieces text={formatStep(name, titleOf)} /></b></header>
      <div className="cmp-two cmp-sides">
        {SIDES.map((side) => {
          const step = both.data[side];
          return (
            <div key={side} className="row wrap">
              <SideName side={side} run={found[side].runId} />
              {step && !isIdle(step.state) ? <Badge signal={signalOf(step.state)}>{stateWords(step.state)}</Badge> : <Badge>{absent[side]}</Badge>}
              {step ? <span className="s t2 nw">{tn('compare.calls', step.attempts)}</span> : null}
              {step ? Object.entries(step.ports).map(([port, n]) => <span key={port} className="s t3 nw">{t('compare.way', { port, n: formatNumber(n) })}</span>) : null}
            </div>
          );
        })}
      </div>
      <Tabs<Part> label={t('compare.values')} value={part} onChange={setChosen} tabs={PARTS.map((id) => ({ id, label: differs.includes(id) ? t('compare.tabDiffers', { part: t(`compare.tab.${id}`) }) : t(`compare.tab.${id}`) }))}>
        <Values key={part} part={t(`compare.tab.${part}`)} a={a?.[part] ?? []} b={b?.[part] ?? []} none={none} />
      </Tabs>
    </section>
  );
}

const isNone = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** What the wire has cut is shown by its first letters until somebody loads it. */
function shown(value: unknown): unknown {
  if (isCut(value)) return `${value.preview} ${t('value.cut', { size: formatSize(value.length) })}`;
  if (Array.isArray(value)) return value.map(shown);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(one)])) : value;
}

function Values({ a, b, part, none }: { a: unknown; b: unknown; part: string; /** What is said of a side that has no values. */ none: Record<Side, string> }) {
  const [loaded, setLoaded] = useState<{ of: string; a: unknown; b: unknown } | null>(null);
  // What was loaded stays as long as it is the whole of the same values.
  const text = useMemo(() => (hasCut(a) || hasCut(b) ? writeExact([a, b]) ?? '' : ''), [a, b]);
  const whole = loaded?.of === text ? loaded : null;
  const [state, setState] = useState<'idle' | 'loading' | { failed: string }>('idle');
  const both = useMemo(() => {
    const values = bothOf(laidOut(whole?.a ?? a), laidOut(whole?.b ?? b));
    return { a: shown(values.a), b: shown(values.b) };
  }, [a, b, whole]);
  if (isNone(a) && isNone(b)) return <p className="s t3 cmp-none">{t('compare.neither')}</p>;
  const label = t('compare.sideBySide', { part });
  const load = () => {
    setState('loading');
    Promise.all([loadFullValue(a), loadFullValue(b)]).then(([one, other]) => {
      setLoaded({ of: text, a: one, b: other });
      setState('idle');
    }, (cause: unknown) => setState({ failed: toApiError(cause).message }));
  };
  return (
    <div className="cmp-values">
      {whole === null && text !== '' ? (
        <p className="s t2 row" role="status">{typeof state === 'object' ? t('compare.loadFailed', { message: state.failed }) : t('compare.cut')} <Button small busy={state === 'loading'} onClick={load}>{t('compare.load')}</Button></p>
      ) : null}
      {isNone(a) || isNone(b) ? (
        <div className="cmp-two cmp-one" role="group" aria-label={label} tabIndex={0}>
          {SIDES.map((side) => (isNone({ a, b }[side]) ? <p key={side} className="s t3">{none[side]}</p> : <ValueView key={side} value={both[side]} label={t('compare.oneSide', { part, run: t(`compare.side.${side}`) })} />))}
        </div>
      ) : <DiffView view="side" before={both.a} after={both.b} label={label} />}
    </div>
  );
}

export function SideName({ side, run }: { side: Side; run: string }) {
  return <span className="row gap1 nw cmp-side"><b className="cmp-letter" aria-hidden="true">{side.toUpperCase()}</b><span className="vh">{t(`compare.side.${side}`)}</span><span className="s t2 mono">{shortRunId(run)}</span></span>;
}
