/** JSON values and the pointers into them (RFC 6901). */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A pointer one step further. */
export const pointerTo = (pointer: string, part: string | number): string =>
  `${pointer}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The names along a pointer. */
export const pointerParts = (pointer: string): string[] =>
  pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
