import './tour.css';
import { useEffect, useRef } from 'react';
import { usePaneOpen } from '../../api/settings.ts';
import { t } from '../../i18n/index.ts';
import { Button, Icon } from '../../kit/index.ts';
import { hashOf, navigate } from '../router.ts';
import { endTour, startTour, TOUR, useTour } from './tour-steps.ts';

/** A card beside the rail that leads through the screens. The screens can be used meanwhile. */
export function Tour() {
  const step = useTour((state) => state.step);
  const [, setOffered] = usePaneOpen('tour', true);
  const card = useRef<HTMLElement>(null);
  const at = step === undefined ? undefined : TOUR[step];
  useEffect(() => {
    if (!at) return undefined;
    navigate(at.route);
    card.current?.focus();
    const link = document.querySelector(`.rail a[href="${hashOf(at.route)}"]`);
    // No class: the rail writes its own.
    link?.setAttribute('data-tour', '');
    return () => link?.removeAttribute('data-tour');
  }, [at]);
  if (!at || step === undefined) return null;
  const end = () => {
    setOffered(false);
    endTour();
  };
  const last = step === TOUR.length - 1;
  return (
    <aside ref={card} className="tour" tabIndex={-1} aria-label={t('tour.label')} onKeyDown={(event) => { if (event.key === 'Escape') end(); }}>
      <span className="s t2">{t('tour.step', { n: step + 1, of: TOUR.length })}</span>
      <h2>{t(`tour.${at.name}.title`)}</h2>
      <p>{t(`tour.${at.name}.text`)}</p>
      <div className="row">
        {last ? null : <Button variant="ghost" onClick={end}>{t('tour.skip')}</Button>}
        <span className="grow" />
        {step > 0 ? <Button onClick={() => useTour.setState({ step: step - 1 })}>{t('tour.back')}</Button> : null}
        <Button variant="primary" onClick={last ? end : () => useTour.setState({ step: step + 1 })}>{t(last ? 'tour.done' : 'tour.next')}</Button>
      </div>
    </aside>
  );
}

/** Asked once, before there is a workflow. */
export function TourOffer() {
  const [offered, setOffered] = usePaneOpen('tour', true);
  const running = useTour((state) => state.step !== undefined);
  if (!offered || running) return null;
  return (
    <div className="tour-offer">
      <Icon name="flag" />
      <span className="grow"><strong>{t('tour.offer')}</strong> {t('tour.offerText')}</span>
      <Button small onClick={startTour}>{t('tour.start')}</Button>
      <Button small variant="ghost" onClick={() => setOffered(false)}>{t('tour.later')}</Button>
    </div>
  );
}
