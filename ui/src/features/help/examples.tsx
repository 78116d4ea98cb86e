/** Examples of expressions in the manual, and a place where one can be tried on data that a person writes. */
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import type { Commands } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { isObject } from '../../json/json.ts';
import { Button, Field, TextArea } from '../../kit/index.ts';

/** The info words of a code block that is a list of these. A test evaluates all of them. */
export const EXAMPLES = 'json expressions';

type Given = NonNullable<Commands['expression_try']['request']['data']>;

export interface Example {
  expression: string;
  data?: Given;
  /** Either what it gives, or words of its error. */
  result?: unknown;
  error?: string;
}

export function ExampleTable({ source, onTry }: { source: string; onTry: ((example: Example) => void) | undefined }) {
  const examples = JSON.parse(source) as Example[];
  return (
    <div className="help-table" tabIndex={0}><table>
      <thead><tr><th scope="col">{t('help.expression')}</th><th scope="col">{t('help.given')}</th><th scope="col">{t('help.gives')}</th>{onTry ? <th aria-label={t('help.try')} /> : null}</tr></thead>
      <tbody>{examples.map((example) => (
        <tr key={JSON.stringify(example)}>
          <td><code>{example.expression}</code></td>
          <td>{example.data ? <code>{JSON.stringify(example.data)}</code> : null}</td>
          <td>{example.error === undefined ? <code>{JSON.stringify(example.result)}</code> : t('help.fails', { text: example.error })}</td>
          {onTry ? <td><Button small aria-label={`${t('help.try')}: ${example.expression}`} onClick={() => onTry(example)}>{t('help.try')}</Button></td> : null}
        </tr>
      ))}</tbody>
    </table></div>
  );
}

/** In one line where that is short. */
function written(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length > 100 ? JSON.stringify(value, null, 2) : line;
}

type Tried = Commands['expression_try']['response'];

/** `example`: what was chosen last; it is filled in and evaluated at once. */
export function TryExpression({ example }: { example: Example | undefined }) {
  const [text, setText] = useState("item.total > 100 ? 'large' : 'small'");
  const [data, setData] = useState('{"item": {"total": 150}}');
  const [answer, setAnswer] = useState<Tried>();
  const [wrong, setWrong] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const asked = useRef(0);
  const evaluate = (expression: string, json: string) => {
    const turn = asked.current += 1;
    setAnswer(undefined);
    setWrong(undefined);
    let value: unknown;
    try { value = json.trim() === '' ? {} : JSON.parse(json); } catch (cause) {
      setWrong(t('help.dataWrong', { why: cause instanceof Error ? cause.message : String(cause) }));
      return;
    }
    if (!isObject(value)) {
      setWrong(t('help.dataWrong', { why: t('help.dataShape') }));
      return;
    }
    const told = (state: Tried) => { if (turn === asked.current) setAnswer(state); };
    call('expression_try', { text: expression, data: value as Given }).then(told, (cause: unknown) => told({ state: 'error', message: cause instanceof ApiError ? [cause.message, cause.hint].filter(Boolean).join(' ') : String(cause) }));
  };
  useEffect(() => {
    if (!example) return;
    const json = JSON.stringify(example.data ?? {});
    setText(example.expression);
    setData(json);
    evaluate(example.expression, json);
    form.current?.scrollIntoView({ block: 'nearest' });
    form.current?.querySelector('textarea')?.focus({ preventScroll: true });
  }, [example]);
  return (
    <form ref={form} className="help-try" aria-label={t('help.tryTitle')} onSubmit={(event) => { event.preventDefault(); evaluate(text, data); }}>
      <div className="row"><strong>{t('help.tryTitle')}</strong><span className="s t2">{t('help.tryText')}</span><Button small variant="primary" type="submit" className="end">{t('help.evaluate')}</Button></div>
      <div className="help-try-fields">
        <Field label={t('help.expression')}>{({ id }) => <TextArea id={id} mono rows={2} value={text} onChange={setText} />}</Field>
        <Field label={t('help.data')} error={wrong}>{({ id, describedBy, invalid }) => <TextArea id={id} mono rows={2} aria-describedby={describedBy} invalid={invalid} value={data} onChange={setData} />}</Field>
      </div>
      <output aria-live="polite">
        {answer?.state === 'value' ? <pre tabIndex={0} aria-label={t('help.gives')}><code>{written(answer.value)}</code></pre> : null}
        {answer?.state === 'error' ? <p className="help-fails" role="alert">{answer.message}</p> : null}
      </output>
    </form>
  );
}
