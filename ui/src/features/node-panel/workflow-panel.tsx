// No step is chosen: the workflow itself.

import { useMemo, type ReactNode } from 'react';
import { isObject } from '../../json/json.ts';
import { asSchema } from '../../json/json-schema.ts';
import type { JsonSchema, Workflow } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { t } from '../../i18n/index.ts';
import { Segmented, Select, Tile } from '../../kit/index.ts';
import { Field, Findings, FormScopeProvider, KeyValueTable, diagnosticsAt, type FormScope } from '../../schema-form/index.ts';
import { AgentsEditor } from './agents-editor.tsx';
import { AuditRules } from './audit-rules.tsx';
import { DryRun } from './dry-run.tsx';
import { HoursEditor } from './hours-editor.tsx';
import { LimitsEditor } from './limits-editor.tsx';
import { ParamsEditor } from './params-editor.tsx';
import { RulesEditor } from './rules-editor.tsx';
import { titleOf } from './then-words.ts';
import { ofStep } from './tried-step.ts';
import type { NodePanelProps } from './types.ts';
import { WorkflowModel } from './workflow-model.tsx';

const NAME: JsonSchema = { type: 'string', get title() { return t('workflow.name'); } };
const DESCRIPTION: JsonSchema = { type: 'string', get title() { return t('workflow.description'); }, 'x-multiline': true };

const PER_RUN: JsonSchema = { type: 'number', minimum: 0, get title() { return t('workflow.budgetRun'); } };
const STEP_MEMORY: JsonSchema = { type: 'integer', minimum: 16, maximum: 65_536, get title() { return t('workflow.stepMemory'); } };
const PER_DAY: JsonSchema = { type: 'number', minimum: 0, get title() { return t('workflow.budgetDay'); } };

/** What can wait until the workflow does something. */
function Later({ closed, children }: { closed: boolean; children: ReactNode }) {
  return closed ? <details className="more"><summary className="cap">{t('workflow.label')}</summary><div className="panel-later">{children}</div></details> : children;
}

type PolicyKind = 'safe' | 'fail' | 'rules';

export function WorkflowPanel({ document, diagnostics, catalog, onEdit, readOnly = false, empty = null }: NodePanelProps) {
  const scope = useMemo<FormScope>(
    () => ({
      base: '', diagnostics, host: null, readOnly,
      edit: (path, value) => onEdit({ type: 'set', path, value }, { label: t('workflow.label'), merge: `workflow ${path.join('.')}` }),
    }),
    [diagnostics, readOnly, onEdit],
  );
  const budget = isObject(document.settings?.budget) ? document.settings.budget : {};
  const policy = document.settings?.errorPolicy ?? 'fail';
  const kind: PolicyKind = typeof policy === 'object' ? 'rules' : policy;
  const set = (path: readonly (string | number)[], value: unknown) => onEdit({ type: 'set', path, value }, { label: t('workflow.label') });

  function setPolicy(next: PolicyKind) {
    const value: NonNullable<Workflow['settings']>['errorPolicy'] = next === 'rules' ? { rules: [{ name: t('workflow.ruleNew'), when: 'error.retryable', action: 'retry' }] } : next;
    set(['settings', 'errorPolicy'], value);
  }

  return (
    <aside className="pane node-panel" aria-label={t('workflow.label')}>
      <header className="panel-head">
        <Tile icon="workflow" tone="start" />
        <div className="grow">
          <b className="ell block" title={plain(document.name)}><bdi><Pieces text={document.name} /></bdi></b>
          <div className="s t3 ell"><code>{document.id}</code></div>
        </div>
      </header>
      <FormScopeProvider value={scope}>
        <div className="panel-body panel-scroll panel-top">
          {empty}
          <Later closed={empty !== null}>
          {empty === null ? <p className="s t3">{t('workflow.steps')}</p> : null}
          <Field name="name" schema={NAME} value={document.name} path={['name']} required />
          <Field name="description" schema={DESCRIPTION} value={document.description} path={['description']} />
          <div className="panel-rule" />
          <div className="field">
            <span className="lab">{t('workflow.policy')}</span>
            <Segmented<PolicyKind> label={t('workflow.policy')} value={kind} onChange={(next) => { if (!readOnly && next !== kind) setPolicy(next); }}
              options={[{ value: 'safe', label: t('workflow.policy.safe') }, { value: 'fail', label: t('workflow.policy.fail') }, { value: 'rules', label: t('workflow.policy.rules') }]} />
            <span className="s t3">{t(`workflow.policy.${kind}Text`)}</span>
            <Findings findings={diagnosticsAt(diagnostics, '/settings/errorPolicy', false)} />
          </div>
          {typeof policy === 'object' ? (
            <RulesEditor rules={policy.rules} path={['settings', 'errorPolicy', 'rules']}
              onChange={(rules) => onEdit({ type: 'set', path: ['settings', 'errorPolicy', 'rules'], value: rules }, { label: t('workflow.rules'), merge: `rules ${String(rules.length)}` })} />
          ) : null}
          <div className="field">
            <span className="lab">{t('workflow.abort')}</span>
            <Select label={t('workflow.abort')} value={document.settings?.onAbort ?? ''} disabled={readOnly}
              onChange={(next) => set(['settings', 'onAbort'], next === '' ? undefined : next)}
              options={[{ value: '', label: t('workflow.abortNone') }, ...Object.keys(document.nodes).map((id) => ({ value: id, label: titleOf(document, id, catalog), hint: id }))]} />
            <span className="s t3">{t('workflow.abortHint')}</span>
            <Findings findings={diagnosticsAt(diagnostics, '/settings/onAbort', true)} />
          </div>
          <DryRun workflowId={document.id} nodeIds={undefined} titles={(id) => titleOf(document, id, catalog)} rules={typeof policy === 'object' ? policy.rules : []}
            settingOf={(step) => ({ ...ofStep(document, step, catalog), ...(typeof policy === 'object' ? { rules: policy.rules } : { policy }) })} />
          <div className="panel-rule" />
          <WorkflowModel settings={document.settings} />
          <div className="panel-rule" />
          <div className="field" role="group" aria-label={t('workflow.budget')}>
            <span className="lab">{t('workflow.budget')}</span>
            <Field name="perRun" schema={PER_RUN} value={budget['perRun']} path={['settings', 'budget', 'perRun']} />
            <Field name="perDay" schema={PER_DAY} value={budget['perDay']} path={['settings', 'budget', 'perDay']} />
            <span className="s t3">{t('workflow.budgetHint')}</span>
            <Findings findings={diagnosticsAt(diagnostics, '/settings/budget', false)} />
          </div>
          <div className="panel-rule" />
          <div className="field">
            <Field name="stepMemoryMb" schema={STEP_MEMORY} value={document.settings?.stepMemoryMb} path={['settings', 'stepMemoryMb']} />
            <span className="s t3">{t('workflow.stepMemoryHint')}</span>
          </div>
          <div className="panel-rule" />
          <LimitsEditor concurrency={document.settings?.concurrency} rateLimit={document.settings?.rateLimit} diagnostics={diagnostics} readOnly={readOnly} onChange={set} />
          <div className="panel-rule" />
          <AgentsEditor workflowId={document.id} settings={document.settings} catalog={catalog} />
          <div className="panel-rule" />
          <AuditRules value={document.settings?.auditRules} />
          <div className="panel-rule" />
          <HoursEditor value={document.settings?.businessHours} diagnostics={diagnostics} readOnly={readOnly}
            onChange={(next) => onEdit({ type: 'set', path: ['settings', 'businessHours'], value: next }, { label: t('workflow.hours') })} />
          <div className="panel-rule" />
          <ParamsEditor schema={document.params === undefined ? undefined : asSchema(document.params)} onChange={(params) => onEdit({ type: 'set', path: ['params'], value: params }, { label: t('workflow.params'), merge: 'params' })} />
          <Findings findings={diagnosticsAt(diagnostics, '/params', true)} />
          <KeyValueTable label={t('workflow.context')} hint={t('workflow.contextHint')} value={document.context?.initial} path={['context', 'initial']}
            onValue={(value) => set(['context', 'initial'], value)} />
          <Findings findings={diagnosticsAt(diagnostics, '/context', false)} />
          </Later>
        </div>
      </FormScopeProvider>
    </aside>
  );
}
