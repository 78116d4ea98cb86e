/** JSON values and the pointers into them (RFC 6901). */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands in place of a value that is too long for the wire. */
export interface CutValue { _truncated: true; type: string; length: number; preview: string; ref: string }

/** What stands in place of a value that is too long for the wire. Data of one's own may look the same: what was cut is told apart where an
 * answer is read (cuts.ts), and is one of these from there on. */
export class Cut implements CutValue {
  declare _truncated: true;
  declare type: string;
  declare length: number;
  declare preview: string;
  declare ref: string;

  constructor(value: CutValue) {
    Object.assign(this, value);
  }
}

export const isCut = (value: unknown): value is CutValue => value instanceof Cut;

/** Whether a `step_error` is a question: a person is asked about a call of a tool, and the step goes on after the answer (ADR 51). */
export const isQuestion = (payload: unknown): boolean => isObject(payload) && payload['held'] !== undefined && payload['held'] !== null;

/** A pointer one step further. */
export const pointerTo = (pointer: string, part: string | number): string =>
  `${pointer}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The names along a pointer. */
export const pointerParts = (pointer: string): string[] =>
  pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
