// A text with those that there are beside it; any other may be written.

import { useEffect, useId, useRef, type ReactNode } from 'react';
import { t } from '../i18n/index.ts';
import { TextInput } from '../kit/index.ts';
import { takeFocus } from './focus.ts';
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
  /** By what it is asked to take the focus over from the editor that stood in its place. */
  focusName?: string | undefined;
}

export function OfferedText({ value, offered, onValue, label, invalid, id, describedBy, placeholder, end, onFocus, focusName }: OfferedTextProps) {
  const { readOnly } = useForm();
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focusName !== undefined && takeFocus(focusName)) input.current?.focus();
  }, [focusName]);
  return (
    <>
      <TextInput ref={input} mono {...(id ? { id } : {})} aria-label={label} aria-describedby={describedBy} value={value} invalid={invalid} readOnly={readOnly} list={list} placeholder={placeholder ?? t('form.chooseOrWrite')} end={end} onChange={onValue} onFocus={onFocus} />
      <datalist id={list}>{offered.map((one) => <option key={one.value} value={one.value} label={one.label} />)}</datalist>
    </>
  );
}
