import { isTerminal, type RunView } from '../../run/run-state.ts';
import { Pieces } from '../../code/pieces.tsx';
import { t, tn } from '../../i18n/index.ts';
import { Banner, Button } from '../../kit/index.ts';
import { navigate } from '../router.ts';

/** The run waits for people: what is asked, and the way to it. */
export function WaitingBanner({ view }: { view: RunView | null }) {
  const first = view?.tasks[0];
  if (!view || !first || isTerminal(view.status)) return null;
  return (
    <Banner signal="person" title={tn('wait.title', view.tasks.length)} actions={<>
      <Button variant="primary" icon="person" onClick={() => navigate({ screen: 'inbox', taskId: first.taskId })}>{t('wait.open')}</Button>
      {view.tasks.length > 1 ? <Button icon="inbox" onClick={() => navigate({ screen: 'inbox' })}>{t('wait.inbox')}</Button> : null}
    </>}>
      <span className="s t2">{first.title ? <><bdi><Pieces text={/[.?!…]$/.test(first.title) ? first.title : `${first.title}.`} /></bdi> </> : null}{t('wait.text')}</span>
    </Banner>
  );
}
