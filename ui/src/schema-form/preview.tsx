// The live result under an expression: grey when there is nothing to show, red only for a real error.

import { useEffect, useState } from 'react';
import type { Preview } from '../api/types.ts';
import { Icon, IconButton } from '../kit/index.ts';
import { t } from '../i18n/index.ts';
import { useLatest } from '../code/use-latest.ts';
import type { ExpressionHost } from './scope.ts';

const DEBOUNCE_MS = 150;

/** The engine's answer for a text, 150 ms after the last key. Null while there is nothing to ask. */
export function usePreview(host: ExpressionHost | null, text: string, kind: 'cel' | 'value'): Preview | null {
  const [shown, setShown] = useState<{ text: string; result: Preview | null } | null>(null);
  const latest = useLatest(host);
  const empty = text.trim() === '' || host === null;
  const item = host?.item ?? 0;
  const revision = host?.revision ?? 0;
  useEffect(() => {
    if (empty) return undefined;
    let current = true;
    const timer = setTimeout(() => {
      latest.current?.preview(text, kind, item).then(
        (result) => current && setShown({ text, result }),
        // The host is not there: that says nothing about the expression.
        () => current && setShown(null),
      );
    }, DEBOUNCE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, kind, item, revision, empty, latest]);
  if (empty || !shown?.result) return null;
  // A place in an older text would underline the wrong letter.
  if (shown.text !== text && shown.result.state === 'error') return null;
  return shown.result;
}

export function PreviewLine({ result, host, id }: { result: Preview | null; host: ExpressionHost | null; id?: string }) {
  if (!result || !host) return null;
  switch (result.state) {
    case 'no_data':
      return (
        <div className="prev" id={id}>
          <Icon name="eye" size={12} className="t3" />
          <span className="t3">{t('preview.noData')}</span>
        </div>
      );
    case 'error':
      return (
        <div className="prev c-err" id={id} role="status">
          <Icon name="errd" size={12} />
          <span className="grow">
            {/* The engine's own words name the place already, where it has some. */}
            {result.position === undefined || /\bcharacter \d/.test(result.message) ? '' : `${t('preview.column', { n: result.position + 1 })} `}
            {result.message}
          </span>
        </div>
      );
    case 'value':
      return (
        <div className="prev" id={id}>
          <Icon name="check" size={12} className="c-ok" />
          <span className="grow">
            <code className="prev-value">{previewText(result.value)}</code>
            <span className="t3 prev-of" title={result.runLabel}>
              {result.itemCount > 1 ? `${t('preview.item', { n: result.item + 1, m: result.itemCount })}, ${t(result.pinned === true ? 'preview.fromPinned' : 'preview.from')}` : t(result.pinned === true ? 'preview.fromPinnedOnly' : 'preview.fromOnly')}
            </span>
          </span>
          {result.itemCount > 1 ? (
            <span className="row prev-pick">
              <IconButton small icon="left" label={t('preview.previous')} disabled={result.item <= 0} onClick={() => host.setItem(result.item - 1)} />
              <IconButton small icon="right" label={t('preview.next')} disabled={result.item >= result.itemCount - 1} onClick={() => host.setItem(result.item + 1)} />
            </span>
          ) : null}
        </div>
      );
  }
}

export function previewText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  if (text === '') return '""';
  return text.length > 240 ? `${text.slice(0, 239)}…` : text;
}
