// All calls of a run as cards; only what is seen is drawn.

import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useMemo, useRef, type KeyboardEvent } from 'react';
import { CONTAINERS, slotKey } from '../../run/run-paths.ts';
import { isTerminal, type CallCard, type RunView } from '../../run/run-state.ts';
import { statusIn } from '../../run/run-location.ts';
import type { NodeDescriptor } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { CardSearch, pickCalls, type CallFilter } from './pick-calls.ts';
import { StepCard, titleText, type Sections, type Where } from './card.tsx';

export interface Look {
  icon: string;
  tone: string;
  /** Title of the kind, for steps without one of their own. */
  title?: string;
  /** It works on failures of other steps. */
  recovery?: boolean;
  /** What a call of its kind does outside. */
  effects?: NodeDescriptor['effects'];
}

/** The failed call that waits for its next attempt right now. */
export function waitsForRetry(view: RunView, card: CallCard): boolean {
  const node = (card.path ? view.slots.get(slotKey(card.nodeId, card.path)) : undefined) ?? view.nodes[card.nodeId];
  return !isTerminal(view.status) && card.retryAtMs !== undefined && node?.state === 'retrying' && node.retryAtMs === card.retryAtMs;
}

/** Keys that go from card to card; `page`: so many are in sight. */
const STEPS: { readonly [key: string]: ((page: number) => number) | undefined } = { ArrowDown: () => 1, ArrowUp: () => -1, PageDown: (page) => page, PageUp: (page) => -page };

/** Of a card whose sections are closed. */
const CARD_HEIGHT = 81;

export function CardsView({ view, filter, where, lookOf, sections, selectedCard, onPick }: {
  view: RunView;
  filter: CallFilter;
  where: Where;
  lookOf: (kind: string | undefined) => Look;
  sections: Sections;
  selectedCard: number | null;
  onPick: (card: number) => void;
}) {
  const wanted = useDeferredValue(filter);
  const search = useMemo(() => new CardSearch(), [view.table]); // eslint-disable-line react/exhaustive-deps
  const picked = useMemo(() => pickCalls(view, wanted, search, (card) => `${titleText(card, lookOf(card.kind))} ${card.path ? where.words(card.path, card.nodeId) : ''}`, lookOf), [view, wanted, search, lookOf]); // eslint-disable-line react/exhaustive-deps
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: picked.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_HEIGHT,
    overscan: 6,
    getItemKey: (index) => picked.at(index) ?? index,
  });
  const atEnd = useRef(true);
  // The last cards come with the end of the run. A run that had ended before is read from its beginning.
  const ended = useRef(isTerminal(view.status));
  useEffect(() => {
    if (atEnd.current && picked.length > 0 && !ended.current) virtual.scrollToIndex(picked.length - 1);
    ended.current = isTerminal(view.status);
  }, [picked.length, view.status, virtual]);
  const at = selectedCard === null ? -1 : picked.place(selectedCard);
  const shownAt = useRef(-1);
  // What ran in a step stands below its card. What is pressed here stays where it is.
  const own = useRef<number | null>(null);
  const holds = selectedCard !== null && CONTAINERS.has(view.calls.at(selectedCard)?.kind ?? '');
  useEffect(() => {
    if (at >= 0 && at !== shownAt.current) virtual.scrollToIndex(at, { align: holds && own.current !== selectedCard ? 'start' : 'auto' });
    shownAt.current = at;
    own.current = null;
  }, [at, holds, selectedCard, virtual]);
  // How high the cards between here and there are is only guessed: by number their ends are reached all the same.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = picked.length - 1;
    if (event.key === 'Home' || event.key === 'End') {
      event.preventDefault();
      virtual.scrollToIndex(event.key === 'Home' ? 0 : last);
      return;
    }
    const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / CARD_HEIGHT));
    const by = STEPS[event.key]?.(page);
    if (by === undefined) return;
    event.preventDefault();
    // With none chosen it is the first in sight: nobody is taken away from where they look.
    const inSight = virtual.getVirtualItems().find((row) => row.end > event.currentTarget.scrollTop)?.index ?? 0;
    const next = picked.at(at < 0 ? inSight : Math.min(last, Math.max(0, at + by)));
    if (next === undefined) return;
    own.current = next;
    onPick(next);
  };
  if (picked.length === 0) return <p className="s t3 ev-none">{t('log.nothing')}</p>;
  return (
    <div
      ref={scroller}
      className="cards"
      role="feed"
      aria-label={t('card.list')}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={(event) => {
        const box = event.currentTarget;
        atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 80;
      }}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((row) => {
          const card = view.calls.at(picked.at(row.index) ?? -1);
          if (!card) return null;
          const look = lookOf(card.kind);
          return (
            <div key={row.key} ref={virtual.measureElement} data-index={row.index} className="card-place" style={{ transform: `translateY(${String(row.start)}px)` }}>
              <StepCard card={card} status={statusIn(view, card)} where={where} look={look} sections={sections} selected={row.index === at} waiting={waitsForRetry(view, card)} onSelect={() => { own.current = card.index; onPick(card.index); }} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
