/** A rule that decisions of people suggest, put where errors of one step are decided: edits of one undo step (UX D2.14). */

import { isObject } from '../../json/json.ts';
import type { Workflow } from '../../api/types.ts';
import type { Edit } from './document.ts';
import { splitPort } from '../../shared/step-ids.ts';
import type { Catalog } from './model/ports.ts';
import { recoveryKind } from './model/recovery.ts';
import { handlerEdits, type Placed, policyRules, type Rule } from './templates.ts';

export type RulePlaced = Placed | 'gone' | 'there' | 'elsewhere';

const rulesOf = (config: unknown): readonly Rule[] | undefined => {
  const rules = isObject(config) ? config['rules'] : undefined;
  return Array.isArray(rules) ? (rules as Rule[]) : undefined;
};
const ASK: Rule = { name: 'ask-a-person', when: 'true', action: 'human_review' };

/**
 * The rule stands first, so that it decides before anybody is asked. `elsewhere`: the step's error wire leads to something else
 * than a handler or a person now.
 */
export function ruleEdits(document: Workflow, catalog: Catalog, origin: string, rule: Rule, defaults: readonly Rule[]): RulePlaced {
  const node = document.nodes[origin];
  if (!node) return 'gone';
  const wires = document.edges.filter((edge) => splitPort(edge.from).node === origin && splitPort(edge.from).port === 'error');
  const handler = wires.map((edge) => edge.to).find((to) => recoveryKind(document.nodes[to]?.type) === 'handler');
  if (handler !== undefined) {
    const rules = rulesOf(document.nodes[handler]?.config) ?? defaults;
    if (rules.some((one) => one.when === rule.when && one.action === rule.action)) return 'there';
    const edits: Edit[] = [{ type: 'setNode', id: handler, path: ['config', 'rules'], value: [{ ...rule }, ...rules.map((one) => ({ ...one }))] }];
    const back = `${handler}.retry`;
    if (rule.action === 'retry' && !document.edges.some((edge) => edge.from === back && edge.to === origin)) edits.push({ type: 'connect', from: back, to: origin });
    return { edits, ids: [handler] };
  }
  const [wire] = wires;
  if (!wire) return handlerEdits(document, catalog, [rule, ...policyRules(document, node)], `${origin}.error`);
  if (recoveryKind(document.nodes[wire.to]?.type) !== 'human') return 'elsewhere';
  const { edits, ids } = handlerEdits(document, catalog, [rule, ASK], `${origin}.error`);
  const [made] = ids;
  if (made === undefined) return 'gone';
  return { edits: [{ type: 'disconnect', edges: [{ from: wire.from, to: wire.to }] }, ...edits, { type: 'connect', from: `${made}.human_review`, to: wire.to }], ids };
}
