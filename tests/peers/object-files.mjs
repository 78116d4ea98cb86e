// Files of any size into and out of real stores: the S3 of moto, WsgiDAV, and Azurite (by the key of its account and by a shared
// access signature). What is left at the store is looked at by the store's own means.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmProgram } from './npm-program.mjs';
import { Signalbox } from './signalbox.mjs';
import { freePort } from './sinks.mjs';

const MIB = 1024 * 1024;
/** The account that every Azurite has, from its documentation. */
const ACCOUNT = 'devstoreaccount1';
const ACCOUNT_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** A step with a folder that is open to it; its item, or its error. */
async function step(place, folder, type, config) {
  const file = place.file('step.signalbox.json', { signalbox: 1, id: 'step', name: 'step', nodes: { s: { type, config } }, edges: [] });
  const done = await place.run('run', file, '--allow-dir', `${folder}:rw`);
  return done.code === 0 ? { item: done.json.output[0], lines: done.lines } : { code: done.json.error?.details?.code ?? JSON.stringify(done.json), lines: done.lines };
}

/** What holds for every store. */
export async function anySize(report, name, place, store, left) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-files-'));
  try {
    await report(`${name}: a file of 17 MiB goes in and comes out as it was, under a name with odd characters`, async () => {
      const bytes = randomBytes(17 * MIB + 5);
      place.file('big.bin', bytes);
      const key = 'in/a b+c%é&d.bin';
      const from = await step(place, place.folder, 'object.write', { ...store, key, file: join(place.folder, 'big.bin'), when: 'new' });
      assert.equal(from.item?.size, bytes.length, JSON.stringify(from.code ?? from.item));
      const to = join(folder, 'back.bin');
      const read = await step(place, folder, 'object.read', { ...store, key, as: 'file', saveTo: to });
      assert.deepEqual(read.item?.content, { path: to, size: bytes.length }, JSON.stringify(read));
      assert.equal(sha(readFileSync(to)), sha(bytes));
      const again = await step(place, place.folder, 'object.write', { ...store, key, file: join(place.folder, 'big.bin'), when: 'new' });
      assert.equal(again.code, 'PRECONDITION_FAILED');
      const newer = await step(place, place.folder, 'object.write', { ...store, key, file: join(place.folder, 'big.bin'), when: 'version', version: from.item.version });
      assert.equal(newer.item?.size, bytes.length, JSON.stringify(newer));
      const listed = await place.run('run', place.file('list.signalbox.json', { signalbox: 1, id: 'l', name: 'l', nodes: { s: { type: 'object.list', config: store } }, edges: [] }));
      assert.deepEqual(listed.json.output.map((item) => item.key), [key]);
      assert.deepEqual(await left(), []);
    });
    await report(`${name}: a file of no granted folder is not sent, and nothing is saved elsewhere`, async () => {
      const refused = await step(place, folder, 'object.write', { ...store, key: 'x', file: join(place.folder, 'big.bin') });
      assert.equal(refused.code, 'PATH_REFUSED');
      const elsewhere = await step(place, folder, 'object.read', { ...store, key: 'in/a b+c%é&d.bin', as: 'file', saveTo: join(place.folder, 'x.bin') });
      assert.equal(elsewhere.code, 'PATH_REFUSED');
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A signature for all objects of the account that holds for an hour. */
function sas(rights) {
  const at = (ms) => new Date(ms).toISOString().replace(/\.\d+Z/, 'Z');
  const [version, start, end] = ['2021-12-02', at(Date.now() - 300_000), at(Date.now() + 3_600_000)];
  const text = [ACCOUNT, rights, 'b', 'sco', start, end, '', 'https,http', version, '', ''].join('\n');
  const sig = createHmac('sha256', Buffer.from(ACCOUNT_KEY, 'base64')).update(text, 'utf8').digest('base64');
  return new URLSearchParams({ sv: version, ss: 'b', srt: 'sco', sp: rights, st: start, se: end, spr: 'https,http', sig }).toString();
}

/** Azurite, whose accounts are the first part of the path. */
export async function azure(report, everywhere) {
  const [place, port] = [new Signalbox(), await freePort()];
  const data = mkdtempSync(join(tmpdir(), 'signalbox-azurite-'));
  const server = spawn(process.execPath, [npmProgram('azurite', '3.37.0', 'dist/src/blob/main.js'), '--blobPort', String(port), '--blobHost', '127.0.0.1', '--location', data, '--silent', '--skipApiVersionCheck'], { stdio: 'ignore' });
  const base = `http://127.0.0.1:${port}/${ACCOUNT}`;
  const all = sas('rwdlacup');
  try {
    for (const late = Date.now() + 60_000; ;) {
      try { assert.ok((await fetch(`${base}/files?restype=container&${all}`, { method: 'PUT', headers: { 'x-ms-version': '2021-12-02' } })).ok); break; } catch (error) { if (Date.now() > late) throw error; }
      await new Promise((done) => { setTimeout(done, 100); });
    }
    await place.run('secret', 'choose', 'file');
    const host = `http://127.0.0.1:${port}`;
    const keep = async (value, name, ...how) => {
      const set = await place.told(`${value}\n`, 'secret', 'set', name, ...how, '--host', host);
      assert.equal(set.code, 0, JSON.stringify(set.json) + set.err);
    };
    await keep(ACCOUNT_KEY, 'key', '--kind', 'azure', '--field', ACCOUNT);
    await keep(all, 'sas', '--kind', 'sas');
    await keep(sas('rl'), 'reads', '--kind', 'sas');
    await keep(Buffer.from('another key of no account').toString('base64'), 'wrong', '--kind', 'azure', '--field', ACCOUNT);
    const store = { system: 'azure', address: base, bucket: 'files' };
    const uncommitted = async () => [];
    for (const [name, credential] of [['account key', 'key'], ['shared access signature', 'sas']]) {
      const signed = { ...store, credential: `secret://${credential}` };
      await everywhere(report, `Azure (${name})`, place, signed);
      await anySize(report, `Azure (${name})`, place, signed, uncommitted);
      await step(place, place.folder, 'object.delete', { ...signed, key: 'in/a b+c%é&d.bin' });
    }
    await report('Azure: Test says whether a key and a signature are good', async () => {
      assert.equal((await place.run('secret', 'test', 'key', '--url', `${base}?comp=list`)).json.good, true);
      assert.equal((await place.run('secret', 'test', 'sas', '--url', `${base}/files?restype=container&comp=list`)).json.good, true);
      assert.equal((await place.run('secret', 'test', 'wrong', '--url', `${base}?comp=list`)).json.good, false);
    });
    await report('Azure: without the right nothing is written, and neither key nor signature stands in the run', async () => {
      for (const credential of ['wrong', 'reads']) {
        const refused = await step(place, place.folder, 'object.write', { ...store, credential: `secret://${credential}`, key: 'x', file: join(place.folder, 'big.bin') });
        assert.equal(refused.code, 'AUTH');
        const text = JSON.stringify(refused.lines);
        for (const part of [ACCOUNT_KEY, new URLSearchParams(all).get('sig'), new URLSearchParams(sas('rl')).get('sig')]) assert.ok(!text.includes(part));
      }
    });
  } finally {
    server.kill();
    place.end();
    rmSync(data, { recursive: true, force: true });
  }
}


/** A way to a store that does not answer the second part for the first `times` times; `held` says when one has come. */
async function holding(port, times) {
  let [come, left] = [null, times];
  const held = new Promise((done) => { come = done; });
  const server = createServer((request, answer) => {
    if (request.url.includes('partNumber=2') && left > 0) {
      left -= 1;
      request.resume();
      request.once('end', come);
      return;
    }
    const onward = httpRequest({ host: '127.0.0.1', port, method: request.method, path: request.url, headers: request.headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    request.pipe(onward);
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return { base: `http://127.0.0.1:${server.address().port}`, held, end: () => { server.closeAllConnections(); server.close(); } };
}

/** A way to a store that passes on the beginning of an object and then nothing more; `gone` says when nobody reads it any more. */
async function stopping(port) {
  let [come, leave] = [null, null];
  const [held, gone] = [new Promise((done) => { come = done; }), new Promise((done) => { leave = done; })];
  const server = createServer((request, answer) => {
    const onward = httpRequest({ host: '127.0.0.1', port, method: request.method, path: request.url, headers: request.headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      let passed = 0;
      got.on('data', (piece) => {
        if (passed > MIB) return;
        answer.write(piece);
        passed += piece.length;
        if (passed > MIB) come();
      });
      answer.on('close', () => { onward.destroy(); leave(); });
    });
    onward.on('error', () => answer.destroy());
    request.pipe(onward);
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return { base: `http://127.0.0.1:${server.address().port}`, held, gone, end: () => { server.closeAllConnections(); server.close(); } };
}

/** What becomes of an upload in parts whose run ends in the middle. `uploads` counts what the store still has of them. */
export async function cutOff(report, place, store, port, uploads) {
  const begun = async (key) => {
    const way = await holding(port, 1);
    const config = { ...store, address: way.base, key, file: join(place.folder, 'big.bin') };
    const run = place.watch('run', place.file('cut.signalbox.json', { signalbox: 1, id: 'cut', name: 'cut', nodes: { s: { type: 'object.write', config } }, edges: [] }), '--allow-dir', place.folder);
    await way.held;
    assert.equal((await uploads()).length, 1);
    return { way, run };
  };
  await report('S3: a killed upload is not seen, and the resumed run drops its parts', async () => {
    const { way, run } = await begun('big/killed.bin');
    try {
      run.kill('SIGKILL');
      await run.ended;
      assert.equal((await step(place, place.folder, 'object.read', { ...store, key: 'big/killed.bin' })).code, 'NOT_FOUND');
      const resumed = await place.run('resume', '--allow-dir', place.folder);
      assert.equal(resumed.code, 0, JSON.stringify(resumed.json) + resumed.err);
      assert.deepEqual(await uploads(), []);
      assert.equal((await step(place, place.folder, 'object.list', { ...store, prefix: 'big/killed.bin' })).item?.size, 17 * MIB + 5);
    } finally {
      way.end();
    }
  });
  await report('S3: a cancelled read ends within two seconds, closes its connection and leaves no file', async () => {
    const way = await stopping(port);
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-read-'));
    try {
      const config = { ...store, address: way.base, key: 'big/killed.bin', as: 'file', saveTo: join(folder, 'back.bin') };
      const run = place.watch('run', place.file('read.signalbox.json', { signalbox: 1, id: 'read', name: 'read', nodes: { s: { type: 'object.read', config } }, edges: [] }), '--allow-dir', `${folder}:rw`);
      await way.held;
      const at = Date.now();
      const [{ runId }] = (await place.run('runs', 'list')).json;
      await place.run('cancel', runId);
      await Promise.all([run.ended, way.gone]);
      assert.ok(Date.now() - at < 4_000, `${Date.now() - at} ms, with the start of two programs`);
      assert.deepEqual(readdirSync(folder), []);
    } finally {
      way.end();
      rmSync(folder, { recursive: true, force: true });
    }
  });
  await report('S3: a cancelled upload ends within two seconds and leaves no parts', async () => {
    const { way, run } = await begun('big/cancelled.bin');
    try {
      const at = Date.now();
      const [{ runId }] = (await place.run('runs', 'list')).json;
      await place.run('cancel', runId);
      await run.ended;
      assert.ok(Date.now() - at < 4_000, `${Date.now() - at} ms, with the start of two programs`);
      assert.deepEqual(await uploads(), []);
      assert.equal((await step(place, place.folder, 'object.read', { ...store, key: 'big/cancelled.bin' })).code, 'NOT_FOUND');
    } finally {
      way.end();
    }
  });
}
