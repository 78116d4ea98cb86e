import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { foldRun } from '../../run/run-state.ts';
import { useRerunDialog } from '../../features/rerun/use-rerun-dialog.tsx';
import { demoEvents, RETRY } from '../../test/fixtures.ts';
import { renderOnce, renderWith } from '../../test/render.tsx';
import { FailureBanner, likelyFix } from '../workbench/failure-banner.tsx';

afterEach(cleanup);
const VIEW = foldRun(demoEvents('r-1', true), RETRY);
function Place() {
  const { ask, dialog } = useRerunDialog({ runId: 'r-1', steps: [{ name: 'fetch', title: 'Fetch the user' }] }, () => undefined);
  return <><FailureBanner view={VIEW} document={RETRY} onOpenStep={() => undefined} onRunAgain={undefined} onRerun={ask ?? undefined} onClose={() => undefined} />{dialog}</>;
}

it('says what most likely helps, and opens the input of the failed step for editing (C23)', async () => {
  const look = vi.fn(() => ({ stepId: 'fetch', masked: false, context: {}, input: [{ name: 'Ada' }], params: {}, steps: [], answers: [], waits: false, sameDefinition: true }));
  renderWith(<Place />, { rerun_look: look as never });
  expect(screen.getByRole('alert').textContent).toContain('run it again when the service responds');
  await userEvent.click(screen.getByRole('button', { name: 'Correct and continue…' }));
  const dialog = within(await screen.findByRole('dialog'));
  await waitFor(() => expect(look).toHaveBeenCalledWith(expect.objectContaining({ runId: 'r-1', stepId: 'fetch' })));
  expect((await dialog.findByRole('tab', { name: /^Step input/ })).getAttribute('aria-selected')).toBe('true');
  await userEvent.click(dialog.getAllByRole('button', { name: /^Cancel/ })[0] as HTMLElement);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await userEvent.click(screen.getByRole('button', { name: 'Re-run from…' }));
  expect((await within(await screen.findByRole('dialog')).findByRole('tab', { name: /^Variables/ })).getAttribute('aria-selected')).toBe('true');
});

it('has a sentence for each kind of error, and for what nobody knows', () => {
  const fix = (type: string, more = {}, kind?: string) => likelyFix({ type, message: 'm', ...more }, kind);
  expect(fix('ValidationError')).toContain('correct the input');
  expect(fix('ValidationError', { details: { code: 'NON_JSON' } })).toContain('compare its settings with the response');
  expect(fix('ToolError', { details: { code: 'AUTH' } })).toContain('credential');
  expect(fix('ToolError', { retryable: false })).toContain('check the arguments of the tool');
  expect(fix('NetworkError', { details: { effect: 'unknown' } })).toContain('check outside');
  expect(fix('UnknownError')).toContain('check its input');
  expect(fix('LLMError', { details: { code: 'AUTH' } })).toContain('its provider in Settings');
  expect(fix('LLMError', { details: { code: 'HTTP_STATUS' } })).toContain('its provider in Settings');
  expect(fix('ToolError', { details: { code: 'TOOL_NOT_APPROVED' } })).toContain('Settings, Tool servers');
  expect(fix('LLMError', { details: { code: 'BUDGET_EXCEEDED', scope: 'day' } })).toContain('Settings, Models');
  expect(fix('LLMError', { details: { code: 'BUDGET_EXCEEDED', scope: 'run' } })).toContain('workflow settings');
  // Who signs in to a tool's server, and its credential, are the server's; those of a request are the step's.
  expect(fix('ToolError', { details: { code: 'AUTH', server: 'desk' } })).toContain('Settings, Tool servers');
  for (const kind of ['mcp.tool', 'agent.task', 'llm.chat']) expect(fix('ToolError', { details: { code: 'AUTH' } }, kind)).toContain('Settings, Tool servers');
  expect(fix('ToolError', { details: { code: 'SECRET_UNAVAILABLE' } }, 'mcp.tool')).toContain('Settings, Tool servers');
  expect(fix('ToolError', { details: { code: 'SECRET_MISSING' } }, 'llm.chat')).toContain('its provider in Settings');
  expect(fix('ToolError', { details: { code: 'CREDENTIAL_EXPIRED' } }, 'http.request')).toContain('sign in again under Secrets in Settings');
  expect(fix('ToolError', { details: { code: 'SECRET_MISSING' } }, 'http.request')).toContain('give the step a credential');
  expect(fix('ToolError', { details: { code: 'AUTH' } })).toContain('give the step a credential');
  // What a step's own code does is no matter of another side, nor of a tool.
  expect(fix('Timeout', { details: { code: 'TIMEOUT' } }, 'code.javascript')).toContain('correct its script');
  expect(fix('ToolError', { details: { code: 'SCRIPT_ERROR' } }, 'code.javascript')).toContain('correct its script');
  expect(fix('ToolError', { details: { code: 'MEMORY_LIMIT' } }, 'code.javascript')).toContain('more memory');
  expect(fix('ToolError', { details: { code: 'TOOL_UNUSABLE', server: 'desk' } }, 'mcp.tool')).toContain('another tool');
  expect(fix('LLMError', { details: { code: 'RATE_LIMIT' }, retryable: true })).toContain('wait as long as');
  expect(fix('ValidationError', { details: { code: 'LOOP_LIMIT' } })).toContain('raise "At most"');
  // What the step itself was told, not what it was given or answered.
  expect(fix('ValidationError', { details: { code: 'BAD_CONFIG' } }, 'data.set')).toContain('correct its settings');
  expect(fix('ValidationError', { details: { code: 'BAD_PATH' } }, 'data.set')).toContain('correct its settings');
  expect(fix('ValidationError', { details: { code: 'BAD_PATH' } }, 'http.request')).toContain('compare its settings with the response');
  for (const code of ['UNKNOWN_TABLE', 'SQL_SYNTAX', 'SHEET_MISSING']) expect(fix('ValidationError', { details: { code } }, 'db.query')).toContain('correct its settings');
  // A code that a workflow made up is none of ours, whatever it is called.
  expect(fix('UnknownError', { details: { code: 'constructor' } })).toContain('check its input');
});

it('tells nobody to do what their role may not', async () => {
  renderWith(<Place />, { who: () => ({ operatorId: 'user:vera', role: 'viewer', via: 'rest' }) });
  await waitFor(() => expect(screen.getByRole('alert').textContent).not.toContain('Likely fix'));
});

it('sends the failed step to the inbox, once, and then leads to its task (C23)', async () => {
  let sent = false;
  const send = vi.fn(async () => { await Promise.resolve(); sent = true; return { runId: 'r-1', sentRunId: 'r-2', status: 'paused', taskId: 't-9', already: false }; });
  renderOnce(<Place />, {
    run_send: send as never,
    run_get: (() => ({ runId: 'r-1', status: 'failed', ...(sent ? { sentAs: { runId: 'r-2', taskId: 't-9' } } : {}) })) as never,
  });
  await userEvent.dblClick(await screen.findByRole('button', { name: 'Send to inbox' }));
  const way = await within(screen.getByRole('alert')).findByRole('button', { name: 'Open the task' });
  expect(send).toHaveBeenCalledTimes(1);
  expect(screen.queryByRole('button', { name: 'Send to inbox' })).toBeNull();
  await userEvent.click(way);
  expect(window.location.hash).toBe('#/inbox/t-9');
});

it('who only looks is not offered to send it', async () => {
  renderWith(<Place />, { who: (() => ({ operatorId: 'user:eve', role: 'viewer', via: 'rest' })) as never });
  expect(await screen.findByRole('button', { name: 'Open step' })).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Send to inbox' })).toBeNull());
});

it('keeps step, code and what helps in sight below a message that is a page long', async () => {
  const message = 'The tool said a lot. '.repeat(400).trim();
  const error = { type: 'ToolError', message, details: { code: 'FAILED' } };
  renderOnce(<FailureBanner view={{ ...VIEW, error }} document={RETRY} onOpenStep={() => undefined} onRunAgain={undefined} onClose={() => undefined} />);
  const banner = screen.getByRole('alert');
  expect(banner.textContent).toContain('FAILED');
  expect(banner.textContent.length).toBeLessThan(700);
  await userEvent.click(screen.getByRole('button', { name: 'Show the whole message' }));
  expect(banner.textContent).toContain(message);
  await userEvent.click(screen.getByRole('button', { name: 'Show less' }));
  expect(banner.textContent).not.toContain(message);
});

it('a long message is cut between letters, also where one letter has two parts', () => {
  const shown = (message: string) => {
    const { unmount } = renderOnce(<FailureBanner view={{ ...VIEW, error: { type: 'ToolError', message } }} document={RETRY} onOpenStep={() => undefined} onRunAgain={undefined} onClose={() => undefined} />);
    const text = screen.getByRole('alert').textContent;
    const cut = screen.queryByRole('button', { name: 'Show the whole message' }) !== null;
    unmount();
    return { text, cut };
  };
  const long = shown(`a${'😀'.repeat(400)}`);
  expect([long.cut, !/\p{Cs}/u.test(long.text), long.text.includes(`a${'😀'.repeat(319)}…`)]).toEqual([true, true, true]);
  // So many letters as stand at once are not cut.
  expect(shown('😀'.repeat(320)).cut).toBe(false);
});
