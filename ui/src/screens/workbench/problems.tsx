import { isFault, isTodo, nodeOf, edgeOf } from '../../api/diagnostics.ts';
import type { Diagnostic, NodeDescriptor, Workflow } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { t } from '../../i18n/index.ts';
import { Button, EmptyState, Icon, SignalIcon } from '../../kit/index.ts';
import { useAllowFolder } from '../../schema-form/folder-grants.ts';
import { titleOf } from '../../features/node-panel/index.ts';

/** Every finding: what, where, what now. A click goes there. */
export function Problems({ diagnostics, document, catalog, onGo, onGoWire }: { diagnostics: Diagnostic[]; document: Workflow; catalog: readonly NodeDescriptor[]; onGo(nodeId: string | undefined): void; onGoWire(index: number): void }) {
  const allow = useAllowFolder();
  if (diagnostics.length === 0) return <div className="wb-problems"><EmptyState title={t('builder.problemsNone')} text={t('builder.problemsNoneText')} /></div>;
  return (
    <div className="wb-problems" role="region" aria-label={t('builder.problemsTitle')}>
      {diagnostics.map((diagnostic, index) => {
        const node = nodeOf(diagnostic, document);
        const wire = edgeOf(diagnostic, document);
        const opens = allow(diagnostic);
        const key = `${diagnostic.code}${diagnostic.path}${String(index)}`;
        const row = (
          <button key={key} type="button" className="wb-problem" onClick={() => { if (wire === undefined) onGo(node); else onGoWire(wire); }}>
            {isTodo(diagnostic) ? <Icon name="pencil" size={12} className="c-off" label={t('todo.step')} />
              : isFault(diagnostic) ? <SignalIcon signal="err" label={t('builder.error')} /> : <SignalIcon signal="warn" label={t('builder.warning')} />}
            <span className="col">
              <bdi><Pieces text={diagnostic.message} /></bdi>
              <bdi className="s t2"><Pieces text={diagnostic.hint} /></bdi>
            </span>
            <span className="s t3 row">
              {node ? titleOf(document, node, catalog) : t('builder.wholeFile')}
              <code title={diagnostic.path}>{diagnostic.code}</code>
            </span>
          </button>
        );
        return opens ? <div key={key} className="wb-problem-line">{row}<Button small icon="folder" onClick={opens}>{t('folders.button')}</Button></div> : row;
      })}
    </div>
  );
}
