/** Two boxes that look alike: add a step (where the pointer is) and find a step. */

import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { NodeDescriptor, Workflow, WorkflowNode } from '../../../api/types.ts';
import { t } from '../../../i18n/index.ts';
import { Icon } from '../../../kit/icon.tsx';
import { Kbd } from '../../../kit/kbd.tsx';
import { Tile } from '../../../kit/kind-icon.tsx';
import { scoreAll } from '../../../kit/match.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import { framesAround, parentOf } from '../model/frames.ts';
import { frameAt, rectsOf } from '../model/place.ts';
import { linkTargets, portsTo } from '../model/graph.ts';
import { type Catalog, ERROR, hasInput, mainPort, type Point, shapeOf } from '../model/ports.ts';
import { findKinds, suggest } from '../model/search.ts';
import { numberedTitles } from '../model/titles.ts';
import { summaryOf } from '../model/summary.ts';
import { CONNECTOR_CALL, type OperationEntry, presetOfOperation } from '../../../code/connector-step.ts';
import { MCP_TOOL } from '../../../code/tool-step.ts';
import { presetOf, type ToolEntry } from '../tool-entry.ts';
import { TEMPLATES, type TemplateId, templatesFor } from '../templates.ts';
import { placePopover } from './place-popover.ts';
import { titleOf } from './flow-nodes.ts';
import { TEMPLATE_ICON, TemplateArt } from './template-art.tsx';
import type { SearchAt } from './ui.ts';

interface Row {
  key: string;
  icon: string;
  tone: string;
  title: string;
  text: string;
  head?: string | undefined;
  /** in place of the tile and beside the text */
  lead?: ReactNode;
  art?: ReactNode;
}

/** Highest box of templates, as its style says. */
const HIGH = 472;

function Box({ at, label, placeholder, hint, rows, none, query, title, foot, about, wide = false, onQuery, onPick, onActive, onClose }: {
  /** null: in the middle of the top edge */
  at: Point | null; label: string; placeholder: string; hint: ReactNode; rows: Row[]; none: string; query: string; title?: ReactNode; foot?: ReactNode; /** The step that it is for. */ about?: string | undefined; wide?: boolean;
  onQuery(text: string): void; onPick(key: string): void; onActive?(key: string): void; onClose(): void;
}) {
  const [index, setIndex] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const active = rows[Math.min(index, rows.length - 1)];
  const chosen = active?.key ?? '';

  // Stays inside the canvas: the box is moved, never cut.
  useLayoutEffect(() => {
    const element = box.current;
    const parent = element?.parentElement;
    if (!element || !parent) return;
    const left = Math.max(8, Math.min(at ? at[0] : parent.clientWidth / 2 - 170, parent.clientWidth - (wide ? 440 : 348)));
    const top = Math.max(8, Math.min(at ? at[1] : 12, parent.clientHeight - (wide ? 480 : 380)));
    element.style.left = `${left}px`;
    element.style.top = `${top}px`;
  }, [at, wide]);

  // What would be placed is shown in the canvas: the box goes out of its way, and stays where it is as long as it covers nothing.
  useEffect(() => {
    if (!wide) return undefined;
    const frame = requestAnimationFrame(() => {
      const element = box.current;
      const parent = element?.parentElement;
      if (!element || !parent) return;
      const of = parent.getBoundingClientRect();
      const boxes = (which: string) => [...parent.querySelectorAll(which)].map((card) => card.getBoundingClientRect())
        .map(({ left, top, right, bottom }) => ({ left: left - of.left, top: top - of.top, right: right - of.left, bottom: bottom - of.top }));
      const shown = boxes('.cv-preview .cv-ghost');
      const outside = (what: typeof shown) => placePopover({ width: element.offsetWidth, height: HIGH }, { width: parent.clientWidth, height: parent.clientHeight }, { left: element.offsetLeft, top: element.offsetTop }, what);
      // The step as well, where there is room for both.
      const place = outside(about === undefined ? shown : [...shown, ...boxes(`.cv-node[data-node="${CSS.escape(about)}"]`)]) ?? outside(shown);
      if (!place) return;
      element.style.left = `${place.left}px`;
      element.style.top = `${place.top}px`;
      element.style.maxHeight = `${place.height}px`;
    });
    return () => cancelAnimationFrame(frame);
  }, [wide, chosen, about]);

  useEffect(() => {
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) onClose();
    };
    window.addEventListener('pointerdown', outside, true);
    return () => window.removeEventListener('pointerdown', outside, true);
  }, [onClose]);

  useEffect(() => {
    list.current?.querySelector(`[data-kind="${CSS.escape(chosen)}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  useEffect(() => onActive?.(chosen), [chosen, onActive]);

  const onKey = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const numbered = query === '' && /^[1-9]$/.test(event.key) ? rows.filter((row) => row.art !== undefined)[Number(event.key) - 1] : undefined;
    if (numbered) {
      event.preventDefault();
      onPick(numbered.key);
      return;
    }
    const step = event.key === 'ArrowDown' || (event.key === 'Tab' && !event.shiftKey) ? 1 : event.key === 'ArrowUp' || event.key === 'Tab' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setIndex((i) => (rows.length === 0 ? 0 : (Math.min(i, rows.length - 1) + step + rows.length) % rows.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (active) onPick(active.key);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      onClose();
    }
  };
  return (
    <div ref={box} className={`pop cv-search ${wide ? 'wide' : ''}`} role="dialog" aria-label={label} onKeyDown={onKey}>
      {title}
      <div className="cv-search-in">
        <Icon name="search" />
        <input
          autoFocus value={query} placeholder={placeholder} aria-label={label} role="combobox" aria-expanded={rows.length > 0} aria-controls="cv-search-list"
          aria-activedescendant={active ? `cv-row-${active.key}` : undefined} spellCheck={false}
          onChange={(event) => { onQuery(event.target.value); setIndex(0); }}
        />
        {hint}<Kbd keys="Escape" />
      </div>
      {rows.length === 0 ? <div className="cv-search-none" role="status">{none}</div> : null}
      <div ref={list} id="cv-search-list" className="cv-search-list" role={rows.length === 0 ? undefined : 'listbox'} aria-label={rows.length === 0 ? undefined : label}>
        {rows.map((row, i) => (
          <div key={row.key}>
            {row.head && row.head !== rows[i - 1]?.head ? <div className="cap cv-search-head">{row.head}</div> : null}
            <div
              id={`cv-row-${row.key}`} role="option" aria-selected={row === active} tabIndex={-1} className={`cv-search-row ${row === active ? 'on' : ''}`} data-kind={row.key}
              onPointerMove={() => setIndex(i)} onClick={() => onPick(row.key)} onKeyDown={onKey}
            >
              {row.lead ?? <Tile icon={row.icon} tone={row.tone} size={24} />}
              <div className="col"><span className="ell" title={row.title}>{row.title}</span><span className="s t3 ell" title={row.text}>{row.text}</span></div>
              {row.art ?? (row === active ? <Kbd keys="Enter" /> : null)}
            </div>
          </div>
        ))}
      </div>
      {foot}
    </div>
  );
}

const templateOf = (key: string): TemplateId | null => TEMPLATES.find((id) => key === `template:${id}`) ?? null;

/** Kinds chosen before, newest first; kept in this browser only. */
const RECENT_KEY = 'signalbox.recentKinds';
export function recentKinds(): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(RECENT_KEY) ?? '[]');
    return Array.isArray(list) ? list.filter((x): x is string => typeof x === 'string').slice(0, 5) : [];
  } catch {
    return [];
  }
}
function remember(kind: string): void {
  try {
    localStorage.setItem(RECENT_KEY, JSON.stringify([kind, ...recentKinds().filter((k) => k !== kind)].slice(0, 5)));
  } catch {
    // Private windows keep nothing; the list is a convenience.
  }
}

interface Ranked { points: number; row: Row }
const toolKey = ({ server, name }: ToolEntry): string => `tool:${server}/${name}`;

/** Tools of servers that a person approved, each a step that calls it. */
function toolRows(query: string, tools: readonly ToolEntry[], kind: NodeDescriptor): Ranked[] {
  const found = tools.map((tool): Ranked => {
    const text = tool.text === undefined ? tool.server : `${tool.server}: ${tool.text}`;
    const said = query.trim().length > 2 && text.toLowerCase().includes(query.trim().toLowerCase()) ? [[text, 0.4] as const] : [];
    return {
      points: scoreAll(query, [[tool.title ?? tool.name, 1], [tool.name, 0.95], [tool.server, 0.5], [`${tool.server}/${tool.name}`, 0.9], ...said]),
      row: { key: toolKey(tool), icon: kind.icon, tone: kind.category, title: tool.title ?? tool.name, text, head: query.trim() ? undefined : t('canvas.search.tools') },
    };
  });
  return found.filter(({ points }) => points > 0).sort((a, b) => b.points - a.points);
}

const operationKey = ({ connector, name }: OperationEntry): string => `operation:${connector}/${name}`;
/** More than these nobody reads; a longer query finds the others. */
const MOST_OPERATIONS = 40;

/** Operations of connectors, each a step that calls it. There are thousands: without a query none is shown. */
export function operationRows(query: string, operations: readonly OperationEntry[], kind: NodeDescriptor): Ranked[] {
  const asked = query.trim().toLowerCase();
  if (asked.length < 2) return [];
  const parts = asked.split(/\s+/);
  const ranked: { points: number; one: OperationEntry }[] = [];
  for (const one of operations) {
    // What has not all the words is not looked at any closer: this runs for each key.
    if (!parts.every((part) => one.words.includes(part))) continue;
    ranked.push({ points: Math.max(100, scoreAll(asked, [[one.title, 0.98, 'none'], [one.service, 0.8, 'none'], [one.name, 0.9, 'none'], [one.text, 0.6, 'none']])), one });
  }
  return ranked.sort((a, b) => b.points - a.points).slice(0, MOST_OPERATIONS)
    .map(({ points, one }) => ({ points, row: { key: operationKey(one), icon: kind.icon, tone: kind.category, title: one.title, text: one.text } }));
}

export function AddBox({ search, document, catalog, tools, operations, onPick, onTemplate, onPreview, onClose }: {
  search: SearchAt; document: Workflow; catalog: Catalog; tools: readonly ToolEntry[]; operations: readonly OperationEntry[]; onPick(kind: NodeDescriptor, preset?: Pick<WorkflowNode, 'title' | 'config'>): void; onTemplate(id: TemplateId): void; onPreview(id: TemplateId | null): void; onClose(): void;
}) {
  const [query, setQuery] = useState('');
  const source = search.from ? document.nodes[splitPort(search.from).node] : undefined;
  const target = search.into ? document.nodes[search.into] : undefined;
  const red = search.from !== undefined && splitPort(search.from).port === ERROR;
  // Where it would stand decides what may stand there.
  const home = source ? parentOf(document, splitPort(search.from ?? '').node) : target ? parentOf(document, search.into ?? '') : search.edge ? parentOf(document, search.edge.to)
    : search.frame ?? (search.at ? frameAt(document, catalog, rectsOf(document, catalog), search.at) : undefined);
  const rows = useMemo(() => {
    const looped = home !== undefined && [home, ...framesAround(document, home)].some((id) => catalog.get(document.nodes[id]?.type ?? '')?.role === 'loop');
    const fits = (kind: NodeDescriptor): boolean => {
      if (home !== undefined && kind.role === 'trigger') return false;
      if (kind.role === 'break' && !looped) return false;
      if (search.from) return hasInput(kind);
      if (search.into) return mainPort(kind, { type: kind.type }) !== undefined;
      return search.edge ? hasInput(kind) && mainPort(kind, { type: kind.type }) !== undefined : true;
    };
    const suggested = suggest({
      empty: Object.keys(document.nodes).length === 0, after: source ? catalog.get(source.type) : undefined, red, before: target !== undefined,
    });
    const heads = { suggested: t('canvas.search.suggested'), recent: t('canvas.search.recent'), all: t('canvas.search.all') };
    const kinds = findKinds(query, [...catalog.values()].filter(fits), suggested, recentKinds()).map(({ kind, group, points }): Ranked => ({
      points, row: { key: kind.type, icon: kind.icon, tone: kind.category, title: kind.title, text: kind.description, head: query.trim() ? undefined : heads[group] },
    }));
    const call = catalog.get(MCP_TOOL);
    const calls = call && fits(call) ? toolRows(query, tools, call) : [];
    const service = catalog.get(CONNECTOR_CALL);
    const served = service && fits(service) ? operationRows(query, operations, service) : [];
    // Without a query the tools stand behind the kinds; with one the best comes first, a kind before a tool that fits as well.
    return (query.trim() ? [...kinds, ...calls, ...served].sort((a, b) => b.points - a.points) : [...kinds, ...calls]).map(({ row }) => row);
  }, [query, catalog, tools, operations, document, source, target, red, search, home]);
  const templates = useMemo(() => (search.from === undefined || !red ? [] : templatesFor(document, catalog, search.from).flatMap((id): { points: number; row: Row }[] => {
    const title = t(`canvas.template.${id}`);
    const text = t(`canvas.template.${id}.text`);
    const points = query.trim() ? scoreAll(query, [[title, 1], [text, 0.6]]) : 1;
    return points > 0 ? [{ points, row: { key: `template:${id}`, icon: '', tone: '', title, text, lead: <Icon name={TEMPLATE_ICON[id]} />, art: <TemplateArt id={id} /> } }] : [];
  }).toSorted((a, b) => b.points - a.points).map(({ row }) => row)), [search.from, red, document, catalog, query]);
  const preview = useCallback((key: string) => onPreview(templateOf(key)), [onPreview]);
  const name = source ? titleOf(source, catalog.get(source.type)) : target ? titleOf(target, catalog.get(target.type)) : '';
  const hint = search.edge ? t('canvas.search.wire') : source ? t(red ? 'canvas.search.error' : 'canvas.search.after', { name }) : target ? t('canvas.search.before', { name }) : '';
  return (
    <Box
      at={search.screen} label={t('canvas.search.label')} placeholder={t(red ? 'canvas.template.placeholder' : 'canvas.search.placeholder')}
      title={red ? <div className="cv-search-title"><b>{t('canvas.template.title', { name })}</b><span className="s t2">{t('canvas.template.hint')}</span></div> : null}
      foot={red ? <div className="cv-search-foot s t3"><Kbd keys="ArrowUp" /><Kbd keys="ArrowDown" />{t('canvas.template.choose')}<Kbd keys="Enter" />{t('canvas.template.insert')}<kbd className="kbd">1–{templates.length}</kbd>{t('canvas.template.pick')}<span className="end">{t('canvas.template.any')}</span></div> : null} none={t('canvas.search.none')} query={query} rows={templates.length > 0 ? [...templates, ...rows] : rows} wide={red} about={search.from ? splitPort(search.from).node : undefined} onActive={preview}
      hint={hint && !red ? <span className="s t3 ell" style={{ maxWidth: 120 }}>{hint}</span> : null} onQuery={setQuery} onClose={onClose}
      onPick={(type) => {
        const template = templateOf(type);
        if (template !== null) return onTemplate(template);
        const tool = tools.find((one) => toolKey(one) === type);
        const operation = operations.find((one) => operationKey(one) === type);
        const kind = catalog.get(tool ? MCP_TOOL : operation ? CONNECTOR_CALL : type);
        if (!kind) return undefined;
        if (tool) return onPick(kind, presetOf(tool));
        if (operation) return onPick(kind, presetOfOperation(operation));
        remember(type);
        return onPick(kind);
      }}
    />
  );
}

/** From the keyboard: first the step that the wire leads to, then the port where it begins. */
export function LinkBox({ linking: { id, to }, document, catalog, onLink, onClose }: {
  linking: { id: string; to: string | null }; document: Workflow; catalog: Catalog; onLink(choice: { to: string } | { port: string }): void; onClose(): void;
}) {
  const [query, setQuery] = useState('');
  const nameOf = (node: string): string => {
    const found = document.nodes[node];
    return found ? numberedTitles(document, catalog)(node, found) : node;
  };
  const targets = useMemo((): Row[] => linkTargets(document, catalog, id).flatMap((other): { points: number; row: Row }[] => {
    const node = document.nodes[other];
    if (!node) return [];
    const kind = catalog.get(node.type);
    const title = numberedTitles(document, catalog)(other, node);
    const row = { key: other, icon: kind?.icon ?? 'box', tone: kind?.category ?? 'start', title, text: `${other}, ${summaryOf(kind, node, other).text}` };
    return [{ points: scoreAll(query, [[title, 1], [other, 0.95], [kind?.title ?? node.type, 0.7]]), row }];
  }).filter(({ points }) => points > 0).sort((a, b) => b.points - a.points).slice(0, 50).map(({ row }) => row), [document, catalog, id, query]);
  const source = document.nodes[id];
  if (!source) return null;
  if (to === null) {
    return (
      <Box at={null} label={t('canvas.link.label', { name: nameOf(id) })} placeholder={t('canvas.link.placeholder')} none={t('canvas.link.none')} hint={null} query={query} rows={targets}
        onQuery={setQuery} onPick={(other) => { setQuery(''); onLink({ to: other }); }} onClose={onClose} />
    );
  }
  const spots = shapeOf(catalog.get(source.type), source, []).ports;
  const ports = portsTo(document, catalog, id, to).map((port): Row => {
    const leads = document.edges.filter((edge) => edge.from === `${id}.${port}`).map((edge) => nameOf(edge.to));
    const text = [leads.length ? t('canvas.link.leads', { names: leads.join(', ') }) : t('canvas.link.free'), ...(port === ERROR ? [t('canvas.link.error')] : [])].join(', ');
    return { key: port, icon: port === ERROR ? 'octagon-alert' : 'circle-dot', tone: port === ERROR ? 'error' : 'logic', title: spots.find((spot) => spot.id === port)?.title ?? port, text };
  }).filter((row) => scoreAll(query, [[row.title, 1]]) > 0);
  return (
    <Box key="port" at={null} label={t('canvas.link.port', { name: nameOf(id) })} placeholder={t('canvas.link.portPlaceholder')} none={t('canvas.link.none')}
      hint={<span className="s t3 ell" style={{ maxWidth: 120 }}>{t('canvas.connect', { name: nameOf(to) })}</span>} query={query} rows={ports} onQuery={setQuery} onPick={(port) => onLink({ port })} onClose={onClose} />
  );
}

export function FindBox({ document, catalog, onPick, onClose }: { document: Workflow; catalog: Catalog; onPick(id: string): void; onClose(): void }) {
  const [query, setQuery] = useState('');
  const rows = useMemo(() => {
    const titles = numberedTitles(document, catalog);
    const nameIn = (id: string): string => titles(id, document.nodes[id] as WorkflowNode);
    const found = Object.entries(document.nodes).map(([id, node]) => {
      const kind = catalog.get(node.type);
      const title = titles(id, node);
      const summary = summaryOf(kind, node, id).text;
      const settings = query.trim().length > 1 && JSON.stringify(node.config ?? '').toLowerCase().includes(query.trim().toLowerCase()) ? 50 : 0;
      const points = Math.max(settings, scoreAll(query, [[title, 1], [id, 0.95], [kind?.title ?? node.type, 0.7], [summary, 0.6]]));
      return { points, row: { key: id, icon: kind?.icon ?? 'box', tone: kind?.category ?? 'start', title, text: [id, summary, ...framesAround(document, id).map((frame) => t('canvas.frame.in', { frame: nameIn(frame) }))].join(', ') } satisfies Row };
    });
    return found.filter((f) => f.points > 0).sort((a, b) => b.points - a.points).slice(0, 50).map((f) => f.row);
  }, [query, document, catalog]);
  return (
    <Box
      at={null} label={t('canvas.find.label')} placeholder={t('canvas.find.placeholder')} none={t('canvas.find.none')} hint={null} query={query} rows={rows}
      onQuery={setQuery} onPick={onPick} onClose={onClose}
    />
  );
}
