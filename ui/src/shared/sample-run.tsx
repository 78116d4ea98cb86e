/** The test of a trigger that waits for something: one run of the draft, with the sample event that the step makes up. */
import { t } from '../i18n/index.ts';
import { Button } from '../kit/index.ts';
import { useRunWithEvent } from './trigger-run-context.ts';

export function SampleRun({ nodeId }: { nodeId: string }) {
  const runWith = useRunWithEvent();
  if (!runWith) return null;
  return (
    <div className="field" role="group" aria-label={t('sampleRun.title')}>
      <span className="s t3">{t('sampleRun.hint')}</span>
      <div className="row gap2"><Button small icon="play" onClick={() => runWith(nodeId, null)}>{t('hook.runSample')}</Button></div>
    </div>
  );
}
