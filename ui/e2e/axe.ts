/** What axe-core finds on the page as it is. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
interface Violation { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }

export async function violations(page: Page, where: string): Promise<string[]> {
  // Evaluated by the browser's own channel: the policy of the page forbids scripts from text.
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run(options: unknown): Promise<{ violations: Violation[] }> } }).axe;
    return (await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })).violations;
  });
  return found.map((one) => `${where} ${one.id}: ${one.help}\n${one.nodes.slice(0, 4).map((node) => `   ${node.target.join(' ')}\n      ${node.failureSummary.replaceAll('\n', '\n      ')}`).join('\n')}`);
}
