/** What people know a step by: its own title, else that of its kind, else its id, which is for files. Letters that are not seen are written out: a title must not turn the line it stands in. */

import { plain } from '../text/letters.ts';

export function stepTitle(own: string | undefined, kind: string | undefined, id: string): string {
  return plain(own?.trim() || kind || id);
}
