import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renameInCel, renameInValue, stepsIn } from '../../../shared/cel-references.ts';

interface Cases { renames: { [id: string]: string }; cases: { expression: string; steps: string[]; renamed: string }[] }
const FILE = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../../tests/expressions/references.json'), 'utf8')) as Cases;
const renames = new Map(Object.entries(FILE.renames));

describe('steps in expressions', () => {
  it('are those that the engine finds, and are renamed without another letter changing', () => {
    for (const { expression, steps, renamed } of FILE.cases) {
      expect([...new Set(stepsIn(expression).map((one) => one.id))].sort(), expression).toEqual([...steps].sort());
      expect(renameInCel(expression, renames), expression).toBe(renamed);
    }
  });

  it('are found in what somebody is still writing', () => {
    expect(renameInCel('size(nodes.b.output', renames)).toBe('size(nodes.zed.output');
    expect(renameInCel("nodes.b.output == 'nodes.b", renames)).toBe("nodes.zed.output == 'nodes.b");
    expect(renameInCel('nodes.b.output + [ {', renames)).toBe('nodes.zed.output + [ {');
    expect(renameInCel('nodes.', renames)).toBe('nodes.');
    expect(renameInCel("nodes['b", renames)).toBe("nodes['b");
  });

  it('of a value are behind its = and in its holes', () => {
    const cases: [string, string][] = [
      ['=nodes.b.output', '=nodes.zed.output'],
      ['==nodes.b.output', '==nodes.b.output'],
      ['nodes.b.output', 'nodes.b.output'],
      ['see nodes.b: {{ nodes.b.output }}, {{nodes.a.output}}', "see nodes.b: {{ nodes.zed.output }}, {{nodes['z-9'].output}}"],
      ["{{ '}}' + nodes.b.output }}", "{{ '}}' + nodes.zed.output }}"],
      ["{{ {'x': {'y': nodes.b.output}}.x }} nodes.b", "{{ {'x': {'y': nodes.zed.output}}.x }} nodes.b"],
      ["{{ '{{' }} nodes.b {{ 'nodes.b' }}", "{{ '{{' }} nodes.b {{ 'nodes.b' }}"],
      ['{{ nodes.b.output', '{{ nodes.b.output'],
      ["={{ 'nodes.b' }}", "={{ 'nodes.b' }}"],
    ];
    for (const [before, after] of cases) expect(renameInValue(before, renames), before).toBe(after);
  });
});
