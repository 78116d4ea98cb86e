/** The workflow as a tree beside the canvas: everything that the canvas does with the mouse, by keys, and read by a screen reader. */

import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { t } from '../../../i18n/index.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { NamedIcon } from '../../../kit/kind-icon.tsx';
import { edgeKeys } from '../editor.ts';
import { moveAlong } from '../model/move-step.ts';
import { type OutlineLine, outlineOf, type PortLine } from '../model/outline.ts';
import type { CanvasHandle } from './handle.ts';
import { useCanvas, useUi } from './ui.ts';

/** From here on the wires are folded away at first. */
const MANY_STEPS = 200;

export function Outline({ handle }: { handle: CanvasHandle }) {
  const { editor, ui, catalog, openNode, rename } = useCanvas();
  const document_ = useStore(editor, (s) => s.settled);
  const readOnly = useStore(editor, (s) => s.readOnly);
  const chosen = useStore(editor, (s) => (s.selection.nodes.length === 1 ? s.selection.nodes[0] : undefined));
  const busy = useUi((s) => s.search !== null || s.linking !== null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(() => {
    const ids = Object.keys(editor.getState().document.nodes);
    return new Set(ids.length > MANY_STEPS ? ids : []);
  });
  const lines = useMemo(() => outlineOf(document_, catalog, closed), [document_, catalog, closed]);
  const [at, setAt] = useState<string | undefined>(chosen);
  const [renaming, setRenaming] = useState<string | null>(null);
  const tree = useRef<HTMLDivElement>(null);
  const aside = useRef<HTMLElement>(null);
  /** The keys come back here after a dialog or a change. */
  const returns = useRef(false);

  // A step that is chosen elsewhere is the current line.
  const [seen, setSeen] = useState(chosen);
  if (seen !== chosen) {
    setSeen(chosen);
    if (chosen !== undefined && lines.find((line) => line.key === at)?.id !== chosen) setAt(chosen);
  }
  const current = lines.find((line) => line.key === at) ?? lines.find((line) => line.key === chosen) ?? lines[0];

  const focusLine = useCallback((key: string | undefined): void => {
    requestAnimationFrame(() => {
      const element = key === undefined ? null : tree.current?.querySelector<HTMLElement>(`[data-line="${CSS.escape(key)}"]`);
      (element ?? tree.current?.querySelector<HTMLElement>('[tabindex="0"]') ?? tree.current ?? aside.current?.querySelector<HTMLElement>('.cvo-tools button'))?.focus();
    });
  }, []);
  useEffect(() => {
    ui.setState({ keeper: (id) => {
      if (!returns.current) return false;
      returns.current = false;
      if (id !== null) setAt(id);
      focusLine(id ?? undefined);
      return true;
    } });
    return () => ui.setState({ keeper: null });
  }, [ui, focusLine]);
  // A dialog that was closed without an answer gives the keys back.
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !busy && returns.current) {
      returns.current = false;
      focusLine(current?.key);
    }
    wasBusy.current = busy;
  }, [busy, current, focusLine]);
  useLayoutEffect(() => focusLine(undefined), [focusLine]);

  const choose = (line: OutlineLine): void => {
    setAt(line.key);
    if (line.kind === 'step') handle.reveal(line.id, { focus: false });
    else if (line.edge) {
      const index = document_.edges.findIndex((edge) => edge.from === line.edge?.from && edge.to === line.edge.to);
      const key = edgeKeys(document_)[index];
      if (key !== undefined) editor.select([], [key]);
    } else editor.select([line.id]);
  };
  const go = (line: OutlineLine | undefined): void => {
    if (!line) return;
    choose(line);
    focusLine(line.key);
  };
  const fold = (id: string, open: boolean): void => setClosed((old) => {
    const next = new Set(old);
    if (open) next.delete(id);
    else next.add(id);
    return next;
  });

  const add = (line: OutlineLine | undefined): void => {
    returns.current = true;
    if (!line) return handle.openAdd(false);
    if (line.kind === 'step') {
      editor.select([line.id]);
      handle.openAdd(false);
    } else ui.setState({ search: { screen: [12, 48], at: null, ...(line.edge ? { edge: line.edge } : { from: line.from }) }, finding: false, linking: null });
  };
  const connect = (line: OutlineLine): void => {
    returns.current = true;
    editor.select([line.id]);
    ui.setState({ linking: { id: line.id, to: null, ...(line.kind === 'port' ? { port: line.from.slice(line.id.length + 1) } : {}) }, search: null, finding: false });
  };
  const remove = (line: OutlineLine, reconnect: boolean): void => {
    if (line.kind === 'port' && !line.edge) return;
    const index = lines.indexOf(line);
    const near = line.kind === 'port' ? lines.find((one) => one.kind === 'step' && one.id === line.id) : lines.slice(0, index).findLast((one) => one.kind === 'step') ?? lines.slice(index + 1).find((one) => one.kind === 'step' && one.id !== line.id);
    choose(line);
    returns.current = true;
    handle.remove(reconnect);
    returns.current = false;
    setAt(near?.key);
    focusLine(near?.key);
  };
  const move = (line: OutlineLine, by: 1 | -1): void => {
    const edits = moveAlong(document_, catalog, line.id, by);
    if (!edits) return handle.say(t(by === 1 ? 'outline.noWayOn' : 'outline.noWayBack'));
    editor.apply(edits, { label: t('outline.step.move'), select: [line.id] });
    handle.say(t('outline.moved', { name: line.kind === 'step' ? line.title : line.id }));
    focusLine(line.id);
  };

  const onKey = (event: KeyboardEvent<HTMLElement>): void => {
    // The line that has the keys, which may not be the current one yet.
    const focused = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-line]')?.dataset['line'] : undefined;
    const own = lines.find((line) => line.key === focused);
    if (!own || event.target instanceof HTMLInputElement) return;
    const index = lines.indexOf(own);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const done = (run: () => void): void => {
      event.preventDefault();
      event.stopPropagation();
      run();
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.altKey && !readOnly && own.kind === 'step' && (key === 'ArrowUp' || key === 'ArrowDown')) return done(() => move(own, key === 'ArrowDown' ? 1 : -1));
    if ((event.ctrlKey || event.metaKey) && !readOnly && (key === 'Delete' || key === 'Backspace')) return done(() => remove(own, true));
    if (!plain) return;
    switch (key) {
      case 'ArrowDown': return done(() => go(lines[index + 1]));
      case 'ArrowUp': return done(() => go(lines[index - 1]));
      case 'Home': return done(() => go(lines[0]));
      case 'End': return done(() => go(lines.at(-1)));
      case 'ArrowRight': return done(() => { if (own.kind === 'step' && own.open === false) fold(own.id, true); else if (lines[index + 1] && (lines[index + 1] as OutlineLine).level > own.level) go(lines[index + 1]); });
      case 'ArrowLeft': return done(() => { if (own.kind === 'step' && own.open === true) fold(own.id, false); else go(lines.slice(0, index).findLast((line) => line.level < own.level)); });
      case 'Enter': return done(() => { if (own.kind === 'port' && own.edge) go(lines.find((line) => line.key === own.edge?.to)); else { choose(own); openNode(own.id, true); } });
      default:
    }
    if (readOnly) return;
    switch (key) {
      case 'a': case 'Insert': return done(() => add(own));
      case 'c': return done(() => connect(own));
      case 'F2': return done(() => { if (own.kind === 'step') setRenaming(own.id); });
      case 'Delete': case 'Backspace': return done(() => remove(own, false));
      default:
    }
  };

  const onStep = current?.kind === 'step' ? current : undefined;
  return (
    <aside ref={aside} className="cvo" aria-label={t('outline.label')} data-scope="outline">
      <header className="cvo-head"><b className="grow">{t('outline.label')}</b><IconButton small icon="x" label={t('outline.close')} onClick={() => handle.toggleOutline()} /></header>
      {readOnly ? null : (
        <div className="cvo-tools" role="toolbar" aria-label={t('outline.tools')}>
          <Button small icon="plus" onClick={() => add(current)}>{t('outline.add')}</Button>
          <Button small icon="plug" disabled={!current} onClick={() => { if (current) connect(current); }}>{t('outline.connect')}</Button>
          <span className="grow" />
          <IconButton small icon="pencil" label={t('outline.rename')} keys="F2" disabled={!onStep} onClick={() => { if (onStep) setRenaming(onStep.id); }} />
          <IconButton small icon="up" label={t('outline.up')} keys="Alt+ArrowUp" disabled={!onStep} onClick={() => { if (onStep) move(onStep, -1); }} />
          <IconButton small icon="down" label={t('outline.down')} keys="Alt+ArrowDown" disabled={!onStep} onClick={() => { if (onStep) move(onStep, 1); }} />
          <IconButton small icon="x" label={t('outline.remove')} keys="Delete" disabled={!current || (current.kind === 'port' && !current.edge)} onClick={() => { if (current) remove(current, false); }} />
        </div>
      )}
      {lines.length === 0 ? <p className="cvo-none s t2">{t('outline.none')}</p> : (
        <div ref={tree} className="cvo-tree" role="tree" aria-label={t('outline.tree')} tabIndex={-1} onKeyDown={onKey}>
          {lines.map((line) => (
            <Row key={line.key} line={line} current={line === current} icon={line.kind === 'step' ? catalog.get(document_.nodes[line.id]?.type ?? '')?.icon ?? 'box' : ''} renaming={renaming === line.key && line.kind === 'step' ? document_.nodes[line.id]?.title ?? line.title : null}
              onCurrent={setAt} onChoose={(one) => { choose(one); focusLine(one.key); }} onFold={fold}
              onRename={(title) => { setRenaming(null); if (title !== null) rename(line.id, title); focusLine(line.key); }} />
          ))}
        </div>
      )}
      <p className="cvo-foot s t3">{t(readOnly ? 'outline.hintRead' : 'outline.hint')}</p>
    </aside>
  );
}

interface RowProps { line: OutlineLine; current: boolean; icon: string; renaming: string | null; onCurrent(key: string): void; onChoose(line: OutlineLine): void; onFold(id: string, open: boolean): void; onRename(title: string | null): void }

const portWords = (line: PortLine): string => (line.edge ? t('outline.wire', { port: line.port, name: line.to }) : t('outline.free', { port: line.port }));

function Row({ line, current, icon, renaming, onCurrent, onChoose, onFold, onRename }: RowProps) {
  const step = line.kind === 'step' ? line : null;
  return (
    <div role="treeitem" aria-level={line.level} aria-posinset={line.at} aria-setsize={line.of} aria-selected={current} {...(step && step.open !== null ? { 'aria-expanded': step.open } : {})}
      tabIndex={current ? 0 : -1} data-line={line.key} className={`cvo-row ${current ? 'on' : ''} ${step ? '' : 'wire'}`} style={{ paddingLeft: 8 + (line.level - 1) * 16 }}
      onClick={() => onChoose(line)} onFocus={(event) => { if (event.target === event.currentTarget) onCurrent(line.key); }}>
      {step && step.open !== null ? <span className="cvo-fold" aria-hidden="true" onClick={(event) => { event.stopPropagation(); onFold(line.id, !step.open); }}><Icon name={step.open ? 'down' : 'right'} size={12} /></span> : <span className="cvo-fold" />}
      {step ? <NamedIcon name={icon} size={14} /> : <i className={`cvo-port ${(line as PortLine).error ? 'er' : 'ok'} ${(line as PortLine).edge ? 'on' : ''}`} aria-hidden="true" />}
      {renaming === null
        ? <span className="ell grow" title={step ? step.title : portWords(line as PortLine)}>{step ? step.title : portWords(line as PortLine)}</span>
        : (
          <input className="cvo-rename" autoFocus defaultValue={renaming} aria-label={t('canvas.rename')} maxLength={200} onFocus={(event) => event.currentTarget.select()} onClick={(event) => event.stopPropagation()}
            onKeyDown={(event) => {
              event.stopPropagation();
              if (event.key === 'Enter') onRename(event.currentTarget.value.trim());
              if (event.key === 'Escape') onRename(null);
            }}
            onBlur={(event) => onRename(event.currentTarget.value.trim())} />
        )}
      {step && renaming === null && step.type !== step.title ? <span className="s t3 ell">{step.type}</span> : null}
    </div>
  );
}
