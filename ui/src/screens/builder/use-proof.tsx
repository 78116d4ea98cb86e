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

/** The step of this workflow that a name is about: `call/fetch` is a step of the workflow that `call` runs. */
const ownStep = (name: string): string => name.split('/')[0] ?? name;

/** The title of the step, with the way to it when it is in a called workflow. */
function nameOf(document: Workflow, name: string, catalog: NodeDescriptor[]): string {
  const [own = name, ...inner] = name.split('/');
  return [titleOf(document, own, catalog), ...inner].join(' › ');
}

/** The words on the card of each step. What no run reaches says nothing; a called workflow is proved when all its steps are. */
export function proofMarks(proof: Proof | undefined): ReadonlyMap<string, ProofMark> {
  if (!proof?.isCurrent) return new Map();
  const proved = new Map<string, boolean>();
  for (const [name, state] of Object.entries(proof.steps)) {
    if (state !== 'notReached') proved.set(ownStep(name), state === 'proved' && (proved.get(ownStep(name)) ?? true));
  }
  return new Map([...proved].map(([step, is]) => [step, { proved: is, words: t(is ? 'proof.mark.proved' : 'proof.mark.unhandled') }]));
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
    <ProofDialog fileRef={session.ref} document={document} readOnly={session.readOnly} current={proof?.isCurrent === true} titleOf={(id) => nameOf(document, id, catalog)}
      onFix={(fix, id) => onFix(fix, ownStep(id))} onShow={(id) => { setOpen(false); onShow(ownStep(id)); }} onClose={() => setOpen(false)} />
  ) : null;
  return { prove: allowed ? prove : undefined, onProof: setProof, marks, dialog };
}
