/** The key that signs the audit chain: where it is, why it cannot be used, and moving it. */
import { useState } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import type { KeyPlace } from '../../api/types.ts';
import { useDoing } from '../../features/doing.ts';
import { Section } from '../../features/settings/section.tsx';
import { t } from '../../i18n/index.ts';
import { Banner, Button, ConfirmDialog, Icon } from '../../kit/index.ts';

export function AuditKeySection() {
  const status = useCommand('audit_status', {}, { refetchInterval: 15_000 });
  const { busy, run } = useDoing();
  const [asked, setAsked] = useState<'file' | 'new' | null>(null);
  if (!status.data) return null;
  const { key, unsigned } = status.data;
  const choose = (where: KeyPlace, isNew: boolean, done: string) => run(() => act('audit_key_choose', isNew ? { where, new: true } : { where }), done);
  async function confirm() {
    if (asked === 'file') await choose('file', false, t('auditKey.moved'));
    else await choose(unsigned?.where ?? 'file', true, t('auditKey.unlocked'));
    setAsked(null);
  }
  return (
    <Section id="audit-key" title={t('auditKey.title')} hint={t('auditKey.hint')}>
      {unsigned ? (
        <Banner signal="warn" title={t('auditKey.away')} actions={unsigned.lost
          ? <Button small busy={busy} onClick={() => setAsked('new')}>{t('auditKey.new')}</Button>
          : <Button small icon="key" busy={busy} onClick={() => void choose(unsigned.where ?? 'file', false, t('auditKey.unlocked'))}>{t(unsigned.locked ? 'auditKey.unlock' : 'common.tryAgain')}</Button>}>
          <span>{unsigned.message}</span>
          <span className="s t2">{unsigned.hint}</span>
        </Banner>
      ) : null}
      {key ? (
        <div className="box">
          <div className="line">
            <Icon name="lock" className="t2" />
            <div className="grow col">
              <span>{t(`auditKey.place.${key.where}`)}</span>
              <span className="s t3 ell" title={key.at}>{t('auditKey.at', { id: key.keyId, place: key.at })}</span>
              <span className="s t3 ell" title={key.fingerprint}>{t('auditKey.fingerprint', { fingerprint: key.fingerprint })}</span>
            </div>
            {key.where === 'file'
              ? <Button small busy={busy} onClick={() => void choose('system', false, t('auditKey.moved'))}>{t('auditKey.toSystem')}</Button>
              : <Button small busy={busy} onClick={() => setAsked('file')}>{t('auditKey.toFile')}</Button>}
          </div>
        </div>
      ) : null}
      {asked === null ? null : (
        <ConfirmDialog open danger={asked === 'new'} busy={busy} title={t(asked === 'new' ? 'auditKey.newTitle' : 'auditKey.toFileTitle')} text={t(asked === 'new' ? 'auditKey.newText' : 'auditKey.toFileText')}
          confirm={t(asked === 'new' ? 'auditKey.new' : 'auditKey.toFile')} cancel={t('common.cancel')} onConfirm={() => void confirm()} onClose={() => setAsked(null)} />
      )}
    </Section>
  );
}
