/** Proves the workflow of the builder, and shows on the canvas what the last proof of exactly this definition says. */
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { usePermission } from '../../api/queries.ts';
import type { ErrorCoverage, NodeDescriptor, Workflow } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import type { ProofMark } from '../../features/canvas/index.ts';
import { titleOf } from '../../features/node-panel/index.ts';
import { ProofDialog, type ProofFix } from '../../features/proof/proof-dialog.tsx';
import { t } from '../../i18n/index.ts';
import { useActions } from '../../kit/index.ts';
import { proofAction } from './actions.ts';
import type { Session } from './session.ts';
import { takeTyped } from './typed.ts';

type Proof = NonNullable<ErrorCoverage['proof']>;

/** The words on the card of each step. What no run reaches says nothing. */
export function proofMarks(proof: Proof | undefined): ReadonlyMap<string, ProofMark> {
  if (!proof?.isCurrent) return new Map();
  const told = Object.entries(proof.steps).filter(([, state]) => state !== 'notReached');
  return new Map(told.map(([step, state]) => [step, { proved: state === 'proved', words: t(state === 'proved' ? 'proof.mark.proved' : 'proof.mark.unhandled') }]));
}

export function useProof({ session, document, catalog, onFix, onShow }: {
  session: Session; document: Workflow; catalog: NodeDescriptor[]; onFix(fix: ProofFix, stepId: string): void; onShow(stepId: string): void;
}): { prove: (() => void) | undefined; onProof(proof: Proof | undefined): void; marks: ReadonlyMap<string, ProofMark>; dialog: ReactNode } {
  const may = usePermission();
  const allowed = may('proof_start');
  const [open, setOpen] = useState(false);
  const [proof, setProof] = useState<Proof | undefined>(undefined);
  const prove = useCallback(() => {
    takeTyped();
    setOpen(true);
  }, []);
  const can = useLatest(allowed);
  useActions(useMemo(() => [proofAction(prove, () => can.current)], [prove, can]));
  const marks = useMemo(() => proofMarks(proof), [proof]);
  const dialog = open ? (
    <ProofDialog fileRef={session.ref} document={document} readOnly={session.readOnly} current={proof?.isCurrent === true} titleOf={(id) => titleOf(document, id, catalog)}
      onFix={onFix} onShow={(id) => { setOpen(false); onShow(id); }} onClose={() => setOpen(false)} />
  ) : null;
  return { prove: allowed ? prove : undefined, onProof: setProof, marks, dialog };
}
