// Parquet and Arrow files of the writers that people use (pyarrow, DuckDB, Polars, fastparquet), read by the real program and written
// as lines of JSON, which `columnar.py` compares with what it meant. Run only when it is named: it installs Python packages below
// the target folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programs } from './python.mjs';
import { Signalbox } from './signalbox.mjs';

export async function columnar(report) {
  const python = join(programs('columnar'), 'python');
  const program = new Signalbox();
  const folder = join(program.folder, 'files');
  const call = (word) => {
    const done = spawnSync(python, [join(import.meta.dirname, 'columnar.py'), word, folder], { encoding: 'utf8' });
    return { ok: done.status === 0, words: `${done.stdout}${done.stderr}` };
  };
  await report('files are written by pyarrow, DuckDB, Polars and fastparquet', async () => {
    const written = call('write');
    assert.ok(written.ok, written.words);
  });
  const names = existsSync(join(folder, 'expected.json')) ? Object.keys(JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'))) : [];
  await report(`${names.length} files are read`, async () => {
    for (const name of names) {
      const nodes = {
        start: { type: 'trigger.manual' },
        read: { type: 'table.read', config: { path: join(folder, name) } },
        write: { type: 'file.write', config: { path: join(folder, `${name}.jsonl`), rows: true, as: 'jsonLines' } },
      };
      const edges = [{ from: 'start.success', to: 'read' }, { from: 'read.success', to: 'write' }];
      const workflow = program.file('columnar.json', JSON.stringify({ signalbox: 1, id: 'columnar', name: 'Columnar', nodes, edges }));
      const { json } = await program.run('run', workflow, '--allow-dir', `${folder}:rw`);
      if (json?.status !== 'completed') writeFileSync(join(folder, `${name}.error`), json?.error?.details?.code ?? JSON.stringify(json));
    }
  });
  await report('rows are those that were meant, to the digit', async () => {
    const checked = call('check');
    console.log(checked.words.trim());
    assert.ok(checked.ok, checked.words);
  });
}
