/** Every screen, panel and kind of dialog, walked in one page: axe-core finds nothing in the light theme, nor a contrast in the dark one. */
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { look, violations, Walk } from './axe.ts';
import { badPlan, make } from './document.ts';
import { answerWhole, modelPeer } from './model-peer.ts';
import { expect, openPage, startHost, test, useDist, type Host } from './host.ts';
import { APPROVAL, makeWorkflow, MEAN, openTasks, startRun } from './people.ts';

let host: Host;
test.beforeAll(async () => { host = await startHost(); });
test.beforeEach(async () => { await host.rpc('settings_set', { settings: { theme: 'system', layout: {}, keymap: {} } }); });
test.afterAll(async () => {
  await host.stop();
  rmSync(host.data, { recursive: true, force: true });
});

const status = async (runId: string) => (await host.rpc<{ status: string }>('run_get', { runId })).status;
const ended = async (runId: string, as: RegExp) => await expect.poll(async () => await status(runId)).toMatch(as);

/** A list of orders, kept by a condition, asked about by HTTP, and what the step with the data is. */
const ORDERS = {
  settings: { errorPolicy: 'safe' },
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    orders: { type: 'data.transform', title: 'Orders', config: { expression: "[{'id': 1, 'total': 150, 'tags': ['vip']}, {'id': 2, 'total': 50, 'tags': []}]", split: true } },
    large: { type: 'data.filter', title: 'Large orders', config: { when: 'has(item.total) && item.total != null && item.total > 100' } },
  },
  edges: [{ from: 'start.success', to: 'orders' }, { from: 'orders.success', to: 'large' }],
  layout: { start: [0, 0], orders: [248, 0], large: [496, 0] },
};
/** Steps that are looked at and not run. */
const KINDS = {
  nodes: {
    start: { type: 'trigger.schedule', title: 'Every morning', config: { cron: '0 8 * * *', timezone: 'Europe/Berlin' } },
    ask: { type: 'llm.chat', title: 'Ask a model', config: { prompt: 'What is {{item.id}}?' } },
    fetch: { type: 'http.request', title: 'Fetch', config: { url: 'https://example.org/{{item.id}}' } },
    sort: { type: 'flow.switch', title: 'Sort', config: {} },
    script: { type: 'code.javascript', title: 'Script' },
    approve: { type: 'builtin.human_approval', title: 'Approve' },
  },
  edges: [{ from: 'start.success', to: 'ask' }],
  layout: { start: [0, 0], ask: [248, 0], fetch: [0, 192], sort: [248, 192], script: [0, 384], approve: [248, 384] },
};

test('no violations at the start, in lists, settings and their dialogs', async ({ page }) => {
  test.setTimeout(240_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const walk = new Walk(page);
  const dialog = page.getByRole('dialog');
  await openPage(page, host);
  await expect(page.getByText('No runs yet')).toBeVisible();
  await walk.see('first run');
  await page.getByRole('button', { name: /template/i }).first().click();
  await walk.dialog('templates', page.getByRole('dialog', { name: 'Templates' }));
  await page.keyboard.press('Control+k');
  await walk.dialog('palette', page.getByRole('combobox', { name: /Action, step/ }));
  await page.keyboard.press('?');
  await walk.dialog('shortcuts', page.getByRole('dialog', { name: 'Shortcuts' }));
  for (const screen of ['runs', 'inbox', 'automations', 'audit']) {
    await walk.go(`#/${screen}`, page.locator('main h1').first());
    await walk.see(`${screen} empty`);
  }
  await walk.go('#/help/errors', page.getByRole('heading', { name: 'Errors and the policy' }));
  await walk.see('help');
  await walk.go('#/catalog/http.request', page.getByRole('heading', { name: 'HTTP request' }));
  await walk.see('catalog');
  const parts = page.locator('[data-part]');
  for (const part of ['models', 'secrets', 'tools', 'folders', 'notify', 'audit', 'look', 'keys', 'about']) {
    await walk.go(`#/settings/${part}`, page.locator(`[data-part="${part}"] h2`).first());
    // Where all parts are one page it is looked at once.
    if (part === 'models' || await parts.count() === 1 || process.env.SIGNALBOX_SHOTS) await walk.see(`settings ${part}`);
  }
  for (const [part, button] of [['models', 'Add a provider…'], ['secrets', /^Add/], ['tools', /^Add/], ['tools', /^Paste|^Import/], ['folders', /^Allow/], ['notify', /^Add/]] as const) {
    await walk.go(`#/settings/${part}`, page.locator(`[data-part="${part}"] h2`).first());
    const opens = page.locator(`[data-part="${part}"]`).getByRole('button', { name: button }).first();
    if (!await opens.isVisible()) continue;
    await opens.click();
    await walk.dialog(`settings ${part} dialog ${String(button)}`, dialog);
  }
  walk.none();
});

test('no violations in the builder, its panels and boxes', async ({ page }) => {
  test.setTimeout(240_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const walk = new Walk(page);
  const dialog = page.getByRole('dialog');
  const empty = await make(host, 'Nothing yet', {});
  const { ref } = await make<object>(host, 'Orders', ORDERS);
  const builder = (file: string) => `#/workflow/${encodeURIComponent(file)}`;
  const step = async (id: string) => { await page.locator(`.cv-node[data-node=${id}]`).click(); };
  const tab = async (name: RegExp) => { await page.getByRole('tab', { name }).click(); };
  await openPage(page, host, builder(empty.ref));
  await expect(page.getByText('What starts it?').or(page.locator('.first-step')).first()).toBeVisible();
  await walk.see('builder empty');
  await page.locator('.cv').focus();
  await page.keyboard.press('Tab');
  await walk.dialog('builder add a step', page.getByRole('dialog', { name: 'Add a step' }));

  await walk.go(builder(ref), page.locator('.cv-node[data-node=large]'));
  await walk.see('builder');
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  await step('large');
  await expect(page.getByRole('group', { name: 'Keep when: conditions' })).toBeVisible();
  await page.locator('.panel-fields > summary').click();
  await walk.see('panel conditions and data');
  await tab(/^Input/);
  await walk.see('panel input');
  await page.getByRole('region', { name: 'From earlier steps' }).locator('summary').first().click();
  await expect(page.locator('.panel-earlier .vl-drag').first()).toBeVisible();
  await walk.see('panel data of earlier steps');
  await tab(/^Output/);
  for (const view of ['Table', 'Schema']) {
    await page.getByRole('radio', { name: view }).click();
    await walk.see(`panel output ${view}`);
  }
  await tab(/^Error handling/);
  await walk.see('panel error handling');
  await tab(/^Settings/);
  await page.keyboard.press('Control+Alt+Enter');
  await walk.see('panel full');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Alt+l');
  await expect(page.getByRole('tree', { name: 'Steps and wires' })).toBeVisible();
  await page.keyboard.press('Control+m');
  await walk.see('builder outline and problems');
  await page.keyboard.press('Control+Alt+l');
  await step('large');
  await page.keyboard.press('Shift+F10');
  await walk.dialog('builder menu', page.getByRole('menu'));
  await step('large');
  await page.keyboard.press('c');
  await walk.dialog('builder connect', dialog);
  await page.keyboard.press('Control+f');
  await walk.dialog('builder find', dialog);
  await page.keyboard.press('Control+i');
  await expect(page.getByRole('region', { name: 'Planner' })).toBeVisible();
  await walk.see('planner');
  await page.getByRole('region', { name: 'Planner' }).getByRole('button', { name: 'Close' }).first().click();
  await page.locator('.cv .react-flow__pane').click({ position: { x: 400, y: 20 } });
  await walk.see('panel workflow or run');
  // A small window.
  await step('large');
  await page.setViewportSize({ width: 1024, height: 768 });
  await walk.see('builder small');
  await page.setViewportSize({ width: 1440, height: 900 });
  const kinds = await make<object>(host, 'Kinds', KINDS);
  await walk.go(builder(kinds.ref), page.locator('.cv-node[data-node=approve]'));
  for (const id of Object.keys(KINDS.nodes)) {
    await step(id);
    await walk.see(`panel ${id}`);
  }
  walk.none();
});

test('no violations in runs, comparison, inbox, automations, records, costs and forms', async ({ page }) => {
  test.setTimeout(240_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const walk = new Walk(page);
  const dialog = page.getByRole('dialog');
  const bad = await makeWorkflow(host, badPlan('Plans'));
  const first = await startRun(host, bad.ref, {});
  await ended(first, /failed/);
  const { runId: again } = await host.rpc<{ runId: string }>('run_rerun', { runId: first, stepId: 'check', overrides: { $plan: 'good' } });
  await ended(again, /completed/);
  const pay = await makeWorkflow(host, APPROVAL);
  await startRun(host, pay.ref, { amount: 12 });
  const mean = await makeWorkflow(host, MEAN);
  const waits = await startRun(host, mean.ref, { name: 'Ada', total: 12, count: 0 });
  await expect.poll(async () => (await openTasks(host)).length).toBe(2);
  const form = await makeWorkflow(host, {
    signalbox: 1, id: 'vacations', name: 'Vacations',
    nodes: { ask: { type: 'trigger.form', typeVersion: 1, title: 'Ask', config: { path: 'vacation', title: 'Vacation request', schema: { type: 'object', required: ['name'], properties: { name: { type: 'string', title: 'Your name' }, days: { type: 'integer', title: 'Days' }, kind: { title: 'Kind', oneOf: [{ const: 'a', title: 'Paid' }, { const: 'b', title: 'Unpaid' }] } } } } } },
    edges: [], layout: { ask: [0, 0] },
  });
  await host.rpc('workflow_activate', { ref: form.ref });
  const every = await makeWorkflow(host, { signalbox: 1, id: 'every-morning', name: 'Every morning', nodes: { at: { type: 'trigger.schedule', typeVersion: 1, title: 'At 8', config: { cron: '0 8 * * *', timezone: 'Europe/Berlin' } } }, edges: [], layout: { at: [0, 0] } });
  await host.rpc('workflow_activate', { ref: every.ref });

  await openPage(page, host);
  await expect(page.locator('.g-run').first()).toBeVisible();
  await walk.see('library');
  await walk.go('#/runs', page.getByRole('grid', { name: /Runs/ }));
  await walk.see('runs');
  await walk.go(`#/run/${first}`, page.locator('.wb-banners').getByRole('alert'));
  await walk.see('run failed');
  await walk.go(`#/run/${waits}`, page.getByText('This run waits for a person'));
  await walk.see('run waiting');
  await walk.go(`#/run/${again}?at=5`, page.getByRole('group', { name: 'Time travel' }));
  const views = page.getByRole('radiogroup', { name: 'Show the run as' });
  if (!await views.isVisible()) await page.getByRole('button', { name: 'Detail log' }).click();
  for (const name of ['Timeline', 'Events', 'Cards']) {
    await views.getByRole('radio', { name }).click();
    await walk.see(`run log ${name}`);
  }
  await walk.go(`#/run/${first}`, page.locator('.wb-banners').getByRole('alert'));
  await page.locator('.wb-banners').getByRole('button', { name: /^Re-run from/ }).click();
  await walk.dialog('re-run', dialog);
  await walk.go(`#/compare/${first}?with=${again}`, page.locator('main h1').first());
  await walk.see('compare');

  await walk.go('#/inbox', page.getByRole('row', { name: /No mean for Ada/ }));
  await walk.see('inbox list');
  for (const [row, name] of [[/No mean for Ada/, 'task failed'], [/Approve payment/, 'task approval']] as const) {
    await page.getByRole('row', { name: row }).click();
    await expect(page.locator('.ib-right h2, .ib-right h1').first()).toBeVisible();
    await walk.see(name);
  }
  for (const one of await page.locator('.ib-right').getByRole('tab').all()) {
    await one.click();
    await walk.see(`task tab ${await one.innerText()}`);
  }
  await page.locator('.ib-list').focus();
  await page.keyboard.press('z');
  await walk.dialog('inbox snooze', dialog);

  await walk.go('#/automations', page.getByRole('row').filter({ hasText: 'Every morning' }));
  await walk.see('automations');
  await walk.go('#/automations?ask=deactivate', dialog);
  await walk.dialog('automations deactivate', dialog);
  await walk.go('#/audit', page.locator('main h1').first());
  await walk.see('audit');
  const record = page.getByRole('row').nth(2);
  await record.click();
  await walk.see('audit record');
  await page.getByRole('button', { name: 'Export evidence' }).or(page.getByRole('button', { name: /Export/ })).first().click();
  await walk.dialog('audit export', dialog);

  // A run that goes on, and one that cost something.
  const slow = await makeWorkflow(host, {
    signalbox: 1, id: 'slow', name: 'Takes long',
    nodes: { start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' }, wait: { type: 'flow.wait', typeVersion: 1, title: 'Sleep', config: { ms: 600_000 } } },
    edges: [{ from: 'start.success', to: 'wait' }], layout: { start: [0, 0], wait: [248, 0] },
  });
  const live = await startRun(host, slow.ref, {});
  await walk.go(`#/run/${live}`, page.locator('.cv-node[data-node=wait]'));
  await expect(page.locator('.wb-status').getByText(/Waiting|Running/).first()).toBeVisible();
  await walk.see('run live');
  await host.rpc('run_cancel', { runId: live });
  const far = await modelPeer((response) => answerWhole(response, 'small', 'The money back.', [1000, 100]));
  await host.rpc('model_set', { name: 'house', kind: 'openai', baseUrl: far.base, models: [{ name: 'small', inputPrice: 1000, outputPrice: 10_000 }] });
  await host.rpc('model_default_set', { default: { provider: 'house', model: 'small' } });
  const asks = await makeWorkflow(host, {
    signalbox: 1, id: 'letters', name: 'Letters',
    nodes: { start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' }, ask: { type: 'llm.chat', typeVersion: 1, title: 'Read', config: { prompt: 'What is wanted?' } } },
    edges: [{ from: 'start.success', to: 'ask' }], layout: { start: [0, 0], ask: [248, 0] },
  });
  await ended(await startRun(host, asks.ref, {}), /completed/);
  far.stop();
  await walk.go('#/settings/models', page.locator('[data-usage]').getByText('2.00').first());
  await walk.see('costs');
  await walk.go(`#/workflow/${encodeURIComponent(asks.ref)}`, page.locator('.cv-node[data-node=ask]'));
  await page.keyboard.press('Control+i');
  await expect(page.getByRole('region', { name: 'Planner' }).getByRole('textbox')).toBeVisible();
  await walk.see('planner with a model');

  const colleague = await page.context().newPage();
  await colleague.emulateMedia({ reducedMotion: 'reduce' });
  await useDist(colleague, host.origin);
  await colleague.goto(`${host.origin}/forms/vacation`);
  await expect(colleague.getByRole('heading', { name: 'Vacation request' })).toBeVisible();
  walk.found.push(...await look(colleague, 'form page'));
  await colleague.close();

  // The words of the other language are names, too.
  await host.rpc('settings_set', { settings: { theme: 'system', layout: {}, keymap: {}, language: 'zh' } });
  await page.reload();
  await expect(page.locator('html[lang^=zh]')).toBeAttached();
  for (const hash of ['#/workflows', '#/runs', '#/inbox', '#/audit', '#/settings', '#/catalog', `#/run/${again}`]) {
    await walk.go(hash, page.locator('main h1').first());
    await expect(page.locator('[aria-busy=true], .sk')).toHaveCount(0);
    walk.found.push(...await violations(page, `zh ${hash}`, 'elsewhere'));
  }
  walk.none();
});

test('no violations in the dialogs of imports, groups, pins, secrets, inputs, versions and histories', async ({ page }) => {
  test.setTimeout(240_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const walk = new Walk(page);
  const dialog = page.getByRole('dialog');
  await openPage(page, host);
  const chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import…' }).or(page.getByRole('button', { name: /^Import/ })).first().click();
  await (await chosen).setFiles(resolve(import.meta.dirname, '../../src-tauri/crates/import/tests/vl/gate-24.json'));
  await expect(dialog.getByText('24 steps in the file')).toBeVisible();
  await dialog.getByText(/^\d+ warnings$/).click();
  await dialog.getByText('Translation of 24 steps').click();
  await walk.dialog('import report', dialog);

  await walk.go('#/settings/secrets', page.locator('[data-part="secrets"] h2').first());
  const secrets = page.getByRole('region', { name: 'Secrets' });
  const setUp = secrets.getByRole('button', { name: 'Set up…' });
  await setUp.click();
  await walk.dialog('secret key', dialog);
  await setUp.click();
  await page.getByRole('radio', { name: /^Key file/ }).check();
  await page.getByRole('button', { name: 'Use' }).click();
  await secrets.getByRole('button', { name: 'Add a secret…' }).click();
  await walk.dialog('secret', dialog);

  const { ref } = await make<object>(host, 'Grouped', ORDERS);
  await walk.go(`#/workflow/${encodeURIComponent(ref)}`, page.locator('.cv-node[data-node=large]'));
  const card = (id: string) => page.locator(`.cv-node[data-node=${id}]`);
  await card('orders').click({ position: { x: 80, y: 8 } });
  await card('large').click({ position: { x: 80, y: 8 }, modifiers: ['Shift'] });
  await page.keyboard.press('Control+g');
  await walk.dialog('group', page.getByRole('dialog', { name: 'Edit the group' }));
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  await card('orders').click({ position: { x: 80, y: 8 } });
  await page.getByRole('tab', { name: /^Output/ }).click();
  await page.getByRole('button', { name: 'Pin this output' }).click();
  const band = page.getByRole('region', { name: 'Pinned output' });
  await walk.see('pinned step');
  await band.getByRole('button', { name: 'Edit…' }).click();
  await expect(dialog).toBeVisible();
  await walk.see('pin as JSON');
  await dialog.getByRole('radio', { name: 'Table' }).click();
  await walk.dialog('pin as a table', dialog);

  const { ref: halted } = await make<object>(host, 'Halted', ORDERS);
  await walk.go(`#/workflow/${encodeURIComponent(halted)}`, card('large'));
  await expect(page.locator('.bar').getByRole('button', { name: 'Halted, Rename' })).toBeVisible();
  await card('large').click({ position: { x: 80, y: 8 } });
  await page.keyboard.press('F9');
  await page.keyboard.press('F5');
  const banner = page.locator('.wb-banners').getByRole('status');
  await expect(banner).toContainText('Stopped before');
  await walk.see('debugger');
  await banner.getByRole('button', { name: 'Edit input' }).click();
  await expect(dialog).toBeVisible();
  await walk.see('input editor');
  const input = dialog.getByRole('textbox', { name: 'Input as JSON' });
  await input.fill((await input.inputValue()).replace(/\d+/, '7'));
  await walk.see('input editor with a change');
  await input.fill('{ "total": ');
  await walk.see('input editor with what is no JSON');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');

  const daily = { signalbox: 1, id: 'daily', name: 'Daily', nodes: { at: { type: 'trigger.schedule', typeVersion: 1, title: 'At 8', config: { cron: '0 8 * * *', timezone: 'Europe/Berlin' } } }, edges: [], layout: { at: [0, 0] } };
  const day = await makeWorkflow(host, daily);
  await host.rpc('workflow_activate', { ref: day.ref });
  const stored = await host.rpc<{ document: object; revision: string }>('workflow_open', { ref: day.ref });
  await host.rpc('workflow_save', { ref: day.ref, document: { ...stored.document, name: 'Daily papers' }, baseRevision: stored.revision });
  await host.rpc('workflow_activate', { ref: day.ref });
  await page.reload();
  await walk.go('#/automations', page.getByRole('row').filter({ hasText: 'Daily papers' }));
  const menu = page.getByRole('row').filter({ hasText: 'Daily papers' }).getByRole('button');
  await menu.click();
  await page.getByRole('menuitem', { name: 'Run now' }).click();
  await menu.click();
  await page.getByRole('menuitem', { name: 'History' }).click();
  await expect(dialog.getByRole('cell', { name: 'Completed' })).toBeVisible();
  await walk.dialog('history of a trigger', dialog);
  await menu.click();
  await page.getByRole('menuitem', { name: 'Versions' }).click();
  await walk.dialog('versions', dialog);
  walk.none();
});
