// What the agents of a workflow have: tools where they name none, rules over every call of a tool, a folder of skills.

import type { JsonSchema, NodeDescriptor, Workflow } from '../../api/types.ts';
import { asSchema } from '../../json/json-schema.ts';
import { useCommand } from '../../api/queries.ts';
import { t } from '../../i18n/index.ts';
import { Field, diagnosticsAt, useForm } from '../../schema-form/index.ts';
import { ToolRules } from './tool-rules.tsx';
import { offered, useSkills } from './tool-schema.ts';

const AGENT = 'agent.task';
const SKILLS: JsonSchema = { type: 'string', get title() { return t('workflow.skills'); }, get description() { return t('workflow.skillsHint'); }, 'x-ui': { widget: 'path', plain: true, placeholder: '/srv/skills' } } as JsonSchema;

export function AgentsEditor({ workflowId, settings, catalog }: { workflowId: string; settings: Workflow['settings']; catalog: readonly NodeDescriptor[] }) {
  const tools = useCommand('tool_list', {}, { staleTime: 30_000 });
  const skills = useSkills(workflowId, settings?.skills ?? '');
  const form = useForm();
  // A step has the same list: what it looks like is said once.
  const of = asSchema(catalog.find((kind) => kind.type === AGENT)?.config).properties ?? {};
  const list: JsonSchema = { ...of['tools'], title: t('workflow.tools'), description: t('workflow.toolsHint') };
  return (
    <>
      <Field name="tools" schema={offered(list, tools.data ?? [], skills.data)} value={settings?.tools} path={['settings', 'tools']} />
      <ToolRules label={t('workflow.toolRules')} hint={t('workflow.toolRulesHint')} most={of['toolRules']?.maxItems} none={t('toolRules.noneOfWorkflow')} value={settings?.toolRules}
        path={['settings', 'toolRules']} findings={diagnosticsAt(form.diagnostics, '/settings/toolRules', false)} />
      <Field name="skills" schema={SKILLS} value={settings?.skills} path={['settings', 'skills']} />
    </>
  );
}
