/** Finds sections of the settings by what they show, and by words that people use for it. */
import { t } from '../../i18n/index.ts';

/** Sections with further words, by their id. */
const WITH_WORDS = [
  'look', 'notify', 'closing', 'about', 'folders', 'keys', 'models', 'secrets',
  'sessions', 'tokens', 'audit-key', 'retention', 'anchors', 'sinks', 'webhooks', 'tools',
  'backup', 'workspaces', 'data', 'old-runs', 'updates', 'network', 'telemetry',
] as const;

/** A section contains each of the words, in lower case. */
export function fits(section: HTMLElement, words: readonly string[]): boolean {
  const id = WITH_WORDS.find((one) => section.getAttribute('aria-labelledby') === `set-${one}`);
  const text = `${section.textContent} ${id ? t(`settings.words.${id}`) : ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
