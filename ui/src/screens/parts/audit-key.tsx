/** The key that signs the audit chain: where it is, why it cannot be used, and moving it. */
import { useEffect, useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { KeyPlace } from '../../api/types.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { NotRead, Section } from '../../shared/settings-section.tsx';
import { t } from '../../i18n/index.ts';
import { Banner, Button, ConfirmDialog, Icon } from '../../kit/index.ts';

export function AuditKeySection() {
  const status = useCommand('audit_status', {}, { refetchInterval: 15_000 });
  const { busy, run } = useAsyncAction();
  const mayChange = usePermission()('audit_key_choose');
  /** `where` is the place that was told when it was asked: what is agreed to is what happens. */
  const [wanted, setAsked] = useState<{ what: 'file' } | { what: 'new'; where: KeyPlace } | null>(null);
  const { key, unsigned } = status.data ?? {};
  // The question goes with its reason: a key that is back is not replaced.
  const stands = wanted !== null && (wanted.what === 'new' ? unsigned?.lost === true : key?.where === 'system');
  const asked = stands ? wanted : null;
  useEffect(() => { if (wanted !== null && !stands) setAsked(null); }, [wanted, stands]);
  const choose = (where: KeyPlace, isNew: boolean) => run(() => act('audit_key_choose', isNew ? { where, new: true } : { where }), t(isNew ? 'auditKey.unlocked' : `auditKey.moved.${where}`));
  async function confirm() {
    if (asked?.what === 'file') await choose('file', false);
    else if (asked) await choose(asked.where, true);
    setAsked(null);
  }
  return (
    <Section id="audit-key" title={t('auditKey.title')} hint={t('auditKey.hint')}>
      {status.data ? null : <NotRead error={status.error} retry={status.refetch} />}
      {unsigned ? (
        <Banner signal="warn" title={t('auditKey.away')} actions={!mayChange ? undefined : unsigned.lost
          ? <Button small busy={busy} onClick={() => setAsked({ what: 'new', where: unsigned.where ?? 'file' })}>{t('auditKey.new')}</Button>
          : <Button small icon="key" busy={busy} onClick={() => void run(() => act('audit_key_choose', { where: unsigned.where ?? 'file' }), t('auditKey.unlocked'))}>{t(unsigned.locked ? 'auditKey.unlock' : 'common.tryAgain')}</Button>}>
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
            {!mayChange ? null : key.where === 'file'
              ? <Button small busy={busy} onClick={() => void choose('system', false)}>{t('auditKey.toSystem')}</Button>
              : <Button small busy={busy} onClick={() => setAsked({ what: 'file' })}>{t('auditKey.toFileAsk')}</Button>}
          </div>
        </div>
      ) : null}
      {asked === null ? null : (
        <ConfirmDialog open danger={asked.what === 'new'} busy={busy} title={t(asked.what === 'new' ? 'auditKey.newTitle' : 'auditKey.toFileTitle')} text={t(asked.what === 'new' ? 'auditKey.newText' : 'auditKey.toFileText')}
          confirm={t(asked.what === 'new' ? 'auditKey.newYes' : 'auditKey.toFile')} cancel={t('common.cancel')} late={t('common.noAnswer')} onConfirm={() => void confirm()} onClose={() => setAsked(null)} />
      )}
    </Section>
  );
}
