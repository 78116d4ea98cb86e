// One call of a step: what happened in plain words, and its data behind sections that start closed.

import type { ReactNode } from 'react';
import { sentences } from '../../api/error.ts';
import { isObject } from '../../json/json.ts';
import { cameAs } from '../../run/run-error.ts';
import { slotKey } from '../../run/run-paths.ts';
import type { CallCard, CardStatus } from '../../run/run-state.ts';
import { RunFiles } from '../../code/RunFiles.tsx';
import { BytesView, bytesOf } from '../../code/BytesView.tsx';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { CopyButton, ValueView } from '../../code/ValueView.tsx';
import { formatSize, sizeOf } from '../../code/value-lines.ts';
import { formatDuration, formatTime, t, tn } from '../../i18n/index.ts';
import { Button, Icon, SignalIcon, Tile } from '../../kit/index.ts';
import { useShownNow } from '../../kit/use-now.ts';
import type { Look } from './cards-view.tsx';
import { useRerun } from '../../shared/rerun-context.ts';
import { failedItems, ItemErrors } from './item-errors.tsx';
import { patchLines } from './patch-lines.ts';
import { modelOutputSections } from './model-output.tsx';
import { CARD_SIGNAL, decisionText, personText, placeText } from './words.ts';

export type SectionId = 'items' | 'inputs' | 'outputs' | 'error' | 'config' | 'variables' | 'printed' | 'thinking' | 'response' | 'conversation' | 'tools' | 'usage';

export interface Sections {
  isOpen(card: CallCard, section: SectionId): boolean;
  toggle(card: CallCard, section: SectionId): void;
}

/** A path in words, and the way to look at that iteration. */
export interface Where {
  /** The run whose files are saved. */
  runId: string;
  /** `step`: the one that is named beside it. */
  words(path: string, step?: string): string;
  look?: ((path: string) => void) | undefined;
  /** What the author says of the step. */
  about?: (card: CallCard) => string | undefined;
}

function Place({ card: { path, nodeId }, where }: { card: CallCard; where: Where }) {
  if (!path) return null;
  const { look } = where;
  if (!look) return <span className="s t2 ell" title={path}>{where.words(path, nodeId)}</span>;
  return <button type="button" className="sc-path s ell" title={t('card.lookAt', { path })} onClick={() => look(path)}>{where.words(path, nodeId)}</button>;
}

/** One line of what the author says of the step; the whole is in its tooltip. */
function About({ card, where }: { card: CallCard; where: Where }) {
  const text = where.about?.(card)?.trim();
  return text ? <p className="sc-about s t2 ell" title={plain(text)}><Pieces text={text.replaceAll(/\s+/g, ' ')} /></p> : null;
}

export interface CardProps {
  card: CallCard;
  /** See `statusIn`. */
  status: CardStatus;
  where: Where;
  look: Look;
  sections: Sections;
}

/** The next call of a failed one: a countdown while it is still to come. */
function Next({ card, live }: { card: CallCard; live: boolean }) {
  const due = card.retryAtMs;
  const now = useShownNow(live && due !== undefined);
  if (due === undefined) return null;
  if (!live) return <>{t('card.retriedAfter', { time: formatDuration(card.retryDelayMs ?? 0) })}</>;
  // The clock may stand a second behind: no wait is longer than it was meant to be.
  const left = Math.min(due - now, card.retryDelayMs ?? Infinity);
  return <>{left <= 0 ? t('card.retryNow') : t('card.retryIn', { time: `${String(Math.ceil(left / 1000))} s` })}</>;
}

function Took({ card }: { card: CallCard }) {
  const open = card.endSeq === undefined;
  const now = useShownNow(open);
  if (open) return <>{formatDuration(Math.max(0, now - card.startedMs))}</>;
  if (card.startUnknown || card.endUnknown) return <span className="t3">{t(card.startUnknown ? 'gap.startUnknown' : 'gap.endUnknown')}</span>;
  return <>{formatDuration(card.durationMs ?? 0)}</>;
}

/** A step without a title goes by the title of its kind, as on the canvas. */
export const titleText = (card: CallCard, look: Look): string => (card.title === card.nodeId ? (look.title ?? card.title) : card.title);

export function whyText(card: CallCard): string | null {
  if (card.status === 'skipped') {
    return card.skippedBecause === 'disabled' || card.skippedBecause === undefined ? t('card.skipped.disabled') : t('card.skipped.if', { condition: card.skippedBecause });
  }
  const failed = failedItems(card);
  return card.error ? sentences(failed ?? undefined, card.error.message) : null;
}

/** Where the run may begin again, each card that ran offers it (U-21). */
function RerunButton({ card, look }: { card: CallCard; look: Look }) {
  const rerun = useRerun();
  if (!rerun || look.recovery || card.status === 'skipped') return null;
  return <div className="sc-again"><Button small variant="ghost" icon="retry" onClick={() => rerun(slotKey(card.nodeId, card.path))}>{t('rerun.open')}</Button></div>;
}

/** A card in the list. */
export function StepCard({ card, status, where, look, sections, selected, waiting, onSelect }: CardProps & { selected: boolean; waiting: boolean; onSelect: () => void }) {
  const place = placeText(card);
  const why = whyText(card);
  const decided = decisionText(card);
  return (
    <article className={`step-card ${selected ? 'on' : ''}`} aria-current={selected || undefined} aria-label={`${titleText(card, look)}, ${t(`card.status.${status}`)}`}>
      <header className="sc-head">
        <SignalIcon signal={waiting ? 'retry' : CARD_SIGNAL[status]} size={16} label={t(`card.status.${status}`)} />
        <Tile icon={look.icon} tone={look.tone} size={24} />
        <button type="button" className="sc-title ell" title={t('card.open')} onClick={onSelect}>{titleText(card, look)}</button>
        {titleText(card, look) === card.title ? null : <code className="t3">{card.nodeId}</code>}
        <Place card={card} where={where} />
        <span className="s t3 ell">{place}</span>
        <span className="end s t2 nw">{card.retryAtMs !== undefined ? <span className={waiting ? 'c-wait' : 't3'}><Next card={card} live={waiting} /></span> : null}</span>
        <span className="s t2 nw sc-time">{formatTime(card.startedAt)}</span>
        <span className="s t2 nw sc-time"><Took card={card} /></span>
      </header>
      <About card={card} where={where} />
      {why ? <p className={`sc-why s ${card.error && !card.question ? 'c-err' : 't2'}`}><Pieces text={why} />{!card.question && card.error?.details?.['code'] ? <code className="t3"> {String(card.error.details['code'])}</code> : null}{decided ? <span className="t2"> {decided}</span> : null}</p> : null}
      <People card={card} />
      {card.status === 'skipped' ? null : <CardSections card={card} where={where} sections={sections} />}
      <RerunButton card={card} look={look} />
    </article>
  );
}

/** The sections of a card; inputs and outputs start closed (U-21). */
export function CardSections({ card, where, sections }: { card: CallCard; where: Where; sections: Sections }) {
  const input = card.input.length === 1 ? card.input[0]?.data : card.input.map((one) => one.data);
  const itemsOut = Object.values(card.items ?? {}).reduce((n, list) => n + list.length, 0);
  const { error } = card;
  const failed = failedItems(card);
  const ended = card.endSeq !== undefined;
  const section = (id: SectionId, title: string, note: ReactNode, body: (() => ReactNode) | null) => (
    <Section title={title} note={note} open={sections.isOpen(card, id)} onToggle={body ? () => sections.toggle(card, id) : undefined}>{body}</Section>
  );
  return (
    <div className="sc-sections">
      {error ? section('error', t(card.question ? 'card.question' : 'card.error'), card.question ? null : <span>{error.type}</span>, () => <>
        <Value value={cameAs(error)} label={t(card.question ? 'card.question' : 'card.error')} />
        {error.provenanceRef ? <a className="link s" href={`#/audit?query=${encodeURIComponent(`ref:${error.provenanceRef}`)}`}>{t('card.auditRecord')}</a> : null}
      </>) : null}
      {failed ? section('items', t('card.failedItems'), failed, () => <ItemErrors errors={card.itemErrors ?? []} />) : null}
      {section('inputs', t('card.inputs'), <>{card.input.length > 1 ? `${tn('card.items', card.input.length)}, ` : ''}{formatSize(sizeOf(input ?? null))}</>,
        card.input.length > 0 ? () => <Value value={input} label={t('card.inputs')} /> : null)}
      {modelOutputSections(card, section)}
      {section('outputs', t('card.outputs'), ended ? (itemsOut > 0 ? <>{itemsOut > 1 ? `${tn('card.items', itemsOut)}, ` : ''}{outputSize(card)}</> : card.question ? t('card.outputsAsked') : card.error ? t('card.outputsNone') : tn('card.items', 0)) : t('card.outputsLater'),
        itemsOut > 0 || card.outputs !== undefined ? () => <Outputs card={card} where={where} /> : null)}
      {card.config !== undefined && card.config !== null ? section('config', t('card.config'), formatSize(sizeOf(card.config)), () => <Value value={card.config} label={t('card.config')} />) : null}
      {card.changes.length > 0 ? section('variables', t('card.variables'), card.changes.map((one) => one.name).join(', '), () => <Changes card={card} />) : null}
      {card.printed.length > 0 ? section('printed', t('card.printed'), String(card.printed.length), () => card.printed.map((one, i) => (
        // What a call printed never changes its order.
        <Value key={`printed ${String(i)}`} value={one} label={t('card.printed')} />
      ))) : null}
      {card.files.length > 0 ? (
        <RunFiles runId={where.runId} seqs={card.files.map((file) => file.seq)} version={card.files.length}
          fallback={<p className="s row gap1 sc-files"><Icon name="doc" size={12} />{card.files.map((file) => `${file.path}${file.sizeBytes === undefined ? '' : ` (${formatSize(file.sizeBytes)})`}`).join(', ')}</p>} />
      ) : null}
    </div>
  );
}

function outputSize(card: CallCard): string {
  const all = Object.values(card.items ?? {}).flat();
  const data = formatSize(all.reduce<number>((sum, one) => sum + sizeOf(one.data), 0));
  const bytes = bytesOf(all);
  return bytes.length === 0 ? data : `${data}, ${tn('card.files', bytes.length)}`;
}

function Section({ title, note, open, onToggle, children }: { title: string; note: ReactNode; open: boolean; onToggle: (() => void) | undefined; children: (() => ReactNode) | null }) {
  if (!onToggle) return <div className="sc-sec"><span className="cap t3 row gap1"><Icon name="right" size={12} />{title} <span className="sc-note">{note}</span></span></div>;
  return (
    <div className="sc-sec">
      <button type="button" className="cap row gap1 sc-toggle" aria-expanded={open} onClick={onToggle}>
        <Icon name={open ? 'down' : 'right'} size={12} />{title} <span className="t3 sc-note ell">{note}</span>
      </button>
      {open && children ? children() : null}
    </div>
  );
}

function Value({ value, label }: { value: unknown; label: string }) {
  return (
    <div className="sc-value">
      <ValueView value={value} label={label} />
      <span className="sc-copy"><CopyButton value={value} /></span>
    </div>
  );
}

function Outputs({ card, where }: { card: CallCard; where: Where }) {
  const ports = Object.entries(card.items ?? {}).filter(([, items]) => items.length > 0);
  return (
    <>
      {ports.map(([port, items]) => {
        const data = items.length === 1 ? items[0]?.data : items.map((item) => item.data);
        return (
          <div key={port}>
            {ports.length > 1 || port !== 'success' ? <span className="s t2">{port}, {tn('card.items', items.length)}</span> : null}
            <BytesView runId={where.runId} step={card.nodeId} items={items} />
            <Value value={data} label={`${t('card.outputs')} ${port}`} />
          </div>
        );
      })}
      {card.outputs === undefined || card.outputs === null ? null : <Value value={card.outputs} label={t('card.variables')} />}
    </>
  );
}

function Changes({ card }: { card: CallCard }) {
  return (
    <dl className="changes">
      {card.changes.map((change) => (
        <div key={`${String(change.seq)} ${change.name}`}>
          <dt className="mono">{change.name}</dt>
          <dd>
            <ValueView value={change.newValue} label={change.name} />
            {change.unset ? <span className="s t3">{t('card.unset')}</span> : <><span className="s t3">{t('card.was')}</span><ValueView value={change.oldValue} label={`${change.name} ${t('card.was')}`} /></>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What only looks outside changes nothing there, wherever it was cut off. */
function onlyReads({ config }: CallCard, { effects }: Look): boolean {
  if (typeof effects !== 'object') return effects === 'read';
  if (!('field' in effects)) return false;
  const chosen = isObject(config) ? config[effects.field] : undefined;
  return (typeof chosen === 'string' && Object.hasOwn(effects.values, chosen) ? effects.values[chosen] : effects.otherwise) === 'read';
}

/** The chosen call beside timeline and event table: facts left, data right. */
export function CardDetail({ card, status, where, look, sections, waiting, onSelect }: CardProps & { waiting: boolean; onSelect: () => void }) {
  const why = whyText(card);
  const decided = decisionText(card);
  return (
    <div className="card-detail">
      <div className="cd-facts">
        <div className="row">
          <Tile icon={look.icon} tone={look.tone} size={24} />
          <button type="button" className="sc-title ell" title={t('card.open')} onClick={onSelect}>{titleText(card, look)}</button>
        </div>
        <span className="s t3 row gap1"><code>{card.nodeId}</code> <Place card={card} where={where} /> {placeText(card)}</span>
        <About card={card} where={where} />
        <dl className="kv cd-kv">
          <dt>{t('card.state')}</dt>
          <dd className="row gap1"><SignalIcon signal={waiting ? 'retry' : CARD_SIGNAL[status]} />{t(`card.status.${status}`)}</dd>
          <dt>{t('card.started')}</dt><dd>{formatTime(card.startedAt)}</dd>
          <dt>{t('card.took')}</dt><dd><Took card={card} /></dd>
          {card.effectUnknown && !onlyReads(card, look) ? <><dt>{t('card.sideEffect')}</dt><dd className="c-wait">{t('card.effectUnknown')}</dd></> : null}
        </dl>
        {card.retryAtMs !== undefined ? <p className={`s ${waiting ? 'c-wait' : 't3'}`}><Next card={card} live={waiting} /></p> : null}
        {decided ? <p className="s t2">{decided}</p> : null}
        <RerunButton card={card} look={look} />
      </div>
      <div className="cd-data">
        {why ? <p className={`cd-why ${card.error && !card.question ? 'c-err' : 't2'}`}><Pieces text={why} />{!card.question && card.error?.details?.['code'] ? <code className="t3"> {String(card.error.details['code'])}</code> : null}</p> : null}
        <People card={card} />
        <CardSections card={card} where={where} sections={sections} />
      </div>
    </div>
  );
}

/** Repairs with their difference, and what people did. */
function People({ card }: { card: CallCard }) {
  if (!card.fixes && !card.people) return null;
  return (
    <div className="sc-people s">
      {card.fixes?.map((fix, i) => (
        <div key={`fix ${String(i)}`} className="col" data-fix={fix.accepted ? 'accepted' : 'refused'}>
          <span className="row gap1"><Icon name="wrench" size={12} className={fix.accepted ? 'c-ok' : 'c-err'} />{fixText(fix)}{fix.asked?.tokens ? <span className="t3">{tn('card.fixTokens', fix.asked.tokens)}</span> : fix.asked ? null : <span className="t3">{fix.model}</span>}</span>
          {[...fix.changes, ...fix.violations].map((line) => <span key={line} className="t2 sc-change">{line}</span>)}
          {Array.isArray(fix.patch) ? <pre className="mono sc-patch">{patchLines(fix.patch, card).map((line) => <span key={line} className={line.startsWith('−') ? 'minus' : 'plus'}>{`${line}\n`}</span>)}</pre> : null}
        </div>
      ))}
      {card.people?.map((note, i) => (
        <span key={`${note.what} ${String(i)}`} className="row gap1"><Icon name="person" size={12} className="c-person" />{personText(note)}
          {note.text && note.what !== 'reminded' && note.what !== 'escalated' ? <span className="t2 ell">“{note.text}”</span> : null}<span className="t3">{formatTime(note.ts)}</span>
          {note.taskId && note.what === 'asked' ? <a href={`#/inbox/${encodeURIComponent(note.taskId)}`}>{t('log.people.open')}</a> : null}</span>
      ))}
    </div>
  );
}

/** Who repaired, and which try it was. */
function fixText(fix: NonNullable<CallCard['fixes']>[number]): string {
  if (!fix.asked) return fix.accepted ? t('card.fixed', { n: fix.delta }) : t('card.notFixed');
  const which = { model: fix.model, number: fix.asked.number, of: fix.asked.of };
  return fix.accepted ? tn('card.healed', fix.delta, which) : t('card.notHealed', which);
}
