// What is in the records that were found, with counts; a click narrows the query, a second one widens it again.

import { formatNumber, t } from '../../i18n/index.ts';
import { Checkbox, Icon, IconButton, Skeleton, type IconName } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { means, toggle, toggleWithout, valueOf, withoutOf, type Qualifier } from './query.ts';
import type { AuditFacets, FacetCount } from './types.ts';
import { actorName, eventLook, LEVELS, levelText } from './words.ts';

export interface SavedQuery { name: string; query: string }

export function Facets({ facets, query, saved, onQuery, onForget }: { facets: AuditFacets | undefined; query: string; saved: readonly SavedQuery[]; onQuery(query: string): void; onForget(name: string): void }) {
  if (!facets) return <aside className="au-fac" aria-busy="true"><div style={{ padding: '0 16px' }}><Skeleton rows={10} height={24} /></div></aside>;
  return (
    <aside className="au-fac" aria-label={t('audit.facets')}>
      {saved.length ? (
        <section className="au-sec">
          <h2 className="cap">{t('audit.saved')}</h2>
          {saved.map((one) => (
            <div key={one.name} className="au-saved">
              <button type="button" className={`link ell ${one.query === query ? 'on' : ''}`} title={plain(one.query)} onClick={() => onQuery(one.query)}><SafeText line text={one.name} /></button>
              <IconButton small icon="x" label={t('audit.forget', { name: plain(one.name) })} onClick={() => onForget(one.name)} />
            </div>
          ))}
        </section>
      ) : null}
      {facets.newest === undefined ? null : <p className="au-few s t2">{t('audit.fewCounted', { n: formatNumber(facets.newest) })}</p>}
      <Facet title={t('audit.facet.event')} qualifier="event" counts={facets.event} query={query} onQuery={onQuery} words={(value) => eventLook(value).text} />
      <Facet title={t('audit.facet.actor')} qualifier="actor" counts={facets.actor} query={query} onQuery={onQuery} words={actorName} icon={(value) => (value === 'system' ? 'sliders' : value === 'agent' || value.startsWith('tool') ? 'agent' : 'person')} />
      <Facet title={t('audit.facet.level')} qualifier="level" counts={facets.level} query={query} onQuery={onQuery} words={levelText} icon={(value) => (Object.hasOwn(LEVELS, value) ? LEVELS[value as keyof typeof LEVELS].icon : 'dot')} />
      <Facet title={t('audit.facet.error')} qualifier="error.type" counts={facets.errorType} query={query} onQuery={onQuery} words={(value) => value} />
      <Facet title={t('audit.facet.workflow')} qualifier="workflow" counts={facets.workflow} query={query} onQuery={onQuery} words={(value) => value} />
    </aside>
  );
}

function Facet({ title, qualifier, counts, query, onQuery, words, icon }: {
  title: string; qualifier: Qualifier; counts: readonly FacetCount[]; query: string; onQuery(query: string): void; words(value: string): string; icon?: (value: string) => IconName;
}) {
  // Half of a qualifier while it is typed chooses nothing.
  const chosen = valueOf(query, qualifier) || undefined;
  const left = withoutOf(query, qualifier);
  const missing = [...(chosen === undefined ? [] : [chosen]), ...left].filter((asked) => !counts.some((one) => means(qualifier, asked, one.value)));
  const all = [...new Set(missing)].map((value) => ({ value, count: 0 })).concat(counts);
  if (!all.length) return null;
  return (
    <section className="au-sec">
      <h2 className="cap">{title}</h2>
      {all.map((one) => {
        const out = left.some((asked) => means(qualifier, asked, one.value));
        return (
          <div key={one.value} className={out ? 'au-facet out' : 'au-facet'}>
            <label>
              <Checkbox checked={means(qualifier, chosen, one.value)} label={`${title}: ${plain(words(one.value))}`} onChange={() => onQuery(toggle(query, qualifier, one.value))} />
              <span className="row gap1">{icon ? <Icon name={icon(one.value)} size={12} className="t2" /> : null}<SafeText line text={words(one.value)} /></span>
              <span className="t3">{out ? t('audit.leftOut') : formatNumber(one.count)}</span>
            </label>
            <IconButton small icon={out ? 'plus' : 'ban'} label={t(out ? 'audit.takeIn' : 'audit.leaveOut', { value: plain(words(one.value)) })} onClick={() => onQuery(toggleWithout(query, qualifier, one.value))} />
          </div>
        );
      })}
    </section>
  );
}
