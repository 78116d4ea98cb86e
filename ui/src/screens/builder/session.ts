/** One open file: editor, saving, draft, and what happens to the file outside. Lives on while the person visits other
 * screens, so that undo and unsaved changes are still there. */
import { useEffect, useReducer, useRef, useState } from 'react';
import { call, whenTokenChanges } from '../../api/client.ts';
import { ApiError, isTransient, toApiError } from '../../api/error.ts';
import { act, invalidate } from '../../api/queries.ts';
import type { Diagnostic, OpenWorkflow, Workflow } from '../../api/types.ts';
import { renamePoints } from '../../shared/breakpoints.ts';
import { createEditor, type EditorStore } from '../../features/canvas/editor.ts';
import { t } from '../../i18n/index.ts';
import { dismissToast, toast, type ToastMessage } from '../../kit/index.ts';

export const DRAFT_DELAY_MS = 800;
export const POLL_MS = 2000;

window.addEventListener('beforeunload', (event) => { if ([...open.values()].some((session) => session.unkept)) event.preventDefault(); });

whenTokenChanges(() => { for (const session of open.values()) if (session.unkept) void session.keepDraft(); });

/** The host read the file and it is no workflow. What else went wrong on the way says nothing about it: the next look asks again. */
const isAboutFile = ({ code, details }: ApiError): boolean =>
  code === 'TOO_LARGE' || (typeof details === 'object' && details !== null && 'diagnostics' in details);

type Broken = { kind: 'broken'; revision: string; why: string };
export type Outside = { kind: 'changed'; revision: string } | Broken | { kind: 'gone' };

const brokenIn = ({ revision, unreadable }: OpenWorkflow): Broken | null => (unreadable === undefined ? null : { kind: 'broken', revision, why: unreadable });

export class Session {
  readonly ref: string;
  readonly editor: EditorStore;
  path: string;
  folder: string;
  readOnly: boolean;
  /** The person may look and run, not build. */
  looksOn = false;
  /** What the file held when it was last read or written. */
  revision: string;
  saving = false;
  /** What differs outside and was not answered yet. */
  outside: Outside | null = null;
  /** Changes of an earlier time that were never saved. */
  draft: { document: Workflow; savedAt: string } | null;
  diagnostics: Diagnostic[];
  #closed = false;
  #draftTimer: ReturnType<typeof setTimeout> | undefined;
  #draftKept: boolean;
  /** The host does not hold the draft that it was sent. */
  #draftLost = false;
  /** What was said about a draft that could not be kept or forgotten. */
  #draftFailed: number | undefined;
  /** What was said about a save that did not work; it is no longer true once one did. */
  #errorText: number | undefined;
  #listeners = new Set<() => void>();
  #unwatch: () => void;

  constructor(open: OpenWorkflow) {
    this.ref = open.ref;
    this.path = open.path;
    this.folder = open.folder;
    this.readOnly = open.readOnly;
    this.revision = open.revision;
    this.draft = open.draft ?? null;
    this.diagnostics = open.diagnostics;
    this.#draftKept = Boolean(open.draft);
    this.editor = createEditor(open.document, { readOnly: open.readOnly });
    this.outside = brokenIn(open);
    if (this.outside) {
      // What is shown is the draft: nothing else is left to choose from, and no file holds it.
      this.draft = null;
      this.editor.replaceDocument(open.document, { saved: false, step: t('builder.draftStep') });
    }
    let last = this.editor.getState().document;
    const unwatch = this.editor.subscribe((state) => {
      if (state.document === last) return;
      last = state.document;
      this.#planDraft();
    });
    // Breakpoints are no part of the file: they follow their steps here.
    const unfollow = this.editor.onRename((from, to) => renamePoints(this.editor.getState().document.id, from, to));
    this.#unwatch = () => {
      unwatch();
      unfollow();
    };
  }

  /** Nothing but this page has what was changed: the host did not take it, or an old draft waits for its answer and is not overwritten. */
  get unkept(): boolean {
    return !this.readOnly && (this.#draftLost || (this.draft !== null && this.editor.getState().dirty));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  changed(): void {
    for (const listener of this.#listeners) listener();
  }
  close(): void {
    this.#unwatch();
    clearTimeout(this.#draftTimer);
    this.#draftSettled();
    this.#closed = true;
  }

  #planDraft(): void {
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => void this.keepDraft(), DRAFT_DELAY_MS);
  }

  /** Writes the draft now, or forgets it when there is nothing unsaved. `leaving`: the page goes, what is sent now goes on without it. */
  async keepDraft(leaving = false): Promise<void> {
    clearTimeout(this.#draftTimer);
    const { document, dirty } = this.editor.getState();
    if (this.readOnly) this.#draftSettled();
    else if (!this.draft) await this.#keep(dirty ? document : null, leaving);
    // A draft that the person has not answered yet is not overwritten. It is sent when a save took it away.
    else if (this.#draftLost) await this.#keep(this.draft.document, leaving);
  }

  #draftSettled(): void {
    this.#draftLost = false;
    if (this.#draftFailed !== undefined) dismissToast(this.#draftFailed);
    this.#draftFailed = undefined;
  }

  /** `null`: no draft is needed. */
  async #keep(document: Workflow | null, leaving = false): Promise<void> {
    try {
      if (document) await call('draft_put', { ref: this.ref, document }, undefined, leaving);
      else if (this.#draftKept) await call('draft_discard', { ref: this.ref }, undefined, leaving);
      this.#draftKept = document !== null;
      this.#draftSettled();
    } catch (cause) {
      if (this.#closed) return;
      const error = toApiError(cause);
      const { message } = error;
      // The host may be back before the next change, and the person on another screen: it is tried until it works. One that is refused for another
      // reason is sent again with the next change, which may be what helps.
      if (isTransient(error)) {
        clearTimeout(this.#draftTimer);
        this.#draftTimer = setTimeout(() => void this.keepDraft(), POLL_MS);
      }
      this.#draftLost = document !== null;
      this.#draftFailed ??= toast({ signal: 'err', text: `${t('builder.draftFailed')}: ${message}`, detail: t('builder.draftFailedHint'), background: true, lasting: true });
    }
  }

  /** True when the file now holds what the editor shows. */
  async save(overwrite = false): Promise<boolean> {
    if (this.readOnly || this.saving) return false;
    if (this.outside?.kind === 'broken' && !overwrite) {
      this.#say({ signal: 'warn', text: t('builder.notSavedOutside'), detail: t('builder.notSavedOutsideHint') });
      return false;
    }
    const { document } = this.editor.getState();
    clearTimeout(this.#draftTimer);
    this.saving = true;
    this.changed();
    try {
      const force = overwrite || this.outside?.kind === 'gone';
      const { revision } = await act('workflow_save', { ref: this.ref, document, baseRevision: this.revision, ...(force ? { overwrite: true } : {}) });
      this.revision = revision;
      this.outside = null;
      this.editor.markSaved(document);
      this.#say(null);
      // The host forgets the draft of a file that was saved; one that nobody has answered is still offered.
      if (this.draft) await this.#keep(this.draft.document);
      else await this.keepDraft();
      return true;
    } catch (cause) {
      const error = toApiError(cause);
      const found = error.code === 'CONFLICT' ? revisionOf(error) : undefined;
      if (found !== undefined) {
        this.outside = found === null ? { kind: 'gone' } : { kind: 'changed', revision: found };
        if (found !== null) this.#say({ signal: 'warn', text: t('builder.notSavedOutside'), detail: t('builder.notSavedOutsideHint') });
      } else {
        this.#say({ signal: 'err', text: `${t('builder.saveFailed')}: ${error.message}`, detail: error.hint || undefined, action: { label: t('common.tryAgain'), run: () => void this.save() }, background: true, lasting: true });
      }
      void this.keepDraft();
      return false;
    } finally {
      this.saving = false;
      this.changed();
    }
  }

  #say(message: ToastMessage | null): void {
    if (this.#errorText !== undefined) dismissToast(this.#errorText);
    this.#errorText = message ? toast(message) : undefined;
  }

  async checkOutside(): Promise<void> {
    if (this.saving) return;
    const asked = this.revision;
    const { revision } = await call('workflow_revision', { ref: this.ref });
    if (this.saving || this.revision !== asked) return;
    const shown = this.outside;
    if (revision === null ? shown?.kind === 'gone' : shown === null ? revision === this.revision : shown.kind !== 'gone' && revision === shown.revision) return;
    const next: Outside | null = revision === null ? { kind: 'gone' } : revision === this.revision ? null : await this.#looked(revision);
    if (this.saving || this.revision !== asked) return;
    this.outside = next;
    this.changed();
  }

  /** A file that was changed is read at once: whether it can be taken is told before anybody decides. */
  async #looked(revision: string): Promise<Outside> {
    try {
      const open = await call('workflow_open', { ref: this.ref });
      return brokenIn(open) ?? { kind: 'changed', revision };
    } catch (cause) {
      const error = toApiError(cause);
      if (!isAboutFile(error)) throw error;
      return { kind: 'broken', revision, why: error.message };
    }
  }

  /** For who may not build: nothing is offered that would be refused, whatever the file allows. */
  lookOn(): void {
    this.looksOn = true;
    this.readOnly = true;
    this.draft = null;
    this.#draftSettled();
    this.editor.setReadOnly(true);
    this.changed();
  }

  /** Takes the file as it is now. */
  async reload(): Promise<void> {
    const open = await call('workflow_open', { ref: this.ref });
    const broken = brokenIn(open);
    if (broken) {
      // It broke since it was looked at: what came is the draft, not the file.
      this.outside = broken;
      this.changed();
      throw new ApiError({ code: 'FILE_UNREADABLE', message: broken.why, hint: '' });
    }
    this.#say(null);
    this.revision = open.revision;
    this.readOnly = open.readOnly || this.looksOn;
    this.outside = null;
    // What was not saved is one step back.
    this.editor.replaceDocument(open.document, { step: t('builder.reloadStep') });
    this.editor.setReadOnly(this.readOnly);
    this.diagnostics = open.diagnostics;
    await this.keepDraft();
    await invalidate('workflow_save');
    this.changed();
  }

  /** The next save writes over what came from outside. */
  keepMine(): void {
    // Who looks on has nothing of their own.
    if (this.readOnly) return;
    if (this.outside && this.outside.kind !== 'gone') this.revision = this.outside.revision;
    this.#say(null);
    this.outside = null;
    this.changed();
  }

  restoreDraft(): void {
    const draft = this.draft;
    this.draft = null;
    // What was changed before the answer is one step back.
    if (draft) this.editor.replaceDocument(draft.document, { saved: false, step: t('builder.draftStep') });
    this.changed();
  }

  async discardDraft(): Promise<void> {
    await act('draft_discard', { ref: this.ref });
    this.draft = null;
    this.#draftKept = false;
    this.changed();
    // What was changed while the old draft waited has none yet.
    await this.keepDraft();
  }
}

function revisionOf(error: ApiError): string | null | undefined {
  const details = error.details;
  if (typeof details !== 'object' || details === null || !('revision' in details)) return null;
  return typeof details.revision === 'string' ? details.revision : null;
}

const open = new Map<string, Session>();
/** Files that are being read: who comes back before the answer waits for the same one, so that a file never has two editors. */
const opening = new Map<string, Promise<Session>>();

/** After its file was deleted. */
export function forgetSession(ref: string): void {
  open.get(ref)?.close();
  open.delete(ref);
}

/** Keeps a session that has unsaved changes or steps to undo; others are read again from the file. */
export function openSession(ref: string): Promise<Session> {
  const asked = opening.get(ref);
  if (asked) return asked;
  const known = open.get(ref);
  if (known) {
    const state = known.editor.getState();
    if (state.dirty || state.undoLabel !== null) return Promise.resolve(known);
    forgetSession(ref);
  }
  const reading = call('workflow_open', { ref }).then((answer) => {
    const session = new Session(answer);
    open.set(ref, session);
    return session;
  }).finally(() => opening.delete(ref));
  opening.set(ref, reading);
  return reading;
}

export function useSession(ref: string): { session: Session | null; error: ApiError | null; retry(): void } {
  const [session, setSession] = useState<Session | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [round, setRound] = useState(0);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const current = useRef<Session | null>(null);

  useEffect(() => {
    let alive = true;
    setError(null);
    openSession(ref).then(
      (next) => {
        if (!alive) return;
        current.current = next;
        setSession(next);
      },
      (cause: unknown) => { if (alive) setError(toApiError(cause)); },
    );
    return () => {
      alive = false;
      void current.current?.keepDraft();
    };
  }, [ref, round]);

  useEffect(() => session?.subscribe(redraw), [session]);

  useEffect(() => {
    if (!session) return undefined;
    const check = () => {
      if (document.visibilityState === 'visible') session.checkOutside().catch(() => undefined);
    };
    const timer = setInterval(check, POLL_MS);
    window.addEventListener('focus', check);
    check();
    // The last words before the window closes.
    const leave = () => void session.keepDraft(true);
    window.addEventListener('pagehide', leave);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', check);
      window.removeEventListener('pagehide', leave);
    };
  }, [session]);

  return { session, error, retry: () => setRound((n) => n + 1) };
}
