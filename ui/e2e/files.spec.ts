/** Saving, drafts, changes from outside. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, readJson, test } from './host.ts';

interface Opened { ref: string; path: string; document: Record<string, unknown> }

test('rename, save, and the file holds it', async ({ open, host }) => {
  const made = await host.rpc<Opened>('workflow_create', { name: 'Save test' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.getByRole('button', { name: /Save test, Rename/ }).click();
  await page.getByRole('textbox', { name: 'Name of the workflow' }).fill('Saved under a new name');
  await page.keyboard.press('Enter');
  await expect(page.locator('.bar').getByText('Not saved')).toBeVisible();
  await page.keyboard.press('Control+s');
  await expect(page.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
  expect(readJson(made.path).name).toBe('Saved under a new name');
});

test('undo goes back to the saved state', async ({ open, host }) => {
  const made = await host.rpc<Opened>('workflow_create', { name: 'Undo test' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.getByRole('button', { name: /Undo test, Rename/ }).click();
  await page.getByRole('textbox', { name: 'Name of the workflow' }).fill('Changed');
  await page.keyboard.press('Enter');
  await expect(page.locator('.bar').getByText('Not saved')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(page.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
  await expect(page.getByRole('button', { name: /Undo test, Rename/ })).toBeVisible();
});

test('a draft survives the loss of the page and is offered again', async ({ open, host, context }) => {
  const made = await host.rpc<Opened>('workflow_create', { name: 'Draft test' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.getByRole('button', { name: /Draft test, Rename/ }).click();
  await page.getByRole('textbox', { name: 'Name of the workflow' }).fill('Never saved');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await host.rpc<{ draft?: { document: { name: string } } }>('workflow_open', { ref: made.ref })).draft?.document.name).toBe('Never saved');
  await page.close();

  const again = await context.newPage();
  await again.goto(host.url);
  await again.getByRole('navigation', { name: 'Main' }).waitFor();
  await expect(again.locator('.g-row', { hasText: 'Draft test' }).getByText('Unsaved draft')).toBeVisible();
  await again.getByRole('button', { name: 'Draft test', exact: true }).click();
  await expect(again.getByText(/Unsaved changes from/)).toBeVisible();
  await expect(again.getByRole('button', { name: /Draft test, Rename/ })).toBeVisible();
  await again.getByRole('button', { name: 'Restore changes' }).click();
  await expect(again.getByRole('button', { name: /Never saved, Rename/ })).toBeVisible();
  await again.keyboard.press('Control+s');
  await expect(again.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
  expect(readJson(made.path).name).toBe('Never saved');
  expect((await host.rpc<{ draft?: unknown }>('workflow_open', { ref: made.ref })).draft ?? null).toBeNull();
});

test('a change from outside is noticed: reload takes it', async ({ open, host }) => {
  const made = await host.rpc<Opened>('workflow_create', { name: 'Outside test' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await expect(page.getByRole('button', { name: /Outside test, Rename/ })).toBeVisible();
  writeFileSync(made.path, readFileSync(made.path, 'utf8').replace('Outside test', 'Changed by another program'));
  await expect(page.getByText('The file was changed by another program')).toBeVisible();
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByRole('button', { name: /Changed by another program, Rename/ })).toBeVisible();
});

test('a change from outside is noticed: keep mine writes mine, and never before it is asked', async ({ open, host }) => {
  const made = await host.rpc<Opened>('workflow_create', { name: 'Conflict test' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.getByRole('button', { name: /Conflict test, Rename/ }).click();
  await page.getByRole('textbox', { name: 'Name of the workflow' }).fill('Mine');
  await page.keyboard.press('Enter');
  writeFileSync(made.path, readFileSync(made.path, 'utf8').replace('Conflict test', 'Theirs'));
  await page.keyboard.press('Control+s');
  await expect(page.getByText('The file was changed by another program')).toBeVisible();
  expect(readJson(made.path).name).toBe('Theirs');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.keyboard.press('Control+s');
  await expect(page.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
  expect(readJson(made.path).name).toBe('Mine');
});

test('a file that was broken outside says so, and mine can be written over it', async ({ open, host }) => {
  const made = await host.rpc<Opened>('workflow_create', { name: 'Broken test' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.getByRole('button', { name: /Broken test, Rename/ }).click();
  await page.getByRole('textbox', { name: 'Name of the workflow' }).fill('Still mine');
  await page.keyboard.press('Enter');
  writeFileSync(made.path, '{ "signalbox": 1, oops');
  const banner = page.locator('.wb-banners').getByRole('alert');
  await expect(banner).toContainText('The file can no longer be read');
  await expect(banner).toContainText('JSON');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Not saved: another program changed the file')).toBeVisible();
  expect(readFileSync(made.path, 'utf8')).toBe('{ "signalbox": 1, oops');
  // Who opens it again is told at once, and sees the draft.
  await expect.poll(async () => (await host.rpc<{ unreadable?: string }>('workflow_open', { ref: made.ref })).unreadable ?? '').toContain('JSON');
  await page.reload();
  await expect(banner).toContainText('The file can no longer be read');
  await expect(page.getByRole('button', { name: /Still mine, Rename/ })).toBeVisible();
  await banner.getByRole('button', { name: 'Overwrite with mine' }).click();
  await expect(banner).toHaveCount(0);
  expect(readJson(made.path).name).toBe('Still mine');
});

test('a file that is gone can be written again', async ({ open, host }) => {
  const made = await host.rpc<Opened>('workflow_create', { name: 'Gone test' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await expect(page.getByRole('button', { name: /Gone test, Rename/ })).toBeVisible();
  rmSync(made.path);
  await expect(page.getByText('The file no longer exists')).toBeVisible();
  await page.locator('.wb-banners').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The file no longer exists')).toBeHidden();
  expect(readJson(made.path).name).toBe('Gone test');
});

test('duplicate and delete from the gallery', async ({ open, host }) => {
  await host.rpc<Opened>('workflow_create', { name: 'Copy me' });
  const page = await open();
  await page.getByRole('button', { name: 'Actions of Copy me' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await expect(page.getByRole('button', { name: 'Copy me copy', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Actions of Copy me copy' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete workflow' }).click();
  await expect(page.getByRole('button', { name: 'Copy me copy', exact: true })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Copy me', exact: true })).toBeVisible();
});

test('a file that is broken is named with its reason and loses nothing', async ({ open, host }) => {
  const made = await host.rpc<Opened>('workflow_create', { name: 'Broken test' });
  writeFileSync(made.path, '{ "signalbox": 1, "name": "Broken" ');
  const page = await open();
  await expect(page.getByText('Cannot be read').first()).toBeVisible();
  await page.evaluate((ref) => { window.location.hash = `#/workflow/${encodeURIComponent(ref)}`; }, made.ref);
  await expect(page.getByText('This workflow cannot be opened')).toBeVisible();
  expect(readFileSync(made.path, 'utf8')).toBe('{ "signalbox": 1, "name": "Broken" ');
  rmSync(made.path);
});
