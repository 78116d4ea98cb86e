// The setting that was typed in last: a field of the data goes there by one key, where the mouse would drag it.

export interface FieldTarget {
  label: string;
  insert(expression: string): void;
}

let last: FieldTarget | null = null;

export function setFieldTarget(target: FieldTarget): void {
  last = target;
}

/** The editor is gone; another one may have taken its place already. */
export function dropFieldTarget(target: FieldTarget): void {
  if (last === target) last = null;
}

export const fieldTarget = (): FieldTarget | null => last;
