/** Some values of the run are hidden from this person; who may, says why and sees them. */
import { useState } from 'react';
import { act } from '../../api/queries.ts';
import { RevealDialog } from '../../features/inbox/dialogs.tsx';
import { t } from '../../i18n/index.ts';
import { Banner, Button } from '../../kit/index.ts';
import { attempt } from '../commands.ts';

export function MaskedBanner({ runId, mayReveal }: { runId: string; mayReveal: boolean }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Banner signal="info" title={t('run.masked')} actions={mayReveal ? <Button icon="eye" onClick={() => setAsking(true)}>{t('inbox.reveal')}</Button> : undefined}>
        <span className="s t2">{t(mayReveal ? 'run.maskedText' : 'run.maskedNever')}</span>
      </Banner>
      {asking ? <RevealDialog onReveal={async (reason) => await attempt(() => act('run_reveal', { runId, reason })) !== undefined} onClose={() => setAsking(false)} /> : null}
    </>
  );
}
