/** Two runs as a whole, and their definitions: each place that differs. */
import './compare.css';
import type { Workflow } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { ValueView } from '../../code/ValueView.tsx';
import { t } from '../../i18n/index.ts';
import { DiffView } from '../../shared/diff-view.tsx';
import type { NameOf } from '../../shared/format-path.ts';
import { SideName, useEnter } from './detail.tsx';
import { SIDES, type Comparison, type Side, type Whole } from './words.ts';

type Change = Comparison['params'][number];
type ChangedStep = Comparison['definition']['steps'][number];

type Definitions = Record<Side, Workflow>;

export function WholeDetail({ found, definitions, whole, titleOf, enter }: { found: Comparison; definitions: Definitions; whole: Whole; titleOf: NameOf; enter: (() => void) | null }) {
  const box = useEnter<HTMLElement>(enter, true);
  return (
    <section ref={box} className="cmp-detail" aria-label={t(`compare.part.${whole}`)}>
      <header className="cmp-head row"><b>{t(`compare.part.${whole}`)}</b></header>
      <div className="cmp-scroll" tabIndex={0} role="group" aria-label={t(`compare.part.${whole}`)}>
        {whole === 'definition' ? <Definition found={found} definitions={definitions} titleOf={titleOf} /> : <Places changes={found[whole]} found={found} />}
      </div>
    </section>
  );
}

function Definition({ found, definitions, titleOf }: { found: Comparison; definitions: Definitions; titleOf: NameOf }) {
  const { steps, parts } = found.definition;
  if (steps.length === 0 && parts.length === 0) return <p className="s t2 cmp-none">{t('compare.definitionNames')}</p>;
  return (
    <>
      {parts.map((part) => <PartChange key={part} part={part} definitions={definitions} />)}
      {steps.map((step) => <StepChange key={step.stepId} step={step} found={found} titleOf={titleOf} />)}
    </>
  );
}

function StepChange({ step, found, titleOf }: { step: ChangedStep; found: Comparison; titleOf: NameOf }) {
  return (
    <div>
      <p className="cmp-line"><b><Pieces text={titleOf(step.stepId)} /></b> <span className="s t2">{t(`compare.changed.${step.change}`)}</span></p>
      {step.changes?.length ? <Places changes={step.changes} found={found} /> : null}
    </div>
  );
}

/** A step that came to the same, though its definition is another one. */
export function ChangeDetail({ step, found, titleOf }: { step: ChangedStep; found: Comparison; titleOf: NameOf }) {
  const label = t('compare.changeOf', { step: titleOf(step.stepId) });
  return (
    <section className="cmp-detail" aria-label={label}>
      <header className="cmp-head row"><b className="ell"><Pieces text={label} /></b></header>
      <div className="cmp-scroll" tabIndex={0} role="group" aria-label={label}>
        <StepChange step={step} found={found} titleOf={titleOf} />
        <p className="s t2 cmp-line">{t(step.change === 'added' || step.change === 'removed' ? 'compare.changeIdle' : 'compare.stepSameText')}</p>
      </div>
    </section>
  );
}

const PARTS = ['params', 'context', 'settings'] as const;

/** A part of the definition that is not a step. */
function PartChange({ part, definitions }: { part: string; definitions: Definitions }) {
  const known = PARTS.find((one) => one === part);
  if (known === undefined) return <p className="cmp-line"><b>{part}</b></p>;
  const words = t(`compare.definition.${known}`);
  return (
    <div>
      <p className="cmp-line"><b>{words}</b></p>
      <div className="cmp-part"><DiffView view="side" before={definitions.a[known] ?? {}} after={definitions.b[known] ?? {}} label={t('compare.sideBySide', { part: words })} /></div>
    </div>
  );
}

/** One line for each place. */
function Places({ changes, found }: { changes: readonly Change[]; found: Comparison }) {
  return (
    <table className="cmp-places s">
      <thead><tr><th scope="col">{t('compare.place')}</th>{SIDES.map((side) => <th key={side} scope="col"><SideName side={side} run={found[side].runId} /></th>)}</tr></thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.pointer}>
            <th scope="row" className="mono"><Pieces text={formatPlace(change.pointer)} /></th>
            {SIDES.map((side) => (
              <td key={side} className={!Object.hasOwn(change, side) ? '' : side === 'a' ? 'd' : 'a'}>{Object.hasOwn(change, side) ? <ValueView value={change[side]} label={t('compare.sideBySide', { part: formatPlace(change.pointer) })} /> : <span className="t3">{t('compare.nothing')}</span>}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `/list/0/name` as `list.0.name`. */
const formatPlace = (pointer: string): string => pointer.split('/').slice(1).map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.') || '.';
