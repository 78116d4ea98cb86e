import { useState } from 'react';
import { codeOf } from '../../api/error.ts';
import { writeExact } from '../../json/exact-json.ts';
import { usePermission } from '../../api/queries.ts';
import { cameAs } from '../../run/run-error.ts';
import { slotKey } from '../../run/run-paths.ts';
import type { RunView } from '../../run/run-state.ts';
import { failedAt, failedCall } from '../../run/run-location.ts';
import type { RunError } from '../../run/run-types.ts';
import type { Workflow } from '../../api/types.ts';
import { loadFullValue } from '../../api/load-full-value.ts';
import { firstLetters, plain } from '../../text/letters.ts';
import { t, type MessageKey } from '../../i18n/index.ts';
import { Banner, Button, IconButton } from '../../kit/index.ts';
import type { AskRerun } from '../../shared/rerun-context.ts';
import { stepTitle } from '../../shared/step-title.ts';
import { useCatalog } from '../../shared/use-catalog.ts';
import { copyText } from '../commands.ts';
import { SendToInbox } from './send-to-inbox.tsx';

/** What is amiss with a tool's server, not with the step: who signs in there, its credential, its address. */
const OF_SERVER: ReadonlySet<string> = new Set(['AUTH', 'HTTP_STATUS']);
/** A key: of a tool's server, of a model's provider, or of the step. */
const KEYS: ReadonlySet<string> = new Set(['SECRET_MISSING', 'SECRET_UNAVAILABLE', 'CREDENTIAL_REFUSED', 'CREDENTIAL_EXPIRED']);
const ASKS_MODELS: ReadonlySet<string> = new Set(['agent.task', 'llm.chat', 'builtin.self_healing']);

/** A path that fits nowhere is one in what came back to these; in any other step it stands in its settings. */
const ANSWERED: ReadonlySet<string> = new Set(['connector.call', 'http.request', 'mcp.tool', ...ASKS_MODELS]);

/** Whose settings a refused call is about, where they are not those of the step. */
function notOfStep(code: string, kind: string | undefined, details: RunError['details']): MessageKey | undefined {
  const asks = kind !== undefined && ASKS_MODELS.has(kind);
  const server = kind === 'mcp.tool' || typeof details?.['server'] === 'string';
  if (OF_SERVER.has(code)) return server || asks ? 'run.fix.server' : undefined;
  if (!KEYS.has(code)) return undefined;
  return server ? 'run.fix.server' : asks ? 'run.fix.model' : undefined;
}

/** What most likely helps, in one sentence: by the code where it says more than the type. `kind`: that of the failed step. */
export const likelyFix = (error: RunError, kind?: string): string => t(fixOf(error, kind));

/** What is done in the settings. */
const IN_SETTINGS: ReadonlySet<MessageKey> = new Set<MessageKey>(['run.fix.server', 'run.fix.unusable', 'run.fix.model', 'run.fix.budgetDay', 'run.fix.allow', 'run.fix.signIn']);

function fixOf(error: RunError, kind?: string): MessageKey {
  const code = codeOf(error);
  if (error.details?.effect === 'unknown') return 'run.fix.unknownEffect';
  // The key and the address of a model are its provider's, not the step's.
  if (error.type === 'LLMError' && (code === 'AUTH' || code === 'HTTP_STATUS')) return 'run.fix.model';
  const other = error.type === 'ToolError' && code !== undefined ? notOfStep(code, kind, error.details) : undefined;
  if (other !== undefined) return other;
  if (code === 'BUDGET_EXCEEDED') return error.details?.scope === 'day' ? 'run.fix.budgetDay' : 'run.fix.budget';
  if (kind === 'code.javascript' && code === 'MEMORY_LIMIT') return 'run.fix.memory';
  if (kind === 'code.javascript' && (error.type === 'Timeout' || code === 'SCRIPT_ERROR')) return 'run.fix.script';
  if (code === 'BAD_PATH' && kind !== undefined && !ANSWERED.has(kind)) return 'run.fix.settings';
  // A workflow names codes of its own.
  const known = code !== undefined && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  if (known !== undefined) return known;
  switch (error.type) {
    case 'ValidationError': return 'run.fix.input';
    case 'NetworkError':
    case 'Timeout': return 'run.fix.network';
    case 'LLMError': return 'run.fix.model';
    case 'ToolError': return error.retryable ? 'run.fix.network' : 'run.fix.tool';
    default: return error.retryable ? 'run.fix.again' : 'run.fix.look';
  }
}
const CODES: { [code: string]: MessageKey } = {
  TOOL_NOT_APPROVED: 'run.fix.server', TOOL_SERVER_MISSING: 'run.fix.server', TOOL_UNUSABLE: 'run.fix.unusable', RATE_LIMIT: 'run.fix.wait', MAX_TURNS: 'run.fix.turns', AUTH: 'run.fix.access', LOOP_LIMIT: 'run.fix.loopLimit', SECRET_MISSING: 'run.fix.access', SECRET_UNAVAILABLE: 'run.fix.access', CREDENTIAL_REFUSED: 'run.fix.access', CREDENTIAL_EXPIRED: 'run.fix.signIn', EVAL: 'run.fix.settings',
  NOT_CONFIGURED: 'run.fix.settings', BAD_CONFIG: 'run.fix.settings', NOT_FOUND: 'run.fix.settings', NEXT_PAGE_REFUSED: 'run.fix.answer', PAGE_LOOP: 'run.fix.answer', NON_JSON: 'run.fix.answer', BAD_PATH: 'run.fix.answer', TOO_LARGE: 'run.fix.answer', HTTP_STATUS: 'run.fix.settings', PATH_REFUSED: 'run.fix.allow', ADDRESS_REFUSED: 'run.fix.allow',
  UNKNOWN_DATABASE: 'run.fix.settings', UNKNOWN_TABLE: 'run.fix.settings', UNKNOWN_COLUMN: 'run.fix.settings', UNKNOWN_FUNCTION: 'run.fix.settings', SQL_SYNTAX: 'run.fix.settings', READ_ONLY: 'run.fix.settings', SHEET_MISSING: 'run.fix.settings', SHEET_NAME: 'run.fix.settings', BAD_ANSWER: 'run.fix.settings',
};

/** Letters of a message that stand at once: step, code and what helps stay in sight below them. */
const MOST_LETTERS = 320;

/** Plain words on top, the step and the code below, and what can be done now. */
export function FailureBanner({ view, document, onOpenStep, onRunAgain, onRerun, onClose }: {
  view: RunView; document: Workflow; onOpenStep(nodeId: string): void; onRunAgain: (() => void) | undefined; onRerun?: AskRerun | undefined; onClose(): void;
}) {
  const may = usePermission();
  // The call says where it failed: a step of another file is one of the step that calls it, whatever is called so here.
  const failed = failedCall(view);
  const step = failedAt(view, document);
  const inside = step !== view.failedStepId;
  const name = view.failedStepId === undefined ? undefined : slotKey(view.failedStepId, failed?.path);
  const error = view.error;
  const kinds = useCatalog().data;
  // As on its card: its own title, else that of its kind.
  const node = step ? document.nodes[step] : undefined;
  const own = step ? stepTitle(node?.title, kinds?.find((kind) => kind.type === node?.type)?.title ?? view.nodes[step]?.title, step) : '';
  const title = inside && failed ? `${own} › ${failed.title}` : own;
  const kind = inside ? failed?.kind : node?.type;
  const code = codeOf(error);
  const unknown = error?.details?.effect === 'unknown';
  const fix = error ? fixOf(error, kind) : undefined;
  const [all, setAll] = useState(false);
  const message = plain(error?.message ?? t('run.failedTitle'));
  const begin = firstLetters(message, MOST_LETTERS);
  const long = begin !== message;
  return (
    <Banner signal="err" title={long && !all ? `${begin.trimEnd()}…` : message} onClose={onClose}
      closeButton={<IconButton icon="x" label={t('common.close')} onClick={onClose} />}
      actions={<>
        {step && Object.hasOwn(document.nodes, step) ? <Button variant="primary" onClick={() => onOpenStep(step)}>{t('run.openStep')}</Button> : null}
        {onRerun && name !== undefined && (failed ?? view.nodes[name]?.calls) ? (
          <>
            <Button icon="pencil" onClick={() => onRerun(name, 'input')}>{t('rerun.correct')}</Button>
            <Button icon="retry" onClick={() => onRerun(name)}>{t('rerun.openMore')}</Button>
          </>
        ) : null}
        <SendToInbox runId={view.runId} />
        {onRunAgain ? <Button icon="retry" onClick={onRunAgain}>{t('run.again')}</Button> : null}
        {error ? <Button variant="ghost" icon="copy" onClick={() => void copyText(loadFullValue(cameAs(error)).then((whole) => writeExact(whole, 2) ?? ''))}>{t('run.copyError')}</Button> : null}
      </>}>
      <span className="s t2">
        {step ? <span title={name}>{t('run.step', { step: title })}. </span> : null}{error?.attempt ? `${t('run.calledTimes', { n: error.attempt + 1 })} ` : ''}{unknown ? `${t('run.unknownEffect')} ` : ''}{code ? <code>{code}</code> : null}
      </span>
      {' '}
      {long ? <><button type="button" className="link s" aria-expanded={all} onClick={() => setAll(!all)}>{t(all ? 'value.less' : 'run.wholeMessage')}</button>{' '}</> : null}
      {fix && may('run_again') ? <span className="s">{t(fix)}{IN_SETTINGS.has(fix) ? <> <a href={fix === 'run.fix.signIn' ? '#/settings/secrets' : '#/settings'}>{t('run.fix.open')}</a></> : null}</span> : null}
    </Banner>
  );
}
