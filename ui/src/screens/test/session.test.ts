import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listenForToken, setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import type { OpenWorkflow } from '../../api/types.ts';
import { demoHost, RETRY } from '../../test/fixtures.ts';
import { act as settle, cleanup, render, screen } from '@testing-library/react';
import { createElement } from 'react';
import { Toaster } from '../../kit/index.ts';
import { useMessages } from '../../kit/messages.ts';
import { DRAFT_DELAY_MS, forgetSession, openSession, POLL_MS, Session } from '../builder/session.ts';

const OPEN: OpenWorkflow = { ref: 'w', path: '/l/w.signalbox.json', folder: 'Library', revision: 'r1', document: RETRY, diagnostics: [], readOnly: false };
let host: FakeTransport;
beforeEach(() => {
  vi.useFakeTimers();
  host = demoHost();
  setTransport(host);
});
afterEach(() => {
  forgetSession('w');
  vi.useRealTimers();
});
const rename = (session: Session, name: string) => session.editor.apply({ type: 'set', path: ['name'], value: name }, { label: 'Rename' });
const commands = () => host.calls.map((call) => call.command);

describe('drafts', () => {
  it('are kept a moment after the last change, once', async () => {
    const session = new Session(OPEN);
    rename(session, 'A');
    rename(session, 'B');
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + 1);
    expect(host.calls).toEqual([{ command: 'draft_put', payload: { ref: 'w', document: expect.objectContaining({ name: 'B' }) } }]);
  });

  it('go when everything is undone, and after a save', async () => {
    const session = new Session(OPEN);
    rename(session, 'A');
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + 1);
    session.editor.undo();
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + 1);
    expect(commands()).toEqual(['draft_put', 'draft_discard']);
  });

  it('of an earlier time are not overwritten before the person has answered', async () => {
    const session = new Session({ ...OPEN, draft: { document: { ...RETRY, name: 'Lost' }, savedAt: '2026-01-01T00:00:00Z' } });
    rename(session, 'A');
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + 1);
    expect(commands()).toEqual([]);
    session.restoreDraft();
    expect(session.editor.getState()).toMatchObject({ dirty: true, document: { name: 'Lost' } });
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + 1);
    expect(commands()).toEqual(['draft_put']);
    session.editor.undo();
    expect(session.editor.getState().document.name).toBe('A');
  });

  it('of an earlier time outlive a save, and are discarded only by the person', async () => {
    host.handlers.workflow_save = () => ({ revision: 'r2' });
    const lost = { ...RETRY, name: 'Lost' };
    const session = new Session({ ...OPEN, draft: { document: lost, savedAt: '2026-01-01T00:00:00Z' } });
    rename(session, 'A');
    expect(await session.save()).toBe(true);
    expect(session.draft?.document.name).toBe('Lost');
    expect(host.calls.findLast((call) => call.command === 'draft_put')?.payload).toEqual({ ref: 'w', document: lost });
    rename(session, 'B');
    await session.discardDraft();
    expect(session.draft).toBeNull();
    expect(host.calls.at(-1)).toEqual({ command: 'draft_put', payload: { ref: 'w', document: expect.objectContaining({ name: 'B' }) } });
  });

  const goes = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const refuses = (code: string) => () => { throw new ApiError({ code, message: 'Signalbox does not take it.', hint: '' }); };
  const said = () => useMessages.getState().shown.filter((one) => one.text.startsWith('The draft could not be saved'));
  const LOST = { document: { ...RETRY, name: 'Lost' }, savedAt: '2026-01-01T00:00:00Z' };

  it('that could not be kept are tried until the host is back, also without another change; until then the page asks before it goes', async () => {
    host.handlers.workflow_open = () => OPEN;
    const session = await openSession('w');
    host.handlers.draft_put = refuses('CONNECTION');
    rename(session, 'A');
    expect(goes()).toBe(true);
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + 1);
    expect(goes()).toBe(false);
    let kept: unknown;
    host.handlers.draft_put = ({ document }) => { kept = document; return {}; };
    await vi.advanceTimersByTimeAsync(POLL_MS + 1);
    expect(kept).toMatchObject({ name: 'A' });
    expect(goes()).toBe(true);
    const before = host.calls.length;
    await vi.advanceTimersByTimeAsync(POLL_MS * 3);
    expect(host.calls.length).toBe(before);
  });

  it('that are refused for good are sent again with the next change, not before it', async () => {
    host.handlers.workflow_open = () => OPEN;
    const session = await openSession('w');
    host.handlers.draft_put = refuses('TOO_LARGE');
    rename(session, 'A');
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + POLL_MS * 5);
    expect(commands().filter((name) => name === 'draft_put')).toHaveLength(1);
    expect(goes()).toBe(false);
    host.handlers.draft_put = () => ({});
    rename(session, 'B');
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + 1);
    expect([goes(), said().length]).toEqual([true, 0]);
  });

  it('that were refused with the old key are sent with the new one', async () => {
    host.handlers.workflow_open = () => OPEN;
    const session = await openSession('w');
    host.handlers.draft_put = refuses('AUTH');
    rename(session, 'A');
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + POLL_MS);
    expect(goes()).toBe(false);
    host.handlers.draft_put = () => ({});
    const unlisten = listenForToken();
    window.history.pushState(null, '', '#token=new');
    window.dispatchEvent(new HashChangeEvent('hashchange', { oldURL: 'http://localhost/#/workflow/w' }));
    unlisten();
    await vi.advanceTimersByTimeAsync(0);
    expect(host.calls.at(-1)).toEqual({ command: 'draft_put', payload: { ref: 'w', document: expect.objectContaining({ name: 'A' }) } });
    expect([goes(), said().length, window.location.hash]).toEqual([true, 0, '#/workflow/w']);
    window.history.replaceState(null, '', '#');
  });

  it('of an earlier time that wait for their answer: the page asks before it throws away what is typed beside them', async () => {
    host.handlers.workflow_open = () => ({ ...OPEN, draft: LOST });
    const session = await openSession('w');
    expect(goes()).toBe(true);
    rename(session, 'A');
    expect(goes()).toBe(false);
    await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + 1);
    expect(goes()).toBe(false);
    session.editor.undo();
    expect(goes()).toBe(true);
    session.editor.redo();
    await session.discardDraft();
    expect(goes()).toBe(true);
    expect(host.calls.at(-1)).toEqual({ command: 'draft_put', payload: { ref: 'w', document: expect.objectContaining({ name: 'A' }) } });
  });

  it('of an earlier time that a save took away are sent until the host has them again', async () => {
    host.handlers.workflow_open = () => ({ ...OPEN, draft: LOST });
    const session = await openSession('w');
    host.handlers.workflow_save = () => ({ revision: 'r2' });
    host.handlers.draft_put = refuses('CONNECTION');
    rename(session, 'A');
    await session.save();
    expect([goes(), said().length]).toEqual([false, 1]);
    await vi.advanceTimersByTimeAsync(POLL_MS + 1);
    expect(goes()).toBe(false);
    host.handlers.draft_put = () => ({});
    await vi.advanceTimersByTimeAsync(POLL_MS + 1);
    expect([goes(), said().length]).toEqual([true, 0]);
    expect(host.calls.at(-1)).toEqual({ command: 'draft_put', payload: { ref: 'w', document: LOST.document } });
  });

  it('that could not be kept are no matter any more of who may only look, and of a file that is closed', async () => {
    host.handlers.workflow_open = () => OPEN;
    host.handlers.draft_put = refuses('CONNECTION');
    const failed = async () => {
      const session = await openSession('w');
      rename(session, 'A');
      await vi.advanceTimersByTimeAsync(DRAFT_DELAY_MS + 1);
      expect([goes(), said().length]).toEqual([false, 1]);
      return session;
    };
    (await failed()).lookOn();
    expect([goes(), said().length]).toEqual([true, 0]);
    forgetSession('w');
    await failed();
    forgetSession('w');
    expect([goes(), said().length]).toEqual([true, 0]);
  });

  it('are kept also when the file changed outside before the save', async () => {
    const session = new Session(OPEN);
    host.handlers.workflow_save = () => { throw new ApiError({ code: 'CONFLICT', message: 'changed', hint: '', details: { revision: 'r2' } }); };
    rename(session, 'Mine');
    await session.save();
    await vi.advanceTimersByTimeAsync(0);
    expect(host.calls.at(-1)).toEqual({ command: 'draft_put', payload: { ref: 'w', document: expect.objectContaining({ name: 'Mine' }) } });
  });
});

describe('saving', () => {
  it('writes on the revision that was read and remembers the new one', async () => {
    host.handlers.workflow_save = ({ baseRevision }) => ({ revision: `${baseRevision}+1` });
    const session = new Session(OPEN);
    rename(session, 'A');
    expect(await session.save()).toBe(true);
    expect(session.revision).toBe('r1+1');
    expect(session.editor.getState().dirty).toBe(false);
  });

  it('never writes over a file that changed outside until the person says so', async () => {
    host.handlers.workflow_save = ({ baseRevision, overwrite }) => {
      if (baseRevision !== 'r2' && !overwrite) throw new ApiError({ code: 'CONFLICT', message: 'changed', hint: '', details: { revision: 'r2' } });
      return { revision: 'r3' };
    };
    const session = new Session(OPEN);
    rename(session, 'Mine');
    expect(await session.save()).toBe(false);
    expect(session.outside).toEqual({ kind: 'changed', revision: 'r2' });
    expect(session.editor.getState().dirty).toBe(true);
    session.keepMine();
    expect(await session.save()).toBe(true);
    expect(session.revision).toBe('r3');
  });

  it('keeps changes that were made while the file was being written', async () => {
    const session = new Session(OPEN);
    host.handlers.workflow_save = () => {
      rename(session, 'Later');
      return { revision: 'r2' };
    };
    rename(session, 'A');
    await session.save();
    expect(session.editor.getState()).toMatchObject({ dirty: true, document: { name: 'Later' } });
  });

  it('changes nothing for who may not build, also after a reload', async () => {
    const session = new Session({ ...OPEN, draft: { document: { ...RETRY, name: 'Lost' }, savedAt: '2026-01-01T00:00:00Z' } });
    session.lookOn();
    expect(session.draft).toBeNull();
    expect(rename(session, 'A')).toBe(false);
    expect(await session.save()).toBe(false);
    await session.reload();
    expect(rename(session, 'A')).toBe(false);
    expect(commands().filter((name) => /put|save/.test(name))).toEqual([]);
  });

  it('keeps nothing of its own against a change outside for who may not build', async () => {
    const session = new Session(OPEN);
    session.lookOn();
    host.handlers.workflow_revision = () => ({ revision: 'r2' });
    await session.checkOutside();
    session.keepMine();
    expect(session.outside).toEqual({ kind: 'changed', revision: 'r2' });
    expect(session.revision).toBe('r1');
  });

  it('does not touch a read-only file', async () => {
    const session = new Session({ ...OPEN, readOnly: true });
    expect(rename(session, 'A')).toBe(false);
    expect(await session.save()).toBe(false);
    expect(commands()).toEqual([]);
  });
});

describe('outside', () => {
  it('notices a change, a loss, and that all is well again', async () => {
    const session = new Session(OPEN);
    host.handlers.workflow_revision = () => ({ revision: 'r2' });
    await session.checkOutside();
    expect(session.outside).toEqual({ kind: 'changed', revision: 'r2' });
    host.handlers.workflow_revision = () => ({ revision: null });
    await session.checkOutside();
    expect(session.outside).toEqual({ kind: 'gone' });
    host.handlers.workflow_revision = () => ({ revision: 'r1' });
    await session.checkOutside();
    expect(session.outside).toBeNull();
  });

  it('says that a file is broken only when it was read', async () => {
    const session = new Session(OPEN);
    host.handlers.workflow_revision = () => ({ revision: 'r2' });
    for (const code of ['CONNECTION', 'IO_ERROR', 'READ_ONLY', 'STORE_BUSY']) {
      host.handlers.workflow_open = () => { throw new ApiError({ code, message: `${code} passes.`, hint: '' }); };
      // One after the other: each look is the next one of the same session.
      // eslint-disable-next-line no-await-in-loop
      await expect(session.checkOutside()).rejects.toThrow('passes');
      expect(session.outside).toBeNull();
    }
    host.handlers.workflow_open = () => { throw new ApiError({ code: 'TOO_LARGE', message: 'It has 20 MiB.', hint: '' }); };
    await session.checkOutside();
    expect(session.outside).toEqual({ kind: 'broken', revision: 'r2', why: 'It has 20 MiB.' });
    host.handlers.workflow_revision = () => ({ revision: 'r3' });
    host.handlers.workflow_open = () => { throw new ApiError({ code: 'INVALID_JSON', message: 'Line 1 is no JSON.', hint: '', details: { diagnostics: [] } }); };
    await session.checkOutside();
    expect(session.outside).toEqual({ kind: 'broken', revision: 'r3', why: 'Line 1 is no JSON.' });
  });

  it('does not take the draft for the file when that broke before the reload', async () => {
    const session = new Session(OPEN);
    rename(session, 'Mine');
    host.handlers.workflow_open = () => ({ ...OPEN, revision: 'r3', unreadable: 'Line 1 is no JSON.', document: { ...RETRY, name: 'Draft' } });
    await expect(session.reload()).rejects.toThrow('no JSON');
    expect(session).toMatchObject({ revision: 'r1', outside: { kind: 'broken', revision: 'r3' } });
    expect(session.editor.getState()).toMatchObject({ dirty: true, document: { name: 'Mine' } });
  });

  it('takes the file as it is now on reload', async () => {
    const session = new Session(OPEN);
    rename(session, 'Mine');
    host.handlers.workflow_open = () => ({ ...OPEN, revision: 'r2', document: { ...RETRY, name: 'Theirs' } });
    await session.reload();
    expect(session).toMatchObject({ revision: 'r2', outside: null });
    expect(session.editor.getState()).toMatchObject({ dirty: false, document: { name: 'Theirs' } });
    // Nothing is lost: what was not saved is one step back, with the steps before it.
    session.editor.undo();
    expect(session.editor.getState()).toMatchObject({ dirty: true, document: { name: 'Mine' } });
    expect(JSON.stringify(session.editor.getState().document)).toBe(JSON.stringify({ ...RETRY, name: 'Mine' }));
    session.editor.undo();
    expect(session.editor.getState().document).toEqual(RETRY);
    session.editor.redo();
    session.editor.redo();
    expect(session.editor.getState()).toMatchObject({ dirty: false, document: { name: 'Theirs' } });
  });
});

it('takes back what it said about a save once one worked', async () => {
  render(createElement(Toaster, { label: 'Messages', closeLabel: 'Discard', more: String, none: '', at: String }));
  const session = new Session(OPEN);
  const full = (): never => { throw new ApiError({ code: 'DISK_FULL', message: 'The disk is full.', hint: 'Make room.' }); };
  Object.assign(host.handlers, { draft_put: full, workflow_save: full });
  rename(session, 'A');
  await settle(async () => { await session.save(); });
  expect(screen.getAllByText(/The disk is full/)).toHaveLength(2);
  Object.assign(host.handlers, { workflow_save: () => ({ revision: 'r2', diagnostics: [] }), draft_discard: () => ({}) });
  await settle(async () => { await session.save(); });
  expect(screen.queryAllByText(/The disk is full/)).toEqual([]);
  cleanup();
});

it('keeps unsaved work while the person visits another screen', async () => {
  host.handlers.workflow_open = () => OPEN;
  const session = await openSession('w');
  rename(session, 'Mine');
  expect(await openSession('w')).toBe(session);
});

it('has one session of a file, also for who comes back before it was read', async () => {
  host.handlers.workflow_open = () => OPEN;
  const [first, second] = await Promise.all([openSession('w'), openSession('w')]);
  expect(second).toBe(first);
  rename(first, 'Mine');
  expect(await openSession('w')).toBe(first);
});
