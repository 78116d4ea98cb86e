import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../api/types.ts';
import { applyEdits, textOf } from '../document.ts';
import { createEditor } from '../editor.ts';
import { blockedSources, blockedTargets } from '../model/graph.ts';
import { autoLayout } from '../model/layout.ts';
import { overlaps, rectsOf } from '../model/place.ts';
import { recoveryKind, recoveryOf } from '../model/recovery.ts';
import { acceptGhost, ghostsOf, policyRules, removeGhost, type TemplateId, templateEdits, TEMPLATES, templatesFor } from '../templates.ts';
import { flowBuilder } from '../view/flow-nodes.ts';
import { CATALOG, sample } from './fixtures.ts';

const put = (id: TemplateId, document = sample(), from = 'fetch.error', at?: readonly [number, number]) => {
  const { edits, ids } = templateEdits(document, CATALOG, id, from, at);
  return { document: applyEdits(document, edits).document, ids, edits };
};
const wires = (document: Workflow): string[] => document.edges.slice(sample().edges.length).map((edge) => `${edge.from}>${edge.to}`);

describe('templates at an error port', () => {
  it('ts_170_every_choice_creates_and_wires_and_one_undo_step_removes_it_all', () => {
    expect(templatesFor(sample(), CATALOG, 'fetch.error')).toEqual([...TEMPLATES]);
    expect(templatesFor(sample(), CATALOG, 'fetch.success')).toEqual([]);
    for (const id of TEMPLATES) {
      const editor = createEditor(sample());
      const before = textOf(editor.getState().document);
      const { edits, ids } = templateEdits(sample(), CATALOG, id, 'fetch.error');
      expect(editor.apply(edits, { label: id })).toBe(true);
      const { document } = editor.getState();
      expect(document.edges.some((edge) => edge.from === 'fetch.error' && edge.to === ids[0]), id).toBe(true);
      for (const added of ids) expect(document.nodes[added]?.typeVersion, id).toBe(1);
      expect(editor.undo()).toBe(true);
      expect(textOf(editor.getState().document)).toBe(before);
      expect(editor.getState().undoLabel).toBeNull();
    }
  });

  it('ts_171_the_three_templates_are_exactly_these_graphs', () => {
    const retry = put('retry');
    expect(wires(retry.document)).toEqual(['fetch.error>error_handler', 'error_handler.retry>fetch']);
    const config = retry.document.nodes['error_handler']?.config as { rules: { action: string }[] } | undefined;
    expect(config?.rules.map((rule) => rule.action)).toEqual(['retry', 'human_review']);
    const human = put('human');
    expect(human.document.nodes['human_decision']?.type).toBe('builtin.human_decision');
    expect(wires(human.document)).toEqual(['fetch.error>human_decision', 'human_decision.retry>fetch', 'human_decision.corrected>fetch']);
    const heal = put('heal');
    expect(wires(heal.document)).toEqual(['fetch.error>error_handler', 'error_handler.auto_fix>self_healing', 'self_healing.success>fetch']);
  });

  it('asks a person so that no error port of it is open (coverage)', () => {
    const { document, ids } = put('ask');
    expect(wires(document)).toEqual(['fetch.error>human_decision', 'human_decision.retry>fetch', 'human_decision.corrected>fetch', `human_decision.error>${ids[1] ?? ''}`]);
    expect(document.nodes[ids[1] ?? '']).toMatchObject({ type: 'flow.fail', title: 'Nobody available', config: { error: { message: '{{error.message}}' } } });
  });

  it('leads a replacement to where the result would have gone', () => {
    expect(wires(put('context').document)).toEqual(['fetch.error>error_as_context', 'error_as_context.success>adult']);
    expect(wires(put('fallback').document)).toEqual(['fetch.error>fallback', 'fallback.success>adult']);
    expect(wires(put('audit').document)).toEqual(['fetch.error>audit']);
  });

  it('ends a run by a rule of its own: not by a failing step, which the policy would ask about, and not by the default', () => {
    const { document } = put('abort');
    expect(wires(document)).toEqual(['fetch.error>abort_the_run']);
    expect(document.nodes['abort_the_run']).toMatchObject({ type: 'builtin.error_handler', config: { rules: [{ when: 'has(error.type)', action: 'abort' }] } });
  });

  it('never lays a card on another, also a second time and where the wire was dropped', () => {
    let document = sample();
    for (const [i, id] of ([...TEMPLATES, ...TEMPLATES] as TemplateId[]).entries()) {
      ({ document } = put(id, document, 'fetch.error', i % 2 ? [260, 180] : undefined));
    }
    const rects = [...rectsOf(document, CATALOG).values()];
    for (const [i, a] of rects.entries()) for (const b of rects.slice(i + 1)) expect(overlaps(a, b)).toBe(false);
  });

  it('draws the policy that holds anyway', () => {
    const actions = (document: Workflow): string[] => policyRules(document, document.nodes['fetch'] ?? { type: '' }).map((rule) => rule.action);
    const document = sample();
    expect(actions(document)).toEqual(['retry', 'auto_fix', 'human_review']);
    expect(actions({ ...document, settings: {} })).toEqual(['abort']);
    expect(actions({ ...document, settings: { errorPolicy: { rules: [{ name: 'a', when: 'true', action: 'fallback' }] } } })).toEqual(['fallback']);
  });
});

describe('wires that go back', () => {
  it('ts_171_are_drawn_with_words_and_do_not_order_the_columns', () => {
    const { document } = put('heal', put('human').document, 'adult.error');
    const flow = flowBuilder()(document, CATALOG);
    // Two answers that lead back to one step share a track: the first of them names it.
    const back = Object.fromEntries(flow.edges.filter((edge) => edge.data?.back !== null).map((edge) => [edge.id, edge.data?.back]));
    expect(back).toEqual({ 'human_decision.retry>fetch': 'to Fetch the user', 'human_decision.corrected>fetch': '', 'self_healing.success>adult': 'fixed input' });
    const places = autoLayout(document, CATALOG);
    expect((places['fetch'] as readonly number[])[0]).toBeLessThan((places['human_decision'] as readonly number[])[0] ?? 0);
  });

  it('k_50_lead_to_a_step_whose_errors_come_here_and_say_why_not_otherwise', () => {
    const { document } = put('human');
    const retry = blockedTargets({ ...document, edges: document.edges.filter((edge) => edge.from !== 'human_decision.retry') }, CATALOG, 'human_decision.retry');
    expect(retry.has('fetch')).toBe(false);
    expect(retry.get('end')).toContain('only lead back');
    expect(blockedTargets(document, CATALOG, 'human_decision.skip').get('fetch')).toContain('lead back');
    expect(blockedTargets(document, CATALOG, 'human_decision.skip').has('end')).toBe(false);
    expect(blockedTargets(document, CATALOG, 'yes.success').get('human_decision')).toContain('error port');
    expect(blockedTargets(document, CATALOG, 'yes.error').has('human_decision')).toBe(false);
    expect(blockedSources(document, CATALOG, 'human_decision').has('adult')).toBe(false);
    expect(blockedSources(document, CATALOG, 'human_decision').get('start')).toContain('error port');
  });

  it('knows recovery kinds by their own names only', () => {
    expect(recoveryKind('builtin.human_decision')).toBe('human');
    for (const other of ['constructor', 'toString', '__proto__', undefined]) expect(recoveryKind(other)).toBeUndefined();
  });

  it('k_50_an_audit_between_belongs_to_the_recovery', () => {
    const { document } = put('human');
    const [ghost] = ghostsOf(document, CATALOG);
    const done = applyEdits(document, acceptGhost(document, CATALOG, ghost ?? { owner: '', port: '', at: [0, 0] }).edits).document;
    const recovery = recoveryOf(done);
    expect(recovery.kinds.get('record_decision')).toBe('audit');
    expect(done.edges.map((edge, i) => [`${edge.from}>${edge.to}`, recovery.edges[i]]).slice(5)).toEqual([
      ['human_decision.retry>fetch', 'reentry'], ['human_decision.corrected>record_decision', 'to-recovery'], ['record_decision.success>fetch', 'reentry'],
    ]);
  });
});

describe('the offered audit step', () => {
  it('ts_172_stands_beside_a_human_decision_and_its_removal_persists', () => {
    const { document } = put('human');
    const [ghost] = ghostsOf(document, CATALOG);
    expect(ghost).toMatchObject({ owner: 'human_decision', port: 'corrected' });
    // It is only looked at: the file does not know it.
    expect(Object.keys(document.nodes)).not.toContain('record_decision');
    const removed = applyEdits(document, [removeGhost(document, 'human_decision')]);
    expect(ghostsOf(removed.document, CATALOG)).toEqual([]);
    const read = JSON.parse(textOf(removed.document)) as Workflow;
    expect(ghostsOf(read, CATALOG)).toEqual([]);
    expect(read.layout?.['$view']).toEqual({ noAuditGhost: ['human_decision'] });
    const renamed = applyEdits(read, [{ type: 'renameNode', id: 'human_decision', to: 'ask' }]);
    expect(ghostsOf(renamed.document, CATALOG)).toEqual([]);
    expect(textOf(applyEdits(document, []).document)).toBe(textOf(document));
  });

  it('ts_172_is_gone_once_an_audit_step_is_drawn', () => {
    const { document } = put('human');
    const [ghost] = ghostsOf(document, CATALOG);
    if (!ghost) throw new Error('no ghost');
    expect(ghostsOf(applyEdits(document, acceptGhost(document, CATALOG, ghost).edits).document, CATALOG)).toEqual([]);
  });
});
