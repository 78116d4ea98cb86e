// Spreadsheet templates made by openpyxl and XlsxWriter (templates-requirements.txt, installed below the target folder), filled by the
// real program and looked at by openpyxl; calculated by LibreOffice where the system has it. Run only when it is named.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programs } from './python.mjs';
import { Signalbox } from './signalbox.mjs';

const PYTHON = join(import.meta.dirname, 'templates.py');
const OFFICE = ['/usr/bin/soffice', '/usr/local/bin/soffice', '/opt/libreoffice/program/soffice'].find((path) => existsSync(path));

/** A workflow that fills a template with the object in a JSON file. */
function workflow(template, data, path) {
  return {
    signalbox: 1,
    id: 'fill-a-template',
    name: 'Fill a template',
    nodes: {
      start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
      read: { type: 'file.read', typeVersion: 1, title: 'Data', config: { path: data, as: 'json' } },
      fill: { type: 'sheet.fill', typeVersion: 1, title: 'Fill', config: { template, path, data: 'item.content' } },
    },
    edges: [{ from: 'start.success', to: 'read' }, { from: 'read.success', to: 'fill' }],
  };
}

export async function templates(report) {
  const python = join(programs('templates'), 'python');
  const signalbox = new Signalbox();
  try {
    const folder = join(signalbox.folder, 'files');
    mkdirSync(folder);
    execFileSync(python, ['-W', 'ignore', PYTHON, 'make', folder], { stdio: 'inherit' });
    for (const maker of ['openpyxl', 'xlsxwriter']) {
      for (const count of [5, 1, 0, 2_000]) {
        // One after the other: each is timed.
        await report(`a template of ${maker} filled with ${count} rows`, async () => {
          const [template, data, result] = [`${maker}.xlsx`, `data-${count}.json`, `${maker}-${count}.xlsx`].map((name) => join(folder, name));
          const file = signalbox.file(`${maker}-${count}.signalbox.json`, workflow(template, data, result));
          const done = await signalbox.run('run', file, '--allow-dir', `${folder}:rw`);
          assert.equal(done.json?.status, 'completed', JSON.stringify(done.json));
          const { lists } = done.json.output[0] ?? done.json.output;
          assert.equal(lists[0].count, count);
          assert.ok(readFileSync(result).length > 1_000);
          execFileSync(python, ['-W', 'ignore', PYTHON, 'check', maker, template, data, result], { stdio: 'inherit' });
        });
      }
      if (OFFICE) {
        await report(`LibreOffice calculates what was filled into a template of ${maker}`, () => {
          for (const count of [5, 1, 0, 2_000]) {
            const [data, result] = [`data-${count}.json`, `${maker}-${count}.xlsx`].map((name) => join(folder, name));
            const out = join(folder, 'calculated');
            execFileSync(OFFICE, [`-env:UserInstallation=file://${join(folder, 'office')}`, '--headless', '--convert-to', 'xlsx', '--outdir', out, result], { stdio: 'ignore', timeout: 120_000 });
            execFileSync(python, ['-W', 'ignore', PYTHON, 'calculated', maker, data, join(out, `${maker}-${count}.xlsx`)], { stdio: 'inherit' });
          }
        });
      }
    }
    if (!OFFICE) console.log('LibreOffice is missing, so nothing was calculated: apt-get install libreoffice-calc-nogui');
  } finally {
    signalbox.end();
  }
}
