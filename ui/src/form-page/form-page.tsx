/** The page at `/forms/{path}`: fields, then thanks or the result of the run. */
import { useCallback, useEffect, useMemo, useRef, useState, type FormEvent } from 'react';
import type { Diagnostic } from '../api/types.ts';
import { formatBytes, t, tn } from '../i18n/index.ts';
import { Button, Skeleton } from '../kit/index.ts';
import { firstAnswers, FormFields, type FormFiles } from '../shared/form/form-fields.tsx';
import { Fault } from '../shared/form-error.tsx';
import { pointerOf } from '../schema-form/index.ts';
import { OutcomeView } from './outcome-view.tsx';
import { forgetKey, keyOf, loadDefinition, send, type Definition, type Outcome, type Violation } from './send.ts';

type Loaded = { state: 'loading' | 'missing' | 'broken' } | { state: 'open'; definition: Definition };

export function FormPage({ address }: { address: string }) {
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let current = true;
    loadDefinition(address).then(
      (definition) => { if (current) setLoaded(definition ? { state: 'open', definition } : { state: 'missing' }); },
      () => { if (current) setLoaded({ state: 'broken' }); },
    );
    return () => { current = false; };
  }, [address, round]);
  const title = loaded.state === 'open' ? loaded.definition.title || t('formPage.untitled') : loaded.state === 'missing' ? t('formPage.missing') : t('formPage.untitled');
  useEffect(() => { document.title = title; }, [title]);
  const again = () => {
    setLoaded({ state: 'loading' });
    setRound(round + 1);
  };
  return (
    <main className="fp">
      <div className="fp-card">
        {loaded.state === 'open' ? <Filling key={round} address={address} title={title} definition={loaded.definition} onAnother={again} />
          : loaded.state === 'loading' ? <div aria-busy="true" aria-label={t('formPage.loading')}><Skeleton rows={4} height={40} /></div>
            : (
              <>
                <h1>{loaded.state === 'missing' ? title : t('formPage.cannotLoad')}</h1>
                <p className="t2">{t(loaded.state === 'missing' ? 'formPage.missingText' : 'formPage.offline')}</p>
                {loaded.state === 'broken' ? <Button onClick={again}>{t('formPage.again')}</Button> : null}
              </>
            )}
      </div>
    </main>
  );
}

const asDiagnostic = ({ path, message }: Violation): Diagnostic => ({ code: '' as never, severity: 'error', path, message, hint: '' });

function Filling({ address, title, definition, onAnother }: { address: string; title: string; definition: Definition; onAnother(): void }) {
  const { schema, maxBytes } = definition;
  const [answers, setAnswers] = useState<unknown>(() => firstAnswers(schema));
  const [files, setFiles] = useState<FormFiles>({});
  const [violations, setViolations] = useState<readonly Violation[]>([]);
  const [problem, setProblem] = useState<{ message: string; hint: string } | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  // A second click may come before the button is drawn as busy.
  const under = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  const diagnostics = useMemo(() => violations.map(asDiagnostic), [violations]);
  const change = useCallback((next: unknown, field: string) => {
    setAnswers(next);
    const place = pointerOf('', [field]);
    setViolations((known) => known.filter(({ path }) => path !== '' && path !== place && !path.startsWith(`${place}/`)));
  }, []);

  const refuse = useCallback((found: readonly Violation[]) => {
    setViolations(found);
    // After they have been drawn: whoever cannot see them lands on the first.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('.field:has(.finding) :is(input, textarea, button, [contenteditable])')?.focus());
  }, []);

  const submit = async () => {
    if (under.current) return;
    setProblem(null);
    const missing = unanswered(definition, answers);
    if (missing.length > 0) return refuse(missing);
    const size = Object.values(files).flat().reduce((sum, file) => sum + file.size, 0);
    if (size > maxBytes) return setProblem({ message: t('formPage.tooLarge', { most: formatBytes(maxBytes) }), hint: '' });
    under.current = true;
    setBusy(true);
    try {
      const sent = await send(address, keyOf(address), answers, files);
      if ('violations' in sent) refuse(sent.violations);
      else if ('problem' in sent) setProblem(sent.problem.message ? sent.problem : { message: t('formPage.notSent'), hint: t('formPage.offline') });
      else {
        setViolations([]);
        setOutcome(sent.ok);
        // As long as the result is not there, the same answers ask for it.
        if (sent.ok.status !== 'running') forgetKey(address);
      }
    } catch {
      setProblem({ message: t('formPage.notSent'), hint: t('formPage.offline') });
    } finally {
      under.current = false;
      setBusy(false);
    }
  };

  if (outcome) return <OutcomeView outcome={outcome} busy={busy} problem={problem} onCheck={() => void submit()} onAnother={() => { forgetKey(address); onAnother(); }} />;
  const required = schema.required?.some((name) => Object.hasOwn(schema.properties ?? {}, name)) === true;
  return (
    <form ref={form} className="fp-form" noValidate aria-busy={busy || undefined} onSubmit={(event: FormEvent) => { event.preventDefault(); void submit(); }}>
      <h1><bdi>{title}</bdi></h1>
      {definition.description ? <p className="fp-text t2"><bdi>{definition.description}</bdi></p> : null}
      {required ? <p className="s t3">{t('formPage.requiredNote')}</p> : null}
      <FormFields schema={schema} value={answers} files={files} diagnostics={diagnostics} label={title} readOnly={busy} onChange={change} onFiles={setFiles} />
      <div role="alert">
        {violations.length > 0 ? <p className="c-err">{tn('formPage.check', violations.length)}</p> : null}
        {problem ? <Fault error={problem} /> : null}
      </div>
      <div className="fp-foot">
        <Button variant="primary" type="submit" busy={busy}>{definition.submitLabel || t('formPage.submit')}</Button>
        <span role="status" className="s t2">{busy ? t(definition.waits ? 'formPage.waiting' : 'formPage.sending') : null}</span>
      </div>
    </form>
  );
}

/** Required fields at the top without an answer: no file travels before they are filled in. */
function unanswered({ schema }: Definition, answers: unknown): Violation[] {
  const given = typeof answers === 'object' && answers !== null ? answers as Record<string, unknown> : {};
  return (schema.required ?? []).filter((name) => given[name] === undefined || given[name] === '').map((name) => ({ path: pointerOf('', [name]), message: t('formPage.required') }));
}
