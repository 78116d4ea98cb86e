// What models cost: money where a price is known, else tokens, and what they are made of when the pointer rests on it.

import type { Spent } from '../api/run-types.ts';
import { formatMoney, formatNumber, t, tn } from '../i18n/index.ts';
import { Icon } from '../kit/index.ts';

/** In one line. */
export const spentText = (spent: Spent): string =>
  spent.unpriced === spent.calls ? t('spent.tokens', { n: formatNumber(spent.inputTokens + spent.outputTokens) }) : `${formatMoney(spent.costMicros)}${spent.unpriced > 0 ? ' +' : ''}`;

/** Calls, tokens, and what is not in the sum. */
export const spentHint = (spent: Spent): string => {
  const all = tn('spent.hint', spent.calls, { in: formatNumber(spent.inputTokens), out: formatNumber(spent.outputTokens) });
  return spent.unpriced === 0 ? all : `${all} ${tn('spent.unpriced', spent.unpriced)}`;
};

/** Nothing where no model was asked. */
export function SpentChip({ spent }: { spent: Spent | undefined }) {
  if (!spent || spent.calls === 0) return null;
  return <span className="row gap1 s t2 nw" title={spentHint(spent)} data-spent><Icon name="spark" size={12} />{spentText(spent)}</span>;
}
