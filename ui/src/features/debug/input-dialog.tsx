/** Another input for a call that waits: written as JSON, checked by the engine, shown as a difference before it is sent. */
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { call, whenTokenChanges } from '../../api/client.ts';
import { isTransient, sentences, toApiError } from '../../api/error.ts';
import { writeExact } from '../../json/exact-json.ts';
import { readJson } from '../../json/read-json.ts';
import { slotKey } from '../../run/run-paths.ts';
import { act, useCommand } from '../../api/queries.ts';
import type { WaitingCall } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { jsonWords, t, tn } from '../../i18n/index.ts';
import { Button, ConfirmDialog, Dialog, Icon, Select, Skeleton, TextArea, toast } from '../../kit/index.ts';
import { same } from '../../shared/diff.ts';
import { DiffView } from '../../shared/diff-view.tsx';
import { ConflictBanner } from '../../shared/conflict-banner.tsx';
import { formatStep, type NameOf } from '../../shared/format-path.ts';
import './debug.css';

const SETTLE_MS = 250;
const AGAIN_MS = 2_000;

/** Which of the iterations, too: people count from 1. */
const whereOf = ({ path, stepId }: WaitingCall, titleOf: NameOf): string => formatStep(slotKey(stepId, path), titleOf);
const keyOf = (one: WaitingCall): string => `${one.path ?? ''}/${one.stepId}#${one.item ?? ''}`;

/** `seq`: the last event of the run, which may be about an input that somebody else has edited. `over`: the run no longer waits. */
export function InputDialog({ runId, titleOf, seq, over = false, onClose }: { runId: string; titleOf: NameOf; seq?: number; over?: boolean; onClose(): void }) {
  // What waited at an earlier stop is kept by the cache: it would stand in the box as what waits now.
  const found = useCommand('run_debug', { runId }, { staleTime: 0, gcTime: 0, enabled: !over });
  const { refetch } = found;
  const seen = useRef(seq);
  useEffect(() => {
    if (over || seen.current === seq) return;
    seen.current = seq;
    void refetch();
  }, [over, seq, refetch]);
  /** By call: what was typed is there when it is chosen again, and when it no longer waits. */
  const [typed, setTyped] = useState<ReadonlyMap<string, { text: string; call: WaitingCall }>>(new Map());
  const calls = useMemo(() => (over ? [...typed.values()].map(({ call: its }) => its) : (found.data?.waiting ?? []).filter((one) => one.editable)), [over, typed, found.data]);
  const [chosen, setChosen] = useState<string | null>(null);
  // The first one is chosen once: what comes to stand before it does not take its place.
  if (chosen === null && calls[0]) setChosen(keyOf(calls[0]));
  const one = calls.find((each) => keyOf(each) === chosen) ?? calls[0];
  const latest = useLatest(typed);
  const [leaving, setLeaving] = useState(false);
  // Esc is pressed by habit; what was typed here stands nowhere else.
  const changed = calls.filter((each) => typed.has(keyOf(each)));
  const leave = () => (changed.length > 0 ? setLeaving(true) : onClose());
  const nothing = over && typed.size === 0;
  useEffect(() => {
    if (!nothing) return;
    toast({ signal: 'warn', text: t('debug.input.over'), detail: t('debug.input.overHint') });
    onClose();
  }, [nothing]); // eslint-disable-line react/exhaustive-deps
  const named = (each: WaitingCall): string => {
    const step = whereOf(each, titleOf);
    return each.item === undefined ? step : t('debug.input.item', { step, n: each.item + 1 });
  };
  if (!one) {
    return (
      <Dialog open onClose={onClose} title={t('debug.edit')} closeLabel={t('common.cancel')} footer={<Button onClick={onClose}>{t('common.cancel')}</Button>}>
        {found.isPending ? <div aria-busy="true" aria-label={t('debug.input.loading')}><Skeleton rows={3} /></div> : <p className="t2">{found.error ? found.error.message : t('debug.input.none')}</p>}
      </Dialog>
    );
  }
  const key = keyOf(one);
  const type = (text: string | undefined) => setTyped((old) => {
    const next = new Map(old);
    if (text === undefined) next.delete(key);
    else next.set(key, { text, call: one });
    return next;
  });
  const onSent = () => {
    type(undefined);
    // What is typed for another one, maybe while this one was sent, did not go with it.
    const other = calls.map(keyOf).find((each) => each !== key && latest.current.has(each));
    if (other === undefined) onClose();
    else setChosen(other);
  };
  const drop = () => {
    const next = [...typed.keys()].find((each) => each !== key);
    if (next === undefined) return onClose();
    type(undefined);
    setChosen(next);
  };
  return <Editor key={key} runId={runId} one={one} title={whereOf(one, titleOf)} typed={typed.get(key)?.text} over={over} onDrop={drop} onType={type} onSent={onSent} onLeave={leave}
    question={<ConfirmDialog open={leaving} danger title={t('debug.input.leave')} text={over ? t('debug.input.dropText') : calls.length > 1 ? tn('debug.input.leaveNamed', changed.length, { names: changed.map(named).join(', ') }) : t('debug.input.leaveText')} confirm={t('debug.input.leaveYes')} cancel={t('debug.input.leaveNo')} onConfirm={onClose} onClose={() => setLeaving(false)} />}
    which={calls.length > 1 ? <label className="field"><span className="lab">{t('debug.input.which')}</span>
      <Select value={keyOf(one)} label={t('debug.input.which')} options={calls.map((each) => ({ value: keyOf(each), label: named(each) }))} onChange={setChosen} /></label> : null} />;
}

function refusal(cause: unknown): { problem: string; isTransient: boolean } {
  const error = toApiError(cause);
  return { problem: error.message, isTransient: isTransient(error) };
}

function Editor({ runId, one, title, typed, over, onDrop, onType, onSent, onLeave, question, which }: {
  runId: string; one: WaitingCall; title: string; /** Undefined: the input as it is. */ typed: string | undefined; over: boolean; onDrop(): void; onType(text: string | undefined): void;
  onSent(): void; onLeave(): void; question: ReactNode; which: ReactNode;
}) {
  const asIs = useMemo(() => writeExact(one.input, 2), [one]);
  const text = typed ?? asIs;
  const now = useMemo(() => readJson(text), [text]);
  const [checked, setChecked] = useState<{ text: string; problem: string | null; isTransient?: boolean } | null>(null);
  const [busy, setBusy] = useState(false);
  /** Counts what was sent and not answered, and what another token may take: it is checked from the beginning. */
  const [round, setRound] = useState(0);
  useEffect(() => whenTokenChanges(() => setRound((n) => n + 1)), []);
  const place = useMemo(() => ({ runId, stepId: one.stepId, ...(one.path === undefined ? {} : { path: one.path }), ...(one.item === undefined ? {} : { item: one.item }) }), [runId, one]);
  const isSame = 'value' in now && same(now.value, one.input);
  useEffect(() => {
    if (over || !('value' in now)) return undefined;
    const { value } = now;
    const stop = new AbortController();
    const check = () => {
      call('run_edit_input', { ...place, input: value, check: true }, stop.signal).then(
        () => setChecked({ text, problem: null }),
        (cause: unknown) => {
          if (stop.signal.aborted) return;
          const refused = refusal(cause);
          setChecked({ text, ...refused });
          if (refused.isTransient) timer = setTimeout(check, AGAIN_MS);
        },
      );
    };
    let timer = setTimeout(check, SETTLE_MS);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [now, text, place, over, round]);
  const verdict = checked?.text === text ? checked : null;
  const problem = 'problem' in now ? jsonWords(now.problem, text) : verdict?.problem ?? null;
  const waits = verdict?.isTransient === true;
  const fits = !over && !isSame && problem === null && verdict !== null;
  const send = async () => {
    if (!('value' in now) || !fits || busy) return;
    setBusy(true);
    try {
      await act('run_edit_input', { ...place, input: now.value });
      toast({ signal: 'ok', text: t('debug.input.done') });
      onSent();
    } catch (cause) {
      const refused = refusal(cause);
      setChecked({ text, ...refused });
      if (refused.isTransient) setRound((n) => n + 1);
    } finally {
      setBusy(false);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void send();
  };
  return (
    <Dialog open typed onClose={onLeave} width={720} title={t('debug.input.title', { step: title })} closeLabel={t('common.cancel')} footer={<>
      <Button onClick={onLeave} keys="Escape">{t(over ? 'common.close' : 'common.cancel')}</Button>
      <Button variant="primary" icon="pencil" busy={busy} disabled={!fits} keys="Mod+Enter" onClick={() => void send()}>{t('debug.input.use')}</Button>
    </>}>
      <div className="dbg-input" role="presentation" onKeyDown={onKey}>
        {over ? <ConflictBanner title={t('debug.input.over')} json={() => text} onDrop={onDrop}>{t('debug.input.overHint')}</ConflictBanner> : null}
        {which}
        <label className="field"><span className="lab">{t('debug.input.value')}</span>
          <TextArea mono rows={10} value={text} readOnly={over} invalid={!over && problem !== null && !waits} aria-label={t('debug.input.value')} onChange={(next) => onType(next === asIs ? undefined : next)} />
        </label>
        {over ? null : (
          <span className={`s row gap1 ${problem === null ? 't2' : waits ? 'c-wait' : 'c-err'}`} role="status">
            {problem === null ? null : <Icon name={waits ? 'warn' : 'errd'} size={12} />}
            {problem === null ? t(verdict === null ? 'debug.input.checking' : 'debug.input.fits') : waits ? sentences(problem, t('debug.input.again')) : problem}
          </span>
        )}
        <div className="field"><span className="lab">{t('debug.input.change')}</span>
          {'value' in now && !isSame ? <DiffView before={one.input} after={now.value} label={t('debug.input.change')} /> : <span className="s t2">{t('debug.input.same')}</span>}
        </div>
      </div>
      {question}
    </Dialog>
  );
}
