// What every field of one form shares.

import { createContext, useContext, type ComponentType } from 'react';
import type { Diagnostic, ExpressionAnswer, ExpressionName, JsonSchema, Preview } from '../api/types.ts';
import type { FieldProps } from './frame.tsx';
import { hintsOf, type Path, type Widget } from './model.ts';

/** What such a field is given: with its place, for who edits parts of the value. */
export type OwnFieldProps = FieldProps & { path: Path };
/** Fields that come from outside: they ask the host for more than a schema says. */
export type OwnWidgets = Partial<Record<Widget, ComponentType<OwnFieldProps>>>;

/** What a person asks an expression for. */
export interface ExpressionWish { asked: string; field: string; current: string; condition: boolean; item: number }

/** Has a model write expressions. */
export interface ExpressionAssistant {
  /** The model that is asked; null when none is configured. */
  model(): Promise<string | null>;
  ask(wish: ExpressionWish): Promise<ExpressionAnswer>;
  cancel(): void;
}

/** Where expressions get their names and their live results. Without a host a form takes literals only. */
export interface ExpressionHost {
  /** `whole`: also a large value, for who looks at the data. */
  preview(text: string, kind: 'cel' | 'value', item: number, whole?: boolean): Promise<Preview | null>;
  /** `inside`: what a loop asks about one of its iterations. */
  names(inside?: boolean): Promise<readonly ExpressionName[]>;
  /** Values that the field at a path (`['item', 'total']`) had in the data of the panel, to be chosen from. */
  seen?(path: readonly (string | number)[]): readonly unknown[];
  /** The item that all previews of the panel use, from 0. */
  item: number;
  setItem(item: number): void;
  /** Changes when the data behind the previews changes. */
  revision: string | number;
  /** Nothing comes before this step: there is no field to drag. */
  first?: boolean | undefined;
  /** Absent where nobody may ask. */
  assistant?: ExpressionAssistant | undefined;
}

export interface FormScope {
  base: string;
  diagnostics: readonly Diagnostic[];
  host: ExpressionHost | null;
  readOnly: boolean;
  /** The value of the whole form. */
  whole?: unknown;
  widgets?: OwnWidgets | undefined;
  /** Somebody else says what fits: a field passes on what it cannot read as its type, and says how it goes. */
  lenient?: boolean;
  /** A text box holds what is no value at all (half typed JSON). */
  onUnread?: ((id: string, unread: boolean) => void) | undefined;
  /** `undefined` takes the value away. */
  edit(path: Path, value: unknown): void;
}

const Scope = createContext<FormScope | null>(null);
export const FormScopeProvider = Scope.Provider;

/** The form around, for what stands outside of forms, too. */
export const useFormAround = (): FormScope | null => useContext(Scope);

/** Whether who answers the form is not who wrote it; false for fields outside of a form. */
export const useLenient = (): boolean => useContext(Scope)?.lenient === true;

export function useForm(): FormScope {
  const scope = useContext(Scope);
  if (!scope) throw new Error('A field stands outside of a form.');
  return scope;
}

/** What could be written in a field. Where nothing can be, an example would look like a value. */
export function useExample(schema: JsonSchema): string | undefined {
  const { readOnly } = useForm();
  return readOnly ? undefined : hintsOf(schema).placeholder;
}
