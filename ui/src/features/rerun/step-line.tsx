/** Under the panel of a step: why its result is stale, and the ways to run it. */
import { t } from '../../i18n/index.ts';
import { Button, Icon, Tooltip, useAllActions } from '../../kit/index.ts';
import type { Stale } from './stale.ts';
import './rerun.css';

/** Ids of the actions, in the order of the buttons. */
export const STEP_RUNS = { only: 'run.only', with: 'run.onlyWith', to: 'run.to', from: 'run.from' } as const;
export const STEP_RUN_ICONS = { only: 'step', with: 'pencil', to: 'play', from: 'retry' } as const;
const BUTTONS = ['only', 'to', 'from'] as const;

export function StepLine({ stale }: { stale: Stale | undefined }) {
  const actions = useAllActions();
  return (
    <div className="rr-line">
      {stale === undefined ? null : <p className="s t2 row gap1" title={t(`rerun.stale.${stale}`)}><Icon name="stale" size={12} className="c-off" /><span className="rr-word">{t(`rerun.stale.${stale}`)}</span></p>}
      <div className="row" role="group" aria-label={t('rerun.runs')}>
        {BUTTONS.map((kind) => {
          const action = actions.find((one) => one.id === STEP_RUNS[kind]);
          return (
            <Tooltip key={kind} text={t(`rerun.run.${kind}Action`)} {...(action?.keys[0] === undefined ? {} : { keys: action.keys[0] })}>
              <Button small disabled={!action || action.when?.() === false} onClick={() => action?.run()}>
                <span className="rr-icon"><Icon name={STEP_RUN_ICONS[kind]} size={12} /></span><span className="rr-word">{t(`rerun.run.${kind}`)}</span>
              </Button>
            </Tooltip>
          );
        })}
      </div>
    </div>
  );
}
