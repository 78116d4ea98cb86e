// What the list shows: views with their counts, one workflow, one cause.

import { formatNumber, t, tn } from '../../i18n/index.ts';
import { Icon, IconButton, Kbd, Menu, type IconName } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { awake, filtersOf, NO_FILTERS, sameView, type InboxFilters, type InboxView } from './filter-model.ts';
import type { TaskCounts } from './types.ts';

const VIEWS: { view: InboxView; icon?: IconName; count: keyof TaskCounts }[] = [
  { view: 'all', count: 'open' },
  { view: 'mine', count: 'mine' },
  { view: 'unassigned', count: 'unassigned' },
  { view: 'due_today', count: 'dueToday' },
  { view: 'overdue', count: 'overdue', icon: 'warn' },
];
const LATE_VIEWS: typeof VIEWS = [{ view: 'snoozed', count: 'snoozed', icon: 'glass' }, { view: 'done', count: 'done', icon: 'okc' }];

export function Filters({ filters, counts, onFilters, onSave, onForget }: {
  filters: InboxFilters; counts: TaskCounts | undefined; onFilters(filters: InboxFilters): void; onSave(): void; onForget(name: string): void;
}) {
  const views = counts?.saved ?? [];
  const current = views.find((one) => sameView(filtersOf(one.filter), filters));
  const everything = sameView(filters, NO_FILTERS);
  const chip = ({ view, icon, count }: (typeof VIEWS)[number]) => (
    <button key={view} type="button" className={`chip ${filters.view === view ? 'on' : ''}`} aria-pressed={filters.view === view} onClick={() => onFilters({ ...filters, view })}>
      {icon ? <Icon name={icon} size={12} /> : null}{t(`inbox.view.${view}`)} <b>{counts ? formatNumber(view === 'all' ? awake(counts) : (counts[count] as number)) : ' '}</b>
    </button>
  );
  const workflow = counts?.byWorkflow.find((one) => one.id === filters.workflow);
  const cause = counts?.byFingerprint.find((one) => one.fingerprint === filters.fingerprint);
  return (
    <div className="ib-filters" role="group" aria-label={t('inbox.filters')}>
      <div className="ib-chips">
        {VIEWS.map(chip)}
        <Pick on={filters.workflow !== ''} icon="flow" label={filters.workflow ? plain(workflow?.name ?? filters.workflow) : t('inbox.byWorkflow')} count={workflow?.count}
          entries={(counts?.byWorkflow ?? []).map((one) => ({ id: one.id, label: plain(one.name), count: one.count }))} none={t('inbox.noWorkflows')}
          onPick={(id) => onFilters({ ...filters, workflow: id })} onClear={() => onFilters({ ...filters, workflow: '' })} />
        <Pick on={filters.fingerprint !== ''} icon="copy" label={filters.fingerprint ? plain(cause?.title ?? t('inbox.oneCause')) : t('inbox.byCause')} count={cause?.count}
          entries={(counts?.byFingerprint ?? []).map((one) => ({ id: one.fingerprint, label: plain(one.title), count: one.count }))} none={t('inbox.noCauses')}
          onPick={(fingerprint) => onFilters({ ...filters, fingerprint })} onClear={() => onFilters({ ...filters, fingerprint: '' })} />
        {LATE_VIEWS.map(chip)}
        {views.map((one) => (
          <button key={one.name} type="button" className={`chip ib-pick ${one === current ? 'on' : ''}`} aria-pressed={one === current} title={plain(one.name)} onClick={() => onFilters(filtersOf(one.filter))}>
            <Icon name="filter" size={12} /><span className="ell">{plain(one.name)}</span> <b>{formatNumber(one.count)}</b>
          </button>
        ))}
      </div>
      <Menu trigger={<button type="button" className="chip ib-sort" title={t(`inbox.sort.${filters.sort}`)} aria-label={`${t('inbox.sort')}: ${t(`inbox.sort.${filters.sort}`)}`}><Icon name="rows" size={12} /><span className="ell">{t(`inbox.sort.${filters.sort}`)}</span><Icon name="down" size={12} /></button>}
        entries={(['urgent', 'due'] as const).map((sort) => ({ id: sort, label: t(`inbox.sort.${sort}`), ...(filters.sort === sort ? { icon: 'check' as const } : {}), onSelect: () => onFilters({ ...filters, sort }) }))} />
      <Menu trigger={<IconButton icon="filter" label={t('inbox.views')} />} entries={[
        { id: '-save', label: t('inbox.views.save'), icon: 'plus', disabled: current !== undefined || everything, why: everything ? t('inbox.views.nothing') : current && t('inbox.views.there'), onSelect: onSave },
        ...(views.length ? [null] : []),
        ...views.map((one) => ({ id: one.name, label: t('inbox.views.forget', { name: plain(one.name) }), icon: 'x' as const, onSelect: () => onForget(one.name) })),
      ]} />
      <span className="row s t2 nw ib-keys" aria-hidden="true">
        <span><Kbd keys="J" /><Kbd keys="K" /> {t('inbox.keys.move')}</span><span><Kbd keys="X" /> {t('inbox.keys.select')}</span><span><Kbd keys="C" /> {t('inbox.keys.claim')}</span><span><Kbd keys="?" /> {t('inbox.keys.all')}</span>
      </span>
    </div>
  );
}

function Pick({ on, icon, label, count, entries, none, onPick, onClear }: {
  on: boolean; icon: IconName; label: string; count: number | undefined; entries: { id: string; label: string; count: number }[]; none: string; onPick(id: string): void; onClear(): void;
}) {
  const trigger = (
    <button type="button" className={`chip ib-pick ${on ? 'on' : ''}`} title={label}>
      <Icon name={icon} size={12} /><span className="ell">{label}</span>{count === undefined ? null : <b>{formatNumber(count)}</b>}<Icon name="down" size={12} />
    </button>
  );
  return (
    <Menu align="start" trigger={trigger} entries={[
      ...(on ? [{ id: '-clear', label: t('inbox.showAll'), icon: 'x' as const, onSelect: onClear }, null] : []),
      ...entries.map((one) => ({ id: one.id, label: `${one.label} · ${tn('inbox.tasks', one.count)}`, onSelect: () => onPick(one.id) })),
      ...(entries.length ? [] : [{ id: '-none', label: none, disabled: true, onSelect: () => undefined }]),
    ]} />
  );
}
