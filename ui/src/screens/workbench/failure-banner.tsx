import { codeOf } from '../../api/error.ts';
import type { RunView } from '../../api/run-state.ts';
import type { Workflow } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button, IconButton } from '../../kit/index.ts';
import { stepName } from '../../features/rerun/context.ts';
import { copyText } from '../commands.ts';

/** The call that failed says in which iteration. */
function rerunName(view: RunView, step: string): string {
  return stepName(step, view.cards.findLast((card) => card.nodeId === step && card.error !== undefined)?.path);
}

/** Plain words on top, the step and the code below, and what can be done now. */
export function FailureBanner({ view, document, onOpenStep, onRunAgain, onRerun, onClose }: {
  view: RunView; document: Workflow; onOpenStep(nodeId: string): void; onRunAgain: (() => void) | undefined; onRerun?: ((step: string) => void) | undefined; onClose(): void;
}) {
  const step = view.failedStepId;
  const error = view.error;
  const title = step ? document.nodes[step]?.title ?? view.nodes[step]?.title ?? step : '';
  const code = codeOf(error);
  const unknown = error?.details?.effect === 'unknown';
  return (
    <Banner signal="err" title={error?.message ?? t('run.failedTitle')} onClose={onClose}
      closeButton={<IconButton icon="x" label={t('common.close')} onClick={onClose} />}
      actions={<>
        {step && Object.hasOwn(document.nodes, step) ? <Button variant="primary" onClick={() => onOpenStep(step)}>{t('run.openStep')}</Button> : null}
        {onRerun && step && view.nodes[step]?.calls ? <Button icon="retry" onClick={() => onRerun(rerunName(view, step))}>{t('rerun.openMore')}</Button> : null}
        {onRunAgain ? <Button icon="retry" onClick={onRunAgain}>{t('run.again')}</Button> : null}
        {error ? <Button variant="ghost" icon="copy" onClick={() => void copyText(JSON.stringify(error, null, 2))}>{t('run.copyError')}</Button> : null}
      </>}>
      <span className="s t2">
        {step ? <span title={step}>{t('run.step', { step: title })}. </span> : null}{error?.attempt ? `${t('run.calledTimes', { n: error.attempt + 1 })} ` : ''}{unknown ? `${t('run.unknownEffect')} ` : ''}{code ? <code>{code}</code> : null}
      </span>
    </Banner>
  );
}
