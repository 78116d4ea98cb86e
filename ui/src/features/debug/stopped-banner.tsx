/** The run is stopped: where, why, and the ways on. */
import type { RunView } from '../../run/run-state.ts';
import { t, tn } from '../../i18n/index.ts';
import { Banner, Button, Icon } from '../../kit/index.ts';
import type { NameOf } from '../../shared/format-path.ts';
import { whereStopped, whyStopped } from './words.ts';

export function StoppedBanner({ view, titleOf, keys, busy, onContinue, onStep, onEdit }: {
  view: RunView; titleOf: NameOf; keys: { onward?: string | undefined; step?: string | undefined }; busy: boolean;
  onContinue?: (() => void) | undefined; onStep?: (() => void) | undefined; onEdit?: (() => void) | undefined;
}) {
  const stop = view.stopped;
  if (!stop) return null;
  return (
    <Banner signal="warn" title={whereStopped(stop, titleOf)} actions={onContinue && onStep ? <>
      <Button variant="primary" icon="play" busy={busy} keys={keys.onward} onClick={onContinue}>{t('debug.do.continue')}</Button>
      <Button icon="step" busy={busy} keys={keys.step} onClick={onStep}>{t('debug.do.step')}</Button>
      {onEdit ? <Button icon="pencil" onClick={onEdit}>{t('debug.do.edit')}</Button> : null}
    </> : null}>
      <span className="s t2">{whyStopped(stop, titleOf)}</span>
      {view.status === 'running' ? <span className="s t2"> {tn('debug.ending', Math.max(1, view.underWay))}</span> : null}
      {stop.conditionError ? <span className="s c-err row gap1"><Icon name="warn" size={12} />{t('debug.broken', { why: stop.conditionError })}</span> : null}
    </Banner>
  );
}
