// A model wants to call a tool, and a rule asks a person before: which tool, why it is asked, what its server says of it.

import { isObject } from '../../json/json.ts';
import { t, type MessageKey } from '../../i18n/index.ts';
import { Icon } from '../../kit/index.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import type { Task, TaskAction, TaskRow } from './types.ts';

export const isToolCall = (task: Pick<TaskRow, 'reason'>): boolean => task.reason === 'tool_call';

const HINTS = ['readOnly', 'destructive', 'openWorld', 'idempotent'] as const;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the buttons are called when a call of a tool is decided. */
export function toolWords(task: Pick<TaskRow, 'reason'>, action: TaskAction): string | undefined {
  if (!isToolCall(task)) return undefined;
  return action === 'approve' || action === 'reject' ? t(`inbox.tool.${action}`) : undefined;
}

export function ToolCall({ task }: { task: Task }) {
  const asked = task.error?.details?.['toolCall'];
  if (!isObject(asked)) return null;
  const told = isObject(asked['hints']) ? asked['hints'] : {};
  // What only reads destroys nothing, whatever the default of the protocol says.
  const hints = HINTS.filter((hint) => told[hint] === true && !(hint === 'destructive' && told['readOnly'] === true)).map((hint) => t(`inbox.tool.hint.${hint}` as MessageKey));
  const rule = text(asked['rule']);
  // A rule has a place in the file, whatever its author calls it.
  const ofRule = text(asked['place']).startsWith('/');
  return (
    <div className="banner sel ib-what ib-tool">
      <div className="banner-main">
        <Icon name="wrench" className="c-person" />
        <div className="grow col gap1">
          <b><SafeText line text={t('inbox.tool.wants', { tool: text(asked['tool']), server: text(asked['server']) })} /></b>
          <dl className="kv">
            <dt>{t('inbox.tool.why')}</dt><dd><SafeText text={text(asked['why'])} cut={600} /></dd>
            <dt>{t('inbox.tool.rule')}</dt><dd><SafeText line text={!ofRule && (rule === 'hints' || rule === 'exfiltration') ? t(`inbox.tool.by.${rule}`) : rule} /></dd>
            {text(asked['description']) ? <><dt>{t('inbox.tool.about')}</dt><dd className="t2"><SafeText text={text(asked['description'])} cut={400} /></dd></> : null}
            {hints.length ? <><dt>{t('inbox.tool.hints')}</dt><dd className="t2">{hints.join(', ')}</dd></> : null}
          </dl>
        </div>
      </div>
    </div>
  );
}
