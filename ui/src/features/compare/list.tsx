/** What differs: the run as a whole, then the steps. */
import './compare.css';
import { useMemo } from 'react';
import { slotKey } from '../../run/run-paths.ts';
import { Pieces } from '../../code/pieces.tsx';
import type { NodeState } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { t, tn } from '../../i18n/index.ts';
import { Icon, SignalIcon, VirtualList } from '../../kit/index.ts';
import { formatStep, type NameOf } from '../../shared/format-path.ts';
import { aspectWords, countOf, isIdle, signalOf, stateWords, wholesOf, type Comparison, type StepDifference, type Whole } from './words.ts';

export type Entry = { whole: Whole; step?: undefined } | { whole?: undefined; step: StepDifference };

export const entriesOf = (found: Comparison): Entry[] => [...wholesOf(found).map((whole): Entry => ({ whole })), ...found.steps.map((step): Entry => ({ step }))];
export const keyOf = (entry: Entry): string => (entry.step ? `step ${slotKey(entry.step.stepId, entry.step.path)}` : `whole ${entry.whole}`);

export function DifferenceList({ found, entries, chosen, titleOf, onChoose, onEnter }: { found: Comparison; entries: readonly Entry[]; chosen: string | null; titleOf: NameOf; onChoose(key: string): void; /** Enter, or a double click: to its values. */ onEnter(key: string): void }) {
  const at = entries.findIndex((entry) => keyOf(entry) === chosen);
  const to = (go: (key: string) => void) => (index: number) => { const entry = entries[index]; if (entry) go(keyOf(entry)); };
  const left = useMemo(() => Object.values(found.leftOut ?? {}).reduce((sum, n) => sum + n, 0), [found]);
  return (
    <section className="cmp-list" aria-label={t('compare.list')}>
      <header className="cmp-head row"><b>{t('compare.list')}</b><span className="s t3 end">{tn('compare.steps', found.steps.length + (found.leftOut?.['steps'] ?? 0))}</span></header>
      <VirtualList<Entry> className="cmp-rows" items={entries} rowHeight={36} keyOf={keyOf} label={t('compare.list')} selected={at < 0 ? undefined : at} reveal={at < 0 ? undefined : at}
        onSelect={to(onChoose)} onOpen={to(onEnter)}
        row={(entry) => (entry.step ? <StepRow step={entry.step} titleOf={titleOf} /> : (
          <div className="cmp-row">
            <span className="cmp-states"><Icon name="outline" size={12} className="c-off" /></span>
            <span className="grow ell">{t(`compare.part.${entry.whole}`)}</span>
            <span className="s t2 nw">{countOf(found, entry.whole) > 0 ? tn('compare.places', countOf(found, entry.whole)) : null}</span>
          </div>
        ))} />
      {left > 0 ? <p className="s t3 cmp-foot">{tn('compare.leftOut', left)}</p> : null}
    </section>
  );
}

function StepRow({ step, titleOf }: { step: StepDifference; titleOf: NameOf }) {
  const title = formatStep(slotKey(step.stepId, step.path), titleOf);
  return (
    <div className="cmp-row" title={plain(`${title}: ${aspectWords(step)}`)}>
      <span className="cmp-states">
        <State state={step.a?.state} />
        {step.a?.state === step.b?.state ? null : <><Icon name="right" size={12} className="t3" /><State state={step.b?.state} /></>}
      </span>
      {/* Steps of one place begin alike: what is too long is cut at its beginning. */}
      <span className="cmp-name ell"><bdi dir="ltr"><Pieces text={title} /></bdi></span>
      <span className="s t2 ell cmp-what">{aspectWords(step)}</span>
    </div>
  );
}

function State({ state }: { state: NodeState | undefined }) {
  if (isIdle(state)) return <Icon name="minus" size={12} className="c-off" label={stateWords(state)} />;
  return <SignalIcon signal={signalOf(state)} label={stateWords(state)} />;
}
