/** Time zones, by their names in the IANA database. */

/** That of the person at this window. */
export const localTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

let all: readonly string[] | undefined;
/** UTC, then those of the places. */
export function timeZones(): readonly string[] {
  all ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
  return all;
}
