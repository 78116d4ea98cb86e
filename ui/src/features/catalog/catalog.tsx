/** All kinds of step, to look through and to add to a workflow. */
import './catalog.css';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { NodeDescriptor } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Button, EmptyState, Menu, TextInput, Tile } from '../../kit/index.ts';
import { categoryTitle, groupKinds, searchKinds } from '../../shared/kind/groups.ts';
import { KindText } from '../../shared/kind/kind-text.tsx';

/** Where a step can be added to. */
export interface AddTargets {
  workflows: readonly { ref: string; name: string }[];
  /** Without a file: to a new workflow. */
  onAdd(kind: string, ref: string | undefined): void;
}

export function CatalogView({ kinds, chosen, onChoose, add }: { kinds: NodeDescriptor[]; chosen: string | undefined; onChoose(kind: string): void; add?: AddTargets | undefined }) {
  const [text, setText] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupKinds(searchKinds(kinds, text)), [kinds, text]);
  const flat = groups.flatMap(([, entries]) => entries);
  const shown = flat.find((kind) => kind.type === chosen) ?? flat[0];
  const shownType = shown?.type;
  useEffect(() => {
    itemOf(list.current, shownType)?.scrollIntoView({ block: 'nearest' });
  }, [shownType]);
  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step || !shown) return;
    event.preventDefault();
    const next = flat[Math.max(0, Math.min(flat.length - 1, flat.indexOf(shown) + step))];
    if (!next) return;
    onChoose(next.type);
    itemOf(list.current, next.type)?.focus();
  }
  return (
    <div className="c-mid">
      <div className="c-side">
        <div className="c-find">
          <TextInput icon="search" type="search" value={text} placeholder={t('catalog.search')} aria-label={t('catalog.search')} onChange={setText} />
        </div>
        <div ref={list} className="c-list" role="navigation" aria-label={t('catalog.list')} onKeyDown={onKeyDown}>
          {groups.map(([category, entries]) => (
            <section key={category}>
              <h3 className="cap">{categoryTitle(category)}</h3>
              {entries.map((kind) => (
                <button key={kind.type} type="button" data-kind={kind.type} className={`c-item ${kind === shown ? 'on' : ''}`} aria-current={kind === shown ? 'true' : undefined}
                  tabIndex={kind === shown ? 0 : -1} onClick={() => onChoose(kind.type)}>
                  <Tile icon={kind.icon} tone={kind.category} size={24} />
                  <span className="col" title={`${kind.title}, ${kind.type}`}><span className="ell">{kind.title}</span><span className="mono t3 ell">{kind.type}</span></span>
                </button>
              ))}
            </section>
          ))}
          {flat.length === 0 ? <EmptyState title={t('catalog.none', { text })} text={t('catalog.noneHint')} /> : null}
        </div>
      </div>
      <div className="c-main">{shown ? <Kind kind={shown} add={add} /> : null}</div>
    </div>
  );
}

function itemOf(list: HTMLElement | null, kind: string | undefined): HTMLElement | undefined {
  return [...(list?.querySelectorAll<HTMLElement>('[data-kind]') ?? [])].find((item) => item.dataset.kind === kind);
}

function Kind({ kind, add }: { kind: NodeDescriptor; add: AddTargets | undefined }) {
  return (
    <article key={kind.type}>
      <header className="row" style={{ gap: 12 }}>
        <Tile icon={kind.icon} tone={kind.category} />
        <div className="col grow"><h2 className="l">{kind.title}</h2><code className="t3">{kind.type}, {t('catalog.version')} {kind.version}</code></div>
        {add ? (
          <Menu trigger={<Button variant="primary" icon="plus">{t('catalog.add')}</Button>} entries={[
            { id: 'new', label: t('catalog.addNew'), icon: 'plus', onSelect: () => add.onAdd(kind.type, undefined) },
            ...(add.workflows.length ? [null] : []),
            ...add.workflows.map((one) => ({ id: one.ref, label: one.name, icon: 'flow' as const, onSelect: () => add.onAdd(kind.type, one.ref) })),
          ]} />
        ) : null}
      </header>
      <KindText kind={kind} />
    </article>
  );
}
