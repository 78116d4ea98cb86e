/** The correction for a group: typed for one failure, tried on all others, then replayed. */
import { useMemo, useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { CodeEditor } from '../../code/CodeEditor.tsx';
import { writeExact } from '../../json/exact-json.ts';
import { formatNumber, t, tn } from '../../i18n/index.ts';
import { Banner, Button, Checkbox, Field, Icon, Segmented, Switch, TextInput, VirtualList } from '../../kit/index.ts';
import { DiffView } from '../../shared/diff-view.tsx';
import { same } from '../../shared/diff.ts';
import { shortRunId } from '../../shared/run-status.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { plain } from '../../text/letters.ts';
import { NOTHING, correctionOf, numberOf, type Correction, type Rule, type Typed } from './correction.ts';
import { SHOWN, usePreview, type Preview, type Tried } from './use-preview.ts';

type Failure = Commands['failure_members']['response']['failures'][number];

const MOST_RATE = 10_000;
const MOST_AT_ONCE = 500;
const RULES: Rule[] = ['recorded', 'edited', 'patch', 'expression'];
const RECORDED: Correction = { definition: 'original' };

export function CorrectionForm({ group, open, sample }: { group: string; open: number; sample: Failure }) {
  const may = usePermission();
  const [typed, setTyped] = useState<Typed>(NOTHING);
  const [tried, setTried] = useState<{ correction: Correction; sample: number } | null>(null);
  const [reason, setReason] = useState('');
  const [rate, setRate] = useState('50');
  const [atOnce, setAtOnce] = useState('20');
  const [keepAnswers, setKeepAnswers] = useState(false);
  const [includeDifferent, setIncludeDifferent] = useState(false);
  const { preview, start, stop, clear } = usePreview(group);
  const { busy, run } = useAsyncAction();
  // Its input is shown before anything is typed, for the person to change.
  const recorded = useCommand('failure_preview_one', { failure: sample.failure, correction: RECORDED }, { staleTime: 60_000 });
  const text = recorded.data ? writeExact(recorded.data.before, 2) : '';
  const made = correctionOf(typed, sample.failure, text);
  const correction = 'correction' in made ? made.correction : null;
  const builder = may('failure_propose');
  const change = (next: Partial<Typed>) => {
    setTyped((old) => ({ ...old, ...next }));
    // What was checked is no longer what would be replayed.
    clear();
  };
  const type = (rule: Rule, value: string) => change({ texts: { ...typed.texts, [rule]: value } });
  const check = () => {
    if (!correction) return;
    setTried({ correction, sample: sample.failure });
    start(correction, sample.failure);
  };
  const replay = () => {
    const [perSecond, concurrency] = [numberOf(rate, MOST_RATE), numberOf(atOnce, MOST_AT_ONCE)];
    if (!correction || perSecond === undefined || concurrency === undefined) return;
    void run(() => act('replay_start', { group, correction, sample: sample.failure, includeDifferent, keepAnswers, rate: perSecond, concurrency, reason }), t('failures.started')).then((done) => {
      if (done) clear();
    });
  };
  const fitting = preview && !preview.busy && !preview.error ? preview.counts.fits + (includeDifferent ? preview.counts.different : 0) : open;
  const wrongRate = numberOf(rate, MOST_RATE) === undefined ? t('failures.numberHint', { most: formatNumber(MOST_RATE) }) : undefined;
  const wrongAtOnce = numberOf(atOnce, MOST_AT_ONCE) === undefined ? t('failures.numberHint', { most: formatNumber(MOST_AT_ONCE) }) : undefined;
  const ready = correction !== null && reason.trim() !== '' && !wrongRate && !wrongAtOnce && fitting > 0 && !busy;
  return (
    <section className="fl-card" aria-label={t('failures.correct')}>
      <div className="fl-row"><h3 className="m">{t('failures.correct')}</h3><span className="s t3">{t('failures.sample', { run: shortRunId(sample.runId) })}</span></div>
      <div className="fl-row">
        <Segmented<Rule> label={t('failures.rule')} value={typed.rule} onChange={(rule) => { if (rule === 'recorded' || builder) change({ rule }); }}
          options={RULES.filter((rule) => rule === 'recorded' || builder).map((rule) => ({ value: rule, label: t(`failures.rule.${rule}`) }))} />
        <Segmented<'original' | 'current'> label={t('rerun.version')} value={typed.definition} onChange={(definition) => change({ definition })}
          options={[{ value: 'original', label: t('rerun.version.original') }, { value: 'current', label: t('rerun.version.current') }]} />
      </div>
      <span className="s t2">{t(`failures.rule.${typed.rule}Hint`)}{builder ? '' : ` ${t('failures.builderOnly')}`}</span>
      {typed.rule === 'recorded' ? null : typed.rule === 'expression'
        ? <CodeEditor key="expression" mode="cel" label={t('failures.rule.expression')} value={typed.texts.expression ?? ''} placeholder="{'id': item.id}" minLines={3} onChange={(value) => type('expression', value)} />
        : <CodeEditor key={typed.rule} mode="json" label={t(`failures.rule.${typed.rule}`)} value={typed.texts[typed.rule] ?? (typed.rule === 'edited' ? text : '')} placeholder='[{"op": "replace", "path": "/amount", "value": "=double(item.amount)"}]' minLines={4} onChange={(value) => type(typed.rule, value)} />}
      {'wrong' in made && (typed.texts[typed.rule] ?? '') !== '' ? <span className="s c-err row gap1"><Icon name="errd" size={12} />{made.wrong}</span> : null}
      <div className="fl-row">
        {preview?.busy
          ? <Button icon="x" onClick={stop}>{t('failures.previewStop')}</Button>
          : <Button icon="eye" disabled={!correction} onClick={check}>{t(preview ? 'failures.previewAgain' : 'failures.preview')}</Button>}
        {preview ? <Counts preview={preview} open={open} /> : <span className="s t3">{t('failures.previewNote')}</span>}
      </div>
      {preview?.error ? <Banner signal="err" title={preview.error.message}><span className="s t2">{preview.error.hint}</span></Banner> : null}
      {preview && tried && preview.tried.length > 0 ? <PreviewList tried={preview.tried} counts={preview.counts} correction={tried.correction} /> : null}
      <div className="fl-limits">
        <Field label={t('failures.rate')} error={wrongRate}>{({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} inputMode="numeric" value={rate} onChange={setRate} />}</Field>
        <Field label={t('failures.concurrency')} error={wrongAtOnce}>{({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} inputMode="numeric" value={atOnce} onChange={setAtOnce} />}</Field>
      </div>
      <label className="row gap1"><Switch checked={keepAnswers} onChange={setKeepAnswers} label={t('failures.keepAnswers')} />{t('failures.keepAnswers')}</label>
      {preview && preview.counts.different > 0 ? <label className="row gap1"><Checkbox checked={includeDifferent} onChange={setIncludeDifferent} label={t('failures.includeDifferent')} />{t('failures.includeDifferent')}</label> : null}
      <Field label={t('failures.reason')} hint={t('failures.reasonHint')} required>{({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={reason} maxLength={2000} onChange={setReason} />}</Field>
      <div className="fl-row">
        <Button variant="primary" icon="retry" disabled={!ready} onClick={replay}>{tn('failures.replay', fitting)}</Button>
        <span className="s t3">{t('failures.replayNote')}</span>
      </div>
    </section>
  );
}

function Counts({ preview, open }: { preview: Preview; open: number }) {
  const { fits, different, not } = preview.counts;
  const done = fits + different + not;
  return (
    <span className="row gap1 s" role="status">
      {preview.busy ? <span className="t2 row gap1"><Icon name="arc" size={12} spin />{t('failures.checked', { n: formatNumber(done), all: formatNumber(Math.max(done, open)) })}</span> : null}
      <span className="c-ok row gap1"><Icon name="okc" size={12} />{tn('failures.fits', fits)}</span>
      {different > 0 ? <span className="c-warn row gap1"><Icon name="swap" size={12} />{tn('failures.different', different)}</span> : null}
      {not > 0 ? <span className="c-err row gap1"><Icon name="errd" size={12} />{tn('failures.not', not)}</span> : null}
    </span>
  );
}

const RANK: { [F in Tried['fit']]: number } = { not: 0, different: 1, fits: 2 };

/** What does not fit first; the values of the chosen one below. */
function PreviewList({ tried, counts, correction }: { tried: readonly Tried[]; counts: Preview['counts']; correction: Correction }) {
  const shown = tried.length;
  const [failure, setFailure] = useState<number | null>(null);
  const items = useMemo(() => tried.toSorted((a, b) => RANK[a.fit] - RANK[b.fit]), [tried]);
  const at = items.findIndex((one) => one.failure === failure);
  const chosen = items[at];
  return (
    <>
      <div className="fl-rows">
        <VirtualList clickOpens label={t('failures.previewList')} items={items} rowHeight={28} keyOf={(one) => String(one.failure)} {...(at < 0 ? {} : { selected: at })}
          onSelect={(index) => setFailure(items[index]?.failure ?? null)} onOpen={(index) => setFailure(items[index]?.failure ?? null)}
          row={(one) => (
            <div className="fl-line fit">
              <span className="mono t2">{shortRunId(one.runId)}</span>
              <span className={one.fit === 'fits' ? 'c-ok' : one.fit === 'not' ? 'c-err' : 'c-warn'}>{t(`failures.fit.${one.fit}`)}</span>
              <span className="ell t2" title={plain(one.why ?? '')}>{plain(one.why ?? '')}</span>
            </div>
          )} />
      </div>
      {shown < Object.values(counts).reduce((sum, n) => sum + n, 0) ? <span className="s t3">{t('failures.previewShown', { n: formatNumber(SHOWN) })}</span> : null}
      {chosen ? <OneFailure failure={chosen.failure} runId={chosen.runId} correction={correction} /> : null}
    </>
  );
}

function OneFailure({ failure, runId, correction }: { failure: number; runId: string; correction: Correction }) {
  const { data, error } = useCommand('failure_preview_one', { failure, correction }, { staleTime: 10_000 });
  if (error) return <Banner signal="err" title={error.message}><span className="s t2">{error.hint}</span></Banner>;
  if (!data) return null;
  return (
    <>
      {data.why ? <Banner signal="warn" title={plain(data.why)} /> : null}
      {data.after === undefined || same(data.before, data.after) ? <span className="s t2">{t('failures.same')}</span> : null}
      <DiffView before={data.before} after={data.after ?? data.before} label={t('failures.diff', { run: shortRunId(runId) })} />
      {data.masked ? <span className="s t3">{t('failures.masked')}</span> : null}
      {data.repeats.length > 0 ? <span className="s c-warn">{t('failures.repeats', { steps: data.repeats.map(plain).join(', ') })}</span> : null}
    </>
  );
}
