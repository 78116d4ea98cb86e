// The packages in empty roots of Debian 12 and 13, booted by systemd-nspawn: installed, upgraded with a database of the release before,
// downgraded, restarted, removed, purged; the RPM packages with their scripts. Needs root, debootstrap, systemd-nspawn and
// python3. The window of the installed application is driven there as in tests/desktop. Roots are made once, below target/peers/roots
// (about 1.2 GB); each walk uses a copy. `--release` packs the programs of target/release instead of target/debug and measures how
// long the window takes; `--made` takes the packages of the last time, `--service` leaves out the application, whose libraries are
// 400 MB for each root; `--bookworm` and `--trixie` choose one.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import assert from 'node:assert/strict';

const ROOT = resolve(import.meta.dirname, '../..');
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
const ROOTS = join(TARGET, 'peers/roots');
const MADE = join(TARGET, 'peers/packages');
const [OLD, NEW] = ['0.1.0', '0.1.1'];
const IS_RELEASE = process.argv.includes('--release');
const UNIT = 'signalbox-server.service';
const DATA = '/var/lib/signalbox';
const SUITES = { bookworm: 'Debian 12', trixie: 'Debian 13' };
/** What the roots have besides the smallest system: systemd, and what the checks here use. */
const INCLUDED = 'systemd,systemd-sysv,dbus,ca-certificates,adduser,curl,rpm,iproute2';
const QUIET = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };

const tell = (program, args, options = {}) => execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'pipe'], env: QUIET, ...options });
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

async function until(what, look, seconds = 60) {
  for (const end = Date.now() + seconds * 1_000; ;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Not within ${seconds} s: ${what}`);
    await sleep(200);
  }
}

/** The packages of both versions: the programs of target/debug, or of target/release. `--made`: those of the last time. */
function packages() {
  if (process.argv.includes('--made')) return;
  rmSync(MADE, { recursive: true, force: true });
  mkdirSync(MADE, { recursive: true });
  for (const version of [OLD, NEW]) {
    tell('cargo', ['xtask', 'package', IS_RELEASE ? '--built' : '--dev', '--version', version], { cwd: ROOT });
    for (const file of readdirSync(join(TARGET, 'package'))) {
      if (/\.(deb|rpm)$/.test(file)) copyFileSync(join(TARGET, 'package', file), join(MADE, file));
    }
  }
}

/** A root of a suite, with the libraries of the window. */
function base(suite) {
  const folder = join(ROOTS, suite);
  if (existsSync(join(folder, 'ready'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(ROOTS, { recursive: true });
  tell('debootstrap', ['--variant=minbase', `--include=${INCLUDED}`, suite, folder]);
  writeFileSync(join(folder, 'ready'), '');
  return folder;
}

/** One copy of a root, booted or not. */
class Machine {
  constructor(suite) {
    this.folder = join(ROOTS, `${suite}-walk`);
    rmSync(this.folder, { recursive: true, force: true });
    tell('cp', ['-a', '--reflink=auto', base(suite), this.folder]);
    mkdirSync(join(this.folder, 'packages'));
    for (const file of readdirSync(MADE)) copyFileSync(join(MADE, file), join(this.folder, 'packages', file));
  }

  /** A command in the root that is not booted; it has the network of this machine. */
  chroot(...args) {
    return tell('chroot', [this.folder, ...args]);
  }

  /** A script of tests/desktop with the program that is installed in the root; it sees the display and the files of this machine. */
  window(script, ...args) {
    const binds = [['--rbind', '/proc', 'proc'], ['--rbind', '/dev', 'dev'], ['--bind', '/tmp', 'tmp']].map(([how, from, to]) => `mount ${how} ${from} '${this.inside(to)}'`).join(' && ');
    const command = `${binds} && exec node '${join(ROOT, 'tests/desktop', script)}' ${args.join(' ')}`;
    return tell('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', command], { cwd: ROOT, env: { ...QUIET, SIGNALBOX_WINDOW_ROOT: this.folder } });
  }

  /** Each library that a program is linked with is in a package that its own package names. */
  named(name, program) {
    const needed = [...tell('readelf', ['-d', this.inside(program)]).matchAll(/NEEDED.*\[(.+)\]/g)].map(([, library]) => library);
    const depends = this.chroot('dpkg-query', '-W', '-f', '${Depends}', name).split(/[,|]/).map((one) => one.trim().split(' ')[0]);
    const owners = this.chroot('dpkg', '-S', ...needed.map((library) => `*/${library}`)).split('\n').filter(Boolean).map((line) => line.split(':')[0]);
    assert.deepEqual([...new Set(owners)].filter((owner) => !depends.includes(owner)), [], `${name} does not name them`);
  }

  /** Starts systemd in it, with a network by itself. */
  async boot() {
    const log = openSync(`${this.folder}.log`, 'a');
    const args = ['--quiet', '--register=no', '--keep-unit', '--private-network', '--boot', '-D', this.folder];
    this.nspawn = spawn('systemd-nspawn', args, { stdio: ['ignore', log, log], env: { ...QUIET, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' } });
    await this.up();
  }

  /** As a service manager does it: systemd-nspawn ends with 133 when the system inside wants to begin again. */
  async reboot() {
    const gone = new Promise((done) => { this.nspawn.once('exit', done); });
    this.try('systemctl', 'reboot');
    assert.equal(await Promise.race([gone, sleep(60_000)]), 133);
    await this.boot();
  }

  async up() {
    this.init = await until('an init process', () => this.first());
    await until('a running system', () => /running|degraded/.test(this.try('systemctl', 'is-system-running').out));
    await until('a loopback interface', () => this.try('ip', '-o', 'addr').status !== 0 || /127\.0\.0\.1/.test(this.try('ip', '-o', 'addr').out));
  }

  /** The process that is number 1 in there. */
  first() {
    const parents = new Map();
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        parents.set(pid, { parent: /^PPid:\t(\d+)/m.exec(status)?.[1], inner: /^NSpid:.*\t(\d+)$/m.exec(status)?.[1] });
      } catch { /* It has ended. */ }
    }
    const above = (pid) => (pid === undefined || pid === '0' ? false : pid === String(this.nspawn.pid) || above(parents.get(pid)?.parent));
    for (const [pid, { inner }] of parents) {
      try {
        if (inner === '1' && above(pid) && readlinkSync(`/proc/${pid}/exe`).includes('systemd')) return pid;
      } catch { /* It has ended. */ }
    }
    return undefined;
  }

  /** A command in the booted root; how it ended. */
  try(...args) {
    const done = spawnSync('nsenter', ['--target', this.init, '--all', '--', 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LC_ALL=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive', ...args],
      { encoding: 'utf8', maxBuffer: 1 << 26, cwd: '/' });
    return { status: done.status, out: (done.stdout ?? '').trim(), err: (done.stderr ?? '').trim() };
  }

  run(...args) {
    const done = this.try(...args);
    if (done.status !== 0) throw new Error(`${args.join(' ')} ended with ${done.status}:\n${done.out}\n${done.err}`);
    return done.out;
  }

  install(version, ...names) {
    const files = names.map((name) => `/packages/${name}_${version}_${this.arch}.deb`);
    return this.run('apt-get', 'install', '--yes', '--allow-downgrades', '-o', 'Dpkg::Options::=--force-confold', ...files);
  }

  /** RPM on a system of Debian: it knows nothing of what is installed, and older ones want to be told that this is meant. */
  rpm(...args) {
    const done = this.try('rpm', '--nodeps', ...args);
    if (done.status === 0) return done.out;
    if (/force-debian/.test(done.err)) return this.run('rpm', '--force-debian', '--nodeps', ...args);
    throw new Error(`rpm ${args.join(' ')} ended with ${done.status}:\n${done.out}\n${done.err}`);
  }

  get arch() {
    this.known ??= this.chroot('dpkg', '--print-architecture').trim();
    return this.known;
  }

  /** The command line as the service's account. */
  signalbox(...args) {
    return this.run('setpriv', '--reuid=signalbox', '--regid=signalbox', '--clear-groups', 'env', 'SIGNALBOX_KEY_STORE=off', 'signalbox', '--data', DATA, '--json', ...args);
  }

  runs() {
    return this.signalbox('runs', 'list').split('\n').filter(Boolean).map((line) => JSON.parse(line)).flat().map((run) => run.runId);
  }

  show(...properties) {
    return Object.fromEntries(this.run('systemctl', 'show', UNIT, '-p', properties.join(',')).split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  }

  /** Waits until the service answers at this port, by its own token. */
  async answers(port = 9160) {
    await until(`an answer at ${port}`, () => {
      const token = this.try('cat', `${DATA}/serve.token`).out.split('\n')[0];
      return this.try('curl', '--silent', '--fail', '--max-time', '5', '-H', `Authorization: Bearer ${token}`, `http://127.0.0.1:${port}/healthz`).status === 0
        || this.try('curl', '--silent', '--fail', '--max-time', '5', '-H', `Authorization: Bearer ${token}`, `http://127.0.0.1:${port}/runs`).status === 0;
    });
    assert.equal(this.show('ActiveState').ActiveState, 'active');
  }

  /** SQL on the database of the stopped service. */
  sql(script) {
    const file = join(this.folder, DATA, 'signalbox.db');
    return tell('python3', ['-c', 'import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); print(c.execute("PRAGMA user_version").fetchone()[0])', file, script]).trim();
  }

  inside(path) {
    return join(this.folder, path);
  }

  async end() {
    if (this.nspawn && this.nspawn.exitCode === null) {
      const gone = new Promise((done) => { this.nspawn.once('exit', done); });
      this.nspawn.kill('SIGTERM');
      await Promise.race([gone, sleep(20_000)]);
      if (this.nspawn.exitCode === null) this.nspawn.kill('SIGKILL');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Undoes the newest migration: what it made is dropped, so that the database is one of the release before. */
function undo() {
  const table = join(ROOT, 'src-tauri/crates/store/src/table');
  const all = readdirSync(table).filter((name) => name.endsWith('.rs')).flatMap((name) => {
    const text = readFileSync(join(table, name), 'utf8');
    return [...text.matchAll(/\bid: (\d+),[\s\S]*?sql: "([\s\S]*?)"/g)].map(([, id, sql]) => ({ id: Number(id), sql }));
  });
  const newest = all.sort((a, b) => b.id - a.id)[0];
  const dropped = [...newest.sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => `DROP TABLE ${name};`)
    .concat([...newest.sql.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+)/g)].map(([, name, column]) => `ALTER TABLE ${name} DROP COLUMN ${column};`));
  assert.ok(dropped.length > 0, `Migration ${newest.id} cannot be undone by this test`);
  return { known: newest.id, before: newest.id - 1, sql: `${dropped.join(' ')} PRAGMA user_version = ${newest.id - 1};` };
}

const WORKFLOW = JSON.stringify({
  signalbox: 1, id: 'kept', name: 'Kept', nodes: { one: { type: 'data.set', typeVersion: 1, config: { assign: { a: 1 }, keep: false } } }, edges: [],
});

async function walk(suite, report) {
  const named = (what) => `${SUITES[suite]}: ${what}`;
  const machine = new Machine(suite);
  let first;
  try {
    if (!process.argv.includes('--service')) await report(named('the application is installed with its dependencies, and no library is missing'), () => {
      machine.chroot('apt-get', 'update');
      machine.chroot('apt-get', 'install', '--yes', '--no-install-recommends', ...['signalbox', 'signalbox-cli', 'signalbox-runners'].map((name) => `/packages/${name}_${OLD}_${machine.arch}.deb`));
      const linked = machine.chroot('ldd', '/usr/bin/signalbox-desktop', '/usr/lib/signalbox/signalbox', '/usr/lib/signalbox/signalbox-runner-full');
      assert.doesNotMatch(linked, /not found/);
      for (const [name, program] of [['signalbox', '/usr/bin/signalbox-desktop'], ['signalbox-cli', '/usr/lib/signalbox/signalbox']]) machine.named(name, program);
      assert.match(machine.chroot('signalbox', '--version'), /^signalbox /);
      assert.match(readFileSync(machine.inside('usr/share/applications/app.signalbox.desktop.desktop'), 'utf8'), /x-scheme-handler\/signalbox/);
    });
    if (!process.argv.includes('--service')) await report(named('the window of the installed application draws, runs and finds again'), () => {
      machine.chroot('apt-get', 'install', '--yes', '--no-install-recommends', 'webkit2gtk-driver');
      const said = machine.window('run.mjs');
      assert.doesNotMatch(said, /^FAIL/m);
      console.log(`        ${said.trim().split('\n').at(-1)}`);
      if (IS_RELEASE) console.log(machine.window('start.mjs').trimEnd().replace(/^/gm, '        '));
    });
    await report(named('the service starts under systemd with its own account and folder'), async () => {
      await machine.boot();
      machine.install(OLD, 'signalbox-cli', 'signalbox-server');
      await machine.answers();
      const { User, NRestarts, MainPID } = machine.show('User', 'NRestarts', 'MainPID');
      assert.deepEqual([User, NRestarts], ['signalbox', '0']);
      assert.equal(machine.run('systemctl', 'is-enabled', UNIT), 'enabled');
      assert.equal(machine.run('stat', '-c', '%U:%G %a', DATA), 'signalbox:signalbox 700');
      assert.equal(machine.run('stat', '-c', '%a', `${DATA}/serve.token`), '600');
      assert.match(machine.run('cat', `/proc/${MainPID}/status`), /^CapBnd:\t0+$/m);
      assert.match(machine.run('cat', `/proc/${MainPID}/status`), /^Seccomp:\t2$/m);
      const score = machine.run('systemd-analyze', 'security', UNIT).split('\n').at(-1);
      console.log(`        ${score}`);
    });
    await report(named('a run is kept'), () => {
      writeFileSync(machine.inside('packages/kept.signalbox.json'), WORKFLOW);
      first = JSON.parse(machine.signalbox('run', '/packages/kept.signalbox.json')).runId;
      assert.deepEqual(machine.runs(), [first]);
    });
    await report(named('an upgrade keeps settings and data, and copies the database before it is changed'), async () => {
      const { known, before, sql } = undo();
      const settings = machine.inside('etc/default/signalbox-server');
      writeFileSync(settings, readFileSync(settings, 'utf8').replace('127.0.0.1:9160', '127.0.0.1:9161'));
      machine.run('systemctl', 'stop', UNIT);
      assert.equal(machine.sql(sql), String(before));
      machine.install(NEW, 'signalbox-cli', 'signalbox-server');
      await machine.answers(9161);
      assert.deepEqual(machine.runs(), [first]);
      assert.equal(machine.run('stat', '-c', '%U %a', `${DATA}/signalbox.db.version-${before}`), 'signalbox 600');
      machine.run('systemctl', 'stop', UNIT);
      assert.equal(machine.sql(''), String(known));
    });
    await report(named('an older release refuses the newer database in words, and starts with the copy'), async () => {
      const { known, before } = undo();
      machine.sql(`PRAGMA user_version = ${known + 1};`);
      machine.install(OLD, 'signalbox-cli', 'signalbox-server');
      const words = await until('the reason', () => {
        const text = machine.try('journalctl', '-u', UNIT, '--no-pager', '-o', 'cat').out;
        return /newer/.test(text) && text;
      });
      assert.match(words, /newer/);
      machine.run('systemctl', 'stop', UNIT);
      machine.run('sh', '-c', `cd ${DATA} && mkdir aside && mv signalbox.db signalbox.db-* aside/ 2>/dev/null; mv signalbox.db.version-${before} signalbox.db && chown signalbox: signalbox.db`);
      machine.run('systemctl', 'start', UNIT);
      await machine.answers(9161);
      assert.deepEqual(machine.runs(), [first]);
    });
    await report(named('the service is back after its process is killed, and after a reboot'), async () => {
      const before = machine.show('MainPID').MainPID;
      machine.run('sh', '-c', `kill -9 ${before}`);
      await until('a new process', () => !['0', before].includes(machine.show('MainPID').MainPID));
      await machine.answers(9161);
      await machine.reboot();
      await machine.answers(9161);
      assert.deepEqual(machine.runs(), [first]);
    });
    await report(named('removing keeps data and settings, purging removes all'), async () => {
      machine.run('apt-get', 'remove', '--yes', 'signalbox-server');
      assert.notEqual(machine.try('systemctl', 'is-active', UNIT).status, 0);
      assert.ok(!existsSync(machine.inside('usr/lib/systemd/system/signalbox-server.service')));
      assert.ok(statSync(machine.inside(`${DATA}/signalbox.db`)).size > 0 && existsSync(machine.inside('etc/default/signalbox-server')));
      machine.install(OLD, 'signalbox-server');
      await machine.answers(9161);
      assert.deepEqual(machine.runs(), [first]);
      machine.run('apt-get', 'purge', '--yes', 'signalbox-server', 'signalbox-cli', ...(existsSync(machine.inside('usr/bin/signalbox-desktop')) ? ['signalbox', 'signalbox-runners'] : []));
      for (const path of [DATA, '/etc/default/signalbox-server', '/usr/lib/signalbox', '/usr/bin/signalbox', '/usr/bin/signalbox-desktop']) {
        assert.ok(!existsSync(machine.inside(path)), path);
      }
      assert.notEqual(machine.try('getent', 'passwd', 'signalbox').status, 0, 'the account is gone');
      assert.notEqual(machine.try('getent', 'group', 'signalbox').status, 0, 'the group is gone');
      assert.notEqual(machine.try('systemctl', 'cat', UNIT).status, 0);
      assert.equal(machine.try('find', '/etc/systemd/system', '-name', 'signalbox*').out, '');
    });
    await report(named('the RPM packages install, upgrade and remove the service by their scripts'), async () => {
      const arch = { amd64: 'x86_64', arm64: 'aarch64' }[machine.arch] ?? machine.arch;
      const files = (version) => ['signalbox-cli', 'signalbox-server'].map((name) => `/packages/${name}-${version}-1.${arch}.rpm`);
      machine.rpm('--install', ...files(OLD));
      await machine.answers();
      assert.equal(machine.run('systemctl', 'is-enabled', UNIT), 'enabled');
      const run = JSON.parse(machine.signalbox('run', '/packages/kept.signalbox.json')).runId;
      const before = machine.show('MainPID').MainPID;
      machine.rpm('--upgrade', ...files(NEW));
      await until('a new process', () => !['0', before].includes(machine.show('MainPID').MainPID));
      await machine.answers();
      assert.equal(machine.run('systemctl', 'is-enabled', UNIT), 'enabled');
      assert.deepEqual(machine.runs(), [run]);
      machine.rpm('--erase', 'signalbox-server', 'signalbox-cli');
      assert.notEqual(machine.try('systemctl', 'is-active', UNIT).status, 0);
      assert.equal(machine.try('find', '/etc/systemd/system', '-name', 'signalbox*').out, '');
      assert.ok(existsSync(machine.inside(`${DATA}/signalbox.db`)), 'the data stays');
    });
  } finally {
    await machine.end();
  }
}

export async function packagesInRoots(report) {
  const missing = ['debootstrap', 'systemd-nspawn', 'nsenter', 'rpmbuild', 'python3'].filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
  if (missing.length > 0 || process.getuid() !== 0) {
    throw new Error(`The packages are tried as root with debootstrap, systemd-nspawn, rpmbuild and python3. Missing: ${missing.join(', ') || 'root'}. On Debian: apt-get install debootstrap systemd-container rpm python3`);
  }
  await report('packages: two versions are made', packages);
  const chosen = Object.keys(SUITES).filter((suite) => process.argv.includes(`--${suite}`));
  for (const suite of chosen.length > 0 ? chosen : Object.keys(SUITES)) await walk(suite, report);
}
