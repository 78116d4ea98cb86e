/** A cURL command that is pasted on a canvas: its request as a step, and what the workflow has to ask for. */
import { call } from '../../api/client.ts';
import type { Workflow } from '../../api/types.ts';
import { type Edit, fragmentText, type ReadCommand } from '../../features/canvas/index.ts';
import { isObject } from '../../json/json.ts';
import { attempt } from '../../shared/use-async-action.ts';
import { showStep } from './import-dialog.tsx';

const HTTP = 'http.request';

/** What a workflow asks for, by name. */
const propertiesOf = (params: unknown): { [name: string]: unknown } => (isObject(params) && isObject(params['properties']) ? params['properties'] : {});

/** Reads commands for this document. What keeps one from being read is said. */
export const commandReader = (document: () => Workflow): ReadCommand => async (text) => {
  const found = await attempt(() => call('import_preview', { text }));
  if (!found) return null;
  const made = found.workflow as Workflow;
  const step = Object.values(made.nodes).find((node) => node.type === HTTP);
  if (!step) return null;
  const { report, secret } = found;
  if (secret || report.findings.length > 0) showStep(step.title ?? '', report, secret);
  const { params } = document();
  const known = propertiesOf(params);
  const fresh = Object.entries(propertiesOf(made.params)).filter(([name]) => !Object.hasOwn(known, name));
  const wanted = { ...(isObject(params) ? params : { type: 'object' }), properties: { ...known, ...Object.fromEntries(fresh) } };
  const more: Edit[] = fresh.length === 0 ? [] : [{ type: 'set', path: ['params'], value: wanted }];
  return { text: fragmentText({ nodes: { request: step }, edges: [], layout: {}, incoming: [] }), more };
};
