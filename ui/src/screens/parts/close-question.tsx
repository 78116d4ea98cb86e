/** The window is to be closed while workflows are active: asks once whether the program goes on in the background. */
import { useEffect, useState } from 'react';
import { transport } from '../../api/client.ts';
import { setClosing } from '../../api/settings.ts';
import type { ClosingAsked } from '../../api/transport/transport.ts';
import type { Closing } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import { Button, Dialog, DialogCancel } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';

export function CloseQuestion() {
  const [asked, setAsked] = useState<ClosingAsked | null>(null);
  const { busy, run } = useAsyncAction();
  useEffect(() => transport().onClosing?.(setAsked), []);
  useEffect(() => {
    // A shell that does not hear it closes the window at the next press.
    if (asked) transport().closing?.('shown').catch(() => undefined);
  }, [asked]);
  if (!asked) return null;
  const stay = () => {
    setAsked(null);
    transport().closing?.('stay').catch(() => undefined);
  };
  const answer = async (closing: Closing) => {
    // What cannot be kept is asked again the next time.
    if (await run(async () => { await setClosing(closing); await transport().closing?.(closing); })) setAsked(null);
  };
  return (
    <Dialog open onClose={stay} title={tn('closing.title', asked.active)} closeLabel={t('common.cancel')} width={440} busy={busy}
      footer={<>
        <DialogCancel onClick={stay} late={t('common.noAnswer')}>{t('common.cancel')}</DialogCancel>
        <Button busy={busy} onClick={() => void answer('quit')}>{t('closing.quit')}</Button>
        <Button variant="primary" busy={busy} onClick={() => void answer('background')}>{t('closing.background')}</Button>
      </>}>
      <p className="t2">{t('closing.text')} {t(asked.tray ? 'closing.tray' : 'closing.noTray')}</p>
      <p className="s t3">{t('closing.once')}</p>
    </Dialog>
  );
}
