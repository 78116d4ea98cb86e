/** What the page shows after the answers were taken. */
import { useEffect, useRef, type ReactNode } from 'react';
import { isObject } from '../json/json.ts';
import { t, type MessageKey } from '../i18n/index.ts';
import { Button } from '../kit/index.ts';
import { labelOf } from '../schema-form/model.ts';
import { Fault } from '../shared/form-error.tsx';
import type { Outcome } from './send.ts';

const HEADS: { [status in Outcome['status']]: MessageKey } = {
  accepted: 'formPage.thanks', completed: 'formPage.result', waiting: 'formPage.person', running: 'formPage.running', failed: 'formPage.failed',
};

export function OutcomeView({ outcome, busy, problem, onCheck, onAnother }: {
  outcome: Outcome; busy: boolean; problem: { message: string; hint: string } | null; onCheck(): void; onAnother(): void;
}) {
  const head = useRef<HTMLHeadingElement>(null);
  // The form is gone: the focus goes to what came in its place.
  useEffect(() => head.current?.focus(), [outcome.status]);
  return (
    <div className="fp-form">
      <h1 ref={head} tabIndex={-1}>{t(HEADS[outcome.status])}</h1>
      {outcome.status === 'accepted' ? <p className="fp-text"><bdi>{outcome.thanks || t('formPage.thanksText')}</bdi></p>
        : outcome.status === 'completed' ? <Output output={outcome.output} />
          : <p className="fp-text t2">{t(outcome.status === 'waiting' ? 'formPage.personText' : outcome.status === 'running' ? 'formPage.runningText' : 'formPage.failedText')}</p>}
      {problem ? <div role="alert"><Fault error={problem} /></div> : null}
      <div className="fp-foot">
        {outcome.status === 'running' ? <Button variant="primary" busy={busy} onClick={onCheck}>{t('formPage.checkAgain')}</Button> : <Button onClick={onAnother}>{t('formPage.another')}</Button>}
      </div>
    </div>
  );
}

function Output({ output }: { output: readonly unknown[] }) {
  if (output.length === 0) return <p className="fp-text">{t('formPage.resultNone')}</p>;
  // A list has places, not names.
  return <>{output.map((one, index) => <div key={`output-${String(index)}`} className="fp-output"><Shown value={one} /></div>)}</>;
}

function Shown({ value }: { value: unknown }): ReactNode {
  if (!isObject(value)) return <Plain value={value} />;
  return (
    <dl className="fp-values">
      {Object.entries(value).map(([name, one]) => (
        <div key={name}><dt className="t2">{labelOf(name, {})}</dt><dd><Plain value={one} /></dd></div>
      ))}
    </dl>
  );
}

function Plain({ value }: { value: unknown }): ReactNode {
  if (typeof value === 'string') return <bdi className="fp-text">{value}</bdi>;
  if (typeof value === 'boolean') return t(value ? 'formPage.yes' : 'formPage.no');
  if (value === null || typeof value === 'number') return value === null ? '' : String(value);
  return <pre className="fp-text">{JSON.stringify(value, null, 2)}</pre>;
}
