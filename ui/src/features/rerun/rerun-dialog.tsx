/** Re-run from a step (U-23, C24): step, version, values with their changes, decisions of people, what happens again. */
import './rerun.css';
import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { writeExact } from '../../json/exact-json.ts';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { toApiError, type ApiError } from '../../api/error.ts';
import { readPath, stepAt } from '../../run/run-paths.ts';
import type { Commands, Diagnostic, JsonMap, Workflow } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { CodeEditor } from '../../code/CodeEditor.tsx';
import { formatPerson, jsonWords, t, tn } from '../../i18n/index.ts';
import { Badge, Banner, Button, ConfirmDialog, Dialog, Icon, Segmented, Select, Skeleton, Tabs } from '../../kit/index.ts';
import { sendable, withTitle, type Breakpoint } from '../../shared/breakpoints.ts';
import { same } from '../../shared/diff.ts';
import { DiffView } from '../../shared/diff-view.tsx';
import { answerWords } from '../../shared/decision-labels.ts';
import { usePins, withPins } from '../../shared/pins.ts';
import { shortRunId } from '../../shared/run-status.tsx';
import { formatStep, type NameOf } from '../../shared/format-path.ts';
import type { RerunPart } from '../../shared/rerun-context.ts';
import { itemsOf, tableOf } from '../../shared/items-table/cells.ts';
import { ItemsTable } from '../../shared/items-table/items-table.tsx';
import { InputHistory } from './input-history.tsx';
import { changedOf, missingOf, readItems, readValues, undeclared } from './edits.ts';

type Plan = Commands['rerun_look']['response'];
type Step = Plan['steps'][number];
type Version = 'original' | 'current';
type Part = RerunPart;
type Typed = Readonly<Partial<Record<Part, string>>>;

const NOTHING: Typed = {};
const itsId: NameOf = (id) => id;

/** `undefined`: it stands there again as the plan says it. What was taken back is no change. */
function withText(typed: Typed, part: Part, text: string | undefined): Typed {
  const { [part]: _, ...others } = typed;
  return text === undefined ? others : { ...others, [part]: text };
}

/** What a person has changed, by its names. */
type Kept = Readonly<Record<'variables' | 'params', JsonMap>>;

function withPlan(typed: Typed, kept: Kept, plan: Plan): Typed {
  const of = { variables: plan.context as JsonMap, params: plan.params as JsonMap };
  return (['variables', 'params'] as const).reduce<Typed>((all, part) => {
    if (all[part] === undefined) return all;
    return withText(all, part, Object.keys(kept[part]).length > 0 ? pretty({ ...of[part], ...kept[part] }) : undefined);
  }, typed);
}

export interface RerunDialogProps {
  runId: string;
  /** The step asked for; one of `steps`, or one in a container with its path. */
  step: string;
  /** The values that are shown first. */
  part?: RerunPart | undefined;
  /** Steps of the run that can be chosen. */
  steps: readonly { name: string; title: string }[];
  /** The title of any step, those in containers too. */
  titleOf?: NameOf | undefined;
  /** The step runs alone: the new run ends after it. */
  alone?: boolean | undefined;
  /** Which version is chosen first. */
  first?: Version | undefined;
  /** What the editor shows; without it the file of the library is the current version. */
  document?: Workflow | undefined;
  /** What the run was started with. */
  definition?: Workflow | undefined;
  /** `breakpoints`: those that went with it. */
  onStarted(runId: string, breakpoints: readonly Breakpoint[]): void;
  onClose(): void;
}

export function RerunDialog({ runId, step: asked, part, alone = false, first = 'original', steps, titleOf = itsId, document, definition, onStarted, onClose }: RerunDialogProps) {
  const [step, setStep] = useState(asked);
  const [version, setVersion] = useState<Version>(first);
  const [typed, setTyped] = useState<Readonly<Record<string, Typed>>>({});
  const [leaving, setLeaving] = useState(false);
  const pins = usePins();
  const sent = version === 'current' && document ? { document, ...withPins(pins) } : {};
  const plan = useCommand('rerun_look', { runId, stepId: step, definition: version, ...(alone ? { until: stepAt(step).stepId } : {}), ...sent }, { staleTime: 0, placeholderData: (old) => (old?.stepId === step ? old : undefined) });
  // A file of the library that differs is not at hand here.
  const begins = version === 'current' && !plan.data?.sameDefinition ? document : definition ?? document;
  // The step asked for can be chosen again, also one in a container.
  const others = [...new Set([asked, step])].filter((name) => !steps.some((one) => one.name === name));
  const known = [...others.map((name) => ({ name, title: formatStep(name, titleOf) })), ...steps];
  const title = known.find((one) => one.name === step)?.title ?? step;
  const head = (
    <>
      <div className="rr-row">
        <span className="rr-label">{t('rerun.step')}</span>
        <Select label={t('rerun.step')} value={step} onChange={setStep} options={known.map((one) => ({ value: one.name, label: one.title, ...(one.title === one.name ? {} : { hint: one.name }) }))} />
      </div>
      <div className="rr-row">
        <span className="rr-label">{t('rerun.version')}</span>
        <Segmented<Version> label={t('rerun.version')} value={version} onChange={setVersion}
          options={[{ value: 'original', label: t('rerun.version.original') }, { value: 'current', label: t('rerun.version.current') }]} />
      </div>
    </>
  );
  // What was typed belongs to one step, and is there when that is chosen again; another version keeps it. Masks that come or go make other texts of it:
  // those of before are not shown, and nobody could take them back.
  const masks = plan.data ? ` ${String(plan.data.masked)}` : '';
  const some = Object.entries(typed).some(([one, texts]) => one.endsWith(masks) && Object.keys(texts).length > 0);
  // Esc is pressed by habit; what was typed here stands nowhere else.
  const leave = () => (some ? setLeaving(true) : onClose());
  const question = <ConfirmDialog open={leaving} danger title={t('rerun.leave')} text={t('rerun.leaveText')} confirm={t('rerun.leaveYes')} cancel={t('rerun.leaveNo')} onConfirm={onClose} onClose={() => setLeaving(false)} />;
  if (!plan.data || plan.error) {
    return (
      <Dialog open typed={some} onClose={leave} title={t(alone ? 'rerun.titleAlone' : 'rerun.title', { step: title })} closeLabel={t('common.cancel')} width={760} footer={<Button onClick={leave} keys="Escape">{t('common.cancel')}</Button>}>
        <div className="rr">{head}{plan.error ? <Refused error={plan.error} /> : <Skeleton rows={5} />}</div>
        {question}
      </Dialog>
    );
  }
  const key = step + masks;
  /** The plan is another one now: what the person has changed stays, and all else is as it says. */
  const look = async (kept: Kept) => {
    const { data } = await plan.refetch();
    if (data) setTyped((old) => ({ ...old, [key]: withPlan(old[key] ?? NOTHING, kept, data) }));
  };
  const outside = outsideOf(step, definition ?? document, titleOf);
  return <Form key={key} typed={typed[key] ?? NOTHING} onType={(one, text) => setTyped((old) => ({ ...old, [key]: withText(old[key] ?? NOTHING, one, text) }))} onLeave={leave} question={question} runId={runId} title={title} alone={alone} first={part ?? (alone || outside ? 'input' : 'variables')} outside={outside} plan={plan.data} version={version} document={document} begins={begins} workflowId={(definition ?? document)?.id} head={head} nameOf={titleOf} isOld={plan.isPlaceholderData} onChanged={(kept) => void look(kept)} onStarted={onStarted} />;
}

/** What a step of another file has around it: variables and input that can be changed are those of the workflow that was started. */
interface Outside { caller: string; workflow: string }

function outsideOf(name: string, definition: Workflow | undefined, nameOf: NameOf): Outside | undefined {
  const { path } = stepAt(name);
  const caller = path === undefined ? undefined : readPath(path, definition).caller;
  return caller === undefined || !definition ? undefined : { caller: nameOf(caller), workflow: plain(definition.name) };
}

function Refused({ error }: { error: ApiError }) {
  const found = (error.details as { diagnostics?: unknown } | undefined)?.diagnostics;
  const list = Array.isArray(found) ? (found as Diagnostic[]).filter((one) => one.severity === 'error') : [];
  return (
    <Banner signal="err" title={error.message}>
      <span className="s t2">{error.hint}</span>
      {list.length ? <ul className="rr-found s">{list.map((one) => <li key={`${one.code} ${one.path} ${one.message}`}>{plain(one.message)} <span className="t2">{plain(one.hint)}</span></li>)}</ul> : null}
    </Banner>
  );
}

const pretty = (value: unknown): string => writeExact(value, 2);

function Form({ typed, onType, onLeave, question, runId, title, alone, first, outside, plan, version, document, begins, workflowId, head, nameOf, isOld, onChanged, onStarted }: {
  /** What nobody typed in shows the plan of the moment: a kept text would be sent as a change of what another version has. */
  typed: Typed; onType(part: Part, text: string | undefined): void;
  onLeave(): void; question: ReactNode;
  runId: string; title: string; alone: boolean; first: Part; outside: Outside | undefined; plan: Plan; version: Version; document: Workflow | undefined; begins: Workflow | undefined; workflowId: string | undefined; head: ReactNode; nameOf: NameOf; /** It is the plan of another version. */ isOld: boolean; onChanged(kept: Kept): void; onStarted: RerunDialogProps['onStarted'];
}) {
  const may = usePermission();
  const pins = usePins();
  const [part, setPart] = useState<Part>(first);
  const asIs = useMemo(() => ({ variables: pretty(plan.context), input: pretty(plan.input), params: pretty(plan.params) }), [plan]);
  const texts = { ...asIs, ...typed };
  const [keep, setKeep] = useState<'ask' | 'keep'>('ask');
  const [view, setView] = useState<'table' | 'json'>(alone ? 'table' : 'json');
  // The earlier run whose input was taken, until something else is.
  const [from, setFrom] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);
  const before = { variables: plan.context as JsonMap, params: plan.params as JsonMap };
  const variables = useMemo(() => readValues(texts.variables), [texts.variables]);
  const params = useMemo(() => readValues(texts.params), [texts.params]);
  const input = useMemo(() => readItems(texts.input), [texts.input]);
  const rows = useMemo(() => ('value' in input ? tableOf(input.value) : null), [input]);
  const inputChanged = 'value' in input && !same(plan.input, input.value);
  const problems: Record<Part, string | undefined> = {
    variables: problemOf(variables, texts.variables, before.variables),
    params: problemOf(params, texts.params, before.params),
    input: !('problem' in input) ? undefined : input.problem === 'list' ? t('rerun.notList') : jsonWords(input.problem, texts.input),
  };
  const bad = Object.values(problems).some((one) => one !== undefined);
  const counts: Record<Part, number> = {
    variables: 'value' in variables ? Object.keys(changedOf(before.variables, variables.value)).length : 0,
    params: 'value' in params ? Object.keys(changedOf(before.params, params.value)).length : 0,
    input: inputChanged ? 1 : 0,
  };
  const strange = begins && 'value' in params ? undeclared(before.params, params.value, begins) : [];
  const again = plan.steps.filter((one) => one.fate === 'again');
  // Steps behind them that the original did not come to: they run as far as the new run gets.
  const later = plan.steps.filter((one) => one.fate === 'open').length;
  // The plan has them as they came; a person looks for a place.
  const answers = useMemo(() => plan.answers.map((one) => ({ ...one, step: formatStep(one.stepId, nameOf) })).toSorted((a, b) => byPlace.compare(a.step, b.step)), [plan, nameOf]);
  // A run that stands at a breakpoint waits for nobody.
  const original = useCommand('run_get', { runId }, { enabled: plan.waits });
  const asks = original.data?.openTasks.length !== 0;
  const effects = plan.steps.filter((one) => (one.fate === 'again' || one.fate === 'open') && one.effect === 'write');

  async function start() {
    if (busy || bad || isOld || !('value' in variables) || !('value' in params)) return;
    setBusy(true);
    setRefused(null);
    const overrides: JsonMap = { ...(changedOf(before.params, params.value) as JsonMap) };
    for (const [name, value] of Object.entries(changedOf(before.variables, variables.value))) overrides[`$${name}`] = value as JsonMap[string];
    // Who runs one step alone does not want to stop before it.
    const breakpoints = alone || workflowId === undefined || !may('run_breakpoints') ? [] : pointsFor(workflowId, begins, plan);
    try {
      const started = await act('run_rerun', {
        runId, stepId: plan.stepId, overrides, definition: version, keepAnswers: keep === 'keep', seen: plan.of, ...(alone ? { until: stepAt(plan.stepId).stepId } : {}),
        ...(inputChanged && 'value' in input ? { input: input.value as JsonMap[string][] } : {}),
        ...(version === 'current' && document ? { document, ...withPins(pins) } : {}), ...(breakpoints.length ? { breakpoints } : {}),
      });
      onStarted(started.runId, breakpoints);
    } catch (cause) {
      setRefused(withTitle(cause, nameOf));
      setBusy(false);
      // What is shown above it is what would run now.
      if (toApiError(cause).code === 'PLAN_CHANGED') onChanged({ variables: changedOf(before.variables, variables.value) as JsonMap, params: changedOf(before.params, params.value) as JsonMap });
    }
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void start();
  };
  const shown = part === 'variables' ? { before: before.variables, after: 'value' in variables ? variables.value : undefined }
    : part === 'params' ? { before: before.params, after: 'value' in params ? params.value : undefined }
      : { before: plan.input, after: 'value' in input ? input.value : undefined };
  const labelOf = (id: Part): string => t(outside && id === 'variables' ? 'rerun.part.outerVariables' : `rerun.part.${id}`);
  const tab = (id: Part) => ({ id, label: labelOf(id), ...(counts[id] ? { count: counts[id] } : {}) });
  return (
    <Dialog open typed onClose={onLeave} title={t(alone ? 'rerun.titleAlone' : 'rerun.title', { step: title })} closeLabel={t('common.cancel')} width={760}
      footer={<>
        <span className="s t3 grow">{t(plan.waits ? 'rerun.recordedWaits' : 'rerun.recorded')}</span>
        <Button onClick={onLeave} keys="Escape">{t('common.cancel')}</Button>
        <Button variant="primary" icon="retry" busy={busy} disabled={bad || isOld} keys="Mod+Enter" onClick={() => void start()}>{alone ? t('rerun.startAlone') : (later > 0 ? t('rerun.startUpTo', { n: again.length + later }) : tn('rerun.start', Math.max(1, again.length)))}</Button>
      </>}>
      <div className="rr" role="presentation" onKeyDown={onKey}>
        {head}
        <Verdict plan={plan} version={version} />
        <Beside plan={plan} title={title} nameOf={nameOf} />
        <p className="s t2 rr-notes">{t(alone ? 'rerun.noteAlone' : beside(plan).length ? 'rerun.noteKeptPartly' : 'rerun.noteKept')} {t('rerun.noteBefore', { run: shortRunId(runId) })}</p>
        <div className="rr-values">
          <Tabs<Part> label={t('rerun.values')} value={part} onChange={setPart} tabs={outside ? [tab('input'), tab('variables'), tab('params')] : [tab('variables'), tab('input'), tab('params')]}>
            {outside && part !== 'input' ? <p className="s t2">{t(part === 'variables' ? 'rerun.outerVariables' : 'rerun.outerParams', { ...outside })}</p> : null}
            {part === 'input' && workflowId !== undefined && !plan.masked && !outside ? (
              <InputHistory workflowId={workflowId} nodeId={stepAt(plan.stepId).stepId} runId={runId} items={plan.input} chosen={from}
                onChoose={(run, items) => { setFrom(run); onType('input', items === undefined ? undefined : pretty(items)); setRefused(null); }} />
            ) : null}
            {part === 'input' && rows ? (
              <div className="row"><span className="grow" /><Segmented<'table' | 'json'> small label={t('pins.view')} value={view} onChange={setView} options={[{ value: 'table', label: t('pins.table') }, { value: 'json', label: t('pins.json') }]} /></div>
            ) : null}
            {part === 'input' && rows && view === 'table' ? (
              <ItemsTable table={rows} onChange={(next) => {
                const text = pretty(itemsOf(next));
                onType('input', text === asIs.input ? undefined : text);
                setRefused(null);
              }} />
            ) : <div className="rr-edit" data-quiet>
              <CodeEditor key={part} mode="json" minLines={4} label={labelOf(part)} value={texts[part]} invalid={problems[part] !== undefined}
                onChange={(text) => {
                  // By its letters: by what it says the editor would write it anew under the fingers.
                  onType(part, text === asIs[part] ? undefined : text);
                  // It was said of values that are not there any more.
                  setRefused(null);
                }} />
            </div>}
            {problems[part] ? <p className="s c-err row gap1" role="alert"><Icon name="errd" size={12} />{problems[part]}</p> : null}
            {part === 'params' && strange.length ? <p className="s c-wait row gap1" role="status"><Icon name="warn" size={12} />{tn('rerun.undeclared', strange.length, { names: strange.map((name) => t('rerun.quoted', { name: plain(name) })).join(', ') })}</p> : null}
            {plan.masked ? <p className="s t2 row gap1"><Icon name="eye" size={12} />{t('rerun.masked')}</p> : null}
            {counts[part] && shown.after !== undefined ? <DiffView before={shown.before} after={shown.after} label={t('rerun.changes')} /> : null}
          </Tabs>
        </div>
        {plan.answers.length ? (
          <div className="rr-row">
            <span className="rr-label">{t('rerun.answers')}</span>
            <div className="col gap1">
              <Segmented<'ask' | 'keep'> label={t('rerun.answers')} value={keep} onChange={setKeep}
                options={[{ value: 'ask', label: t('rerun.answers.ask') }, { value: 'keep', label: tn('rerun.answers.keep', plan.answers.length) }]} />
              {keep === 'keep' ? <p className="s t2">{t('rerun.answers.same')}</p> : null}
              <ul className="rr-found rr-answers s t2" aria-label={t('rerun.answers')}>{answers.map(({ step, ...one }, i) => (
                // The list is that of one plan and is replaced with it.
                <li key={`${one.stepId} ${String(i)}`}>{t('rerun.answer', { step, words: t('log.people.noteAnswered', { who: one.operatorId === undefined ? t('log.people.nobody') : formatPerson(one.operatorId), action: answerWords(one.action) }) })}</li>
              ))}</ul>
            </div>
          </div>
        ) : null}
        {plan.waits && !original.isPending ? <p className="s c-wait row gap1"><Icon name={asks ? 'person' : 'pause'} size={12} />{t(asks ? (alone ? 'rerun.waitsAlone' : 'rerun.waits') : 'rerun.stopped')}</p> : null}
        <Steps plan={plan} effects={effects} nameOf={nameOf} />
        {refused ? <Refused error={refused} /> : null}
      </div>
      {question}
    </Dialog>
  );
}

/** The breakpoints that go with the run. Of a file that is not at hand the plan knows the steps, not the wires: one that is not there is refused. */
function pointsFor(workflowId: string, begins: Workflow | undefined, plan: Plan): Breakpoint[] {
  if (begins) return sendable(workflowId, begins);
  const steps = plan.steps.filter((one) => one.fate !== 'gone').map((one) => [one.stepId, {}]);
  return sendable(workflowId, { nodes: Object.fromEntries(steps) as Workflow['nodes'], edges: [] });
}

function problemOf(read: ReturnType<typeof readValues>, text: string, before: JsonMap): string | undefined {
  if ('problem' in read) return read.problem === 'object' ? t('rerun.notObject') : jsonWords(read.problem, text);
  const missing = missingOf(before, read.value);
  return missing.length ? t('rerun.missing', { names: missing.join(', ') }) : undefined;
}

/** Whether the current version takes the kept results over. */
function Verdict({ plan, version }: { plan: Plan; version: Version }) {
  if (version === 'original') return null;
  if (plan.sameDefinition) return <p className="rr-verdict s"><Badge signal="ok">{t('rerun.fits')}</Badge> {t('rerun.sameVersion')}</p>;
  const lost = plan.steps.filter((one) => one.change === 'incompatible').length;
  const changed = plan.steps.filter((one) => one.change === 'changed' || one.change === 'added').length;
  const gone = plan.steps.filter((one) => one.fate === 'gone').length;
  return (
    <p className="rr-verdict s" role="status">
      {lost || gone ? <Badge signal="warn">{t('rerun.fitsPartly')}</Badge> : <Badge signal="ok">{t('rerun.fits')}</Badge>}
      {[changed ? tn('rerun.changed', changed) : '', lost ? tn('rerun.lost', lost) : '', gone ? tn('rerun.gone', gone) : ''].filter(Boolean).join(' ')}
    </p>
  );
}

/** `Each order 10` stands behind `Each order 9`. */
const byPlace = new Intl.Collator('en', { numeric: true });

/** Steps that would have been kept, and run again because their result does not fit any more: the step that was chosen does not come after them. */
const beside = (plan: Plan): Step[] => plan.steps.filter((one) => one.change === 'incompatible' && one.fate === 'again');
const asksSomebody = (one: Step): boolean => one.asks || one.kind.startsWith('builtin.human_');

function Beside({ plan, title, nameOf }: { plan: Plan; title: string; nameOf: NameOf }) {
  const lost = beside(plan);
  if (lost.length === 0) return null;
  const names = (list: Step[]) => list.map((one) => t('rerun.quoted', { name: nameIn(one, nameOf) })).join(', ');
  const asking = lost.filter(asksSomebody);
  return (
    <>
      <p className="s rr-notes">{tn('rerun.beside', lost.length, { names: names(lost), step: plain(title) })}</p>
      {asking.length ? <p className="c-wait row gap1 rr-notes" role="alert"><Icon name="warn" size={12} /><b>{tn('rerun.besideAsks', asking.length, { names: names(asking), step: plain(title) })}</b></p> : null}
    </>
  );
}

const FATE = { kept: 'check', again: 'retry', open: 'play', left: 'skip', gone: 'x' } as const;

/** As the canvas says it; what the newer version alone has, as the plan says it. */
function nameIn({ stepId: name, title }: Step, nameOf: NameOf): string {
  const { stepId, path } = stepAt(name);
  return nameOf(stepId, path) === stepId ? plain(title) : plain(formatStep(name, nameOf));
}

/** With its id, as where one is chosen: several may be called the same. */
function NameOfStep({ name, id }: { name: string; id: string }) {
  const { stepId } = stepAt(id);
  return <span className="ell" title={`${name} (${id})`}>{name}{name === stepId ? null : <> <span className="mono s t3">{stepId}</span></>}</span>;
}

/** What it does outside: what has never run does nothing a second time. */
const outsideWords = ({ repeats, calls }: Step): string => t(!repeats ? 'rerun.safe' : calls > 0 ? 'rerun.repeats' : 'rerun.writes');

function Steps({ plan, effects, nameOf }: { plan: Plan; effects: Step[]; nameOf: NameOf }) {
  const [all, setAll] = useState(false);
  // What the original did not come to may not be reached now, either.
  const again = effects.filter((one) => one.fate === 'again').length;
  const rows = all ? plan.steps : plan.steps.filter((one) => one.change !== 'none' || effects.includes(one));
  return (
    <div className="rr-steps">
      <div className="row">
        {effects.length
          ? <b className="c-wait row gap1"><Icon name="warn" size={12} />{[again ? tn('rerun.effects', again) : '', effects.length > again ? tn(again ? 'rerun.effectsMore' : 'rerun.effectsMay', effects.length - again) : ''].filter(Boolean).join(' ')}</b>
          : <b className="row gap1"><Icon name="check" size={12} className="c-ok" />{t('rerun.noEffects')}</b>}
        <button type="button" className="link s end" aria-expanded={all} onClick={() => setAll(!all)}>{all ? t('rerun.fewer') : tn('rerun.allSteps', plan.steps.length)}</button>
      </div>
      {rows.length ? (
        <ul className="rr-list" aria-label={t('rerun.steps')}>
          {rows.map((one) => (
            <li key={one.stepId} className={one.fate === 'kept' || one.fate === 'left' ? 't3' : ''}>
              <Icon name={FATE[one.fate]} size={12} />
              <NameOfStep name={nameIn(one, nameOf)} id={one.stepId} />
              <span className="s t2 nw">{t(`rerun.fate.${one.fate}`)}</span>
              <span className="s t2 end">{[
                one.change === 'none' ? '' : t(`rerun.change.${one.change}`),
                effects.includes(one) ? outsideWords(one) : '',
                one.asks && (one.fate === 'again' || one.fate === 'open') ? t('rerun.asks') : '',
              ].filter(Boolean).join(' ')}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
