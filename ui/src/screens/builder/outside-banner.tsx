/** The file is another one outside than here: what a person may do about it. Who looks on takes what there is. */
import { useState } from 'react';
import { sentences, toApiError } from '../../api/error.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button, toast } from '../../kit/index.ts';
import { showError } from '../commands.ts';
import type { Session } from './session.ts';

export function OutsideBanner({ session, dirty }: { session: Session; dirty: boolean }) {
  const [busy, setBusy] = useState(false);
  if (session.outside?.kind === 'gone') {
    return (
      <Banner signal="warn" title={t('builder.gone')} actions={session.readOnly ? undefined : <Button variant="primary" onClick={() => void session.save(true)}>{t('builder.save')}</Button>}>
        {session.readOnly ? null : <span className="s t2">{t('builder.goneText')}</span>}
      </Banner>
    );
  }
  if (session.outside?.kind === 'broken') {
    return (
      <Banner signal="err" title={t('builder.broken')} actions={session.readOnly ? undefined : <Button variant="primary" busy={session.saving} onClick={() => void session.save(true)}>{t('builder.writeMine')}</Button>}>
        <span className="s t2">{sentences(session.outside.why, t('builder.brokenText'))}</span>
      </Banner>
    );
  }
  const reload = () => {
    setBusy(true);
    session.reload().then(() => toast({ signal: 'ok', text: t('builder.reloaded') }), (cause: unknown) => showError(toApiError(cause))).finally(() => setBusy(false));
  };
  return (
    <Banner signal="warn" title={t('builder.externalTitle')} actions={<>
      <Button variant={dirty ? 'default' : 'primary'} busy={busy} onClick={reload}>{t('builder.reload')}</Button>
      {session.readOnly ? null : <Button onClick={() => session.keepMine()}>{t('builder.keepMine')}</Button>}
    </>}>
      <span className="s t2">{t(dirty ? 'builder.externalDirty' : 'builder.externalClean')}</span>
    </Banner>
  );
}
