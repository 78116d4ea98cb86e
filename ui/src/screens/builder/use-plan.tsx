/** The planner of the builder: what it proposes is drawn on the canvas, and what a person accepts is one step of undo. */
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { act, invalidate, useCommand, usePermission } from '../../api/queries.ts';
import { call } from '../../api/client.ts';
import type { NodeDescriptor, PlanExplanation, Workflow } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { createEditor, useEditor, type EditorStore } from '../../features/canvas/editor.ts';
import type { CanvasHandle, Fate } from '../../features/canvas/index.ts';
import { titleOf } from '../../features/node-panel/index.ts';
import { accept, allOf, preview, reject, type Part } from '../../features/planner/changes.ts';
import { PlannerPanel } from '../../features/planner/planner-panel.tsx';
import { t } from '../../i18n/index.ts';
import { Button, toast, useActions } from '../../kit/index.ts';
import { attempt } from '../commands.ts';
import { navigate } from '../router.ts';
import { planAction } from './actions.ts';
import { opensWithProposal, proposalShown } from './open-plan.ts';
import type { Session } from './session.ts';

/** How often the planner is looked at while it works, and while it is open: an agent may propose something meanwhile. */
const WORKING_MS = 300;
const OPEN_MS = 3_000;

export interface Preview { editor: EditorStore; marks: ReadonlyMap<string, string>; fates: ReadonlyMap<string, Fate> }
const NO_PARTS: readonly Part[] = [];

export function usePlan({ session, catalog, runId, canvas, keys }: {
  session: Session;
  catalog: NodeDescriptor[];
  /** The run on the canvas. */
  runId: string | null;
  canvas: RefObject<CanvasHandle | null>;
  keys: string | undefined;
}): { panel: ReactNode; button: ReactNode; preview: Preview | null } {
  const { editor, ref } = session;
  const [open, setOpen] = useState(() => opensWithProposal(ref));
  useEffect(proposalShown, []);
  const [busy, setBusy] = useState(false);
  const [explanation, setExplanation] = useState<PlanExplanation | null>(null);
  const may = usePermission();
  const allowed = may('plan_get');
  const document = useEditor(editor, (state) => state.settled);
  const { data: view } = useCommand('plan_get', { ref }, {
    enabled: open && allowed,
    refetchInterval: ({ state }) => (state.data?.working ? WORKING_MS : OPEN_MS),
  });
  const proposal = view?.proposal;
  const isWorking = view?.working !== undefined;
  const draft = view?.working?.draft;
  const shown = useMemo(() => {
    if (!open) return null;
    if (draft) return preview(document, document, draft);
    return proposal && !isWorking ? preview(document, proposal.base, proposal.document) : null;
  }, [open, draft, proposal, isWorking, document]);
  const parts = draft || !shown ? NO_PARTS : shown.parts;

  // One editor for each picture of a proposal: the canvas keeps its place while the draft grows.
  const drawn = useRef<EditorStore | null>(null);
  const text = shown && shown.parts.length > 0 ? JSON.stringify(shown.document) : null;
  const previewOf = useMemo<Preview | null>(() => {
    if (!shown || text === null) {
      drawn.current = null;
      return null;
    }
    if (drawn.current) {
      drawn.current.setReadOnly(false);
      drawn.current.replaceDocument(shown.document);
      drawn.current.setReadOnly(true);
    } else drawn.current = createEditor(shown.document, { readOnly: true });
    const marks = shown.parts.flatMap((part) => (part.step === undefined || part.kind === 'wires' || part.kind === 'workflow' ? [] : [[part.step, t(`plan.mark.${part.kind}`)] as const]));
    const fates = shown.parts.flatMap((part) => (part.step === undefined || part.kind === 'wires' || part.kind === 'workflow' ? [] : [[part.step, part.kind] as const]));
    return { editor: drawn.current, marks: new Map(marks), fates: new Map(fates) };
    // The text says whether the picture is another one.
  }, [text]); // eslint-disable-line react/exhaustive-deps

  // Another proposal, or a draft that has grown: all of it is in view.
  const steps = shown === null ? '' : Object.keys(shown.document.nodes).join();
  const isShown = previewOf !== null;
  useEffect(() => { if (isShown) canvas.current?.fit(true); }, [isShown, steps, canvas]);

  const toggle = useCallback(() => setOpen((before) => !before), []);
  const canOpen = useLatest(allowed);
  useActions(useMemo(() => [planAction(toggle, () => canOpen.current)], [toggle, canOpen]));

  const doing = async <T,>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    try {
      return await attempt(work);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => { setExplanation(null); }, [runId]);

  const settle = async (taken: readonly Part[], dropped: readonly Part[]) => {
    if (!proposal) return;
    const before = editor.getState().document;
    const rest = dropped.length > 0 ? reject(proposal.base, proposal.document, allOf(dropped)) : proposal.document;
    const after = taken.length > 0 ? accept(before, proposal.base, proposal.document, allOf(taken)) : before;
    const left = preview(after, proposal.base, rest).parts.length > 0;
    await doing(async () => {
      // First the host: a proposal that is not there any more is not accepted.
      await act('plan_settle', { ref, revision: proposal.revision, before, after, ...(left ? { rest } : {}) });
      if (taken.length === 0) return;
      const now = editor.getState().document;
      // Whatever was changed while the host answered stays.
      const next = now === before ? after : accept(now, proposal.base, proposal.document, allOf(taken));
      const changed = [...new Set([...Object.keys(now), ...Object.keys(next)])].filter((key) => key !== 'id');
      editor.apply(changed.map((key) => ({ type: 'set', path: [key], value: next[key as keyof Workflow] }) as const), { label: t('plan.accepted') });
    });
  };

  const panel = open && allowed ? (
    <PlannerPanel view={view} parts={parts} readOnly={session.readOnly} hasRun={runId !== null} busy={busy} explanation={explanation}
      titleOf={(step) => titleOf(shown?.document.nodes[step] ? shown.document : document, step, catalog)}
      onStep={(step) => {
        if (canvas.current) canvas.current.reveal(step);
        else editor.select([step]);
      }}
      onEvent={(run, seq) => navigate({ screen: 'run', runId: run, ...(seq > 0 ? { at: seq } : {}) })}
      onAsk={async (words, asks) => {
        setExplanation(null);
        // A refinement goes on from what is proposed and still open.
        const from = proposal && parts.length > 0 ? { from: accept(document, proposal.base, proposal.document, allOf(parts)) } : {};
        const question = asks ? { asks, ...(runId === null ? {} : { runId }) } : {};
        const done = await doing(() => act('plan_start', { ref, document, text: words, ...question, ...from }));
        return done !== undefined;
      }}
      onExplain={(ofRun) => void doing(async () => setExplanation(await call('plan_explain', { document, ...(ofRun && runId !== null ? { runId } : {}) })))}
      onTry={(steps) => void doing(() => act('plan_try', { ref, revision: proposal?.revision ?? '', allowed: steps }))}
      onCancel={() => void attempt(() => act('plan_cancel', { ref }))}
      onForget={() => void doing(async () => {
        await act('plan_forget', { ref });
        setExplanation(null);
        toast({ signal: 'ok', text: t('plan.forgotten') });
        await invalidate('plan_forget');
      })}
      onAccept={(taken) => void settle(taken, [])}
      onReject={(dropped) => void settle([], dropped)}
      onSettings={() => navigate({ screen: 'settings' })}
      onSamples={() => navigate({ screen: 'workflows' })}
      onClose={() => { setOpen(false); canvas.current?.focus(); }} />
  ) : null;
  const button = allowed ? <Button icon="spark" aria-pressed={open} keys={keys} onClick={toggle}>{t('plan.open')}</Button> : null;
  return { panel, button, preview: previewOf };
}
