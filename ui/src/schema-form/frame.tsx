// Label on top, control, live result, findings of the validator: the same for every field.

import { useId, useState, type ReactNode } from 'react';
import { isFault, isTodo, type Finding } from '../api/diagnostics.ts';
import type { Diagnostic, JsonSchema } from '../api/types.ts';
import { plain } from '../text/letters.ts';
import { Pieces } from '../code/pieces.tsx';
import { Button, Icon } from '../kit/index.ts';
import { pointerParts } from '../json/json.ts';
import { useAllowFolder } from './folder-grants.ts';
import { t } from '../i18n/index.ts';
import { useFormAround, useLenient } from './scope.ts';

export interface FrameIds {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}

/** What every field is given. */
export interface FieldProps {
  name: string;
  label: string;
  schema: JsonSchema;
  value: unknown;
  /** Empty is a value that is kept. */
  required?: boolean;
  /** It has to be filled in. */
  needed?: boolean;
  findings: readonly Diagnostic[];
  onValue: (value: unknown) => void;
}

interface Around {
  aside?: ReactNode;
  /** False when the control is no form element and names itself. */
  labelFor?: boolean;
  /** A name stands at the end of the expression: whoever is in the field may be about to finish it. */
  unfinished?: boolean;
  children: (ids: FrameIds) => ReactNode;
}

/** The frame of a field that a schema describes. */
export function FieldFrame({ field, ...around }: Around & { field: FieldProps }) {
  return <Frame label={field.label} required={field.needed ?? field.required} hint={field.schema.description} findings={field.findings} filled={typeof field.value === 'string' && field.value !== ''} {...around} />;
}

/** What a half-typed name is told: no error while it is being typed. */
const OF_NAMES: ReadonlySet<string> = new Set(['CEL_SYNTAX', 'UNKNOWN_NAME']);

export function Frame({ label, required, aside, hint, findings: all, labelFor = true, unfinished = false, filled = false, children }: Around & {
  label: string;
  required?: boolean | undefined;
  hint?: string | undefined;
  findings: readonly Diagnostic[];
  /** It holds a text. That it is missing was found before the text was typed, and goes at once: a field that shrank only when it is left
   * would move what the mouse is about to press. */
  filled?: boolean;
}) {
  const id = useId();
  // Who was in the field and left it empty is told as of any other fault.
  const [left, setLeft] = useState(false);
  const [inside, setInside] = useState(false);
  const current = filled ? all.filter((finding) => finding.code !== 'MISSING_CONFIG') : all;
  const findings = inside && unfinished ? current.filter((finding) => !OF_NAMES.has(finding.code)) : current;
  const told = left ? findings.map((finding): Finding => (isTodo(finding) ? { ...finding, todo: undefined } : finding)) : findings;
  const invalid = told.some(isFault);
  const noteId = `${id}-note`;
  const describedBy = findings.length > 0 || hint ? noteId : undefined;
  // Who answers a form did not write its schema: what the author says of a field stands at its label.
  const lenient = useLenient();
  const name = (
    <>
      <span className="lab-name" title={hint}>{label}{required ? <span className="t3" aria-hidden="true"> *</span> : null}</span>
      {lenient && hint ? <span className="t3 ell lab-hint" title={hint} aria-hidden="true">{hint}</span> : null}
    </>
  );
  return (
    <div className="field" onFocus={() => setInside(true)} onBlur={(event) => {
      // A list that a field of it opened is drawn elsewhere.
      if (event.currentTarget.contains(event.relatedTarget) || (event.relatedTarget instanceof Element && event.relatedTarget.closest('.layer'))) return;
      setInside(false);
      setLeft(true);
    }}>
      {labelFor ? (
        <label className="lab" htmlFor={id}>{name}{aside ? <span className="end">{aside}</span> : null}</label>
      ) : (
        <span className="lab">{name}{aside ? <span className="end">{aside}</span> : null}</span>
      )}
      {children({ id, describedBy, invalid })}
      <Findings id={noteId} findings={told} />
      {hint && (findings.length === 0 || !lenient) ? <span id={findings.length === 0 ? noteId : undefined} className={lenient ? 'vh' : 's t3 field-help'}>{hint}</span> : null}
    </div>
  );
}

/** They name what stands in a file, and a file may be anybody's: what is not seen in it is marked. */
export function Findings({ findings, id }: { findings: readonly Diagnostic[]; id?: string }) {
  const allow = useAllowFolder();
  if (findings.length === 0) return null;
  return (
    <div className="findings" id={id}>
      {findings.map((finding) => (
        isTodo(finding) ? (
          <div key={`${finding.code} ${finding.path} ${finding.message}`} className="finding t3" data-todo>
            <Icon name="pencil" size={12} />
            <bdi className="grow"><Pieces text={finding.hint || finding.message} /></bdi>
          </div>
        ) : (
          <div key={`${finding.code} ${finding.path} ${finding.message}`} className={`finding ${finding.severity === 'error' ? 'c-err' : 'c-wait'}`}>
            <Icon name={finding.severity === 'error' ? 'errd' : 'warn'} size={12} />
            <span className="grow">
              <bdi><Pieces text={finding.message} /></bdi> {finding.code ? <code className="t3">{finding.code}</code> : null}
              {finding.hint ? <bdi className="t2 finding-hint"><Pieces text={finding.hint} /></bdi> : null}
              <Mend finding={finding} />
              {allow(finding) ? <Button small icon="folder" onClick={allow(finding)}>{t('folders.button')}</Button> : null}
            </span>
          </div>
        )
      ))}
    </div>
  );
}

/** A change of the file that mends it, where this form may make it. */
function Mend({ finding }: { finding: Diagnostic }) {
  const form = useFormAround();
  const { fix } = finding;
  if (!form || form.readOnly || !fix?.path.startsWith(`${form.base}/`)) return null;
  // It holds the whole of what it changes: made for an older text it would write over what was typed since.
  return <Button small icon="check" disabled={(finding as Finding).stale === true} onClick={() => form.edit(pointerParts(fix.path.slice(form.base.length)), fix.value)}>{plain(fix.title)}</Button>;
}
