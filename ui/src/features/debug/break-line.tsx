/** Under the panel: the breakpoint of the chosen step or wire with its condition, or all of them in a line. */
import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import type { Workflow } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { t, tn } from '../../i18n/index.ts';
import { Button, Icon, Kbd, Switch, TextInput } from '../../kit/index.ts';
import { placeOf, stands, type Points } from '../../shared/breakpoints.ts';
import { ConditionEditor, type ConditionSource } from '../../shared/conditions/condition-editor.tsx';
import type { NameOf } from '../../shared/format-path.ts';
import { useConditionProblem } from './use-condition.ts';
import { nameOf } from './words.ts';
import './debug.css';

export function BreakLine({ document, chosen, points, titleOf, keys, runId }: {
  document: Workflow; chosen: string | undefined; points: Points; titleOf: NameOf; keys: string | undefined;
  /** Whose data the condition is tried on. */
  runId: string | null;
}) {
  // One at a path is a run's: its step may stand in another file.
  const here = points.points.filter((point) => point.node.includes('/') || stands(point, document));
  const own = chosen === undefined ? undefined : here.find((point) => placeOf(point) === chosen);
  const source = useNames(document, own?.node, runId);
  const problem = useConditionProblem(document, own?.node, own?.when ?? '', runId);
  if (chosen !== undefined) {
    const words = t(chosen.includes('>') ? 'debug.pointAlong' : 'debug.pointHere');
    return (
      <div className="dbg-line" data-breakpoint={own ? 'set' : 'none'}>
        <span className="row s"><Icon name="brk" size={12} className={own ? 'c-err' : 't3'} />
          <label className="row dbg-here" title={words}>
            <Switch label={words} checked={own !== undefined} onChange={() => points.toggle(chosen)} />
            <span className="ell">{words}</span>
          </label>
          {keys === undefined ? null : <span className="end"><Kbd keys={keys} /></span>}
        </span>
        {own ? (
          <div className="field"><span className="lab">{t('debug.pointWhen')}</span>
            <ConditionEditor key={chosen} text={own.when ?? ''} onText={(text) => points.setWhen(chosen, text)} label={t('debug.pointWhen')} readOnly={false} source={source}>
              <When when={own.when ?? ''} invalid={problem !== null} onChange={(text) => points.setWhen(chosen, text)} />
            </ConditionEditor>
            {problem === null ? null : <span className="s c-err row gap1" role="status"><Icon name="errd" size={12} /><span>{problem}</span></span>}
          </div>
        ) : null}
      </div>
    );
  }
  if (!here.length) return null;
  const all = tn('debug.some', here.length, { names: here.map((point) => nameOf(point, titleOf)).join(', ') });
  return (
    <div className="dbg-line row s t3"><Icon name="brk" size={12} className="c-err" />
      <span className="ell" title={all}>{all}</span>
      <span className="end"><Button small onClick={points.clear}>{t('debug.clear')}</Button></span>
    </div>
  );
}

/** The names that a condition at a step may use. */
function useNames(document: Workflow, node: string | undefined, runId: string | null): ConditionSource | null {
  const latest = useLatest(document);
  return useMemo(() => (node === undefined ? null : {
    names: async () => (await call('expression_names', { document: latest.current, nodeId: node, ...(runId === null ? {} : { runId }) }))
      // The engine keeps results of other steps for no condition.
      .filter((name) => !/^nodes\b/.test(name.label)),
    revision: `${node} ${runId ?? ''}`,
  }), [node, runId, latest]);
}

/** A run has a condition without the space at its end, which is the beginning of the next word while somebody types. */
function When({ when, invalid, onChange }: { when: string; invalid: boolean; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(when);
  return (
    <TextInput mono value={typed.trim() === when.trim() ? typed : when} placeholder={t('debug.pointWhenHint')} aria-label={t('debug.pointWhen')} invalid={invalid}
      onChange={(text) => { setTyped(text); onChange(text); }} />
  );
}
