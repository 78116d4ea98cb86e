/** One message of the conversation. Texts of models and services are shown as text, never as markup. */
import type { PlanMessage } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { formatMoney, formatNumber, t, tn, type MessageKey } from '../../i18n/index.ts';

export interface Links {
  titleOf(step: string): string;
  onStep(step: string): void;
  onEvent(runId: string, seq: number): void;
}

export function StepLink({ step, titleOf, onStep }: { step: string } & Pick<Links, 'titleOf' | 'onStep'>) {
  return <button type="button" className="pl-link" onClick={() => onStep(step)}>{plain(titleOf(step))}</button>;
}

const OUTCOMES: ReadonlySet<string> = new Set(['ready', 'intent_changed', 'failed_runtime', 'invalid', 'unsupported', 'no_model', 'cancelled', 'failed']);
const SHOWN = 80;
const short = (value: unknown): string => {
  const text = value === undefined ? '—' : plain(JSON.stringify(value));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
};

export function Said({ message, titleOf, onStep, onEvent }: { message: PlanMessage } & Links) {
  const { by, outcome, usage, runId } = message;
  const who = by === 'person' ? t('plan.you') : by === 'agent' ? t('plan.agent') : t('plan.planner');
  const text = by === 'agent' && !message.text ? t('plan.agentText') : plain(message.text ?? '');
  return (
    <article className={`pl-said is-${by === 'person' ? 'person' : 'planner'}`} aria-label={who}>
      <span className="s t3">{who}</span>
      {outcome !== undefined && OUTCOMES.has(outcome) ? <span>{t(`plan.outcome.${outcome}` as MessageKey)}</span> : null}
      {text === '' ? null : <span>{text}</span>}
      {message.intentChanges?.map((line) => <span key={line} className="c-warn">{plain(line)}</span>)}
      {message.findings?.map((line) => <span key={line} className="s t2">{plain(line)}</span>)}
      {message.attempts?.map((attempt) => (
        <div key={attempt.number} className="pl-try">
          <b className="s">{t('plan.attempt', { n: attempt.number })}</b>
          {attempt.issues.length === 0 ? <span className="s t2">{t('plan.attemptOk')}</span> : null}
          {attempt.issues.map((issue, index) => (
            <span key={`${issue.step}-${String(index)}`} className="col s">
              <span>{issue.step === '' ? null : <><StepLink step={issue.step} titleOf={titleOf} onStep={onStep} />: </>}{plain(issue.message)}</span>
              {issue.attempted.length > 0 ? <span className="t2">{t('plan.guessed', { names: plain(issue.attempted.join(', ')) })}</span> : null}
              {issue.available.length > 0 ? <span className="t2">{t('plan.there', { names: plain(issue.available.join(', ')) })}</span> : null}
            </span>
          ))}
          {attempt.changes.map((change) => <span key={change.at} className="s t2">{t('plan.changed', { at: plain(change.at), before: short(change.before), after: short(change.after) })}</span>)}
        </div>
      ))}
      {message.unchecked?.length ? <span className="s t2">{t('plan.unchecked', { steps: message.unchecked.map((step) => plain(titleOf(step))).join(', ') })}</span> : null}
      {message.steps?.map((step) => <span key={step} className="s"><StepLink step={step} titleOf={titleOf} onStep={onStep} /></span>)}
      {runId !== undefined ? <span className="row wrap gap1 s">
        {message.events?.length ? message.events.map((seq) => <button key={seq} type="button" className="pl-link" onClick={() => onEvent(runId, seq)}>{t('plan.event', { n: seq })}</button>)
          : by === 'person' ? null : <button type="button" className="pl-link" onClick={() => onEvent(runId, 0)}>{t('plan.showRun')}</button>}
      </span> : null}
      {usage && usage.questions > 0 ? <span className="s t3">{usage.costMicros === undefined
        ? tn('plan.spent', usage.questions, { tokens: formatNumber(usage.inputTokens + usage.outputTokens) })
        : tn('plan.spentMoney', usage.questions, { tokens: formatNumber(usage.inputTokens + usage.outputTokens), money: formatMoney(usage.costMicros) })}</span> : null}
    </article>
  );
}
