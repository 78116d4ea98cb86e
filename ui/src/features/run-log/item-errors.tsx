// Items of a batch that failed while the others went on.

import { Fragment, useState } from 'react';
import { cameAs } from '../../run/run-error.ts';
import type { CallCard } from '../../run/run-state.ts';
import { Pieces } from '../../code/pieces.tsx';
import { CopyButton, ValueView } from '../../code/ValueView.tsx';
import { formatNumber, t, tn } from '../../i18n/index.ts';

const PAGE = 100;

export function failedItems(card: CallCard): string | null {
  const failed = card.itemErrors?.length ?? 0;
  return failed === 0 ? null : tn('card.itemsFailed', card.input.length, { failed: formatNumber(failed) });
}

/** Each item with what went wrong; an item that was chosen with the whole of its error. */
export function ItemErrors({ errors }: { errors: NonNullable<CallCard['itemErrors']> }) {
  const [limit, setLimit] = useState(PAGE);
  const [open, setOpen] = useState<number | null>(null);
  return (
    <div className="sc-items">
      {errors.slice(0, limit).map(({ item, error }, n) => (
        // An item may fail more than once.
        <Fragment key={`${String(item)} ${String(n)}`}>
          <button type="button" className="sc-item s" aria-expanded={open === n} onClick={() => setOpen(open === n ? null : n)}>
            <b className="nw">{t('card.failedItem', { n: formatNumber(item + 1) })}</b>{' '}<span className="ell c-err"><Pieces text={error.message} /></span>
          </button>
          {open === n ? <div className="sc-value"><ValueView value={cameAs(error)} label={t('card.failedItem', { n: formatNumber(item + 1) })} /><span className="sc-copy"><CopyButton value={cameAs(error)} /></span></div> : null}
        </Fragment>
      ))}
      {errors.length > limit ? <button type="button" className="value-more" onClick={() => setLimit(limit + PAGE)}>{t('value.moreRows', { n: Math.min(PAGE, errors.length - limit) })}</button> : null}
    </div>
  );
}
