/** Settings, Models: what models cost on this machine, by day, workflow and model. */
import { useState, type ReactNode } from 'react';
import { useCommand } from '../../api/queries.ts';
import type { Usage } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import { Segmented } from '../../kit/index.ts';
import { Fault } from '../fault.tsx';
import { NoLine } from '../section.tsx';
import { spentHint, spentText } from '../spent.tsx';

const DAYS = 30;
/** So many lines stand there at once; the command line lists all. */
const LINES = 7;
const VIEWS = ['days', 'workflows', 'models'] as const;
type View = (typeof VIEWS)[number];

export function UsageBox() {
  const usage = useCommand('model_usage', { days: DAYS });
  const [view, setView] = useState<View>('days');
  const data = usage.data;
  if (usage.error) return <Fault error={usage.error} />;
  if (!data) return null;
  const rows: { key: string; name: string; usage: Usage }[] = {
    days: data.days.map((one) => ({ key: one.day, name: one.day, usage: one.usage })),
    workflows: data.workflows.map((one) => ({ key: one.workflowId, name: one.workflowId, usage: one.usage })),
    models: data.models.map((one) => ({ key: `${one.provider}/${one.model}`, name: one.provider ? t('usage.modelOf', { provider: one.provider, model: one.model }) : one.model, usage: one.usage })),
  }[view];
  return (
    <section className="col gap2" aria-labelledby="usage-title">
      <div className="row">
        <h3 id="usage-title" className="grow">{t('usage.title')}</h3>
        {data.total.calls > 0 ? <Segmented label={t('usage.by')} value={view} small options={VIEWS.map((one) => ({ value: one, label: t(`usage.by.${one}`) }))} onChange={setView} /> : null}
      </div>
      <div className="box" data-usage>
        {data.total.calls === 0 ? <NoLine icon="spark" title={t('usage.none')} text={t('usage.noneText', { n: DAYS })} /> : (
          <>
            <Line name={t('usage.today')} usage={data.today} strong />
            <Line name={t('usage.total', { n: DAYS })} usage={data.total} strong />
            {rows.slice(0, LINES).map((one) => <Line key={one.key} name={<span className="mono ell">{one.name}</span>} usage={one.usage} />)}
            {rows.length > LINES ? <div className="line s t3">{tn('usage.more', rows.length - LINES)}</div> : null}
          </>
        )}
      </div>
    </section>
  );
}

function Line({ name, usage, strong = false }: { name: ReactNode; usage: Usage; strong?: boolean }) {
  return (
    <div className="line">
      <div className="grow col">{strong ? <b>{name}</b> : name}<span className="s t3">{usage.calls === 0 ? t('usage.nothing') : spentHint(usage)}</span></div>
      <span className="nw">{usage.calls === 0 ? null : spentText(usage)}</span>
    </div>
  );
}
