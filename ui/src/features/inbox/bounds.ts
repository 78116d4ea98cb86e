// How long a text may be. What is too long stays as it was typed and is not sent: a field that cuts it loses its end without a word.

import { formatNumber, tn } from '../../i18n/index.ts';

/** Letters of a note, a comment or a reason, as the host counts them. */
export const MOST = 10_000;

/** Says by how much a text is too long; undefined when it fits. */
export function tooLong(text: string, most = MOST): string | undefined {
  // A letter is one or two units: what has no more units than that needs no counting.
  const n = text.length > most ? Array.from(text).length - most : 0;
  return n > 0 ? tn('inbox.tooLong', n, { most: formatNumber(most) }) : undefined;
}
