/** A field of the data that is dropped on a setting which holds a name and no value. */
import type { DragEvent } from 'react';
import { draggedField, isFieldDrag, lastName } from '../code/field-drag.ts';
import { t } from '../i18n/index.ts';
import { toast } from '../kit/index.ts';
import { fieldOfItem, type KnownField } from './known-fields.ts';

export interface NameDrop { onDragOver(event: DragEvent): void; onDrop(event: DragEvent): void }

function drop(onExpression: ((expression: string) => void) | undefined): NameDrop {
  return {
    onDragOver: (event) => {
      if (!isFieldDrag(event.dataTransfer)) return;
      // Without this the box itself would take the expression as text.
      event.preventDefault();
      if (onExpression === undefined) event.dataTransfer.dropEffect = 'none';
    },
    onDrop: (event) => {
      const expression = draggedField(event.dataTransfer);
      if (expression === null) return;
      event.preventDefault();
      event.stopPropagation();
      onExpression?.(expression);
    },
  };
}

/** For a setting that names a field of the item that arrives: fields of other steps are refused, and why is said. */
export const dropField = (readOnly: boolean, known: readonly KnownField[], onName: (name: string) => void): NameDrop => drop(readOnly ? undefined : (expression) => {
  const name = fieldOfItem(expression, known);
  if (name === null) toast({ signal: 'warn', text: t('form.dropOfItem') });
  else onName(name);
});

/** For a setting that gives a field its name: the last name of the path. */
export const dropLastName = (readOnly: boolean, onName: (name: string) => void): NameDrop => drop(readOnly ? undefined : (expression) => {
  const name = lastName(expression);
  if (name !== '') onName(name);
});

/** For a setting that may be an expression: what is dropped becomes its value. */
export const dropExpression = (readOnly: boolean, onValue: (value: string) => void): NameDrop => drop(readOnly ? undefined : (expression) => onValue(`=${expression}`));

/** For a text that is taken as it is written. */
export const dropNothing: NameDrop = drop(undefined);
