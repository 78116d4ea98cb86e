// Text from outside (names, errors, notes): letters only, what is hidden is marked, what is long is cut with a way to the rest.

import { useState } from 'react';
import { formatNumber, t } from '../../i18n/index.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import './evidence.css';

/** `cut`: longer texts are cut at this many letters. `line`: one line, cut by its place, whole in the tooltip. */
export function SafeText({ text, cut = 2000, line = false, className }: { text: string; cut?: number; line?: boolean; className?: string }) {
  const [whole, setWhole] = useState(false);
  const long = text.length > cut;
  const shown = long && !whole ? text.slice(0, cut) : text;
  const cls = ['safe', line ? 'ell' : 'safe-wrap', className ?? ''].filter(Boolean).join(' ');
  return (
    <bdi className={cls} title={line ? plain(text.slice(0, 1000)) : undefined}>
      <Pieces text={line ? shown.replace(/\s*\n\s*/g, ' ') : shown} />
      {long && !line ? (
        <button type="button" className="link s safe-more" onClick={() => setWhole(!whole)}>
          {whole ? t('evidence.less') : t('evidence.more', { n: formatNumber(text.length - cut) })}
        </button>
      ) : null}
    </bdi>
  );
}
