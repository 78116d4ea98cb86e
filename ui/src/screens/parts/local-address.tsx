/** An address of this machine: whoever adds it says that it may be asked, because much that listens here trusts whoever reaches it. */
import { t } from '../../i18n/index.ts';
import { Checkbox } from '../../kit/index.ts';

export function isLocalAddress(text: string): boolean {
  const url = URL.parse(text.trim());
  if (!url) return false;
  const host = url.hostname.replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host.startsWith('127.') || host.startsWith('[::ffff:7f');
}

/** Asks for the consent when the address is one of this machine. */
export function LocalConsent({ url, given, onChange }: { url: string; given: boolean; onChange(given: boolean): void }) {
  if (!isLocalAddress(url)) return null;
  return <label className="row gap1 s"><Checkbox checked={given} label={t('outside.allowLocal')} onChange={onChange} />{t('outside.allowLocal')}</label>;
}
