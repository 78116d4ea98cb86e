/** Where the error ports of the workflow lead, as a score in the bar and a list with a button per finding (N1). */

import { Popover } from '@base-ui/react/popover';
import { useEffect, useMemo, useState } from 'react';
import { useCommand } from '../../api/queries.ts';
import type { CoverageFinding, ErrorCoverage, Workflow } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { t } from '../../i18n/index.ts';
import { Button, Icon, SignalIcon } from '../../kit/index.ts';
import './coverage.css';

const SETTLE_MS = 250;

/** The document a moment after the last change. */
function useSettled(document: Workflow): Workflow {
  const [settled, setSettled] = useState(document);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(document), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [document]);
  return settled;
}

type Proof = NonNullable<ErrorCoverage['proof']>;

export function CoverageChip({ document, readOnly, onFix, onShow, onProof, onProve }: {
  document: Workflow; readOnly: boolean; onFix(finding: CoverageFinding): void; onShow(stepId: string): void;
  /** What the last proof says about this document; undefined while there is none. */
  onProof?(proof: Proof | undefined): void;
  /** Absent where nobody may prove. */
  onProve?: (() => void) | undefined;
}) {
  const settled = useSettled(document);
  const [open, setOpen] = useState(false);
  // One object for each document: the whole of it is written out for the key of the question.
  const payload = useMemo(() => ({ document: settled }), [settled]);
  const asked = useCommand('error_coverage', payload, { placeholderData: (before) => before, staleTime: Infinity, gcTime: 0, refetchInterval: (query) => (query.state.status === 'error' ? 5_000 : false) });
  const found = asked.data;
  const proof = found?.proof;
  useEffect(() => { onProof?.(proof); }, [onProof, proof]);
  if (!found) return asked.error ? <span className="s t3 opt" title={asked.error.message}>{t('coverage.failed')}</span> : null;
  if (found.score.total === 0) return null;
  const { wired, policy, total } = found.score;
  const nowhere = total - wired - policy;
  const risky = found.findings.filter((one) => one.severity !== undefined);
  const words = t('coverage.words', { done: wired + policy, total });
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger render={
        <button type="button" className="coverage s opt" title={t('coverage.summary', { wired, policy, open: nowhere })}>
          <span className="t2 coverage-name">{t('coverage.label')}</span><Bars score={found.score} />
          <b>{words}</b>{nowhere > 0 ? <span className="c-err">{t('coverage.open', { n: nowhere })}</span> : policy > 0 ? <span className="t2 coverage-policy">{t('coverage.byPolicy', { n: policy })}</span> : null}
          <ProofWord proof={proof} />
          {risky.length > 0 ? <span className="row c-wait"><Icon name="warn" size={12} />{risky.length}</span> : null}
        </button>
      } />
      <Popover.Portal>
        <Popover.Positioner align="end" sideOffset={4} className="layer">
          <Popover.Popup className="pop coverage-pop" aria-label={t('coverage.title')}>
            <div className="coverage-head"><b>{t('coverage.title')}</b><span className="s t2">{t('coverage.summary', { wired, policy, open: nowhere })}</span>
              {onProve ? <span className="row gap1 coverage-act"><Button small icon="shield" onClick={() => { setOpen(false); onProve(); }}>{t('proof.action')}</Button><ProofWord proof={proof} /></span> : null}</div>
            {found.findings.length === 0 ? <p className="s t2 coverage-head">{t('coverage.fine')}</p> : (
              <ul className="coverage-list">
                {found.findings.map((one) => (
                  <li key={`${one.code} ${one.path}`} data-finding={one.code}>
                    {one.severity === undefined ? <Icon name="shield" className="t3" /> : <SignalIcon signal={one.severity === 'error' ? 'err' : 'warn'} />}
                    <div className="col grow">
                      <bdi><Pieces text={one.message} /></bdi><bdi className="s t2"><Pieces text={one.hint} /></bdi>
                      <span className="row gap1 coverage-act">
                        {one.fix && !readOnly ? <Button small onClick={() => { setOpen(false); onFix(one); }}>{plain(one.fix.label)}</Button> : null}
                        {one.stepId !== undefined ? <Button small variant="ghost" onClick={() => { setOpen(false); onShow(one.stepId ?? ''); }}>{t('coverage.show')}</Button> : null}
                      </span>
                    </div>
                  </li>
                ))}
              </ul>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** What the last proof says, in two words. */
function ProofWord({ proof }: { proof: Proof | undefined }) {
  if (proof?.score === undefined) return null;
  if (!proof.isCurrent) return <span className="coverage-proof t3" data-proof="outdated">{t('proof.state.outdated')}</span>;
  return <span className={`coverage-proof ${proof.score === 100 ? 'c-ok' : 'c-err'}`} data-proof="current">{t('proof.state.current', { score: proof.score })}</span>;
}

/** At most eight segments: filled = wired, outlined = by policy, red = nowhere. */
function Bars({ score: { wired, policy, total } }: { score: ErrorCoverage['score'] }) {
  const n = Math.min(total, 8);
  const share = (part: number): number => Math.round((part / total) * n);
  const full = wired > 0 ? Math.max(1, share(wired)) : 0;
  const open = total > wired + policy ? Math.max(1, share(total - wired - policy)) : 0;
  return (
    <span className="coverage-bars" aria-hidden="true">
      {Array.from({ length: n }, (_, i) => <i key={`bar ${String(i)}`} className={i < full ? 'on' : i >= n - open ? 'open' : ''} />)}
    </span>
  );
}
