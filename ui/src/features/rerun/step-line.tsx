/** Under the panel of a step: why its result is stale, and the ways to run it. */
import { t } from '../../i18n/index.ts';
import { Button, Icon, useAllActions } from '../../kit/index.ts';
import type { Stale } from './stale.ts';
import './rerun.css';

/** Ids of the actions, in the order of the buttons. */
export const STEP_RUNS = { only: 'run.only', with: 'run.onlyWith', to: 'run.to', from: 'run.from' } as const;
const BUTTONS = ['only', 'to', 'from'] as const;

export function StepLine({ stale }: { stale: Stale | undefined }) {
  const actions = useAllActions();
  return (
    <div className="rr-line">
      {stale === undefined ? null : <p className="s t2 row gap1"><Icon name="stale" size={12} className="c-off" />{t(`rerun.stale.${stale}`)}</p>}
      <div className="row" role="group" aria-label={t('rerun.runs')}>
        {BUTTONS.map((kind) => {
          const action = actions.find((one) => one.id === STEP_RUNS[kind]);
          return <Button key={kind} small disabled={!action || action.when?.() === false} onClick={() => action?.run()}>{t(`rerun.run.${kind}`)}</Button>;
        })}
      </div>
    </div>
  );
}
