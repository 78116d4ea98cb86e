/** Faults that the next run of the builder puts into steps, and the marks of those that the run on the canvas had. */
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { useEditor, type EditorStore } from '../../features/canvas/editor.ts';
import { portIds } from '../../features/canvas/model/ports.ts';
import { FaultDialog } from '../../features/faults/fault-dialog.tsx';
import { FaultLine } from '../../features/faults/fault-line.tsx';
import { titleOf } from '../../features/node-panel/index.ts';
import { t } from '../../i18n/index.ts';
import { toast, useActions } from '../../kit/index.ts';
import { canFail, faultText, type Fault, type FaultChoice, type Faults } from '../../shared/faults.ts';
import type { Pins } from '../../shared/pins.ts';
import { faultAction } from './actions.ts';

/** Kept per file while the program is open. */
const chosenFaults = new Map<string, Faults>();
const ranFaults = new Map<string, readonly string[]>();
const NONE: Faults = {};
const NO_STEPS: readonly string[] = [];

/** The faults of steps that are there. */
export function standing(faults: Faults, document: Workflow): Faults {
  return Object.fromEntries(Object.entries(faults).filter(([step]) => Object.hasOwn(document.nodes, step)));
}

export function useFaultChoice({ fileRef, editor, document, catalog, pins, runId, may }: {
  fileRef: string; editor: EditorStore; document: Workflow; catalog: NodeDescriptor[]; pins: Pins | null;
  /** The run on the canvas. */
  runId: string | null;
  may: boolean;
}): {
  choice: FaultChoice | null; marks: ReadonlyMap<string, string>;
  /** Titles of the steps that had a fault in the run on the canvas. */
  ran: readonly string[];
  line: ReactNode; dialog: ReactNode;
  /** For a start of this document. */
  forRun(sent: Workflow): Faults;
  /** A run has them now: the next one has none. */
  used(runId: string, faults: Faults): void;
} {
  const [faults, setFaults] = useState<Faults>(() => chosenFaults.get(fileRef) ?? NONE);
  const [asked, setAsked] = useState<string | null>(null);
  const kinds = useMemo(() => new Map(catalog.map((kind) => [kind.type, kind])), [catalog]);
  const pinned = useLatest(pins);
  const change = useCallback((next: (old: Faults) => Faults) => setFaults((old) => {
    const made = next(old);
    chosenFaults.set(fileRef, made);
    return made;
  }), [fileRef]);
  const set = useCallback((step: string, fault: Fault | null) => change((old) => {
    const { [step]: _, ...rest } = old;
    return fault === null ? rest : { ...rest, [step]: fault };
  }), [change]);
  const ask = useCallback((step: string) => {
    if (pinned.current?.steps[step] === undefined) setAsked(step);
    else toast({ signal: 'info', text: t('fault.pinned') });
  }, [pinned]);
  const kindOf = useCallback((step: string | undefined) => {
    const node = step === undefined ? undefined : editor.getState().document.nodes[step];
    return node === undefined ? undefined : kinds.get(node.type);
  }, [editor, kinds]);
  const allowed = useLatest(may);
  useActions(useMemo(() => [faultAction(() => {
    const [step, ...others] = editor.getState().selection.nodes;
    return allowed.current && others.length === 0 && canFail(kindOf(step)) ? step : undefined;
  }, ask)], [editor, kindOf, ask, allowed]));
  const here = useMemo(() => standing(faults, document), [faults, document]);
  const steps = runId === null ? NO_STEPS : ranFaults.get(runId) ?? NO_STEPS;
  const marks = useMemo(() => new Map([...steps.map((step): [string, string] => [step, t('fault.ran')]), ...Object.entries(here).map(([step, fault]): [string, string] => [step, faultText(fault)])]), [steps, here]);
  const choice = useMemo(() => (may ? { faults: here, set, ask } : null), [may, here, set, ask]);
  const [selected, ...more] = useEditor(editor, (state) => state.selection.nodes);
  const kind = asked === null ? undefined : kindOf(asked);
  const node = asked === null ? undefined : document.nodes[asked];
  return {
    choice, marks,
    ran: steps.map((step) => titleOf(document, step, catalog)),
    line: may && selected !== undefined && more.length === 0 && canFail(kindOf(selected)) ? <FaultLine step={selected} /> : null,
    dialog: asked !== null && kind && node ? (
      <FaultDialog title={titleOf(document, asked, catalog)} kind={kind} ports={portIds(kind, node).filter((port) => port !== 'error')} fault={here[asked]}
        onSet={(fault) => set(asked, fault)} onClose={() => setAsked(null)} />
    ) : null,
    forRun: (sent) => standing(chosenFaults.get(fileRef) ?? NONE, sent),
    used: (id, sent) => {
      ranFaults.set(id, Object.keys(sent));
      change(() => NONE);
    },
  };
}
