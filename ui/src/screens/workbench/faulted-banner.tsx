/** A run that says less about the workflow than others: somebody put faults into it. */
import { plain } from '../../text/letters.ts';
import { t } from '../../i18n/index.ts';
import { Banner } from '../../kit/index.ts';

export function FaultedBanner({ steps }: { steps: readonly string[] }) {
  return <Banner signal="warn" title={t('fault.ranTitle')}><span className="s t2">{t('fault.ranText', { steps: steps.map(plain).join(', ') })}</span></Banner>;
}
