// Object steps against real servers: the S3 of moto and the WebDAV of WsgiDAV (objects-requirements.txt, installed below the
// target folder), Azurite (object-files.mjs), and Google (object-google.mjs). Run only when it is named. What arrived is looked at by the server's own means.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anySize, azure, cutOff } from './object-files.mjs';
import { google } from './object-google.mjs';
import { programs } from './python.mjs';
import { Signalbox } from './signalbox.mjs';
import { freePort } from './sinks.mjs';

/** Where the programs of the servers are. */
const bin = () => process.env.SIGNALBOX_OBJECTS_BIN ?? programs('objects');
const SECRET = 'peer-secret-key-0123456789';

/** Runs one step; the items of its result, or its error. */
async function step(place, type, config) {
  const file = place.file('step.signalbox.json', { signalbox: 1, id: 'step', name: 'step', nodes: { s: { type, config } }, edges: [] });
  const done = await place.run('run', file);
  assert.ok(!JSON.stringify(done.lines).includes(SECRET), 'the secret is nowhere in the run');
  return done.code === 0 ? { items: done.json.output } : { code: done.json.error?.details?.code ?? JSON.stringify(done.json), message: done.json.error?.message };
}

async function answering(url, headers = {}) {
  for (const late = Date.now() + 30_000; Date.now() < late;) {
    try { await fetch(url, { headers }); return; } catch { await new Promise((done) => { setTimeout(done, 50); }); }
  }
  throw new Error(`${url} does not answer`);
}

/** What holds for every store; `conditional` says whether the server looks at the conditions of a write. */
async function everywhere(report, name, place, store, conditional = true) {
  const at = (more) => ({ ...store, ...more });
  const keys = async (more) => (await step(place, 'object.list', at(more))).items.map((item) => item.key);
  await report(`${name}: what is written is read, with names of any kind`, async () => {
    for (const [key, content] of [['in/a b+c%.txt', 'one'], ['in/Größe/é.json', { n: 1 }], ['top.txt', 'Grüße']]) {
      const written = await step(place, 'object.write', at({ key, content }));
      assert.equal(written.items?.[0].key, key, JSON.stringify(written));
    }
    assert.deepEqual((await keys({})).sort(), ['in/Größe/é.json', 'in/a b+c%.txt', 'top.txt']);
    assert.deepEqual(await keys({ prefix: 'in/', recursive: false }), ['in/Größe/', 'in/a b+c%.txt']);
    assert.deepEqual((await keys({ limit: 1 })).length, 1);
    const read = await step(place, 'object.read', at({ key: 'in/Größe/é.json', as: 'json' }));
    assert.deepEqual(read.items?.[0].content, { n: 1 }, JSON.stringify(read));
    assert.equal((await step(place, 'object.read', at({ key: 'in/a b+c%.txt', as: 'text' }))).items?.[0].content, 'one');
    assert.equal((await step(place, 'object.read', at({ key: 'missing.txt' }))).code, 'NOT_FOUND');
  });
  if (conditional) await report(`${name}: a write on a condition does not overwrite`, async () => {
    assert.equal((await step(place, 'object.write', at({ key: 'top.txt', content: 'x', when: 'new' }))).code, 'PRECONDITION_FAILED');
    const { version } = (await step(place, 'object.read', at({ key: 'top.txt', as: 'text' }))).items[0];
    assert.ok(version);
    await step(place, 'object.write', at({ key: 'top.txt', content: 'somebody else' }));
    assert.equal((await step(place, 'object.write', at({ key: 'top.txt', content: 'x', when: 'version', version }))).code, 'PRECONDITION_FAILED');
    assert.equal((await step(place, 'object.read', at({ key: 'top.txt', as: 'text' }))).items[0].content, 'somebody else');
  });
  await report(`${name}: moved, copied, removed`, async () => {
    assert.equal((await step(place, 'object.move', at({ key: 'top.txt', to: 'in/a b+c%.txt', when: 'new' }))).code, 'PRECONDITION_FAILED');
    const moved = await step(place, 'object.move', at({ key: 'top.txt', to: 'done/2026/t.txt' }));
    assert.deepEqual(moved.items, [{ key: 'done/2026/t.txt', from: 'top.txt', kept: false }], JSON.stringify(moved));
    await step(place, 'object.move', at({ key: 'in/a b+c%.txt', to: 'copy.txt', keep: true }));
    assert.deepEqual((await keys({})).sort(), ['copy.txt', 'done/2026/t.txt', 'in/Größe/é.json', 'in/a b+c%.txt']);
    for (const key of await keys({})) assert.equal((await step(place, 'object.delete', at({ key }))).items?.[0].found, true);
    assert.deepEqual(await keys({}), []);
  });
}

async function s3(report) {
  const [place, port] = [new Signalbox(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  const server = spawn(join(bin(), 'moto_server'), ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=peer/20261128/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0' };
  try {
    await answering(base);
    assert.ok((await fetch(`${base}/files`, { method: 'PUT', headers })).ok);
    await place.run('secret', 'choose', 'file');
    const set = await place.told(`${SECRET}\n`, 'secret', 'set', 's3', '--kind', 'aws', '--field', 'peer', '--region', 'us-east-1', '--service', 's3', '--host', 'http://127.0.0.1');
    assert.equal(set.code, 0, JSON.stringify(set.json) + set.err);
    const store = { system: 's3', address: base, bucket: 'files', credential: 'secret://s3' };
    await everywhere(report, 'S3', place, store);
    const uploads = async () => [...(await (await fetch(`${base}/files?uploads`, { headers })).text()).matchAll(/<UploadId>/g)];
    await anySize(report, 'S3', place, store, uploads);
    await cutOff(report, place, store, port, uploads);
    await step(place, 'object.delete', { ...store, key: 'big/killed.bin' });
    await step(place, 'object.delete', { ...store, key: 'in/a b+c%é&d.bin' });
    await report('S3: more than a page is listed, and nothing is listed twice', async () => {
      for (let n = 0; n < 1_005; n += 1) await fetch(`${base}/files/many/${String(n).padStart(4, '0')}`, { method: 'PUT', headers, body: 'x' });
      const listed = (await step(place, 'object.list', { ...store, prefix: 'many/', limit: 5_000 })).items.map((item) => item.key);
      assert.deepEqual([listed.length, new Set(listed).size], [1_005, 1_005]);
    });
    await report('S3: a bucket that is not there', async () => {
      const error = await step(place, 'object.list', { ...store, bucket: 'nothing' });
      assert.equal(error.code, 'NOT_FOUND');
      assert.match(error.message, /has no bucket 'nothing': .*Correct 'bucket' or 'address'/);
    });
  } finally {
    server.kill();
    place.end();
  }
}

/** A key of a user is tried where signatures are checked: moto knows the user, and refuses a request that the key did not sign. */
async function signedKeys(report) {
  const [place, port] = [new Signalbox(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  // So many requests are answered without a look at their signature: those that make the user.
  const server = spawn(join(bin(), 'moto_server'), ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore', env: { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: '4' } });
  const scope = (service) => ({ authorization: `AWS4-HMAC-SHA256 Credential=peer/20261128/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0` });
  const iam = async (fields) => {
    const answer = await fetch(base, { method: 'POST', headers: { ...scope('iam'), 'content-type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams({ Version: '2010-05-08', UserName: 'ada', ...fields }) });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    return text;
  };
  try {
    await answering(`${base}/moto-api/`);
    assert.ok((await fetch(`${base}/files`, { method: 'PUT', headers: scope('s3') })).ok);
    await iam({ Action: 'CreateUser' });
    await iam({ Action: 'PutUserPolicy', PolicyName: 'all', PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] }) });
    const made = await iam({ Action: 'CreateAccessKey' });
    const part = (name) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(made)[1];
    await place.run('secret', 'choose', 'file');
    const set = async (name, service, key) => {
      const done = await place.told(`${key}\n`, 'secret', 'set', name, '--kind', 'aws', '--field', part('AccessKeyId'), '--region', 'us-east-1', '--service', service, '--host', 'http://127.0.0.1');
      assert.equal(done.code, 0, JSON.stringify(done.json) + done.err);
    };
    const tried = async (name, url) => (await place.run('secret', 'test', name, '--url', url)).json;
    const bucket = `s3+${base}/files`;
    await report('AWS: a key is tried at a bucket of a server that checks its signature', async () => {
      await set('bucket', 's3', part('SecretAccessKey'));
      const answer = await tried('bucket', bucket);
      assert.equal(answer.good, true, JSON.stringify(answer));
    });
    await report('AWS: a key that is not that of the user is refused', async () => {
      await set('bucket', 's3', `${part('SecretAccessKey').slice(0, -4)}XXXX`);
      const answer = await tried('bucket', bucket);
      assert.deepEqual([answer.good, answer.code], [false, 'AUTH'], JSON.stringify(answer));
      assert.match(answer.message, /signature/);
    });
  } finally {
    server.kill();
    place.end();
  }
}

async function webdav(report) {
  const [place, port] = [new Signalbox(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-dav-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  const settings = join(folder, 'wsgidav.json');
  writeFileSync(settings, JSON.stringify({ host: '127.0.0.1', port, provider_mapping: { '/': root }, simple_dc: { user_mapping: { '*': { ada: { password: SECRET } } } }, http_authenticator: { accept_basic: true, accept_digest: false, default_to_digest: false }, verbose: 0 }));
  const server = spawn(join(bin(), 'wsgidav'), ['-c', settings], { stdio: 'ignore' });
  try {
    await answering(base);
    await place.run('secret', 'choose', 'file');
    const set = await place.told(`${SECRET}\n`, 'secret', 'set', 'dav', '--kind', 'basic', '--field', 'ada', '--host', base);
    assert.equal(set.code, 0, JSON.stringify(set.json) + set.err);
    const store = { system: 'webdav', address: base, credential: 'secret://dav' };
    await everywhere(report, 'WebDAV', place, store);
    await anySize(report, 'WebDAV', place, store, async () => readdirSync(join(root, 'in')).filter((name) => name.startsWith('.')));
    await step(place, 'object.delete', { ...store, key: 'in/a b+c%é&d.bin' });
    await report('WebDAV: the bytes in the folder are those that were written', async () => {
      await step(place, 'object.write', { ...store, key: 'a/b/c.txt', content: 'Grüße' });
      assert.equal(readFileSync(join(root, 'a/b/c.txt'), 'utf8'), 'Grüße');
    });
    await report('WebDAV: without the password nothing is read', async () => {
      assert.equal((await step(place, 'object.list', { system: 'webdav', address: base })).code, 'AUTH');
    });
  } finally {
    server.kill();
    place.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function objects(report) {
  await s3(report);
  await signedKeys(report);
  await webdav(report);
  await azure(report, everywhere);
  await google(report, everywhere);
}
