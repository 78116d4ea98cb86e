/** Under the panel: the breakpoint of the chosen step with its condition, or all of them in a line. */
import type { Workflow } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import { Button, Icon, Kbd, Switch, TextInput } from '../../kit/index.ts';
import type { useBreakpoints } from './breakpoints.ts';
import './debug.css';

export function BreakLine({ document, chosen, points, titleOf, keys }: {
  document: Workflow; chosen: string | undefined; points: ReturnType<typeof useBreakpoints>; titleOf(id: string): string; keys: string | undefined;
}) {
  const here = points.points.filter((point) => Object.hasOwn(document.nodes, point.node));
  if (chosen !== undefined && Object.hasOwn(document.nodes, chosen)) {
    const own = here.find((point) => point.node === chosen);
    return (
      <div className="dbg-line" data-breakpoint={own ? 'set' : 'none'}>
        <span className="row s"><Icon name="brk" size={12} className={own ? 'c-err' : 't3'} />
          <Switch label={t('debug.pointHere')} checked={own !== undefined} onChange={() => points.toggle(chosen)} />
          <span>{t('debug.pointHere')}</span>
          {keys === undefined ? null : <span className="end"><Kbd keys={keys} /></span>}
        </span>
        {own ? (
          <label className="field"><span className="lab">{t('debug.pointWhen')}</span>
            <TextInput mono value={own.when ?? ''} placeholder={t('debug.pointWhenHint')} aria-label={t('debug.pointWhen')} onChange={(text) => points.setWhen(chosen, text)} />
          </label>
        ) : null}
      </div>
    );
  }
  if (!here.length) return null;
  return (
    <div className="dbg-line row s t3"><Icon name="brk" size={12} className="c-err" />
      <span className="ell">{tn('debug.some', here.length, { names: here.map((point) => titleOf(point.node)).join(', ') })}</span>
      <span className="end"><Button small onClick={points.clear}>{t('debug.clear')}</Button></span>
    </div>
  );
}
