/** Proofs, faults, failures and their replay, health, tests, destinations, sign-ins, telemetry, the manual, the tour and imported APIs, in one page: axe-core
 * finds nothing, in both themes and both languages. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { look, violations, Walk } from './axe.ts';
import { expect, openPage, startHost, test, type Host } from './host.ts';
import { makeWorkflow, startRun } from './people.ts';

let host: Host;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-axe-'));
test.beforeAll(async () => { host = await startHost(); });
test.afterAll(async () => {
  await host.stop();
  for (const one of [host.data, folder]) rmSync(one, { recursive: true, force: true });
});

/** Fails for an amount that is no number. */
const ORDERS = {
  signalbox: 1, id: 'orders', name: 'Book orders', settings: { errorPolicy: 'fail' }, params: { type: 'object', properties: { amount: { type: 'string' } } },
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    read: { type: 'data.transform', typeVersion: 1, title: 'Read the order', config: { expression: "[{'id': 7, 'amount': params.amount}]", split: true } },
    book: { type: 'data.set', typeVersion: 1, title: 'Book the amount', config: { assign: { net: '=double(item.amount) / 1.19' } } },
    tell: { type: 'http.request', typeVersion: 1, title: 'Tell the shop', config: { method: 'POST', url: 'https://shop.example/booked' }, disabled: true },
  },
  edges: [{ from: 'start.success', to: 'read' }, { from: 'read.success', to: 'book' }, { from: 'book.success', to: 'tell' }],
  layout: { start: [0, 0], read: [248, 0], book: [496, 0], tell: [744, 0] },
};
const SHOP = {
  openapi: '3.0.3', info: { title: 'House shop', version: '1' }, servers: [{ url: 'https://shop.example/v1' }],
  paths: {
    '/orders': { get: { operationId: 'listOrders', summary: 'List orders', parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }], responses: { 200: { description: 'A list' } } } },
    '/files': { post: { operationId: 'putFile', summary: 'Send a file', requestBody: { content: { 'application/xml': { schema: { type: 'string' } } } }, responses: { 200: { description: 'Done' } } } },
  },
};

test('no violations in proofs, faults, failures, health, destinations, sign-ins, telemetry, the manual and the tour', async ({ page }) => {
  test.setTimeout(240_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const walk = new Walk(page);
  const dialog = page.getByRole('dialog');
  const main = page.getByRole('main');
  await openPage(page, host);

  await page.getByRole('button', { name: 'Take the tour' }).click();
  const tour = page.getByRole('complementary', { name: 'Tour' });
  await expect(tour).toContainText('Step 1 of 6');
  await walk.see('tour');
  await tour.getByRole('button', { name: 'Next' }).click();
  await expect(tour).toContainText('Step 2 of 6');
  await tour.getByRole('button', { name: 'Skip the tour' }).click();

  await walk.go('#/help', page.getByRole('searchbox', { name: 'Search the manual' }));
  await expect(main.getByRole('article')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search the manual' }).fill('retry');
  await expect(page.getByRole('region', { name: 'Found in the manual' }).getByRole('link').first()).toBeVisible();
  await walk.see('help search');
  await page.getByRole('searchbox', { name: 'Search the manual' }).fill('zzzz');
  await expect(page.getByText(/^Nothing in the manual/)).toBeVisible();
  await walk.see('help nothing found');

  const importer = async (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    await dialog.locator('input[type=file]').setInputFiles(file);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  };
  await walk.go('#/catalog', page.getByRole('button', { name: 'Import API…' }));
  await page.getByRole('button', { name: 'Import API…' }).click();
  await walk.see('import api');
  await importer('bad.json', '{"hello": 1}');
  await expect(dialog.getByRole('alert')).toBeVisible();
  await walk.see('import api refused');
  await importer('shop.json', JSON.stringify(SHOP));
  await expect(page.getByRole('dialog', { name: /^Imported: / })).toBeVisible();
  if (await dialog.locator('summary').count()) await dialog.locator('summary').click();
  await walk.dialog('import api done', dialog);
  await page.getByRole('button', { name: 'Import API…' }).click();
  await expect(dialog.getByRole('region', { name: 'Your connectors' })).toBeVisible();
  await walk.dialog('import api own connectors', dialog);

  await walk.go('#/settings/telemetry', page.getByRole('region', { name: 'Telemetry' }));
  const telemetry = page.getByRole('region', { name: 'Telemetry' });
  await telemetry.getByLabel('Collector address').fill('http://127.0.0.1:9');
  await telemetry.getByRole('button', { name: 'Save' }).click();
  await telemetry.getByRole('button', { name: 'Send a test span' }).click();
  await expect(telemetry.getByText('The test span did not arrive')).toBeVisible();
  await walk.see('settings telemetry');
  await walk.go('#/settings/backup', page.getByRole('region', { name: 'Backup' }));
  await walk.see('settings backup');

  await walk.go('#/settings/secrets', page.locator('[data-part="secrets"] h2').first());
  const secrets = page.getByRole('region', { name: 'Secrets' });
  await secrets.getByRole('button', { name: 'Set up…' }).click();
  await page.getByRole('radio', { name: /^Key file/ }).check();
  await page.getByRole('button', { name: 'Use' }).click();
  await secrets.getByRole('button', { name: 'Add a secret…' }).click();
  for (const kind of ['OAuth 2', 'AWS', 'certificate']) {
    await dialog.getByLabel('Sent as', { exact: true }).click();
    await page.getByRole('option', { name: new RegExp(kind, 'i') }).click();
    await expect(page.getByRole('listbox')).toBeHidden();
    await walk.see(`secret ${kind}`);
    if (kind !== 'OAuth 2') continue;
    await dialog.getByLabel('Service', { exact: true }).click();
    await page.getByRole('option', { name: 'GitHub' }).click();
    await expect(page.getByRole('listbox')).toBeHidden();
    await walk.see('secret OAuth of a service');
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await host.rpc('secret_set', { name: 'house', kind: 'oauth2', hosts: ['mail.example.com', 'login.example.com'], value: 'client-secret-7f', oauth: { grant: 'authorizationCode', clientId: 'house', service: { authorizationUrl: 'https://login.example.com/authorize', tokenUrl: 'https://login.example.com/token' } } });
  await host.rpc('secret_set', { name: 'shop', kind: 'basic', field: 'ada', hosts: ['127.0.0.1:5432'], value: 'shop-password-7f' });
  await page.reload();
  await expect(secrets.locator('[data-secret=house]')).toBeVisible();
  await walk.see('secret to sign in');
  // The port says what it is for. Nothing answers at the port that is tried.
  await secrets.getByRole('button', { name: 'Test shop' }).click();
  await expect(dialog.getByLabel('Test with', { exact: true })).toHaveText('PostgreSQL');
  await dialog.getByRole('textbox', { name: 'Database' }).fill('shop');
  await dialog.getByRole('textbox', { name: 'Port' }).fill('9');
  await dialog.getByText('User and certificate authority').click();
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(dialog.getByText('It does not work (CREDENTIAL_REFUSED)')).toBeVisible();
  await walk.see('secret test');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  await walk.go('#/settings/notify', page.getByRole('region', { name: 'Task destinations' }));
  const destinations = page.getByRole('region', { name: 'Task destinations' });
  await walk.see('destinations none');
  await destinations.getByRole('button', { name: 'Add destination…' }).click();
  for (const service of ['Jira', 'E-mail']) {
    await dialog.getByLabel('Service', { exact: true }).click();
    await page.getByRole('option', { name: new RegExp(service) }).first().click();
    await expect(page.getByRole('listbox')).toBeHidden();
    await walk.see(`destination ${service}`);
  }
  await dialog.getByLabel('Mail server (SMTP)').fill('127.0.0.1:9');
  await dialog.getByLabel('Sender').fill('signalbox@example.com');
  await dialog.getByLabel('Recipients').fill('ada@example.com');
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toBeHidden();
  await destinations.getByRole('button', { name: 'Test E-mail' }).click();
  await expect(page.getByText('E-mail cannot be used').first()).toBeVisible();

  const orders = await makeWorkflow(host, ORDERS);
  for (const amount of ['12,5', '12,5', '7,0', '3,9', '8', '19']) {
    const runId = await startRun(host, orders.ref, { amount });
    await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toMatch(/failed|completed/);
  }
  await walk.go('#/failures', page.getByRole('listbox', { name: /^Groups/ }));
  await walk.see('failures');
  await page.getByRole('listbox', { name: /^Groups/ }).getByRole('option').first().click();
  await expect(page.getByRole('heading', { name: '4 open failures' })).toBeVisible();
  await walk.see('failure group');
  await page.getByRole('radio', { name: 'Expression' }).click();
  await page.locator('.fl-card .cm-content').first().fill("{'id': item.id, 'amount': item.amount.replace(',', '.')}");
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.getByRole('listbox', { name: /^Result of the preview/ }).getByRole('option').first().click();
  await expect(page.getByText('4 fit')).toBeVisible();
  await page.getByRole('textbox', { name: /^Reason/ }).fill('Commas in amounts');
  await walk.see('failure preview');
  await page.getByRole('button', { name: 'Replay 4 failures' }).click();
  await expect(page.getByText('4 completed')).toBeVisible();
  await walk.see('failure replay');

  await walk.go('#/health', page.getByRole('table', { name: 'Workflows' }));
  await walk.see('health');
  await page.getByRole('table', { name: 'Workflows' }).getByRole('button').first().click();
  await expect(page.getByRole('figure').first()).toBeVisible();
  await page.getByText('Show as a table').first().click();
  await walk.see('health of a workflow');
  await page.getByRole('button', { name: /^Alerts/ }).click();
  await dialog.getByRole('button', { name: 'Add an alert' }).click();
  await dialog.getByLabel('Condition (CEL)').fill('errors > ');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('textbox', { name: /^Condition/ })).toHaveAttribute('aria-invalid', 'true');
  await walk.dialog('alert that is refused', dialog);

  await walk.go(`#/workflow/${encodeURIComponent(orders.ref)}`, page.locator('.cv-node[data-node=book]'));
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Export as a program…' }).click();
  await expect(dialog.getByRole('region', { name: 'What the machine needs' })).toContainText('Nothing.');
  await walk.see('export');
  // There are no sources beside this program.
  await dialog.getByRole('radio', { name: 'Source project' }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await walk.dialog('export refused', dialog);
  await page.getByRole('button', { name: 'Tests' }).click();
  await walk.see('tests none');
  await page.getByRole('button', { name: 'Prove error handling' }).click();
  const proof = page.getByRole('dialog', { name: 'Proof of the error handling' });
  await expect(proof.getByText('Run fails').first()).toBeVisible();
  await walk.dialog('proof', proof);
  const done = await startRun(host, orders.ref, { amount: '8' });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId: done })).status).toBe('completed');
  await host.rpc('run_save_test', { runId: done, name: 'An order of eight' });
  await page.reload();
  await page.getByRole('button', { name: 'Tests' }).click();
  await page.getByRole('button', { name: 'Run all' }).click();
  await expect(page.getByText('1 of 1 passed')).toBeVisible();
  await walk.see('tests');
  await page.keyboard.press('Escape');
  await page.locator('.cv-node[data-node=book]').click();
  await page.getByRole('button', { name: 'Fail in the next run…' }).click();
  await expect(dialog).toBeVisible();
  await walk.see('fault');
  await dialog.getByRole('radio', { name: 'Result' }).click();
  await walk.see('fault result');
  await dialog.getByRole('radio', { name: 'Error' }).click();
  await dialog.getByRole('button', { name: 'Set for the next run' }).click();
  await walk.see('fault set');

  await host.rpc('settings_set', { settings: { theme: 'system', layout: {}, keymap: {}, language: 'zh' } });
  await page.reload();
  await expect(page.locator('html[lang^=zh]')).toBeAttached();
  for (const hash of ['#/failures', '#/health', `#/health/${orders.id}`, '#/help', '#/settings/notify', '#/settings/network', '#/settings/telemetry', '#/catalog']) {
    await walk.go(hash, main);
    // Colours are those of the other language, in which the network was not looked at.
    walk.found.push(...(process.env.SIGNALBOX_SHOTS ? await look(page, `zh ${hash.slice(2)}`) : await violations(page, `zh ${hash}`, hash === '#/settings/network' ? 'too' : 'elsewhere')));
  }
  walk.none();
});
