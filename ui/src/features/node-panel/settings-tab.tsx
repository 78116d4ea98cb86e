// Settings of a step: the form of its kind, then what every step has.

import { memo, useCallback, useMemo, useRef, useState, type ComponentProps, type ReactNode } from 'react';
import { asSchema } from '../../json/json-schema.ts';
import { isObject } from '../../json/json.ts';
import { FormStep } from '../../shared/form/form-step.tsx';
import { ScheduleEditor } from '../../shared/schedule/schedule-editor.tsx';
import { quotedName, quotedParts, withColumn, withTable } from '../../shared/database/sql-names.ts';
import { TableBrowser, tableName, tableParts } from '../../shared/database/table-browser.tsx';
import { CopyCurl } from '../../shared/http/copy-curl.tsx';
import { PollPanel } from '../../shared/poll/poll-panel.tsx';
import { SampleRun } from '../../shared/sample-run.tsx';
import { WebhookPanel } from '../../shared/webhook/webhook-panel.tsx';
import { useCommand } from '../../api/queries.ts';
import { CONNECTOR_CALL } from '../../code/connector-step.ts';
import { MCP_TOOL } from '../../code/tool-step.ts';
import type { Diagnostic, JsonSchema, NodeDescriptor, Workflow, WorkflowNode } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { t, withChoiceWords } from '../../i18n/index.ts';
import { SchemaForm, pointerOf, type ExpressionHost, type OwnWidgets, type Path } from '../../schema-form/index.ts';
import { ConditionField } from '../../shared/conditions/condition-field.tsx';
import { CredentialField, StepKindContext } from '../../shared/secrets/credential-field.tsx';
import { GuardsEditor } from './guards-editor.tsx';
import { IncomingContext, IncomingField, type IncomingStep } from './incoming-field.tsx';
import { defaultMode } from './default-mode.ts';
import { chosenFor } from './model-choice.ts';
import { ModelContext, ModelField, ProviderField } from './model-fields.tsx';
import { ToolRulesField } from './tool-rules.tsx';
import { retitledOperation, usualCredential, useConnectorSchema } from './connector-schema.ts';
import { retitled, useConfigSchema } from './tool-schema.ts';
import { FormFieldsField } from './params-editor.tsx';
import { SqlField, SqlTablesContext } from './sql-field.tsx';
import type { NodePanelProps } from './types.ts';
import { WorkflowField } from './workflow-field.tsx';
import { WritesEditor } from './writes-editor.tsx';

const WIDGETS: OwnWidgets = { condition: ConditionField, credential: CredentialField, workflow: WorkflowField, toolRules: ToolRulesField, provider: ProviderField, model: ModelField, incoming: IncomingField, formFields: FormFieldsField, sql: SqlField };

export interface SettingsTabProps {
  nodeId: string;
  node: WorkflowNode;
  descriptor: NodeDescriptor | undefined;
  diagnostics: readonly Diagnostic[];
  host: ExpressionHost;
  /** What the workflow says about its variables. */
  contextSchema: unknown;
  /** `settings.model` of the workflow. */
  model: unknown;
  /** `settings.skills` of the workflow, and its id, which the folder is granted to. */
  skills: { workflowId: string; folder: unknown };
  /** The steps whose wires lead to this one. */
  incoming?: readonly IncomingStep[];
  readOnly: boolean;
  /** The workflow as it is edited, for tests that the host makes. */
  draft?: () => Workflow;
  onEdit: NodePanelProps['onEdit'];
}

const NO_STEPS: readonly IncomingStep[] = [];

const SCHEDULE = 'trigger.schedule';
const FORM = 'trigger.form';
const WEBHOOK = 'trigger.webhook';
const POLL = 'trigger.poll';
const QUERY = 'db.query';
const WRITE = 'db.write';
const HTTP = 'http.request';
/** The webhook and the source of new items have tests of their own. */
const TRIED_WITH_A_SAMPLE: readonly string[] = [SCHEDULE, FORM, 'trigger.file_watch', 'trigger.mail', 'trigger.message', 'trigger.error'];

/** When a schedule runs has an editor of its own; the form shows the other settings. */
function withoutSchedule(kind: string, schema: JsonSchema): JsonSchema {
  if (kind !== SCHEDULE || !schema.properties) return schema;
  const { cron: _cron, every: _every, ...properties } = schema.properties;
  return { ...schema, properties };
}

/** The SQL field: data dropped into it becomes a parameter. */
function withSqlField(kind: string, schema: JsonSchema): JsonSchema {
  const sql = schema.properties?.['sql'];
  return kind === QUERY && sql ? { ...schema, properties: { ...schema.properties, sql: { ...sql, 'x-ui': { ...sql['x-ui'], widget: 'sql' } } } } : schema;
}

/** Settings that few people need: the catalog puts them into the group More. Null where a kind has none. */
export function foldedParts(schema: JsonSchema): { shown: string[]; folded: string[]; schema: JsonSchema } | null {
  const names = Object.entries(schema.properties ?? {});
  const folded = names.filter(([, property]) => property['x-ui']?.['group'] === FOLDED_GROUP).map(([name]) => name);
  return folded.length === 0 ? null : { shown: names.map(([name]) => name).filter((name) => !folded.includes(name)), folded, schema: { ...schema, properties: Object.fromEntries(names.map(([name, property]) => [name, folded.includes(name) ? untitled(property) : property])) } };
}
const FOLDED_GROUP = 'More';
/** Its heading is that of the fold. */
const untitled = (property: JsonSchema): JsonSchema => ({ ...property, 'x-ui': { ...property['x-ui'], group: undefined } });

/** The parts of a node that all kinds share, as a schema. */
export function commonSchemas(descriptor: NodeDescriptor | undefined, config?: unknown): { first: JsonSchema; more: JsonSchema } {
  const hasSuccess = !descriptor || descriptor.ports.some((port) => port.id === 'success');
  const calls = !descriptor || (descriptor.role !== 'trigger' && descriptor.role !== 'stop');
  const effects = descriptor?.effects;
  const writes = effects === 'write' || (typeof effects === 'object' && ('tools' in effects ? effects.with === 'write' : Object.values(effects.values).includes('write')));
  const first: Record<string, JsonSchema> = {};
  if (hasSuccess && calls) first['if'] = { type: 'string', title: t('settings.if'), description: t('settings.ifHint'), 'x-cel': true, 'x-ui': { widget: 'condition', placeholder: 'item.id != \'\'' } };
  const more: Record<string, JsonSchema> = {};
  if (calls) more['out'] = { type: 'object', title: t('settings.out'), description: t(descriptor?.type === MCP_TOOL ? 'settings.outHintTool' : 'settings.outHint'), 'x-ui': { widget: 'keyvalue', prefix: '$', cel: true } };
  // Kinds without effects end at once: a limit would mean nothing. Where the kind has its own, one is enough.
  if (effects !== 'none' && !asSchema(descriptor?.config).properties?.['timeoutMs']) {
    more['timeoutMs'] = { type: 'integer', title: t('settings.timeout'), description: t('settings.timeoutHint'), ...(descriptor?.timeoutMs === undefined ? {} : { default: descriptor.timeoutMs }), 'x-ui': { widget: 'duration', plain: true } };
  }
  if ((descriptor?.modes.length ?? 2) > 1) {
    more['mode'] = { title: t('settings.mode'), default: descriptor ? defaultMode(descriptor, config) : 'each', oneOf: [{ const: 'each', title: t('settings.mode.each') }, { const: 'all', title: t('settings.mode.all') }], 'x-ui': { plain: true } };
  }
  if (calls) {
    more['in'] = { type: 'object', title: t('settings.in'), description: t('settings.inHint'), 'x-ui': { widget: 'keyvalue' } };
    more['print'] = { title: t('settings.print') };
  }
  if (writes) more['idempotencyKey'] = { type: 'string', title: t('settings.idempotency'), description: t('settings.idempotencyHint'), 'x-ui': { placeholder: '{{item.id}}' } };
  more['description'] = { type: 'string', title: t('settings.description'), description: t('settings.descriptionHint'), 'x-multiline': true, 'x-ui': { plain: true } };
  return { first: { type: 'object', properties: first }, more: { type: 'object', properties: more } };
}

/** Tables and columns: in a query a name goes into the SQL; in a write a table becomes the table, a column one of its columns. */
function DatabaseNames({ nodeId, node, workflowId, readOnly, onEdit }: Pick<SettingsTabProps, 'nodeId' | 'node' | 'readOnly' | 'onEdit'> & { workflowId: string }) {
  const config = isObject(node.config) ? node.config : {};
  const system = config['system'];
  const set = (name: string, value: unknown) => onEdit({ type: 'setNode', id: nodeId, path: ['config', name], value }, { label: t('tables.title') });
  const columns = Array.isArray(config['columns']) ? config['columns'] : [];
  const written = (parts: readonly string[]) => (node.type === WRITE ? parts.join('.') : quotedParts(system, parts));
  return (
    <TableBrowser key={`tables ${nodeId}`} workflowId={workflowId} config={config} readOnly={readOnly} written={written}
      onTable={(table) => {
        if (node.type === WRITE) set('table', tableName(table));
        else set('sql', withTable(config['sql'], written(tableParts(table))));
      }}
      onColumn={(table, column) => {
        if (node.type === QUERY) set('sql', withColumn(config['sql'], written(tableParts(table)), quotedName(system, column)));
        else if (!columns.some((one) => isObject(one) && one['column'] === column)) set('columns', [...columns, { column }]);
      }} />
  );
}

export function SettingsTab({ nodeId, node, descriptor, diagnostics, host, contextSchema, model, skills, incoming = NO_STEPS, readOnly, draft, onEdit }: SettingsTabProps) {
  const common = useMemo(() => commonSchemas(descriptor, node.config), [descriptor, node.config]);
  const own = useMemo(() => withSqlField(node.type, withoutSchedule(node.type, withChoiceWords(node.type, asSchema(descriptor?.config)))), [node.type, descriptor]);
  const schema = useConnectorSchema(useConfigSchema(own, nodeId, node, skills), node);
  const parts = useMemo(() => foldedParts(schema), [schema]);
  const tools = useCommand('tool_list', {}, { enabled: node.type === MCP_TOOL, staleTime: 30_000 }).data;
  const connectors = useCommand('connector_list', {}, { enabled: node.type === CONNECTOR_CALL, staleTime: 30_000 }).data;
  const asks = schema.properties?.['model']?.['x-ui']?.['widget'] === 'model';
  const usual = useCommand('model_list', {}, { enabled: asks, staleTime: 30_000 }).data?.default;
  const chosen = useMemo(() => chosenFor(node.config ?? {}, model, usual), [node.config, model, usual]);
  // What a loop asks about its iterations stands among its settings; what it writes to the context knows all of them.
  const within = useMemo<ExpressionHost>(() => (descriptor?.role === 'loop' ? { ...host, names: () => host.names(true) } : descriptor?.role === 'trigger' ? { ...host, first: true } : host), [host, descriptor?.role]);
  const pointer = pointerOf('', ['nodes', nodeId]);
  const tables = node.type === QUERY || node.type === WRITE ? <DatabaseNames nodeId={nodeId} node={node} workflowId={skills.workflowId} readOnly={readOnly} onEdit={onEdit} /> : null;
  const label = descriptor?.title ?? node.type;
  const latest = useLatest({ node, tools, connectors });
  const onConfig = useCallback(
    (_: unknown, edit: { path: Path; value: unknown }) => {
      const path = ['config', ...edit.path];
      const set = { type: 'setNode', id: nodeId, path, value: edit.value } as const;
      const title = retitled(latest.current.node, edit, latest.current.tools ?? []) ?? retitledOperation(latest.current.node, edit, latest.current.connectors ?? []);
      const credential = usualCredential(latest.current.node, edit, latest.current.connectors ?? []);
      const more = [
        ...(title === undefined ? [] : [{ type: 'setNode', id: nodeId, path: ['title'], value: title } as const]),
        ...(credential === undefined ? [] : [{ type: 'setNode', id: nodeId, path: ['config', 'credential'], value: credential ?? undefined } as const]),
      ];
      onEdit(more.length === 0 ? set : [set, ...more], { label: t('settings.config', { kind: label }), merge: `${nodeId} ${path.join('.')}` });
    },
    [nodeId, label, latest, onEdit],
  );
  const onCommon = useCallback(
    (_: unknown, edit: { path: Path; value: unknown }) => {
      onEdit({ type: 'setNode', id: nodeId, path: edit.path, value: edit.value }, { label: t('panel.tab.settings'), merge: `${nodeId} ${edit.path.join('.')}` });
    },
    [nodeId, onEdit],
  );
  const used = Object.keys(common.more.properties ?? {}).filter((name) => Object.hasOwn(node, name));
  // What is set, or is wrong, is seen: only what nobody has touched is folded away.
  const foldedInUse = parts !== null && (parts.folded.some((name) => isObject(node.config) && Object.hasOwn(node.config, name)) || forFields(diagnostics, `${pointer}/config`, parts.folded).length > 0);
  const empty = descriptor !== undefined && Object.keys(asSchema(descriptor.config).properties ?? {}).length === 0 && node.config === undefined;
  return (
    <div className="panel-body">
      {node.type === SCHEDULE ? (
        <ScheduleEditor key={`schedule ${nodeId}`} config={isObject(node.config) ? node.config : {}} pointer={`${pointer}/config`} diagnostics={diagnostics} readOnly={readOnly}
          onChange={({ cron, every }) => onEdit([{ type: 'setNode', id: nodeId, path: ['config', 'cron'], value: cron }, { type: 'setNode', id: nodeId, path: ['config', 'every'], value: every }], { label: t('schedule.title'), merge: `${nodeId} schedule` })} />
      ) : null}
      {node.type === FORM ? <FormStep key={`form ${nodeId}`} workflowId={skills.workflowId} nodeId={nodeId} config={isObject(node.config) ? node.config : {}} /> : null}
      {node.type === WEBHOOK ? <WebhookPanel key={`webhook ${nodeId}`} workflowId={skills.workflowId} nodeId={nodeId} config={isObject(node.config) ? node.config : {}} /> : null}
      {node.type === POLL ? <PollPanel key={`poll ${nodeId}`} workflowId={skills.workflowId} nodeId={nodeId} config={isObject(node.config) ? node.config : {}} {...(draft ? { draft } : {})} /> : null}
      {node.type === WRITE ? tables : null}
      {TRIED_WITH_A_SAMPLE.includes(node.type) ? <SampleRun nodeId={nodeId} /> : null}
      {descriptor && !empty ? (
        <StepKindContext value={node.type}><ModelContext value={chosen}><IncomingContext value={incoming}><SqlTablesContext value={tables}><SchemaForm key={`config ${nodeId}`} schema={schema} shown={parts?.shown} value={node.config} onChange={onConfig} diagnostics={diagnostics} basePointer={`${pointer}/config`} context={within} readOnly={readOnly} label={t('settings.config', { kind: label })} widgets={WIDGETS} /></SqlTablesContext></IncomingContext></ModelContext></StepKindContext>
      ) : empty ? (
        <p className="s t3">{t('settings.nothing')}</p>
      ) : (
        <>
          <b>{t('panel.unknownKind', { kind: node.type })}</b>
          <p className="s t2">{t('panel.unknownKindText')}</p>
        </>
      )}
      {node.type === 'agent.task' ? <WritesEditor nodeId={nodeId} node={node} schema={contextSchema} diagnostics={diagnostics} readOnly={readOnly} onEdit={onEdit} /> : null}
      <div className="panel-rule" />
      <CommonForm key={`common ${nodeId}`} schema={common.first} value={node} onChange={onCommon} diagnostics={diagnostics} basePointer={pointer} context={host} readOnly={readOnly} label={t('settings.common')} json={false} widgets={WIDGETS} />
      <MoreSettings inUse={used.length > 0 || foldedInUse} key={`more ${nodeId}`}>
        {parts ? (
          <StepKindContext value={node.type}><ModelContext value={chosen}><SchemaForm key={`folded ${nodeId}`} schema={parts.schema} shown={parts.folded} value={node.config} onChange={onConfig} diagnostics={forFields(diagnostics, `${pointer}/config`, parts.folded)} basePointer={`${pointer}/config`} context={within} readOnly={readOnly} label={t('settings.folded', { kind: label })} json={false} widgets={WIDGETS} /></ModelContext></StepKindContext>
        ) : null}
        {node.type === HTTP ? <CopyCurl config={isObject(node.config) ? node.config : {}} /> : null}
        <SchemaForm schema={common.more} value={node} onChange={onCommon} diagnostics={forFields(diagnostics, pointer, Object.keys(common.more.properties ?? {}))} basePointer={pointer} context={host} readOnly={readOnly} label={t('settings.more')} json={false} />
      </MoreSettings>
      <GuardsEditor nodeId={nodeId} node={node} descriptor={descriptor} diagnostics={diagnostics} host={host} readOnly={readOnly} onEdit={onEdit} />
    </div>
  );
}

/** A form over some fields of the step: the other ones do not draw it anew. */
function CommonForm({ schema, value, diagnostics, ...props }: ComponentProps<typeof SchemaForm> & { value: WorkflowNode; diagnostics: readonly Diagnostic[]; basePointer: string }) {
  const names = useMemo(() => Object.keys(schema.properties ?? {}), [schema]);
  const own = useSame(Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name))));
  const found = useMemo(() => forFields(diagnostics, props.basePointer, names), [diagnostics, props.basePointer, names]);
  return <StillForm {...props} schema={schema} value={own} diagnostics={found} />;
}

const StillForm = memo(SchemaForm);

/** The object of before, as long as it holds the same. */
function useSame(next: { [name: string]: unknown }): { [name: string]: unknown } {
  const [kept, setKept] = useState(next);
  const names = Object.keys(next);
  if (names.length === Object.keys(kept).length && names.every((name) => Object.hasOwn(kept, name) && kept[name] === next[name])) return kept;
  setKept(next);
  return next;
}

/** Opens when something in it is set or wrong, and stays as it is when that ends: a field that is emptied does not vanish under the hand. */
function MoreSettings({ inUse, children }: { inUse: boolean; children: ReactNode }) {
  const [open, setOpen] = useState(inUse);
  const [before, setBefore] = useState(inUse);
  if (inUse !== before) {
    setBefore(inUse);
    if (inUse) setOpen(true);
  }
  // What nobody sees is not drawn anew for each key of a field above: it follows when it is opened.
  const drawn = useRef(children);
  if (open) drawn.current = children;
  return (
    <details className="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cap">{t('settings.more')}</summary>
      {drawn.current}
    </details>
  );
}

/** Only the findings of the fields that a form shows: the rest of the node is not its business. */
function forFields(diagnostics: readonly Diagnostic[], pointer: string, names: readonly string[]): readonly Diagnostic[] {
  return diagnostics.filter((one) => names.some((name) => one.path === `${pointer}/${name}` || one.path.startsWith(`${pointer}/${name}/`)));
}
