/** Copies the request of a step as a command line. */
import { copyText } from '../../api/save-file.ts';
import type { JsonMap } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Button, toast } from '../../kit/index.ts';
import { curlOf } from './curl.ts';

export function CopyCurl({ config }: { config: JsonMap }) {
  if (typeof config['url'] !== 'string' || config['url'] === '') return null;
  const copy = async () => {
    try {
      await copyText(curlOf(config));
      toast({ signal: 'ok', text: t('settings.curlCopied') });
    } catch (error) {
      toast({ signal: 'err', text: error instanceof Error ? error.message : t('common.notCopied') });
    }
  };
  return <div className="row gap1"><Button small variant="ghost" icon="copy" onClick={() => void copy()}>{t('settings.copyCurl')}</Button></div>;
}
