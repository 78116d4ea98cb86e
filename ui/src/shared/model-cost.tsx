// What models cost: money where a price is known, else tokens, and what they are made of when the pointer rests on it.

import type { ModelTurn, Spent } from '../run/run-types.ts';
import { formatMoney, formatMoneyShort, formatNumber, t, tn } from '../i18n/index.ts';
import { Icon } from '../kit/index.ts';

/** What the answers of one call come to. */
export const spentOf = (turns: readonly ModelTurn[]): Spent => ({
  calls: turns.length,
  inputTokens: turns.reduce((all, turn) => all + turn.inputTokens, 0),
  outputTokens: turns.reduce((all, turn) => all + turn.outputTokens, 0),
  costMicros: turns.reduce((all, turn) => all + (turn.costMicros ?? 0), 0),
  unpriced: turns.filter((turn) => turn.costMicros === undefined).length,
});

const text = (spent: Spent, money: (micros: number) => string): string =>
  spent.unpriced === spent.calls ? t('spent.tokens', { n: formatNumber(spent.inputTokens + spent.outputTokens) }) : `${money(spent.costMicros)}${spent.unpriced > 0 ? ' +' : ''}`;

/** In one line. */
export const spentText = (spent: Spent): string => text(spent, formatMoney);

/** Calls, tokens, and what is not in the sum. */
export const spentHint = (spent: Spent): string => {
  const all = tn('spent.hint', spent.calls, { in: formatNumber(spent.inputTokens), out: formatNumber(spent.outputTokens) });
  return spent.unpriced === 0 ? all : `${all} ${tn('spent.unpriced', spent.unpriced)}`;
};

/** In a column of many: rounded, and whole where it is explained. What it is and what it is made of is heard, too. */
export function SpentCell({ spent }: { spent: Spent }) {
  const short = text(spent, formatMoneyShort);
  const whole = spentText(spent);
  const hint = short === whole ? spentHint(spent) : `${whole}. ${spentHint(spent)}`;
  return <span title={hint}><span className="vh">{t('spent.cost')}: </span>{short}<span className="vh">. {hint}</span></span>;
}

/** Nothing where no model was asked. */
export function SpentChip({ spent }: { spent: Spent | undefined }) {
  if (!spent || spent.calls === 0) return null;
  return (
    <span className="row gap1 s t2 nw" title={spentHint(spent)} data-spent><Icon name="spark" size={12} />
      <span><span className="vh">{t('spent.cost')}: </span>{spentText(spent)}<span className="vh">. {spentHint(spent)}</span></span>
    </span>
  );
}
