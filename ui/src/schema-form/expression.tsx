// Fields whose content is an expression, or a text that may hold {{ }}.

import { useId, useRef, useState } from 'react';
import { CodeEditor } from '../code/CodeEditor.tsx';
import { isTemplate } from '../code/cel-language.ts';
import { t } from '../i18n/index.ts';
import { Tooltip } from '../kit/index.ts';
import { AskBox, AskButton } from './ask-expression.tsx';
import { useFieldFault } from './field-faults.ts';
import { requestFocus, takeFocus } from './focus.ts';
import { FieldFrame, type FieldProps } from './frame.tsx';
import { fromExpression, isExpression, isMultiline, storeText, textOf, toExpression, unescapeText } from './model.ts';
import { PreviewLine, usePreview } from './preview.tsx';
import { useExample, useForm } from './scope.ts';

/** The `=` in front of an expression; pressing it goes back to a fixed value. */
function Gutter({ label, onPress, pressed, disabled }: { label: string; onPress?: (() => void) | undefined; pressed: boolean; disabled?: boolean }) {
  if (!onPress) return <span className="eq" aria-hidden="true">=</span>;
  return (
    <Tooltip text={label}>
      <button type="button" className="eq" aria-label={label} aria-pressed={pressed} onClick={onPress} disabled={disabled}>=</button>
    </Tooltip>
  );
}

/** The small `=` at the end of a fixed value. */
export function ToExpression({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <Tooltip text={t('expr.toExpression')}>
      <button type="button" className="eq-add" aria-label={`${t('expr.toExpression')}: ${label}`} onClick={onPress}>=</button>
    </Tooltip>
  );
}

interface EditorProps {
  label: string;
  invalid: boolean;
  describedBy?: string | undefined;
  singleLine?: boolean;
  placeholder?: string | undefined;
  /** Inside a table cell: no border of its own. */
  bare?: boolean;
  /** By what it is asked to take the focus over from the editor that stood in its place. */
  focusName?: string | undefined;
}

/** Whoever types may be about to finish the name: `it`, `item.`, `item.na`. */
export const endsInName = (text: string): boolean => /[\w.]$/.test(text);

/** A box has room for a few lines from the beginning on. */
const LINES = 3;

/** One line (or box) of CEL with its live result. `text` is without the `=`. */
export function CelEditor({ text, onText, label, onLiteral, focusName, invalid, describedBy, singleLine = true, placeholder, bare, condition = false }: EditorProps & {
  text: string;
  onText: (text: string) => void;
  onLiteral?: (() => void) | undefined;
  /** It is true or false. */
  condition?: boolean;
}) {
  const { host, readOnly } = useForm();
  const answer = usePreview(host, text, 'cel');
  const [inside, setInside] = useState(false);
  const result = inside && endsInName(text) && answer?.state === 'error' ? null : answer;
  const wrong = invalid || result?.state === 'error';
  useFieldFault(!invalid && wrong);
  const assistant = readOnly ? undefined : host?.assistant;
  const [asking, setAsking] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  const close = () => {
    setAsking(false);
    box.current?.querySelector<HTMLElement>('.cm-content')?.focus();
  };
  return (
    <>
      <span ref={box} className={`input expr ${bare ? 'bare' : ''} ${wrong ? 'bad' : ''}`} onFocus={() => setInside(true)} onBlur={() => setInside(false)} onKeyDownCapture={(event) => {
        if (!assistant || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'i') return;
        // In a field it is about the field, elsewhere about the workflow.
        event.preventDefault();
        event.stopPropagation();
        setAsking(true);
      }}>
        <Gutter label={`${t('expr.toLiteral')}: ${label}`} pressed onPress={onLiteral} disabled={readOnly} />
        <CodeEditor
          value={text}
          onChange={(next) => onText(next)}
          mode="cel"
          label={label}
          singleLine={singleLine}
          readOnly={readOnly}
          wantsFocus={focusName === undefined ? undefined : () => takeFocus(focusName)}
          names={host ? () => host.names() : undefined}
          errorAt={result?.state === 'error' ? result.position : undefined}
          invalid={wrong}
          describedBy={describedBy}
          placeholder={placeholder ?? ''}
        />
        {assistant ? <AskButton label={label} open={asking} onPress={() => (asking ? close() : setAsking(true))} /> : null}
      </span>
      {host && assistant && asking ? <AskBox host={host} assistant={assistant} label={label} current={text} condition={condition} onTake={(next) => { onText(next); close(); }} onClose={close} /> : null}
      {/* The validator's finding says the same in more words. */}
      {invalid && result?.state === 'error' ? null : <PreviewLine result={result} host={host} />}
    </>
  );
}

/** A text value: fixed, with {{ }} in it, or an expression. */
export function TextValue({ value, onValue, label, invalid, describedBy, singleLine = true, placeholder, bare, focusName: given }: EditorProps & {
  value: string;
  onValue: (value: string | undefined) => void;
}) {
  const { host, readOnly } = useForm();
  // Without a host there are no expressions: a text that begins with `=` is a text.
  const expression = host !== null && isExpression(value);
  const template = host !== null && !expression && isTemplate(value);
  const result = usePreview(template ? host : null, value, 'value');
  useFieldFault(!invalid && !expression && result?.state === 'error');
  const own = useId();
  const focusName = given ?? own;
  if (expression) {
    return (
      <CelEditor
        text={value.slice(1)}
        onText={(text) => onValue(`=${text}`)}
        label={label}
        onLiteral={() => onValue(literalText(value))}
        focusName={focusName}
        invalid={invalid}
        describedBy={describedBy}
        singleLine={singleLine}
        bare={bare ?? false}
      />
    );
  }
  const text = host ? unescapeText(value) : value;
  const wrong = invalid || result?.state === 'error';
  return (
    <>
      <span className={`input expr ${template ? '' : 'plain'} ${bare ? 'bare' : ''} ${wrong ? 'bad' : ''}`}>
        {template ? <Gutter label="" pressed={false} /> : null}
        <CodeEditor
          value={text}
          onChange={(next, inserted) => {
            const stored = host ? storeText(next, text, inserted) : next;
            // Typing `=` swaps the editor: the new one must take the focus over.
            if (isExpression(stored)) requestFocus(focusName);
            onValue(stored);
          }}
          mode="template"
          label={label}
          singleLine={singleLine}
          {...(singleLine ? {} : { minLines: LINES })}
          readOnly={readOnly}
          wantsFocus={() => takeFocus(focusName)}
          names={host ? () => host.names() : undefined}
          errorAt={result?.state === 'error' ? result.position : undefined}
          invalid={wrong}
          describedBy={describedBy}
          placeholder={placeholder ?? ''}
          onDropField={
            host && text === ''
              ? (expression) => {
                  requestFocus(focusName);
                  onValue(`=${expression}`);
                }
              : undefined
          }
        />
        {host && !readOnly && !template ? <ToExpression label={label} onPress={() => { requestFocus(focusName); onValue(toExpression(value)); }} /> : null}
      </span>
      <PreviewLine result={result} host={host} />
    </>
  );
}

function literalText(expression: string): string | undefined {
  const value = fromExpression(expression);
  if (value === undefined || value === null) return undefined;
  const text = textOf(value);
  return text.startsWith('=') ? `=${text}` : text;
}

/** A field that is CEL whatever it begins with. */
export function CelField(field: FieldProps) {
  const { label, schema, value, required, onValue } = field;
  const example = useExample(schema);
  const text = textOf(value);
  return (
    <FieldFrame field={field} labelFor={false} unfinished={endsInName(text)}>
      {({ describedBy, invalid }) => (
        <CelEditor
          text={text.startsWith('=') && !text.startsWith('==') ? text.slice(1) : text}
          onText={(next) => onValue(next === '' && !required ? undefined : next)}
          label={label}
          invalid={invalid}
          describedBy={describedBy}
          singleLine={!isMultiline(schema)}
          placeholder={example}
        />
      )}
    </FieldFrame>
  );
}

/** A text field of a node's settings. */
export function TextField({ focusName, ...field }: FieldProps & Pick<EditorProps, 'focusName'>) {
  const { label, schema, value, onValue } = field;
  const { host, readOnly } = useForm();
  const example = useExample(schema);
  const text = textOf(value);
  const fallback = typeof schema.default === 'string' ? schema.default : '';
  return (
    <FieldFrame field={field} labelFor={false} aside={host && !host.first && !readOnly && text === '' ? <span className="t3">{t('expr.dragHere')}</span> : undefined}>
      {({ describedBy, invalid }) => (
        <TextValue
          value={text}
          onValue={(next) => onValue(next === '' ? undefined : next)}
          label={label}
          invalid={invalid}
          describedBy={describedBy}
          singleLine={!isMultiline(schema)}
          placeholder={example ?? fallback}
          focusName={focusName}
        />
      )}
    </FieldFrame>
  );
}

/** Any field whose value is an expression just now. */
export function ExpressionField({ focusName, ...field }: FieldProps & { focusName?: string }) {
  const { label, value, onValue } = field;
  const text = isExpression(value) ? value.slice(1) : '';
  return (
    <FieldFrame field={field} labelFor={false} unfinished={endsInName(text)}>
      {({ describedBy, invalid }) => (
        <CelEditor
          text={text}
          onText={(next) => onValue(`=${next}`)}
          label={label}
          onLiteral={() => onValue(fromExpression(`=${text}`))}
          focusName={focusName}
          invalid={invalid}
          describedBy={describedBy}
        />
      )}
    </FieldFrame>
  );
}
