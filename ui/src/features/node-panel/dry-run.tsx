// An error, the rules it meets, and what follows. Nothing is sent: the engine's own function answers.

import { useMemo, useState } from 'react';
import { useCommand } from '../../api/queries.ts';
import type { HandlerDryRun, PastError, Rule, TriedError } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatMoment, formatPause, t } from '../../i18n/index.ts';
import { Icon, Select, SignalIcon, Switch } from '../../kit/index.ts';
import { ACTIONS, actionWords } from './rules-editor.tsx';
import { RETRY_DEFAULTS } from './then-words.ts';

const TYPES = ['NetworkError', 'Timeout', 'ValidationError', 'ToolError', 'LLMError', 'UnknownError'] as const;
const FIRST: TriedError = { type: 'NetworkError', message: '', retryable: true, attempt: 0 };

/** What the engine is asked besides the error. */
export type Setting = Omit<HandlerDryRun, 'error' | 'item'>;

const codeOf = (error: TriedError): string => (typeof error.details?.['code'] === 'string' ? error.details['code'] : '');

function fromPast({ error }: PastError): TriedError {
  const { type, message, retryable, attempt = 0, details } = error;
  // How many retries there are is what the step says now.
  return { type, message, retryable, attempt, ...(details ? { details } : {}) };
}

/** Calls of one step fail in the same words: when it was and which call tells them apart. */
function whichCall({ at, error: { attempt, maxAttempts } }: PastError): string {
  const time = formatMoment(at);
  if (attempt === undefined) return time;
  return maxAttempts === undefined ? t('dry.call', { time, n: attempt + 1 }) : t('dry.callOf', { time, n: attempt + 1, all: maxAttempts + 1 });
}

/** Items of one call may fail at the same moment: then they are counted. */
function named(all: readonly PastError[]): { name: string; past: PastError }[] {
  const seen = new Map<string, number>();
  return all.map((past) => {
    const name = `${past.runId} ${past.stepId} ${past.at}`;
    const n = seen.get(name) ?? 0;
    seen.set(name, n + 1);
    return { name: `${name} ${String(n)}`, past };
  });
}

export function DryRun({ workflowId, nodeIds, titles, settingOf, rules, leads }: {
  workflowId: string; nodeIds: readonly string[] | undefined; titles: (id: string) => string;
  /** For an error of this step; of none when it is made up. */
  settingOf(step: string | undefined): Setting;
  rules: readonly Rule[];
  /** Title of the step that the error wire leads to: nobody else decides then. */
  leads?: string | undefined;
}) {
  const past = useCommand('past_errors', { workflowId, ...(nodeIds ? { nodeIds: [...nodeIds] } : {}) });
  const [chosen, setChosen] = useState('');
  const [own, setOwn] = useState<TriedError>(FIRST);
  // By what it is: the list begins with what has just failed, and the choice stays on the one that was chosen.
  const list = useMemo(() => named(past.data ?? []), [past.data]);
  const picked = useMemo(() => list.find((one) => one.name === chosen)?.past, [list, chosen]);
  const base = useMemo(() => (picked ? fromPast(picked) : own), [picked, own]);
  const [attempt, setAttempt] = useState<number | null>(null);
  const error = { ...base, attempt: attempt ?? base.attempt ?? 0 };
  const item = picked?.error.details?.['input'];
  const setting = settingOf(picked?.stepId);
  const answer = useCommand('handler_dry_run', { ...setting, error, ...(item === undefined ? {} : { item }) }, { placeholderData: (before) => before });
  const change = (part: Partial<TriedError>): void => setOwn({ ...own, ...part });
  const bound = setting.retry?.maxAttempts ?? RETRY_DEFAULTS.maxAttempts;
  return (
    <div className="field">
      <span className="lab">{t('dry.title')}<span className="t3 end">{t('dry.hint')}</span></span>
      <div className="box dry">
        <div className="dry-in">
          <Select wide label={t('dry.source')} value={picked ? chosen : ''} onChange={(next) => { setChosen(next); setAttempt(null); }}
            options={[{ value: '', label: t('dry.own') }, ...list.map(({ name, past: one }) => ({ value: name, label: t('dry.past', { step: titles(one.stepId), message: plain(one.error.message) }), hint: whichCall(one) }))]} />
          <Select label={t('dry.attempt')} value={String(error.attempt)} onChange={(next) => setAttempt(Number(next))}
            options={Array.from({ length: Math.min(bound, 20) + 1 }, (_, n) => ({ value: String(n), label: `${t('dry.attempt')}: ${String(n)}` }))} />
          {picked ? null : (
            <>
              <Select label={t('dry.type')} value={own.type} onChange={(type) => change({ type: type as TriedError['type'], ...(type === 'ValidationError' ? { retryable: false } : {}) })}
                options={TYPES.map((type) => ({ value: type, label: type }))} />
              <span className="input"><input aria-label={t('dry.code')} placeholder={t('dry.code')} value={codeOf(own)} onChange={(event) => change({ details: event.target.value === '' ? {} : { code: event.target.value } })} /></span>
              <label className="row gap1 s"><Switch label={t('dry.retryable')} checked={own.retryable} onChange={(retryable) => change({ retryable })} />{t('dry.retryable')}</label>
            </>
          )}
        </div>
        {answer.error ? <p className="s c-err dry-out">{t('dry.failed')}: {answer.error.message}</p> : answer.data ? <Answer answer={answer.data} rules={rules} bound={bound} byChance={setting.retry?.jitter !== false} leads={leads} /> : null}
      </div>
    </div>
  );
}

/** Why a rule that says retry is not followed: as many retries as there may be were made. */
function retriesUsed(bound: number): string {
  return bound === 0 ? t('dry.wantedRetryNever') : bound === 1 ? t('dry.wantedRetryOne') : t('dry.wantedRetry', { n: bound });
}

function Answer({ answer, rules, bound, byChance, leads }: { answer: NonNullable<ReturnType<typeof useCommand<'handler_dry_run'>>['data']>; rules: readonly Rule[]; bound: number; byChance: boolean; leads: string | undefined }) {
  if (answer.rule !== 'own' && leads !== undefined) {
    return <div className="dry-out" data-dry="wire" role="status"><b className="c-sel row gap1"><Icon name="okc" />{t('dry.leads', { step: leads })}</b></div>;
  }
  const action = (ACTIONS as readonly string[]).includes(answer.action) ? actionWords(answer.action) : plain(answer.action);
  const head = answer.rule === 'own' ? t('dry.ownRetry') : answer.index !== undefined ? t('dry.fires', { n: answer.index + 1, action }) : answer.rule.startsWith('policy:') ? t('dry.policy', { action }) : t('dry.default', { action });
  // A person is who a grave error is handed to.
  const wanted = answer.wanted === undefined || (answer.wanted === 'escalate' && answer.action === 'human_review') ? null : answer.wanted === 'retry' ? retriesUsed(bound) : answer.wanted === 'abort' ? t('dry.wantedAbort') : t('dry.wanted', { wanted: plain(actionWords(answer.wanted)) });
  return (
    <div className="dry-out" data-dry={answer.action} role="status">
      <b className={answer.action === 'abort' ? 'c-err row gap1' : 'c-sel row gap1'}><Icon name={answer.action === 'abort' ? 'ban' : 'okc'} />{head}</b>
      {answer.rule === 'own' ? <p className="s t2">{t('dry.ownRetryText')}</p> : null}
      {wanted ? <p className="s t2">{wanted}</p> : null}
      {answer.why.length > 0 ? (
        <ol className="dry-why" aria-label={t('workflow.rules')}>
          {answer.why.map((one, i) => {
            const decides = i === answer.index;
            const after = answer.index !== undefined && i > answer.index;
            return (
              <li key={`${one.rule} ${String(i)}`} className={decides ? 'on' : ''}>
                <span className="s t3">{i + 1}</span>
                <span className="col grow"><span className="ell" title={plain(one.rule)}><bdi><Pieces text={one.rule} /></bdi></span><code className="s t2 ell" title={plain(one.when)}><Pieces text={one.when} /></code>
                  {one.error ? <span className="s c-wait"><bdi><Pieces text={t('dry.broken', { why: one.error })} /></bdi></span> : null}</span>
                <span className="col s end"><span>{plain(actionWords(rules[i]?.action ?? ''))}</span>
                  <span className="t3">{one.error ? null : decides ? t('dry.decides') : after ? t('dry.notReached') : t(one.matched ? 'dry.true' : 'dry.false')}</span></span>
              </li>
            );
          })}
        </ol>
      ) : null}
      {answer.action === 'retry' ? <p className="s t2 row gap1"><SignalIcon signal="retry" size={12} />{answer.delayMs ? t(byChance ? 'dry.delay' : 'dry.delayExact', { time: formatPause(answer.delayMs) }) : t('dry.noDelay')}</p> : null}
    </div>
  );
}
