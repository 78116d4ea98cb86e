/** Which of the connected steps gives the second list. */
import { createContext, useContext } from 'react';
import { t } from '../../i18n/index.ts';
import { Select, type Option } from '../../kit/index.ts';
import { FieldFrame, useForm, type FieldProps } from '../../schema-form/index.ts';

export interface IncomingStep {
  id: string;
  title: string;
}

/** The steps whose wires lead to the step that is shown, in the order of the wires. */
export const IncomingContext = createContext<readonly IncomingStep[]>([]);

const FIRST = '';

export function IncomingField(field: FieldProps) {
  const { label, value, onValue } = field;
  const { readOnly } = useForm();
  const steps = useContext(IncomingContext);
  const chosen = typeof value === 'string' ? value : FIRST;
  const missing = chosen !== FIRST && !steps.some((step) => step.id === chosen);
  const options: Option[] = [{ value: FIRST, label: t('form.incomingFirst') }, ...steps.map(({ id, title }) => ({ value: id, label: title, hint: id }))];
  if (missing) options.push({ value: chosen, label: t('form.incomingMissing', { id: chosen }) });
  return (
    <FieldFrame field={field}>
      {({ id, invalid }) => <Select id={id} label={label} value={chosen} options={options} invalid={invalid || missing} disabled={readOnly} onChange={(next) => onValue(next === FIRST ? undefined : next)} />}
    </FieldFrame>
  );
}
