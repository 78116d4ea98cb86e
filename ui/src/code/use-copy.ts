import { useEffect, useState } from 'react';
import { toApiError } from '../api/error.ts';
import { copyText } from '../api/save-file.ts';
import { t } from '../i18n/index.ts';
import { toast } from '../kit/index.ts';

/** Copies, and says for a moment that it did; a failure is told. */
export function useCopy(): { copied: boolean; copy(text: string | Promise<string>): void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (text: string | Promise<string>): void => {
    copyText(text).then(() => setCopied(true), (cause: unknown) => {
      const error = toApiError(cause);
      toast({ signal: 'err', text: `${t('value.notCopied')}: ${error.message}`, detail: error.hint || undefined });
    });
  };
  return { copied, copy };
}
