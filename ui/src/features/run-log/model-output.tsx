// What a model said in a call and what its tools did (U-16, U-21): the answer stands open, the rest is opened.

import { useEffect, useRef, useState, type ReactNode } from 'react';
import { isObject } from '../../json/json.ts';
import type { CallCard, ModelTurn, Saying, ToolRun } from '../../run/run-state.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { CopyButton, ValueView } from '../../code/ValueView.tsx';
import { formatSize } from '../../code/value-lines.ts';
import { formatDuration, formatNumber, t, tn } from '../../i18n/index.ts';
import { Button, Icon, SignalIcon } from '../../kit/index.ts';
import { spentHint, spentOf, spentText } from '../../shared/model-cost.tsx';
import type { SectionId } from './card.tsx';

/** So many characters are drawn at once: of a long answer the end while it comes, the beginning afterwards. */
const SHOWN = 20_000;

type MakeSection = (id: SectionId, title: string, note: ReactNode, body: (() => ReactNode) | null) => ReactNode;

/** Who sees a run with masks sees one in the place of each piece: together they are one. */
const MASKS = /^(•••)+$/;

/** A short text may be nothing but spaces or a mask. A long one is not walked at each draw, its section may be closed. */
const SHORT = 1000;
const lengthOf = (said: readonly Saying[], what: 'text' | 'thinking'): number =>
  said.reduce((sum, one) => (one.what !== what ? sum : sum + (one.text.length > SHORT ? one.text : one.text.trim().replace(MASKS, '•••')).length), 0);

const textOf = (said: readonly Saying[], what: 'text' | 'thinking'): string =>
  said.flatMap((one) => (one.what === what ? [one.text.trim().replace(MASKS, '•••')] : [])).filter((text) => text !== '').join('\n\n');

/** Thoughts come in, and nothing else after them yet. */
export const thinksNow = (card: CallCard): boolean => card.endSeq === undefined && card.said?.at(-1)?.what === 'thinking';

export function modelOutputSections(card: CallCard, section: MakeSection): ReactNode {
  const said = card.said;
  if (!said) return null;
  const open = card.endSeq === undefined;
  const spoken = (id: 'thinking' | 'response', what: 'text' | 'thinking', parts: readonly Saying[]) => {
    const length = lengthOf(parts, what);
    if (length === 0) return null;
    return section(id, t(`said.${id}`), (what === 'text' ? open : thinksNow(card)) ? t('said.coming') : formatSize(length), () => <>
      <Text text={textOf(parts, what)} open={open} label={t(`said.${id}`)} />
      {parts.map((one, i) => (one.what === what && one.cut ? <Cut key={`cut ${String(i)}`} value={one.cut} label={t(`said.${id}`)} /> : null))}
    </>);
  };
  const tools = said.filter((one) => one.what === 'tool');
  const turns = said.filter((one) => one.what === 'turn');
  const troubles = said.filter((one) => one.what === 'trouble');
  // A model that uses tools talks in turns; what it said before a tool is no part of its answer.
  const talk = tools.some((tool) => tool.id !== '');
  const last = talk ? said.slice(said.findLastIndex((one) => one.what === 'tool') + 1) : said;
  return (
    <>
      {spoken('thinking', 'thinking', said)}
      {spoken('response', 'text', last)}
      {talk ? section('conversation', t('said.conversation'), <TalkNote tools={tools} />, () => <Conversation said={said} waits={waitsOf(card)} />) : null}
      {talk || tools.length === 0 ? null : section('tools', tn('said.tools', tools.length), tools.some((tool) => tool.failed) ? tn('said.toolsFailed', tools.filter((tool) => tool.failed).length) : null, () => (
        <ol className="said-tools">{tools.map((tool, i) => <Tool key={`${tool.id} ${String(i)}`} tool={tool} waits={waitsOf(card)} />)}</ol>
      ))}
      {turns.length === 0 ? null : section('usage', t('said.usage'), usageNote(turns), () => <Usage turns={turns} />)}
      {/* The last one is the error of the call, which stands above; the others were got over, and what a repair says of itself is not said twice. */}
      {(card.error && !card.question ? troubles.slice(0, -1) : troubles).filter(({ words }) => !card.fixes?.some(({ violations }) => violations.includes(words))).map((one, i) => (
        <p key={`trouble ${String(i)}`} className="s t2 said-trouble">{t('said.trouble', { words: one.words })} <code className="t3">{one.code}</code></p>
      ))}
    </>
  );
}

const sum = (turns: readonly ModelTurn[], of: (turn: ModelTurn) => number): number => turns.reduce((all, turn) => all + of(turn), 0);

function usageNote(turns: readonly ModelTurn[]): string {
  const note = t('said.usageNote', { model: turns.at(-1)?.model ?? '', n: about(turns, formatNumber(sum(turns, (turn) => turn.inputTokens + turn.outputTokens))) });
  return turns.every((turn) => turn.costMicros === undefined) ? note : `${note}, ${costOf(turns)}`;
}

/** A number of tokens or an amount; `about` it, where a provider did not tell what it counted. */
const about = (turns: readonly ModelTurn[], number: string): string => (turns.some((turn) => turn.estimated) ? t('said.about', { number }) : number);

/** As the whole run says it: what has a price, and a sign that there is more. */
const costOf = (turns: readonly ModelTurn[]): string =>
  turns.every((turn) => turn.costMicros === undefined) ? t('said.noPrice') : about(turns, spentText(spentOf(turns)));

const FINISH = { stop: 'said.finish.stop', tool_use: 'said.finish.tool_use', max_tokens: 'said.finish.max_tokens', refusal: 'said.finish.refusal' } as const;

function Usage({ turns }: { turns: readonly ModelTurn[] }) {
  const models = [...new Set(turns.map((turn) => turn.model))].join(', ');
  const finish = turns.at(-1)?.finish ?? '';
  const thinking = sum(turns, (turn) => turn.thinkingTokens ?? 0);
  const spent = spentOf(turns);
  return (
    <dl className="kv said-usage s">
      <dt>{t('said.model')}</dt><dd title={models}>{models}</dd>
      {turns.length > 1 ? <><dt>{t('said.turns')}</dt><dd>{formatNumber(turns.length)}</dd></> : null}
      <dt>{t('said.in')}</dt><dd>{about(turns, formatNumber(sum(turns, (turn) => turn.inputTokens)))}</dd>
      <dt>{t('said.out')}</dt><dd>{about(turns, formatNumber(sum(turns, (turn) => turn.outputTokens)))}</dd>
      {thinking > 0 ? <><dt>{t('said.thought')}</dt><dd>{formatNumber(thinking)}</dd></> : null}
      <dt>{t('said.cost')}</dt><dd title={spentHint(spent)}>{costOf(turns)}{spent.unpriced > 0 && spent.unpriced < spent.calls ? <span className="vh">. {spentHint(spent)}</span> : null}</dd>
      {turns.some((turn) => turn.estimated) ? <><dt>{t('said.counted')}</dt><dd>{t('said.estimated')}</dd></> : null}
      <dt>{t('said.latency')}</dt><dd>{formatDuration(sum(turns, (turn) => turn.latencyMs))}</dd>
      <dt>{t('said.finish')}</dt><dd title={finish}>{finish in FINISH ? t(FINISH[finish as keyof typeof FINISH]) : finish}</dd>
    </dl>
  );
}

/** Of a part that the wire has cut: the way to all of it. */
function Cut({ value, label }: { value: unknown; label: string }) {
  return <div className="sc-value"><span className="s t3">{t('said.cut')}</span><ValueView value={value} label={label} /></div>;
}

/** `part`: one of many, no landmark of the page; only what scrolls takes the keys. */
function Text({ text, open, label, part = false }: { text: string; open: boolean; label: string; part?: boolean }) {
  const [all, setAll] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const long = text.length > SHOWN && !all;
  const shown = long ? (open ? text.slice(-SHOWN) : text.slice(0, SHOWN)) : text;
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!part || !element) return undefined;
    const look = () => setScrolls(element.scrollHeight > element.clientHeight);
    look();
    // The log has another size: another part of it scrolls.
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [shown, part]);
  useEffect(() => {
    if (open && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [shown, open]);
  return (
    <div className="sc-value">
      <div
        ref={box} className="said-text" tabIndex={part && !scrolls ? undefined : 0} role={part ? 'group' : 'region'} aria-label={label}
        onScroll={(event) => { atEnd.current = event.currentTarget.scrollHeight - event.currentTarget.scrollTop - event.currentTarget.clientHeight < 24; }}
      >
        {long && open ? '… ' : ''}<Pieces text={shown} />{long && !open ? ' …' : ''}
      </div>
      {long ? <Button small variant="ghost" onClick={() => setAll(true)}>{t('said.showAll', { size: formatSize(text.length) })}</Button> : null}
      <span className="sc-copy"><CopyButton value={text} /></span>
    </div>
  );
}

function TalkNote({ tools }: { tools: readonly ToolRun[] }) {
  const failed = tools.filter((tool) => tool.failed).length;
  return <>{tn('said.tools', tools.length)}{failed > 0 ? <span className="c-err">, {tn('said.toolsFailed', failed)}</span> : null}</>;
}

/** What the model says and which tools it uses, in order. */
function Conversation({ said, waits }: { said: readonly Saying[]; waits: Waits }) {
  const open = waits === 'run';
  return (
    <ol className="said-talk" aria-label={t('said.conversation')}>
      {said.map((one, i) => {
        const key = `${one.what} ${String(i)}`;
        switch (one.what) {
          case 'text':
          case 'thinking': {
            const who = one.what === 'text' ? t('said.model') : t('said.thinking');
            const text = one.text.trim().replace(MASKS, '•••');
            const label = t('said.turn', { who, n: i + 1 });
            // Models begin a new line before they ask for a tool.
            if (text === '') return null;
            return (
              <li key={key} className={one.what === 'thinking' ? 't2' : ''}>
                <span className="cap">{who}</span>
                <Text part text={text} open={open && i === said.length - 1} label={label} />
                {one.cut ? <Cut value={one.cut} label={label} /> : null}
              </li>
            );
          }
          case 'tool':
            return <Tool key={key} tool={one} waits={waits} />;
          case 'turn':
          case 'trouble':
            return null;
        }
      })}
    </ol>
  );
}

const SIGNAL_WORDS = { run: 'said.tool.running', person: 'said.tool.asked', off: 'said.tool.unanswered', err: 'said.tool.failed', ok: 'said.tool.done' } as const;
/** What becomes of a tool without an answer: its call is under way, or ended to ask a person about it. One that ended otherwise waits for none. */
type Waits = 'run' | 'person' | 'off';
const waitsOf = (card: CallCard): Waits => (card.endSeq === undefined ? 'run' : card.question ? 'person' : 'off');
const signalOf = (tool: ToolRun, waits: Waits): keyof typeof SIGNAL_WORDS => (tool.endedMs === undefined ? waits : tool.failed ? 'err' : 'ok');

/** A tool that takes nothing was given nothing. */
const hasNone = (input: unknown): boolean => input === undefined || input === null || (isObject(input) && Object.keys(input).length === 0);

function Tool({ tool, waits }: { tool: ToolRun; waits: Waits }) {
  const [open, setOpen] = useState(false);
  const signal = signalOf(tool, waits);
  return (
    <li>
      <button type="button" className="row gap1 sc-toggle s" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} size={12} />
        <SignalIcon signal={signal} size={12} label={t(SIGNAL_WORDS[signal])} />
        <code><Pieces text={tool.name} /></code>
        {tool.endedMs === undefined ? null : <span className="t3">{formatDuration(Math.max(0, tool.endedMs - tool.startedMs))}</span>}
        {tool.allowed ? <span className="t3">{t('said.tool.allowed')}</span> : null}
      </button>
      {tool.notices.map((notice, i) => <p key={`${notice.level} ${String(i)}`} className={`s said-notice ${notice.level === 'error' ? 'c-err' : notice.level === 'warn' ? 'c-wait' : 't2'}`}><Pieces text={notice.words} /></p>)}
      {open ? (
        <div className="said-tool">
          <span className="s t2">{t(hasNone(tool.input) ? 'said.tool.inputNone' : 'said.tool.input')}</span>
          {hasNone(tool.input) ? null : <ValueView value={tool.input} label={`${plain(tool.name)} ${t('said.tool.input')}`} />}
          {tool.endedMs === undefined ? null : <><span className="s t2">{t('said.tool.output')}</span><ValueView value={tool.output ?? null} label={`${plain(tool.name)} ${t('said.tool.output')}`} /></>}
        </div>
      ) : null}
    </li>
  );
}
