// The error handling of an error handler: its rules, and what they would do.

import { useMemo } from 'react';
import type { Rule } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Button } from '../../kit/index.ts';
import { FormScopeProvider, pointerOf, type ExpressionHost, type FormScope } from '../../schema-form/index.ts';
import { DryRun } from './dry-run.tsx';
import type { ErrorTabProps } from './error-tab.tsx';
import { actionWords, DEFAULT_RULES, RulesEditor } from './rules-editor.tsx';
import { titleOf, wiredPorts } from './then-words.ts';
import { ofStep } from './tried-step.ts';

const listOf = (config: unknown): Rule[] => {
  const list = typeof config === 'object' && config !== null ? (config as { rules?: unknown }).rules : undefined;
  return Array.isArray(list) ? list.map((one: Partial<Rule> | null) => ({ name: String(one?.name ?? ''), when: String(one?.when ?? ''), action: String(one?.action ?? '') })) : [];
};

/** Steps whose error wires come here. */
export function servedSteps(document: ErrorTabProps['document'], id: string): string[] {
  return document.edges.filter((edge) => edge.to === id && edge.from.endsWith('.error')).map((edge) => edge.from.slice(0, -'.error'.length));
}

export function HandlerTab({ document, nodeId, catalog, diagnostics, readOnly, host, onEdit }: ErrorTabProps & { host?: ExpressionHost | undefined }) {
  const node = document.nodes[nodeId];
  const rules = useMemo(() => listOf(node?.config), [node?.config]);
  const base = pointerOf('', ['nodes', nodeId]);
  const scope = useMemo<FormScope>(() => ({ base, diagnostics, host: null, readOnly, edit: () => undefined }), [base, diagnostics, readOnly]);
  if (!node) return null;
  const served = servedSteps(document, nodeId);
  const wired = wiredPorts(document, nodeId);
  const titles = (id: string): string => titleOf(document, id, catalog);
  const put = (next: readonly Rule[]): void =>
    onEdit({ type: 'setNode', id: nodeId, path: ['config', 'rules'], value: next.length === 0 ? undefined : next }, { label: t('workflow.rules'), merge: `rules ${nodeId} ${String(next.length)}` });
  return (
    <FormScopeProvider value={scope}>
      <div className="panel-body">
        <p className="s t2">{served.length > 0 ? t('rules.serves', { names: served.map(titles).join(', ') }) : t('rules.servesNobody')}</p>
        {rules.length === 0 ? (
          <div className="field">
            <span className="lab">{t('rules.default')}{readOnly ? null : <button type="button" className="lab-add end" onClick={() => put(DEFAULT_RULES)}>{t('rules.copy')}</button>}</span>
            <ol className="box dry-why" aria-label={t('workflow.rules')}>
              {DEFAULT_RULES.map((rule, i) => (
                <li key={rule.name}><span className="s t3">{i + 1}</span><span className="col grow"><span>{rule.name}</span><code className="s t2 ell" title={rule.when}>{rule.when}</code></span><span className="s end">{actionWords(rule.action)}</span></li>
              ))}
            </ol>
            {readOnly ? null : <span><Button small icon="plus" onClick={() => put([{ name: t('workflow.ruleNew'), when: 'error.retryable', action: 'retry' }])}>{t('workflow.ruleAdd')}</Button></span>}
          </div>
        ) : <RulesEditor rules={rules} path={['config', 'rules']} wired={wired} host={host} onChange={put} />}
        <DryRun workflowId={document.id} nodeIds={served.length > 0 ? served : undefined} titles={titles} rules={rules.length === 0 ? DEFAULT_RULES : rules}
          settingOf={(step) => ({ rules: [...rules], wired, ...ofStep(document, step ?? served[0], catalog) })} />
      </div>
    </FormScopeProvider>
  );
}
