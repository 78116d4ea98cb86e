// A text with those that there are beside it; any other may be written.

import { useId, type ReactNode } from 'react';
import { t } from '../i18n/index.ts';
import { TextInput } from '../kit/index.ts';
import type { Offered } from './model.ts';
import { useForm } from './scope.ts';

export interface OfferedTextProps {
  value: string;
  offered: readonly Offered[];
  onValue(value: string): void;
  label: string;
  invalid: boolean;
  id?: string | undefined;
  describedBy?: string | undefined;
  placeholder?: string | undefined;
  end?: ReactNode;
  onFocus?: (() => void) | undefined;
}

export function OfferedText({ value, offered, onValue, label, invalid, id, describedBy, placeholder, end, onFocus }: OfferedTextProps) {
  const { readOnly } = useForm();
  const list = useId();
  return (
    <>
      <TextInput mono {...(id ? { id } : {})} aria-label={label} aria-describedby={describedBy} value={value} invalid={invalid} readOnly={readOnly} list={list} placeholder={placeholder ?? t('form.chooseOrWrite')} end={end} onChange={onValue} onFocus={onFocus} />
      <datalist id={list}>{offered.map((one) => <option key={one.value} value={one.value} label={one.label} />)}</datalist>
    </>
  );
}
