/** Signing in to a tool server from the settings: a real authorization server, a real browser, and the page that it comes back to. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { shot } from './document.ts';
import { expect, openPage, startHost, test } from './host.ts';

const SERVERS = resolve(import.meta.dirname, '../../tests/mcp/sign-in.mjs');

/** The tool server and its authorization server; `address` of the former. */
async function servers() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-sign-in-'));
  const file = (name: string) => join(folder, name);
  writeFileSync(file('set'), '{}');
  const child = spawn('node', [SERVERS, '--port', file('port'), '--log', file('log'), '--set', file('set')], { stdio: 'inherit' });
  await expect.poll(() => existsSync(file('port')) && readFileSync(file('port'), 'utf8')).toBeTruthy();
  const stop = () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { address: readFileSync(file('port'), 'utf8'), set: (value: object) => writeFileSync(file('set'), JSON.stringify(value)), stop };
}

test('a person signs in with the browser, sees as whom, and signs out', async ({ page, context }) => {
  const host = await startHost();
  const desk = await servers();
  try {
    await host.rpc('secret_choose', { key: 'file' });
    await host.rpc('tool_server_set', { name: 'desk', definition: { transport: 'http', url: desk.address } });
    await page.setViewportSize({ width: 1440, height: 900 });
    await openPage(page, host, '#/settings');
    const section = page.getByRole('region', { name: 'Tool servers' });
    const line = section.getByRole('group', { name: 'desk', exact: true });
    const signing = section.getByRole('group', { name: 'Signing in to desk' });
    // Nobody has approved the address: it is shown first.
    await line.getByRole('button', { name: 'Test desk' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Connect and review' }).click();
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Connect and review' })).toBeEnabled();
    await page.keyboard.press('Escape');
    await expect(line.getByText('Not signed in')).toBeVisible();
    await expect(signing.getByText('The server requires sign-in.')).toBeVisible();
    await shot(page, 'sign-in-wanted');

    // Whoever says no is told so, and nothing is kept.
    desk.set({ hostile: 'denied' });
    await signing.getByRole('button', { name: 'Sign in to desk' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in to desk' });
    const refused = context.waitForEvent('page');
    await dialog.getByRole('link', { name: /^Go to 127\.0\.0\.1:/ }).click();
    await expect((await refused).getByText('The sign-in failed.')).toBeVisible();
    await expect(dialog.getByText('The sign-in was declined in the browser.')).toBeVisible();
    await page.bringToFront();
    await page.keyboard.press('Escape');

    desk.set({});
    await signing.getByRole('button', { name: 'Sign in to desk' }).click();
    await expect(dialog.getByText('Waiting for your browser…')).toBeVisible();
    await shot(page, 'sign-in-waits');
    const opened = context.waitForEvent('page');
    await dialog.getByRole('link', { name: /^Go to 127\.0\.0\.1:/ }).click();
    const back = await opened;
    await expect(back.getByText('You are signed in.')).toBeVisible();
    expect(await back.evaluate(() => window.opener)).toBeNull();
    await back.close();
    await expect(dialog).toBeHidden();
    await expect(signing.getByText(/^Signed in by /)).toBeVisible();
    await expect(signing.getByText('Permissions: tools')).toBeVisible();
    await line.getByRole('button', { name: 'Test desk' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Connect and review' }).click();
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Check again' })).toBeEnabled();
    await page.keyboard.press('Escape');
    await expect(line.getByText('2 tools')).toBeVisible();
    await shot(page, 'sign-in-done');

    await signing.getByRole('button', { name: 'Sign out of desk' }).click();
    await expect(page.getByText('Signed out of desk').first()).toBeVisible();
    await expect(signing.getByRole('button', { name: 'Sign in to desk' })).toBeVisible();
  } finally {
    await host.stop();
    desk.stop();
    rmSync(host.data, { recursive: true, force: true });
  }
});

test('whoever has the browser elsewhere pastes where it was sent: Enter ends it, and the dialog goes', async ({ page }) => {
  const host = await startHost();
  const desk = await servers();
  try {
    await host.rpc('secret_choose', { key: 'file' });
    await host.rpc('tool_server_set', { name: 'desk', definition: { transport: 'http', url: desk.address } });
    // It says that somebody has to sign in, which is no success.
    await host.terminal('tools', 'connect', 'desk').catch(() => undefined);
    await openPage(page, host, '#/settings');
    const section = page.getByRole('region', { name: 'Tool servers' });
    await section.getByRole('button', { name: 'Sign in to desk' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in to desk' });
    const address = await dialog.getByRole('link', { name: /^Go to 127/ }).getAttribute('href');
    // The other machine's browser follows the redirect to an address that it cannot open.
    const sent = await fetch(address ?? '', { redirect: 'manual' });
    await dialog.getByRole('textbox').fill(sent.headers.get('location') ?? '');
    await shot(page, 'sign-in-pasted');
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(section.getByText(/^Signed in by /)).toBeVisible();
    await section.getByRole('button', { name: 'Review desk' }).click();
    const review = page.getByRole('dialog');
    await review.getByRole('button', { name: 'Connect and review' }).click();
    await review.getByRole('button', { name: 'Approve' }).click();
    await section.getByRole('button', { name: 'Review desk' }).click();
    await expect(review.getByRole('switch', { name: 'Can send data out' }).first()).toBeVisible();
    await shot(page, 'tool-word');
  } finally {
    await host.stop();
    desk.stop();
    rmSync(host.data, { recursive: true, force: true });
  }
});
