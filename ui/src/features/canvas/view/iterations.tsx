/** Which iteration of a run one looks at: ‹ 3/100 › at frames and cards, and one choice for the whole run. */

import { useState } from 'react';
import { useStore } from 'zustand';
import { type Choice, chooseAll, chooseRound, EVERY, loopsOf, outerLoops, roundsOf } from '../../../run/run-paths.ts';
import type { RunView } from '../../../run/run-state.ts';
import type { Workflow } from '../../../api/types.ts';
import { formatNumber, t, tn } from '../../../i18n/index.ts';
import { Icon } from '../../../kit/icon.tsx';
import { useCanvas, useUi } from './ui.ts';

/** One step on: before the first stands the loop as a whole. */
export const step = (at: number | null, of: number, by: 1 | -1): number | null => {
  const next = (at ?? -1) + by;
  return next < 0 ? null : Math.min(next, of - 1);
};

/** The rounds to choose from: at a frame its own, at a card those of the loop around it; null where there is none. */
export function roundsAt(view: RunView | null, nodes: Workflow['nodes'], id: string, frame: boolean): { loop: string; at: number | null; of: number; open: boolean } | null {
  if (view === null || view.loops.size === 0) return null;
  const loop = frame && nodes[id]?.type === 'flow.loop' ? id : loopsOf({ nodes }, id).at(-1);
  const rounds = loop === undefined ? null : roundsOf(view, { nodes }, loop, view.choice ?? EVERY);
  return rounds && loop !== undefined ? { loop, ...rounds } : null;
}

export function IterationPicker({ id, frame = false }: { id: string; frame?: boolean }) {
  const { editor, choose } = useCanvas();
  const nodes = useStore(editor, (s) => s.settled.nodes);
  const view = useUi((s) => s.runView);
  const choice = view?.choice ?? EVERY;
  const rounds = roundsAt(view, nodes, id, frame);
  if (!rounds) return null;
  const { loop, at, of, open } = rounds;
  const go = (by: 1 | -1) => (event: { stopPropagation(): void }): void => {
    event.stopPropagation();
    choose(chooseRound({ nodes }, choice, loop, step(at, of, by)));
  };
  const total = `${formatNumber(of)}${open ? '+' : ''}`;
  const words = at === null ? t('canvas.round.all', { of: total }) : at === of ? t('canvas.round.beyond', { of: total }) : t('canvas.round.at', { n: formatNumber(at + 1), of: total });
  const tab = frame ? 0 : -1;
  return (
    <span className={`cv-rounds nodrag nopan nokey ${at === null ? 'whole' : ''}`} role="group" aria-label={words} title={words} data-rounds={id} onDoubleClick={(event) => event.stopPropagation()} onClick={(event) => event.stopPropagation()}>
      <button type="button" tabIndex={tab} aria-label={t('canvas.round.previous')} disabled={at === null} onClick={go(-1)}><Icon name="left" size={12} /></button>
      <span>{at === null ? t('canvas.round.every') : at === of ? '–' : formatNumber(at + 1)}/{total}</span>
      <button type="button" tabIndex={tab} aria-label={t('canvas.round.next')} disabled={at !== null && at >= of - 1} onClick={go(1)}><Icon name="right" size={12} /></button>
    </span>
  );
}

/** The outer loops together: the number that all of them stand at, and how far they go. */
export function wholeRun(view: RunView, document: Pick<Workflow, 'nodes'>): { at: number | null; of: number; mixed: boolean } | null {
  const choice = view.choice ?? EVERY;
  const all = outerLoops(document).flatMap((id) => {
    const rounds = roundsOf(view, document, id, choice);
    return rounds ? [{ at: choice[id] ?? null, of: rounds.of }] : [];
  });
  if (all.length === 0) return null;
  const of = Math.max(...all.map((one) => one.of));
  const ats = new Set(all.map((one) => one.at));
  const [at = null] = ats;
  return ats.size === 1 ? { at: at === null ? null : Math.min(at, of), of, mixed: false } : { at: null, of, mixed: true };
}

export function chooseWhole(view: RunView, document: Pick<Workflow, 'nodes'>, by: 1 | -1 | null): Choice | null {
  const now = wholeRun(view, document);
  if (!now) return null;
  return chooseAll(document, by === null ? null : step(now.at, now.of, by));
}

/** One selector for the whole run: all steps in loops show the same iteration. */
export function RunIterations() {
  const { editor, choose } = useCanvas();
  const nodes = useStore(editor, (s) => s.settled.nodes);
  const view = useUi((s) => s.runView);
  const [typing, setTyping] = useState(false);
  const now = view === null || view.loops.size === 0 ? null : wholeRun(view, { nodes });
  if (!now || !view) return null;
  const { at, of, mixed } = now;
  const go = (by: 1 | -1) => () => { choose(chooseAll({ nodes }, step(at, of, by))); };
  const end = (text: string): void => {
    setTyping(false);
    const n = Number(text);
    if (text.trim() !== '' && Number.isInteger(n) && n >= 1) choose(chooseAll({ nodes }, Math.min(n, of) - 1));
  };
  return (
    <div className="cv-tools top cv-iteration" role="toolbar" aria-label={t('canvas.round.label')}>
      <button type="button" aria-label={t('canvas.round.previous')} title={`${t('canvas.round.previous')} (,)`} disabled={at === null && !mixed} onClick={go(-1)}><Icon name="left" /></button>
      {typing ? (
        <input autoFocus inputMode="numeric" className="cv-round-in nokey" aria-label={t('canvas.round.type', { of: formatNumber(of) })} defaultValue={at === null ? '' : String(at + 1)} onFocus={(event) => event.currentTarget.select()}
          onBlur={(event) => end(event.currentTarget.value)} onKeyDown={(event) => { event.stopPropagation(); if (event.key === 'Enter') event.currentTarget.blur(); if (event.key === 'Escape') { event.currentTarget.value = ''; event.currentTarget.blur(); } }} />
      ) : (
        <button type="button" className="cv-round-now" title={t('canvas.round.type', { of: formatNumber(of) })} onClick={() => setTyping(true)}>
          {mixed ? t('canvas.round.mixed') : at === null ? tn('canvas.round.whole', of) : t('canvas.round.now', { n: at === of ? '–' : formatNumber(at + 1), of: formatNumber(of) })}
        </button>
      )}
      <button type="button" aria-label={t('canvas.round.next')} title={`${t('canvas.round.next')} (.)`} disabled={at !== null && at >= of - 1} onClick={go(1)}><Icon name="right" /></button>
      {at !== null || mixed ? <button type="button" onClick={() => choose(EVERY)}>{t('canvas.round.toAll')}</button> : null}
    </div>
  );
}
