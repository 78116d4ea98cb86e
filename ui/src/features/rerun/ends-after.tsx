/** A run that was started to end after a step says so: what it left out did not run. */
import type { RunView } from '../../run/run-state.ts';
import { t } from '../../i18n/index.ts';
import { Badge } from '../../kit/index.ts';

export function EndsAfter({ view, titleOf }: { view: Pick<RunView, 'until'> | null; titleOf(id: string): string }) {
  return view?.until === undefined ? null : <Badge signal="skip" title={t('rerun.endsAfterHint')}>{t('rerun.endsAfter', { step: titleOf(view.until) })}</Badge>;
}
