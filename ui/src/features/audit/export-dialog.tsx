/** What leaves the installation: as what file, and how much of each record it shows. */
import { useState } from 'react';
import { t } from '../../i18n/index.ts';
import { Button, Dialog, Segmented } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import type { AuditProfile, ExportFormat } from './types.ts';

const FORMATS: ExportFormat[] = ['pack', 'csv', 'jsonl'];
const PROFILES: AuditProfile[] = ['full', 'masked', 'minimal'];

export function ExportDialog({ query, onExport, onClose }: { query: string; onExport(format: ExportFormat, profile: AuditProfile): Promise<boolean>; onClose(): void }) {
  const [format, setFormat] = useState<ExportFormat>('pack');
  const [profile, setProfile] = useState<AuditProfile>('full');
  const { busy, run } = useAsyncAction();
  const go = () => void run(async () => { if (await onExport(format, profile)) onClose(); });
  return (
    <Dialog open onClose={onClose} title={t('audit.exportEvidence')} closeLabel={t('common.cancel')} footer={<><Button keys="Escape" onClick={onClose}>{t('common.cancel')}</Button><Button variant="primary" icon="dl" busy={busy} onClick={go}>{t('audit.export')}</Button></>}>
      <form className="col" style={{ gap: 12 }} onSubmit={(event) => { event.preventDefault(); go(); }}>
        <p className="t2">{query ? <>{t('audit.exportQuery')} <code>{query}</code></> : t('audit.exportAll')}</p>
        <div className="field">
          <span className="lab">{t('audit.exportFormat')}</span>
          <div className="row"><Segmented<ExportFormat> label={t('audit.exportFormat')} value={format} onChange={setFormat} options={FORMATS.map((value) => ({ value, label: t(`audit.format.${value}`) }))} /></div>
          <span className="s t3">{t(`audit.formatText.${format}`)}</span>
        </div>
        <div className="field">
          <span className="lab">{t('audit.exportProfile')}</span>
          <div className="row"><Segmented<AuditProfile> label={t('audit.exportProfile')} value={profile} onChange={setProfile} options={PROFILES.map((value) => ({ value, label: t(`audit.profile.${value}`) }))} /></div>
          <span className="s t3">{t(`audit.profileText.${profile}`)}</span>
        </div>
        {profile === 'full' ? null : <p className="s t3">{t('audit.exportPart')}</p>}
      </form>
    </Dialog>
  );
}
