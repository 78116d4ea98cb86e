/** A workflow of another program in the window: imported from the library, offered on opening, with a report. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { shot } from './document.ts';
import { expect, test } from './host.ts';

const corpus = (name: string) => resolve(import.meta.dirname, '../../src-tauri/crates/import/tests/vl', name);
interface Entry { name: string; path: string }

test('a file is imported from the library: the report says what became of it, the canvas shows it', async ({ open, host }) => {
  const page = await open();
  const chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import…' }).click();
  await (await chosen).setFiles(corpus('gate-24.json'));
  const dialog = page.getByRole('dialog', { name: 'Imported: Brochure with a gate' });
  await expect(dialog.getByText('24 steps in the file')).toBeVisible();
  await expect(dialog.getByText('1 step needs your attention')).toBeVisible();
  await expect(dialog.getByText(/"Service_Proof" could not be translated\. It calls a service/)).toBeVisible();
  await expect(dialog.getByText(/The text of document 7 \(House style\) is not in the file/)).toBeVisible();
  await dialog.getByText(/^\d+ warnings$/).click();
  await expect(dialog.getByText(/"Set_Plans" sets nothing; it is read as a fork/)).toBeVisible();
  await shot(page, 'import-report');
  await dialog.getByText('Translation of 24 steps').click();
  await expect(dialog.getByRole('row', { name: /Branch_Gate flow\.switch/ })).toBeVisible();
  await dialog.getByRole('button', { name: 'Open the canvas' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: /Brochure with a gate, Rename/ })).toBeVisible();
  await shot(page, 'import-canvas');
  const listed = await host.rpc<Entry[]>('workflow_list');
  const made = listed.find((entry) => entry.name === 'Brochure with a gate');
  const document = JSON.parse(readFileSync(made?.path ?? '', 'utf8')) as { nodes: { [id: string]: { type: string } } };
  expect(document.nodes['Service_Proof']?.type).toBe('foreign.step');
  expect(document.nodes['Set_Plans']?.type).toBe('flow.parallel');
});

test('opening such a file offers the import; what is no such file is refused in words', async ({ open, host }) => {
  const page = await open();
  let chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Open file' }).click();
  await (await chosen).setFiles(corpus('update-6.json'));
  const offer = page.getByRole('dialog', { name: 'Import this workflow?' });
  await offer.getByRole('button', { name: 'Cancel Esc' }).click();
  await expect(offer).toBeHidden();
  expect((await host.rpc<Entry[]>('workflow_list')).some((entry) => entry.name === 'Brochure update')).toBe(false);
  chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Open file' }).click();
  await (await chosen).setFiles(corpus('update-6.json'));
  await offer.getByRole('button', { name: 'Import' }).click();
  await expect(page.getByRole('dialog', { name: 'Imported: Brochure update' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.goto(`${host.url.split('#')[0] ?? ''}#/workflows`);
  chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import…' }).click();
  await (await chosen).setFiles({ name: 'twice.json', mimeType: 'application/json', buffer: Buffer.from('{"registry":{},"steps":[{"id":"Set_a"},{"id":"Set_a"}]}') });
  await expect(page.getByText('Duplicate step ID: "Set_a" (2 times).')).toBeVisible();
});

test('a cURL command that is pasted on a canvas is a step there, and is undone as one', async ({ open, host }) => {
  const made = await host.rpc<{ ref: string }>('workflow_create', { name: 'Pasted' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  const canvas = page.locator('.cv');
  await canvas.focus();
  const paste = (text: string) => page.evaluate((words) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', words);
    window.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, text);
  await paste("curl https://api.example.com/orders?id=$ID -H 'Authorization: Bearer k-canary-0123'");
  const dialog = page.getByRole('dialog', { name: 'Added: GET api.example.com' });
  await expect(dialog.getByText('The command has a secret for api.example.com. It was taken out; the step names it imported-token.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Add the secret…' })).toBeVisible();
  await page.keyboard.press('Escape');
  const step = page.locator('[data-node="request"]');
  await expect(step).toBeVisible();
  await expect(page.getByRole('complementary', { name: 'Step settings' }).getByLabel('Credential', { exact: true })).toHaveText(/^imported-token/);
  expect(await page.content()).not.toContain('k-canary-0123');
  await canvas.focus();
  await page.keyboard.press('Control+z');
  await expect(step).toHaveCount(0);
  await paste('curl -H');
  await expect(page.getByText('The option -H has no value.')).toBeVisible();
  await expect(page.locator('.cv-node')).toHaveCount(0);
});
