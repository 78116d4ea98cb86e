import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../api/types.ts';
import { applyEdits, textOf } from '../document.ts';
import { createEditor } from '../editor.ts';
import { ruleEdits } from '../rule-edits.ts';
import { CATALOG, sample } from './fixtures.ts';

const RULE = { name: 'retry-down', when: "error.details.code == 'DOWN'", action: 'retry' };
const DEFAULTS = [{ name: 'abort-default', when: 'true', action: 'abort' }];
const bare = (): Workflow => ({ ...sample(), edges: sample().edges.filter((edge) => !edge.from.startsWith('fetch.error')) });
const rulesOf = (document: Workflow, id: string) => (document.nodes[id]?.config as { rules: { name: string }[] } | undefined)?.rules.map((rule) => rule.name);

function put(document: Workflow, rule = RULE) {
  const found = ruleEdits(document, CATALOG, 'fetch', rule, DEFAULTS);
  if (typeof found === 'string') throw new Error(found);
  return { document: applyEdits(document, found.edits).document, ids: found.ids, edits: found.edits };
}

describe('a rule that decisions suggest (UX D2.14)', () => {
  it('begins a handler with what the policy does anyway behind it, as one undo step', () => {
    const document: Workflow = { ...bare(), settings: { ...bare().settings, errorPolicy: 'safe' } };
    const made = put(document);
    const [handler = ''] = made.ids;
    expect(rulesOf(made.document, handler)).toEqual(['retry-down', 'retry-if-transient', 'auto-fix-validation', 'ask-a-person']);
    expect(made.document.edges.map((edge) => `${edge.from}>${edge.to}`)).toEqual(expect.arrayContaining([`fetch.error>${handler}`, `${handler}.retry>fetch`]));
    const editor = createEditor(document);
    const before = textOf(document);
    expect(editor.apply(made.edits, { label: 'rule' })).toBe(true);
    expect(editor.undo()).toBe(true);
    expect(textOf(editor.getState().document)).toBe(before);
  });

  it('stands first in the handler that is there, once', () => {
    const first = put(bare());
    const [handler = ''] = first.ids;
    const second = put(first.document, { name: 'abort-gone', when: "error.details.code == 'GONE'", action: 'abort' });
    expect(second.ids).toEqual([handler]);
    expect(rulesOf(second.document, handler)?.slice(0, 2)).toEqual(['abort-gone', 'retry-down']);
    expect(ruleEdits(second.document, CATALOG, 'fetch', RULE, DEFAULTS)).toBe('there');
  });

  it('stands between the step and the person who is asked, and asks them for the rest', () => {
    const document = bare();
    document.nodes['person'] = { type: 'builtin.human_decision', typeVersion: 1 };
    document.edges = [...document.edges, { from: 'fetch.error', to: 'person' }, { from: 'person.retry', to: 'fetch' }];
    const made = put(document);
    const [handler = ''] = made.ids;
    const wires = made.document.edges.map((edge) => `${edge.from}>${edge.to}`);
    expect(wires).toEqual(expect.arrayContaining([`fetch.error>${handler}`, `${handler}.human_review>person`, 'person.retry>fetch']));
    expect(wires).not.toContain('fetch.error>person');
    expect(rulesOf(made.document, handler)).toEqual(['retry-down', 'ask-a-person']);
  });

  it('is not put where the workflow has changed since', () => {
    expect(ruleEdits(sample(), CATALOG, 'nowhere', RULE, DEFAULTS)).toBe('gone');
    const [other = ''] = Object.keys(bare().nodes).filter((id) => id !== 'fetch' && bare().nodes[id]?.type !== 'trigger.manual');
    const document = { ...bare(), edges: [...bare().edges, { from: 'fetch.error', to: other }] };
    expect(ruleEdits(document, CATALOG, 'fetch', RULE, DEFAULTS)).toBe('elsewhere');
  });
});
