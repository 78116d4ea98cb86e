/** Headings of the groups of settings in the catalog. Connectors of others may have more: they stand as they are written. */
import { t } from '../i18n/index.ts';
import type { MessageKey } from '../i18n/t.ts';

const TITLES: { [group: string]: MessageKey } = {
  Answer: 'form.group.answer', Connection: 'form.group.connection', Conversation: 'form.group.conversation', Details: 'form.group.details', Document: 'form.group.document',
  'Four eyes': 'form.group.fourEyes', 'In time': 'form.group.inTime', Meaning: 'form.group.meaning', Model: 'form.group.model', More: 'form.group.more',
  Page: 'form.group.page', Pages: 'form.group.pages', Passages: 'form.group.passages', Result: 'form.group.result', Search: 'form.group.search', Tools: 'form.group.tools', Who: 'form.group.who',
};

export const groupTitle = (group: string): string => {
  const key = Object.hasOwn(TITLES, group) ? TITLES[group] : undefined;
  return key ? t(key) : group;
};
