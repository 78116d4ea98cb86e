/** Settings, the key that signs the audit chain (ADR 36): where it is, that nothing is signed while it is away, and another key on record. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shot } from './document.ts';
import { expect, openPage, startHost, test, type Host } from './host.ts';

interface Status { key?: { where: string; keyId: string; fingerprint: string; at: string }; unsigned?: { message: string; lost?: boolean } }

/** A program that stays away from the key store of the machine it is tested on. */
async function withoutKeyStore(data: string): Promise<Host> {
  const before = process.env.SIGNALBOX_KEY_STORE;
  process.env.SIGNALBOX_KEY_STORE = 'off';
  try {
    return await startHost(data);
  } finally {
    if (before === undefined) delete process.env.SIGNALBOX_KEY_STORE;
    else process.env.SIGNALBOX_KEY_STORE = before;
  }
}

test('the section says where the key is; away, it says so and why; a new key is begun on purpose and is on record', async ({ page }) => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-e2e-key-'));
  const first = await withoutKeyStore(data);
  const known = await first.rpc<Status>('audit_status');
  expect(known.key?.where).toBe('file');
  await openPage(page, first);
  await page.getByRole('link', { name: 'Settings' }).click();
  const section = page.getByRole('region', { name: 'Audit signing key' });
  await expect(section).toContainText('A file in the data folder');
  await expect(section).toContainText(known.key?.fingerprint ?? 'no fingerprint');
  await section.scrollIntoViewIfNeeded();
  await shot(page, 'audit-key');
  // There is no key store: that is said, and the key stays where it is.
  await section.getByRole('button', { name: 'Move to the key store' }).click();
  await expect(page.getByRole('region', { name: 'Messages' }).getByRole('alert')).toBeVisible();
  expect((await first.rpc<Status>('audit_status')).key).toEqual(known.key);
  await first.stop();

  // The file names the key store, and no key store is there: as in a copy of a data folder on another machine.
  const file = join(data, 'audit.key');
  expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}$/m);
  writeFileSync(file, `system ${known.key?.fingerprint ?? ''}\n`, { mode: 0o600 });
  const host = await withoutKeyStore(data);
  try {
    await page.unrouteAll();
    await openPage(page, host);
    await page.getByRole('link', { name: 'Settings' }).click();
    await expect(section.getByText('New entries are not signed')).toBeVisible();
    const away = await host.rpc<Status>('audit_status');
    await expect(section).toContainText(away.unsigned?.message ?? 'no message');
    await section.scrollIntoViewIfNeeded();
    await shot(page, 'audit-key-away');
    expect((await host.terminal('audit', 'key', 'file', '--new')).length).toBeGreaterThan(0);
    await expect.poll(async () => (await host.rpc<Status>('audit_status')).key?.where, { timeout: 30_000 }).toBe('file');
    await page.reload();
    await expect(section.getByText('New entries are not signed')).toHaveCount(0);
    const now = await host.rpc<Status>('audit_status');
    expect(now.key?.fingerprint).not.toBe(known.key?.fingerprint);
    await expect(section).toContainText(now.key?.fingerprint ?? 'no fingerprint');
  } finally {
    await host.stop();
    rmSync(data, { recursive: true, force: true });
  }
});
