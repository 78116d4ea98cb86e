/** How the state of a run looks on a card and on a wire. */

import { isKeptAside, isTaken } from '../../../run/run-paths.ts';
import type { NodeRun, RunView } from '../../../run/run-state.ts';
import { onlyAsks } from '../../../run/run-location.ts';
import { formatCount, formatNumber, t, tn } from '../../../i18n/index.ts';
import { shortRunId } from '../../../shared/run-status.tsx';
import type { Signal } from '../../../kit/signal.tsx';

export interface CardLook {
  className: string;
  signal: Signal | null;
  words: string;
  /** replaces the summary */
  line: string | null;
  /** the same with what the card has no room for */
  whole?: string;
  /** The end of the line is what is new: a card that is too narrow cuts its beginning. */
  tail?: true;
}

const CLASS = {
  idle: '', running: 'is-running', retrying: 'is-retry', waiting: 'is-wait', asks: 'is-person', done: 'is-done', failed: 'is-failed', handled: 'is-handled',
  skipped: 'is-skipped', cancelled: 'is-skipped', unreached: 'is-unreached', kept: 'is-kept',
} as const;
const SIGNAL = {
  idle: null, running: 'run', retrying: 'retry', waiting: 'wait', asks: 'person', done: 'ok', failed: 'err', handled: 'err', skipped: 'skip', cancelled: 'stop', unreached: null, kept: 'kept',
} as const;

/** Characters that fit on the line of a card. */
const LINE = 30;

/** "4 s", "12 min", "2 d 4 h": never moves more often than once a second. */
export function timeLeft(ms: number): string {
  const s = Math.ceil(ms / 1000);
  if (s < 60) return t('unit.s', { n: s });
  const min = Math.round(s / 60);
  if (min < 60) return t('unit.min', { n: min });
  const h = Math.floor(min / 60);
  return h < 24 ? t('unit.hMin', { n: h, m: min % 60 }) : t('unit.dH', { n: Math.floor(h / 24), m: h % 24 });
}

/** The end of what is said, as much as fits on a card; whole words. */
function lastWords(words: string): string {
  const plain = words.replaceAll(/\s+/g, ' ').trim();
  if (plain.length <= LINE) return plain;
  const end = plain.slice(-LINE);
  return `…${end.slice(end.indexOf(' ') + 1)}`;
}

function attempts(run: NodeRun): string | null {
  if (run.maxAttempts === undefined || run.maxAttempts === 0) return null;
  return t('canvas.attempt', { n: run.attempt + 1, of: run.maxAttempts + 1 });
}

/** What a tool tells of its work stands behind its name. */
const toolLine = (tool: string, tells: string | undefined): string => (tells === undefined ? t('canvas.toolLine', { tool }) : t('canvas.toolTells', { tool, words: tells }));

/** Of a step of which not all calls are loaded: what the loaded ones say, and that there are more. */
function unloadedLine(run: NodeRun): string {
  const loaded = t('gap.cardMore', { n: formatCount(run.calls), of: formatCount(run.calls + (run.unloaded ?? 0)) });
  if (run.floor === run.state) return t('gap.floor');
  if (run.calls === 0) return tn('gap.card', run.unloaded ?? 0);
  if (UNDER_WAY.has(run.state) || !run.over) return loaded;
  return run.over.inState === run.over.of ? loaded : t('gap.cardSome', { n: formatNumber(run.over.inState), of: formatNumber(run.over.of), state: many(run.state) });
}

function lineOf(run: NodeRun, now: number, parent: string | undefined): string | null {
  if (run.unloaded) return unloadedLine(run);
  // A step in a loop as a whole: of many iterations the worst one is no description.
  if (run.over && run.over.of > 1) {
    if (run.state === 'done' && run.over.inState + (run.over.kept ?? 0) === run.over.of) return null;
    const of = formatNumber(run.over.of);
    return run.state === 'asks' ? tn('canvas.asksOf', run.over.inState, { of }) : t('canvas.round.line', { n: formatNumber(run.over.inState), of, state: many(run.state) });
  }
  const of = (run.maxAttempts ?? run.attempt + 1) + 1;
  switch (run.state) {
    case 'retrying': {
      const left = (run.retryAtMs ?? now) - now;
      return left > 0 ? t('canvas.retryIn', { n: run.attempt + 1, of, time: timeLeft(left) }) : t('canvas.retryNow', { n: run.attempt + 1, of });
    }
    case 'waiting': {
      if (run.dueMs === undefined) return null;
      const left = run.dueMs - now;
      return left > 0 ? t('canvas.waitIn', { time: timeLeft(left) }) : t('canvas.waitNow');
    }
    case 'asks':
      return (run.inVisit ?? 0) > 1 && run.askingItems !== undefined ? tn('canvas.asksOf', run.askingItems, { of: formatNumber(run.inVisit ?? 0) }) : t('canvas.asksLine');
    case 'running':
      if (run.says) return run.says.what === 'tool' ? toolLine(run.says.words, run.says.tells) : run.says.what === 'thinking' ? t('canvas.thinkingLine') : lastWords(run.says.words);
      return run.attempt > 0 ? attempts(run) : null;
    case 'failed':
    case 'handled':
      return [run.errorCode ?? run.message ?? t(`canvas.state.${run.state}`), run.attempt > 0 ? attempts(run) : null].filter(Boolean).join(', ');
    case 'skipped':
      return t('canvas.skippedLine');
    case 'cancelled':
      return t('canvas.cancelledLine');
    case 'kept':
      return parent === undefined ? t('canvas.keptLineShort') : t('canvas.keptLine', { run: shortRunId(parent) });
    case 'unreached':
      return t('canvas.unreachedLine');
    default:
      return null;
  }
}

/** Its line is the newest words of a model. */
const speaks = (run: NodeRun): boolean => run.state === 'running' && !(run.over && run.over.of > 1) && run.says !== undefined && run.says.what !== 'tool' && run.says.what !== 'thinking';

/** How many of a frame's iterations are so: "3 failed, handled" needs no plural. */
const many = (state: NodeRun['state']): string => t(state === 'handled' ? 'card.status.handled' : `canvas.state.${state}`).toLowerCase();

/** Beside the number of iterations, and of many items, there is no room for the whole line; the icon says what is waited for. */
function shortOf(run: NodeRun): string | null {
  if (run.unloaded) return null;
  if (run.over && run.over.of > 1) return t('canvas.round.short', { n: formatNumber(run.over.inState), state: many(run.state === 'asks' ? 'waiting' : run.state) });
  return run.state === 'asks' && (run.inVisit ?? 0) > 1 && run.askingItems !== undefined ? t('canvas.asksShort', { n: formatNumber(run.askingItems), of: formatNumber(run.inVisit ?? 0) }) : null;
}

/** The run stands stopped before this step. */
const STOPPED = { className: 'is-stopped', signal: null };

const UNDER_WAY: ReadonlySet<NodeRun['state']> = new Set(['running', 'retrying', 'waiting', 'asks']);

/** `parent`: the run that a kept result is from. `drawing`: the workflow is drawn here, and a run of it is only shown on it. */
export function lookOf(run: NodeRun | undefined, disabled: boolean, now: number, stopped = false, parent?: string, drawing = false): CardLook {
  if (stopped) return { ...STOPPED, words: t('debug.card'), line: t('debug.cardLine') };
  // What the next run leaves out is seen, however it was in the last one.
  const off = disabled && drawing && !(run && UNDER_WAY.has(run.state));
  if (!off && run && run.state !== 'idle') {
    const whole = lineOf(run, now, parent);
    const short = whole === null ? null : shortOf(run);
    return { className: CLASS[run.state], signal: SIGNAL[run.state], words: t(`canvas.state.${run.state}`), line: short ?? whole, ...(short !== null && whole !== null ? { whole } : {}), ...(speaks(run) ? { tail: true } : {}) };
  }
  if (!off && run?.unloaded) return { className: '', signal: null, words: t('gap.notLoaded'), line: t('gap.notLoaded') };
  if (disabled) return { className: 'is-off', signal: 'off', words: t('canvas.state.disabled'), line: null };
  return { className: '', signal: null, words: '', line: null };
}

export type WireState = 'plain' | 'taken' | 'live' | 'open' | 'not-taken';

const ENDED = new Set(['completed', 'failed', 'cancelled']);
const SETTLED = new Set(['done', 'failed', 'handled', 'skipped', 'cancelled']);

export function wireState(view: RunView | null, from: string, source: string, target: string): WireState {
  if (!view) return 'plain';
  const state = view.nodes[target]?.state;
  // What the original sent there is not counted; of what is not known, the step behind it tells.
  const run = view.nodes[source];
  if (run?.state === 'kept') return isKeptAside(run, from) || (run.leftKept === undefined && (state === 'skipped' || state === 'unreached')) ? 'not-taken' : 'plain';
  if (isTaken(run, from, view.ports)) {
    // A frame that shows the sign of a person goes on with nothing.
    return (state === 'running' && !onlyAsks(view, target)) || state === 'retrying' ? 'live' : 'taken';
  }
  // Where its calls went is not loaded.
  if (run?.unloaded) return 'open';
  const settled = (ENDED.has(view.status) && !view.behind) || SETTLED.has(view.nodes[source]?.state ?? 'idle');
  return settled ? 'not-taken' : 'open';
}
