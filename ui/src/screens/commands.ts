/** What several screens do: each shows its own failure as a message with the next step. */
import { transport } from '../api/client.ts';
import { sentences, toApiError } from '../api/error.ts';
import { copyText as toClipboard } from '../api/save-file.ts';
import { act } from '../api/queries.ts';
import { readJson } from '../json/read-json.ts';
import type { Outside } from '../api/transport/transport.ts';
import type { OpenWorkflow, Workflow } from '../api/types.ts';
import { attempt, showError } from '../shared/use-async-action.ts';
import { jsonWords, localTimeZone, t } from '../i18n/index.ts';
import { toast } from '../kit/index.ts';
import { importWorkflow, offerImport } from './parts/import-dialog.tsx';
import { isCurl } from '../text/is-curl.ts';
import { plain } from '../text/letters.ts';
import { navigate } from './router.ts';

export { attempt, showError };

export async function createWorkflow(options: { name?: string; sampleId?: string } = {}): Promise<OpenWorkflow | undefined> {
  const made = await attempt(() => act('workflow_create', { ...options, timezone: localTimeZone() }));
  if (made) navigate({ screen: 'workflow', ref: made.ref });
  return made;
}

/** A run asked for before its screen is there: the builder starts it when it has opened the file. */
let pendingRun: string | null = null;
export function runWhenOpen(ref: string): void {
  pendingRun = ref;
}
export function takePendingRun(ref: string): boolean {
  const mine = pendingRun === ref;
  if (mine) pendingRun = null;
  return mine;
}

/** A rule that decisions suggest, for a workflow that is being opened: its author sees it come, and may take it back. */
export interface PendingRule { nodeId: string; rule: { name: string; when: string; action: string } }
let pendingRule: (PendingRule & { ref: string }) | null = null;
export function ruleWhenOpen(ref: string, pending: PendingRule): void {
  pendingRule = { ref, ...pending };
}
export function takePendingRule(ref: string): PendingRule | null {
  const mine = pendingRule?.ref === ref ? pendingRule : null;
  if (mine) pendingRule = null;
  return mine;
}

/** A step chosen in the catalog, for a workflow that is being opened. */
let pendingKind: { ref: string; kind: string } | null = null;
export function kindWhenOpen(ref: string, kind: string): void {
  pendingKind = { ref, kind };
}
export function takePendingKind(ref: string): string | null {
  const mine = pendingKind?.ref === ref ? pendingKind.kind : null;
  if (mine !== null) pendingKind = null;
  return mine;
}

async function openPath(path: string): Promise<void> {
  try {
    const opened = await act('workflow_open_path', { path });
    navigate({ screen: 'workflow', ref: opened.ref });
  } catch (cause) {
    if (toApiError(cause).code === 'FOREIGN_WORKFLOW') offerImport({ path });
    else showError(cause);
  }
}

/** A file that the system opens with this program: as if the person had chosen it. */
export async function openFromOutside(file: Outside): Promise<void> {
  if (file.handle === undefined) toast({ signal: 'err', text: t('gallery.elsewhere', { name: plain(file.shown) }), detail: t('gallery.elsewhereHint') });
  else await openPath(file.handle);
}

/** The system's dialog where there is one; in a browser the chosen file is copied into the library. */
export async function openFile(): Promise<void> {
  const host = transport();
  if (host.pickFile) {
    const pick = host.pickFile;
    const picked = await attempt(() => pick());
    if (picked) await openPath(picked.handle);
    return;
  }
  const chosen = await chooseText();
  if (chosen === null) return;
  if (!parseWorkflow(chosen.text) && !isForeign(chosen.text)) {
    toast({ signal: 'err', ...noWorkflow(chosen.text) });
    return;
  }
  await takeText(chosen);
}

/** A text that a person has chosen or dropped: a workflow is copied into the library, one of another program is offered to be imported, and of
 * anything else the host says what is wrong with it. */
export async function takeText(chosen: { text: string; name?: string }): Promise<void> {
  const document_ = parseWorkflow(chosen.text);
  if (!document_) {
    if (isForeign(chosen.text)) offerImport(chosen);
    else await attempt(() => importWorkflow(chosen));
    return;
  }
  await attempt(async () => {
    const made = await act('workflow_create', { name: document_.name });
    await act('workflow_save', { ref: made.ref, document: { ...document_, id: made.document.id }, baseRevision: made.revision });
    navigate({ screen: 'workflow', ref: made.ref });
  });
}

/** A workflow of another program becomes one of the library; a report says what became of what. `during`: says that it is under way, once a
 * file is chosen. */
export async function importFile(during = (work: () => Promise<unknown>): Promise<unknown> => work()): Promise<void> {
  const host = transport();
  const source = host.pickFile ? await attempt(() => host.pickFile?.() ?? Promise.resolve(null)).then((picked) => (picked ? { path: picked.handle } : null)) : await chooseText();
  if (source) await during(() => attempt(() => importWorkflow(source)));
}

/** It looks like a workflow of another program, or like a cURL command; the host reads it and says what is wrong with it. */
export function isForeign(text: string): boolean {
  if (isCurl(text)) return true;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || 'signalbox' in value) return false;
    return 'nodes' in value ? Array.isArray(value.nodes) && 'connections' in value : 'steps' in value || 'registry' in value || ('StartAt' in value && 'States' in value);
  } catch {
    return false;
  }
}

/** Why a text is no workflow, and where that shows. */
export function noWorkflow(text: string): { text: string; detail: string } {
  const read = readJson(text);
  const is = t('gallery.notAWorkflow');
  if (text.trim() === '') return { text: is, detail: sentences(t('gallery.emptyFile'), t('gallery.notAWorkflowHint')) };
  // What is no text has no lines.
  if (!('problem' in read) || text.includes('\0')) return { text: is, detail: t('gallery.notAWorkflowHint') };
  if (read.problem.kind === 'syntax') return { text: is, detail: sentences(jsonWords(read.problem, text), t('gallery.notAWorkflowHint')) };
  return { text: t('gallery.wouldChange'), detail: jsonWords(read.problem, text) };
}

export function parseWorkflow(text: string): Workflow | undefined {
  const read = readJson(text);
  if ('problem' in read) return undefined;
  const { value } = read;
  if (typeof value !== 'object' || value === null || !('nodes' in value) || !('edges' in value)) return undefined;
  const workflow = value as Workflow;
  return typeof workflow.nodes === 'object' && Array.isArray(workflow.edges) ? { ...workflow, name: String(workflow.name ?? '') } : undefined;
}

function chooseText(): Promise<{ text: string; name: string } | null> {
  return new Promise((done) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.json,application/json';
    input.addEventListener('change', () => {
      const file = input.files?.[0];
      if (file) file.text().then((text) => done({ text, name: file.name.split('.')[0] ?? '' }), () => done(null));
      else done(null);
    });
    input.addEventListener('cancel', () => done(null));
    input.click();
  });
}

export async function copyText(text: string | Promise<string>): Promise<void> {
  const done = await attempt(async () => { await toClipboard(text); return true; });
  if (done) toast({ signal: 'ok', text: t('common.copied') });
}
