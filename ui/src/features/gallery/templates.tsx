/** Ready workflows by job: found by words, looked at, tried with sample data, used. */
import './templates.css';
import { useState } from 'react';
import type { Template, TemplateNeed } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Icon, type IconName, Segmented, Skeleton, TextInput } from '../../kit/index.ts';
import type { Loaded } from './gallery.tsx';
import { GraphArt } from './graph-art.tsx';
import { CATEGORIES, type Category, findTemplates } from './template-search.ts';

export interface TemplatesProps {
  templates: Loaded<Template[]>;
  /** Whether this person may make workflows, and start runs. */
  makes: boolean;
  runs: boolean;
  busy: string | null;
  onUse(template: Template): void;
  onTry(template: Template): void;
}

const NEED_ICON: { [kind in TemplateNeed['kind']]: IconName } = { address: 'globe', folder: 'folder', secret: 'key', model: 'agent', connector: 'plug' };

export function Templates({ templates, ...props }: TemplatesProps) {
  const [query, setQuery] = useState('');
  const [category, setCategory] = useState<Category | ''>('');
  const [chosen, setChosen] = useState<string | null>(null);
  const found = findTemplates(templates.data ?? [], query, category);
  const shown = found.find((one) => one.id === chosen) ?? found[0];
  return (
    <div className="tpl">
      <div className="tpl-find">
        <TextInput icon="search" aria-label={t('templates.search')} placeholder={t('templates.searchHint')} value={query} onChange={setQuery} />
        <Segmented<Category | ''> small label={t('templates.category')} value={category} onChange={setCategory}
          options={[{ value: '', label: t('templates.all') }, ...CATEGORIES.map((value) => ({ value, label: t(`templates.category.${value}`) }))]} />
      </div>
      {templates.error ? <Banner signal="err" title={templates.error.message} actions={<Button small icon="retry" onClick={templates.retry}>{t('common.tryAgain')}</Button>} /> : null}
      {!templates.data && !templates.error ? <Skeleton rows={8} height={40} /> : null}
      {templates.data && !shown ? <EmptyState title={t('templates.none')} text={t('templates.noneText')} /> : null}
      {shown ? (
        <div className="tpl-body">
          <div className="tpl-list" role="listbox" aria-label={t('templates.title')}>
            {found.map((one) => <Row key={one.id} template={one} on={one === shown} onChoose={() => setChosen(one.id)} onMove={(by) => {
              const next = found[found.indexOf(one) + by];
              if (next) setChosen(next.id);
            }} />)}
          </div>
          <Preview template={shown} {...props} />
        </div>
      ) : null}
    </div>
  );
}

function Row({ template, on, onChoose, onMove }: { template: Template; on: boolean; onChoose(): void; onMove(by: number): void }) {
  return (
    <div role="option" aria-selected={on} tabIndex={on ? 0 : -1} className={`tpl-row ${on ? 'on' : ''}`} onClick={onChoose}
      ref={(row) => { if (on && row?.parentElement?.contains(document.activeElement)) row.focus(); }}
      onKeyDown={(event) => {
        const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
        if (by === 0) return;
        event.preventDefault();
        onMove(by);
      }}>
      <span className="ell">{template.title}</span>
      <span className="s t3 ell">{t(`templates.category.${template.category as Category}`)}, {tn('common.steps', template.steps)}</span>
    </div>
  );
}

function Preview({ template, makes, runs, busy, onUse, onTry }: Omit<TemplatesProps, 'templates'> & { template: Template }) {
  return (
    <section className="tpl-one" aria-label={template.title}>
      <div className="tpl-art"><GraphArt workflow={template.document} large width={520} height={180} label={t('gallery.graph', { name: template.title })} /></div>
      <h3 className="l">{template.title}</h3>
      <p className="t2">{template.description}</p>
      <div>
        <span className="cap">{t('templates.needs')}</span>
        <ul className="tpl-needs">
          {template.needs.map((need) => <li key={need.text}><Icon name={NEED_ICON[need.kind]} size={12} /><span>{need.text}</span></li>)}
        </ul>
      </div>
      <p className="s t3">{t('templates.errors')}</p>
      <div className="row go">
        {makes ? <Button variant="primary" icon="flow" busy={busy === `use:${template.id}`} disabled={busy !== null} onClick={() => onUse(template)}>{t('templates.use')}</Button> : null}
        {runs ? <Button icon="play" busy={busy === `try:${template.id}`} disabled={busy !== null} title={t('templates.tryHint')} onClick={() => onTry(template)}>{t('templates.try')}</Button> : null}
      </div>
      {runs ? <p className="s t3">{t('templates.tryHint')}</p> : null}
    </section>
  );
}
