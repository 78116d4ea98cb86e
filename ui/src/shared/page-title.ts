// The title of the page: what is looked at, with how many tasks wait in front of it. Pages of several runs are told apart in their tabs.

import { useEffect } from 'react';
import { plain } from '../text/letters.ts';
import { formatNumber, t } from '../i18n/index.ts';

let shown = '';
let open = 0;

function draw(): void {
  const name = shown === '' ? t('page.quiet') : t('page.named', { name: shown });
  document.title = open > 0 ? t('page.open', { n: formatNumber(open), name }) : name;
}

/** Tasks that wait, on every screen. */
export function titleOpen(count: number): void {
  open = count;
  draw();
}

/** `undefined`: another part of the screen says it. */
export function usePageName(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return undefined;
    const show = (text: string) => {
      shown = text;
      draw();
    };
    show(plain(name));
    // What comes next may have no name, or none yet: it is not called as this.
    return () => show('');
  }, [name]);
}
