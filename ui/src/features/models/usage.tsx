/** Settings, Models: what models cost on this machine, by day, workflow and model. */
import { useState, type ReactNode } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import type { Models, Usage } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { formatMoney, t, tn } from '../../i18n/index.ts';
import { Button, Field, Icon, Segmented, TextInput } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { NoLine, NotRead } from '../../shared/settings-section.tsx';
import { badMoney, microsOf, MOST_MICROS, moneyText, tooMuch } from '../../shared/money.ts';
import { spentHint, spentText } from '../../shared/model-cost.tsx';

const DAYS = 30;
/** So many lines stand there at first. */
const LINES = 7;
const VIEWS = ['days', 'workflows', 'models'] as const;
type View = (typeof VIEWS)[number];

export function UsageBox({ models, mayChange }: { models: Models; mayChange: boolean }) {
  const usage = useCommand('model_usage', { days: DAYS });
  const [view, setView] = useState<View>('days');
  const [all, setAll] = useState(false);
  const files = useCommand('workflow_list', {}, { enabled: view === 'workflows' });
  const [changing, setChanging] = useState(false);
  const data = usage.data;
  const nameOf = (id: string) => files.data?.find((file) => file.id === id)?.name;
  const rows: { key: string; name: string; id?: string; usage: Usage }[] = data ? {
    days: data.days.map((one) => ({ key: one.day, name: one.day, usage: one.usage })),
    workflows: data.workflows.map((one) => ({ key: one.workflowId, name: plain(nameOf(one.workflowId) ?? one.workflowId), id: one.workflowId, usage: one.usage })),
    models: data.models.map((one) => ({ key: `${one.provider}/${one.model}`, name: one.provider ? t('usage.modelOf', { provider: one.provider, model: one.model }) : one.model, usage: one.usage })),
  }[view] : [];
  const shown = all ? rows : rows.slice(0, LINES);
  return (
    <section className="col gap2" aria-labelledby="usage-title">
      <div className="row">
        <h3 id="usage-title" className="grow">{t('usage.title')}</h3>
        {data && data.total.calls > 0 ? <Segmented label={t('usage.by')} value={view} small options={VIEWS.map((one) => ({ value: one, label: t(`usage.by.${one}`) }))} onChange={(next) => { setView(next); setAll(false); }} /> : null}
      </div>
      <div className="box" data-usage>
        {data ? null : <NotRead error={usage.error} retry={usage.refetch} />}
        {!data ? null : data.total.calls === 0 ? <NoLine icon="spark" title={t('usage.none')} text={t('usage.noneText', { n: DAYS })} /> : (
          <>
            <Line name={t('usage.today')} usage={data.today} strong />
            <Line name={t('usage.total', { n: DAYS })} usage={data.total} strong />
            {shown.map((one) => <Line key={one.key} name={<span className={one.id === undefined ? 'mono ell' : 'ell'} title={one.id === undefined || one.id === one.name ? one.name : `${one.name}, ${one.id}`}>{one.name}</span>} usage={one.usage} />)}
            {rows.length > shown.length ? <div className="line"><Button small variant="ghost" onClick={() => setAll(true)}>{tn('usage.more', rows.length - shown.length)}</Button></div> : null}
          </>
        )}
        <div className="line">
          {data?.total.calls === 0 ? <Icon name="glass" className="t3" /> : null}
          <div className="grow col"><span>{t('usage.budget')}</span>
            <span className="s t3">{models.dayBudgetMicros === undefined ? t('usage.budgetNone') : t('usage.budgetOf', { amount: formatMoney(models.dayBudgetMicros) })}</span></div>
          {mayChange ? <Button small aria-label={t('usage.budgetChangeOf')} onClick={() => setChanging(true)}>{t('usage.budgetChange')}</Button> : null}
        </div>
      </div>
      {changing ? <BudgetDialog now={models.dayBudgetMicros} onClose={() => setChanging(false)} /> : null}
    </section>
  );
}

function BudgetDialog({ now, onClose }: { now: number | undefined; onClose(): void }) {
  const [text, setText] = useState(now === undefined ? '' : moneyText(now));
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const micros = microsOf(text);
  const wrong = badMoney(text);
  async function save() {
    const done = micros === undefined
      ? run(() => act('model_budget_set', {}), t('usage.budgetGone'))
      : run(() => act('model_budget_set', { perDay: micros / 1_000_000 }), t('usage.budgetSet', { amount: formatMoney(micros) }));
    if (await done) onClose();
  }
  return (
    <FormDialog title={t('usage.budget')} submit={t('models.keep')} busy={busy} error={error} complete={!wrong} width={440} onSubmit={() => void save()} onClose={onClose}>
      <Field label={t('usage.budgetAmount')} error={!wrong ? undefined : tooMuch(text) ? t('usage.budgetMuch', { most: formatMoney(MOST_MICROS) }) : t('usage.budgetWrong')} hint={t('usage.budgetHint')}>
        {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} inputMode="decimal" value={text} invalid={wrong} maxLength={16} onChange={setText} />}
      </Field>
    </FormDialog>
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
