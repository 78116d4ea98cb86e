/** A sentence becomes an expression: the model writes it, the engine checks it and shows its result, and a person takes it or not. */
import { useEffect, useId, useRef, useState } from 'react';
import type { ExpressionAnswer } from '../api/types.ts';
import { useLatest } from '../code/use-latest.ts';
import { formatMoney, formatNumber, t, tn } from '../i18n/index.ts';
import { Button, Icon, SignalIcon, TextInput, Tooltip } from '../kit/index.ts';
import { plain } from '../text/letters.ts';
import { PreviewLine } from './preview.tsx';
import type { ExpressionAssistant, ExpressionHost } from './scope.ts';

/** The button at the end of an expression. */
export function AskButton({ label, open, onPress }: { label: string; open: boolean; onPress: () => void }) {
  return (
    <Tooltip text={t('describe.open')}>
      <button type="button" className="eq-add ask-open" aria-label={`${t('describe.open')}: ${label}`} aria-expanded={open} onClick={onPress}><Icon name="spark" size={12} /></button>
    </Tooltip>
  );
}

interface Props {
  host: ExpressionHost;
  assistant: ExpressionAssistant;
  label: string;
  current: string;
  condition: boolean;
  onTake: (text: string) => void;
  onClose: () => void;
}

export function AskBox({ host, assistant, label, current, condition, onTake, onClose }: Props) {
  const [model, setModel] = useState<string | null | undefined>();
  const [asked, setAsked] = useState('');
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState<{ answer: ExpressionAnswer } | { fault: string } | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const take = useRef<HTMLDivElement>(null);
  const latest = useLatest(assistant);
  const working = useRef(false);
  const gone = useRef(false);
  const noteId = useId();
  useEffect(() => {
    const asked = latest;
    gone.current = false;
    asked.current.model().then((name) => { if (!gone.current) setModel(name); }, () => { if (!gone.current) setModel(null); });
    return () => {
      gone.current = true;
      if (working.current) asked.current.cancel();
    };
  }, [latest]);
  const ready = typeof model === 'string';
  useEffect(() => { if (ready) field.current?.focus(); }, [ready]);
  const answer = told && 'answer' in told ? told.answer : null;
  const found = answer?.text;
  // Whoever asked with the keyboard goes on with it.
  useEffect(() => { if (found !== undefined) take.current?.querySelector('button')?.focus(); }, [found]);

  const ask = async () => {
    if (asked.trim() === '' || working.current) return;
    working.current = true;
    setBusy(true);
    setTold(null);
    const next = await assistant.ask({ asked: asked.trim(), field: label, current, condition, item: host.item }).then(
      (got) => ({ answer: got }),
      (error: unknown) => ({ fault: error instanceof Error ? error.message : String(error) }),
    );
    working.current = false;
    if (gone.current) return;
    setBusy(false);
    setTold(next);
  };
  return (
    <div className="ask-expr" role="group" aria-label={t('describe.group', { label })} onKeyDown={(event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      onClose();
    }}>
      {model === null ? (
        <div className="prev"><Icon name="spark" size={12} /><span className="grow">{t('describe.noModel')} <a href="#/settings">{t('describe.addModel')}</a></span>
          <Button small variant="ghost" onClick={onClose}>{t('describe.close')}</Button>
        </div>
      ) : <>
        <TextInput ref={field} aria-label={t('describe.field')} aria-describedby={noteId} placeholder={t(condition ? 'describe.placeholderCondition' : 'describe.placeholder')} value={asked} onChange={setAsked} maxLength={1_000} disabled={!ready || busy}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void ask();
          }} />
        <span className="s t3" id={noteId}>{ready ? t('describe.cost', { model: plain(model) }) : ''}</span>
        {busy ? <span className="row gap1 s t2" role="status"><SignalIcon signal="run" />{t('describe.working')}</span> : null}
        {told && 'fault' in told ? <div className="prev c-err" role="alert"><Icon name="errd" size={12} /><span className="grow">{plain(told.fault)}</span></div> : null}
        {answer ? <Told answer={answer} host={host} /> : null}
        <div className="row gap1" ref={take}>
          {found !== undefined ? <Button small variant="primary" icon="check" onClick={() => onTake(found)}>{t('describe.take')}</Button> : null}
          {busy ? <Button small icon="stop" onClick={() => assistant.cancel()}>{t('describe.cancel')}</Button>
            : <Button small variant={found === undefined ? 'primary' : undefined} icon="spark" disabled={!ready || asked.trim() === ''} onClick={() => void ask()}>{t(answer ? 'describe.again' : 'describe.ask')}</Button>}
          <Button small variant="ghost" onClick={onClose}>{t(found === undefined ? 'describe.close' : 'describe.refuse')}</Button>
        </div>
      </>}
    </div>
  );
}

function Told({ answer, host }: { answer: ExpressionAnswer; host: ExpressionHost }) {
  const { text, preview, reason, refused, usage } = answer;
  const spent = { tokens: formatNumber(usage.inputTokens + usage.outputTokens) };
  return (
    <div className="col gap1" role="status">
      {refused.map((one, index) => (
        <div key={`${String(index)} ${one.text}`} className="s t2 ask-refused">
          {one.text === '' ? t('describe.refused') : <>{t('describe.refusedText')} <code>{plain(one.text)}</code></>}<span className="ask-why">{plain(one.problem)}</span>
        </div>
      ))}
      {text === undefined ? null : <code className="ask-found">{text}</code>}
      {text === undefined ? null : <PreviewLine result={preview ?? null} host={host} />}
      {reason === undefined ? null : <div className="prev c-err"><Icon name="errd" size={12} /><span className="grow">{plain(reason)}</span></div>}
      {usage.questions === 0 ? null : <span className="s t3">{usage.costMicros === undefined ? tn('plan.spent', usage.questions, spent) : tn('plan.spentMoney', usage.questions, { ...spent, money: formatMoney(usage.costMicros) })}</span>}
    </div>
  );
}
