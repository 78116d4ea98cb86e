/** A form that starts a workflow: activated in the editor, filled in on a phone by somebody who has no token, in both themes. */
import { openDocument, shot } from './document.ts';
import { expect, test } from './host.ts';

const PATH = 'vacation';
const schema = {
  type: 'object', required: ['name', 'from', 'days', 'kind'],
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    from: { type: 'string', title: 'First day', format: 'date' },
    days: { type: 'integer', title: 'Working days', minimum: 1, maximum: 30 },
    kind: { title: 'Kind of vacation', oneOf: [{ const: 'paid', title: 'Paid' }, { const: 'unpaid', title: 'Unpaid' }], default: 'paid' },
    place: { title: 'Where', oneOf: [{ type: 'object', title: 'Abroad', required: ['country'], properties: { country: { type: 'string', title: 'Country', minLength: 2 } } }, { type: 'string', title: 'At home', const: 'home' }] },
    invitation: { type: 'string', title: 'Invitation', description: 'A PDF, if you have one. Nobody but the person who decides opens it.', format: 'binary', contentMediaType: 'application/pdf' },
    note: { type: 'string', title: 'Note', 'x-multiline': true },
  },
};
const parts = (path: string, config: object = {}) => ({
  settings: { errorPolicy: 'fail' },
  nodes: {
    ask: { type: 'trigger.form', typeVersion: 1, title: 'Ask for the days', config: { path, title: 'Vacation request', description: 'Your request goes to the person who approves vacations.', schema, submitLabel: 'Send the request', thanks: 'You hear from us soon.', ...config } },
    note: { type: 'data.transform', typeVersion: 1, title: 'Note the request', config: { expression: "{'who': item.answers.name, 'files': item.files.size()}" } },
  },
  edges: [{ from: 'ask.success', to: 'note' }],
  layout: { ask: [0, 0], note: [280, 0] },
});

test('a form is activated, filled in on a phone and starts one run', async ({ open, host, page, browser }) => {
  const name = 'Vacations';
  await openDocument(open, host, name, parts(PATH));
  await page.locator('.cv-node[data-node=ask]').click();
  const step = page.getByRole('group', { name: 'Address of the form' });
  await expect(step.getByText(`${host.origin}/forms/${PATH}`)).toBeVisible();
  await expect(step.getByRole('button', { name: 'Run the active version' })).toBeHidden();
  await step.getByRole('button', { name: 'Preview' }).click();
  const preview = page.getByRole('dialog', { name: 'Preview of the form' });
  await expect(preview.getByLabel('Your name')).toBeVisible();
  await shot(page, 'form-preview');
  await preview.locator('.dialog-foot').getByRole('button', { name: 'Close' }).click();
  await page.locator('.bar').getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText(`${name} is active`)).toBeVisible();
  await expect(step.getByRole('button', { name: 'Open page' })).toBeVisible();
  await shot(page, 'form-step');

  // Somebody else's phone: no token, and the app is not there.
  const phone = await browser.newContext({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
  const form = await phone.newPage();
  const asked: string[] = [];
  const errors: string[] = [];
  form.on('request', (request) => asked.push(request.url()));
  form.on('pageerror', (error) => errors.push(String(error)));
  form.on('console', (message) => { if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text()); });
  await form.goto(`${host.origin}/forms/${PATH}`);
  await expect(form).toHaveTitle('Vacation request');
  await expect(form.getByRole('heading', { name: 'Vacation request' })).toBeVisible();
  await shot(form, 'form-page');
  expect(await form.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

  // Nothing filled in: each field says so, and the first has the focus.
  await form.getByRole('button', { name: 'Send the request' }).click();
  await expect(form.getByRole('alert')).toHaveText('3 answers need your attention');
  await expect(form.getByText('An answer is required')).toHaveCount(3);
  await expect(form.getByLabel('Your name')).toBeFocused();
  await shot(form, 'form-required');

  // By keyboard, with answers that only the server can refuse.
  await form.keyboard.type('Ada');
  await form.getByLabel('First day').fill('2026-12-21');
  await form.getByLabel('Working days').fill('31');
  await form.getByLabel('Invitation').setInputFiles({ name: 'invitation.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
  await form.keyboard.press('Enter');
  await expect(form.getByRole('alert')).toHaveText('2 answers need your attention');
  await expect(form.getByText('is not of the type application/pdf')).toBeVisible();
  await shot(form, 'form-wrong');
  await form.getByLabel('Working days').fill('5');
  await form.getByRole('button', { name: 'Remove: Invitation' }).click();
  await form.getByLabel('Invitation').setInputFiles({ name: 'invitation.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') });
  await expect(form.getByText('1 file, 8 B')).toBeVisible();
  await form.getByRole('combobox', { name: 'Where' }).click();
  await form.getByRole('option', { name: 'Abroad' }).click();
  await form.getByLabel('Country').fill('Norway');
  await shot(form, 'form-filled');
  await form.getByRole('button', { name: 'Send the request' }).dblclick();
  await expect(form.getByRole('heading', { name: 'Thank you' })).toBeFocused();
  await expect(form.getByText('You hear from us soon.')).toBeVisible();
  await shot(form, 'form-thanks');
  expect(asked.filter((url) => !url.startsWith(`${host.origin}/forms/`) && !url.startsWith('data:'))).toEqual([]);
  expect(errors).toEqual([]);
  await phone.close();

  // One run, with the file.
  const runs = async () => (await host.rpc<{ runs: { runId: string; workflowName: string; status: string }[] }>('run_list', {})).runs.filter((one) => one.workflowName === name);
  await expect.poll(async () => (await runs()).map((one) => one.status)).toEqual(['completed']);
  const run = await host.rpc<{ output: unknown[] }>('run_get', { runId: (await runs())[0]?.runId });
  expect(run.output).toEqual([{ who: 'Ada', files: 1 }]);

  // Fired by hand it gets sample answers.
  await step.getByRole('button', { name: 'Run the active version' }).click();
  await expect.poll(async () => (await runs()).length).toBe(2);
  await page.getByRole('link', { name: 'Automation' }).click();
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText(`Form at /forms/${PATH}`);
});

test('a page that waits shows the result, and says when a person has to decide', async ({ open, host, page }) => {
  const plain = { schema: { type: 'object', required: ['name'], properties: { name: { type: 'string', title: 'Your name' } } }, respond: 'result', title: 'Greeting', submitLabel: '' };
  const flow = parts('greeting', plain);
  await openDocument(open, host, 'Greeting', flow);
  await page.locator('.bar').getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText('Greeting is active')).toBeVisible();
  await page.goto(`${host.origin}/forms/greeting`);
  await page.getByLabel('Your name').fill('Ada');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Result' })).toBeVisible();
  await expect(page.getByRole('definition').first()).toHaveText('Ada');
  await shot(page, 'form-result');
  await page.getByRole('button', { name: 'Submit another response' }).click();
  await expect(page.getByLabel('Your name')).toHaveValue('');

  await openDocument(open, host, 'Asks', { ...parts('asks', plain), nodes: { ...parts('asks', plain).nodes, note: { type: 'builtin.human_approval', typeVersion: 1, title: 'Ask', config: { title: 'May {{item.answers.name}}?' } } } as never });
  await page.locator('.bar').getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText('Asks is active')).toBeVisible();
  await page.goto(`${host.origin}/forms/asks`);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByText('A person has to look at them')).toBeVisible();

  await page.goto(`${host.origin}/forms/none`);
  await expect(page.getByRole('heading', { name: 'There is no open form at this address' })).toBeVisible();
  await shot(page, 'form-none');
});
