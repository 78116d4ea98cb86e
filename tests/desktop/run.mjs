/** One run of the real window: draw, configure, run, look, close, find again. `npm run desktop-test` in `ui`.
 * SCREENSHOTS=1 writes docs/screenshots/window.png; VERBOSE=1 shows what the driver says. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { BINARY, ROOT, family, listening, open, picture, pressClose, stage, startPlain, until, windowIsShown } from './window.mjs';

const KEY = { Enter: '\uE007', Tab: '\uE004', Control: '\uE009', F5: '\uE035' };
const scene = await stage();
let browser;
const results = { passed: 0, failed: 0 };

async function check(name, work) {
  try {
    await work();
    results.passed += 1;
    console.log(`ok    ${name}`);
  } catch (error) {
    results.failed += 1;
    console.log(`FAIL  ${name}\n      ${error.message}`);
    const file = join(tmpdir(), 'signalbox-desktop-test.png');
    try {
      picture(scene, file);
      console.log(`      ${file}`);
    } catch {
      // The failure itself matters more.
    }
    // Each step stands on the one before it.
    throw new Error('stopped', { cause: error });
  }
}

function same(found, wanted, what) {
  if (!isDeepStrictEqual(found, wanted)) throw new Error(`${what}: expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
}

/** A second start has handed over. What ended it otherwise is named: a signal has no exit code. */
const endedWell = ({ code, signal, said }) => { same({ code, signal, said }, { code: 0, signal: null, said: '' }, 'the end of the second start'); };

const run = (script, ...args) => browser.execute(script, ...args);

/** Middle of an element, when it is there, in sight and stands still. */
async function place(selector, text) {
  let before = '';
  return until(`${selector}${text ? ` "${text}"` : ''}`, async () => {
    const at = await run((css, words) => {
      const all = [...document.querySelectorAll(css)].filter((one) => !words || one.textContent.trim() === words || one.getAttribute('aria-label') === words);
      const box = all[0]?.getBoundingClientRect();
      return box && box.width > 0 ? { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) } : null;
    }, selector, text ?? null);
    const still = at !== null && JSON.stringify(at) === before;
    before = JSON.stringify(at);
    return still ? at : null;
  });
}

const mouse = () => browser.action('pointer', { parameters: { pointerType: 'mouse' } });
/** A person scrolls to what they press. */
async function click(selector, text) {
  await run((css, words) => {
    const all = [...document.querySelectorAll(css)].filter((one) => !words || one.textContent.trim() === words || one.getAttribute('aria-label') === words);
    all[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, selector, text ?? null);
  const at = await place(selector, text);
  await mouse().move({ x: at.x, y: at.y }).down().up().perform();
}
async function doubleClick(x, y) {
  await mouse().move({ x, y }).down().up().down().up().perform();
}
async function drag(from, to) {
  const half = { x: Math.round((from.x + to.x) / 2), y: Math.round((from.y + to.y) / 2) };
  await mouse().move({ x: from.x, y: from.y }).down().move({ ...half, duration: 80 }).move({ ...to, duration: 80 }).move({ ...to, duration: 20 }).up().perform();
}
/** Types text into what has the focus. */
async function type(text) {
  const keys = browser.action('key');
  for (const letter of text) keys.down(letter).up(letter);
  await keys.perform();
}
async function press(...names) {
  const keys = browser.action('key');
  const codes = names.map((name) => KEY[name] ?? name);
  for (const code of codes) keys.down(code);
  for (const code of codes.toReversed()) keys.up(code);
  await keys.perform();
}

const nodes = () => run(() => [...document.querySelectorAll('[data-node]')].map((one) => one.dataset.node));
const wires = () => run(() => [...document.querySelectorAll('[data-wire]')].map((one) => one.dataset.wire));
const states = () => run(() => Object.fromEntries([...document.querySelectorAll('[data-node]')].map((one) => [one.dataset.node, one.dataset.state])));
const has = (list, ...wanted) => until(`${wanted.join(', ')}`, async () => {
  const found = await list();
  return wanted.every((one) => found.includes(one)) && found;
});
/** The search box is open: type, look that the first row is the kind, take it. */
async function pick(query, kind) {
  await until('the search box', () => run(() => document.activeElement?.getAttribute('role') === 'combobox'));
  await type(query);
  await until(`${kind} as the first row`, () => run((wanted) => document.querySelector('.cv-search-row[aria-selected="true"]')?.dataset.kind === wanted, kind));
  await press('Enter');
}
/** The card's field in the panel: focus it and type. */
async function fill(label, text) {
  await click(`.cm-content[aria-label="${label}"], input[aria-label="${label}"], textarea[aria-label="${label}"]`);
  await until(`the focus in ${label}`, () => run((name) => document.activeElement?.getAttribute('aria-label') === name, label));
  await type(text);
}
const watch = () => run(() => {
  if (window.trouble) return;
  window.trouble = [];
  document.addEventListener('securitypolicyviolation', (event) => { window.trouble.push(`CSP ${event.violatedDirective} ${event.blockedURI}`); });
  window.addEventListener('error', (event) => { window.trouble.push(`error ${event.message}`); });
  window.addEventListener('unhandledrejection', (event) => { window.trouble.push(`rejected ${event.reason?.message ?? event.reason}`); });
});
const untroubled = async () => { same(await run(() => window.trouble), [], 'what the page complained about'); };
/** An empty store (an SQLite file with the application id "SBOX") whose `user_version` says which release wrote it. */
function emptyStore(version) {
  const page = Buffer.alloc(4096);
  page.write('SQLite format 3\0', 'latin1');
  page.writeUInt16BE(4096, 16);
  Buffer.from([1, 1, 0, 64, 32, 32]).copy(page, 18);
  page.writeUInt32BE(1, 28);
  page.writeUInt32BE(4, 44);
  page.writeUInt32BE(1, 56);
  page.writeUInt32BE(version, 60);
  page.write('SBOX', 68, 'latin1');
  page[100] = 13;
  page.writeUInt16BE(4096, 105);
  return page;
}
const hasRenderNode = () => existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD'));
const rpc = (cmd, payload) => run(async (name, body) => JSON.parse(await window.__TAURI_INTERNALS__.invoke('rpc', { cmd: name, payload: JSON.stringify(body) })), cmd, payload);
const workflowFiles = (folder) => readdirSync(folder, { recursive: true }).map(String).filter((name) => name.endsWith('.signalbox.json'));

try {
  await check('started by hand it listens on no socket, and a second start leaves it alone', async () => {
    const first = startPlain(scene, join(scene.folder, 'plain'));
    const pids = await until('the window and its web process', () => {
      const found = family(join(scene.folder, 'plain'));
      return found.length >= 3 && existsSync(join(scene.folder, 'plain')) && found;
    });
    same(listening(pids), [], 'listening sockets');
    const second = startPlain(scene, join(scene.folder, 'plain'));
    endedWell(await second.ended());
    same(first.child.exitCode, null, 'exit code of the first');
    first.child.kill('SIGTERM');
    await first.ended();
    await until('the end of its processes', () => family(join(scene.folder, 'plain')).length === 0);
  });

  await check('a store of a newer release is left alone, and the message says what to do', async () => {
    const folder = join(scene.folder, 'newer');
    mkdirSync(folder);
    const store = emptyStore(999);
    writeFileSync(join(folder, 'signalbox.db'), store);
    const program = startPlain(scene, folder);
    const said = await until('the message', () => (/\n.*--data/.test(program.said()) ? program.said() : null));
    if (!said.includes('written by a newer release')) throw new Error(said);
    same(readFileSync(join(folder, 'signalbox.db')).equals(store), true, 'the store is as it was');
    program.child.kill('SIGTERM');
    await program.ended();
  });

  browser = await open(scene);

  await check('the window is named Signalbox and shows the gallery', async () => {
    await place('button.g-card', undefined);
    await watch();
    same(await browser.getTitle(), 'Workflows · Signalbox', 'title');
    const cards = await until('four samples', async () => {
      const count = await run(() => document.querySelectorAll('button.g-card').length + document.querySelectorAll('.g-hero h2').length);
      return count >= 5 && count;
    });
    if (cards < 5) throw new Error(`${cards} cards`);
  });

  if (!hasRenderNode()) {
    await check('without a GPU its process loads no GL in software', () => {
      const maps = readFileSync(`/proc/${Math.min(...family(scene.data))}/maps`, 'utf8');
      same([...new Set(maps.match(/[^/\n]*(LLVM|gallium|swrast)[^/\n]*/g))], [], 'libraries');
    });
  }

  await check('styles and fonts of the app apply', async () => {
    const look = await run(async () => {
      await document.fonts.ready;
      return { rail: getComputedStyle(document.querySelector('nav.rail')).width, font: [...document.fonts].some((font) => font.status === 'loaded') };
    });
    same(look, { rail: '64px', font: true }, 'look');
  });

  await check('prototypes are frozen and nothing of the shell is global', async () => {
    same(await run(() => {
      const tried = (work) => { try { work(); return 'done'; } catch { return 'refused'; } };
      const own = {};
      own.constructor = 1;
      return [
        Object.isFrozen(Object.prototype), typeof window.__TAURI__, own.constructor,
        tried(() => { 'use strict'; Object.prototype.toString = () => 'x'; }), tried(() => { 'use strict'; Object.prototype.polluted = 1; }),
        String({}),
      ];
    }), [true, 'undefined', 1, 'refused', 'refused', '[object Object]'], 'globals');
  });

  await check('the shell refuses what the window was not given', async () => {
    const answers = await run(async () => {
      const invoke = window.__TAURI_INTERNALS__.invoke;
      const of = (cmd, args) => invoke(cmd, args).then(() => 'done', (cause) => String(cause?.code ?? cause));
      return { app: await of('plugin:app|version', {}), fs: await of('plugin:fs|read_text_file', { path: '/etc/passwd' }), unknown: await of('rpc', { cmd: 'no_such', payload: '{}' }), known: await of('rpc', { cmd: 'app_info', payload: '{}' }) };
    });
    if (answers.app === 'done' || answers.fs === 'done' || answers.unknown === 'done') throw new Error(JSON.stringify(answers));
    same(answers.known, 'done', 'app_info');
  });

  await check('inline script and foreign addresses are refused by the page itself', async () => {
    const found = await run(async () => {
      const said = [];
      const listen = (event) => { said.push(event.effectiveDirective); };
      document.addEventListener('securitypolicyviolation', listen);
      const script = document.createElement('script');
      script.textContent = 'window.wasRun = true';
      document.body.append(script);
      script.remove();
      const fetched = await fetch('http://127.0.0.1:9/').then(() => 'answered', () => 'refused');
      await new Promise((next) => { setTimeout(next); });
      document.removeEventListener('securitypolicyviolation', listen);
      window.trouble.length = 0;
      return { ran: window.wasRun === true, fetched, script: said.some((one) => one.startsWith('script-src')), connect: said.includes('connect-src') };
    });
    same(found, { ran: false, fetched: 'refused', script: true, connect: true }, 'the page');
  });

  await check('an empty workflow opens', async () => {
    await click('button.g-card b', 'Empty workflow');
    await until('the canvas', () => run(() => location.hash.startsWith('#/workflow/') && document.querySelector('section.cv') !== null));
  });

  await check('Tab adds a step by a few letters', async () => {
    await click('.react-flow__pane');
    await press('Tab');
    await pick('manual', 'trigger.manual');
    await has(nodes, 'manual_start');
  });

  await check('a wire dragged into the open adds the next step', async () => {
    const port = await place('[data-port="manual_start.success"]');
    await drag(port, { x: port.x + 160, y: port.y });
    await pick('set f', 'data.set');
    await has(wires, 'manual_start.success>set_fields');
  });

  await check('and the one after it', async () => {
    const port = await place('[data-port="set_fields.success"]');
    await drag(port, { x: port.x + 120, y: port.y });
    await pick('if', 'flow.if');
    await has(wires, 'set_fields.success>if');
  });

  await check('a double click adds a step where the mouse is, and a wire is dragged to it', async () => {
    await click('.cv-tools.bottom button:last-child');
    const port = await place('[data-port="if.true"]');
    await doubleClick(port.x, port.y + 190);
    await pick('wait for branches', 'flow.noop');
    await has(nodes, 'wait_for_branches');
    await drag(await place('[data-port="if.true"]'), await place('[data-input="wait_for_branches"]'));
    await has(wires, 'if.true>wait_for_branches');
  });

  await check('undo takes the wire away, redo brings it back', async () => {
    await click('header.bar button[aria-label^="Undo"]');
    await until('the wire is gone', async () => !(await wires()).includes('if.true>wait_for_branches'));
    await click('header.bar button[aria-label^="Redo"]');
    await has(wires, 'if.true>wait_for_branches');
  });

  await check('the panel configures the steps', async () => {
    await click('[data-node="set_fields"] .cv-hd');
    await click('button[aria-label="Add: Fields"]');
    await until('the new name', () => run(() => document.activeElement?.classList.contains('kvt-key') ?? false));
    await type('n');
    await press('Enter');
    await fill('n', '=');
    await until('the expression field', () => run(() => document.activeElement?.matches('.cm-content[aria-label="n"]') ?? false));
    await type('2 + 3');
    await click('[data-node="if"] .cv-hd');
    await fill('Condition', 'item.n > 3');
    await until('the card shows the condition', () => run(() => document.querySelector('[data-node="if"] .cv-sum')?.textContent === 'item.n > 3'));
  });

  await check('a run turns the taken way green and skips nothing else', async () => {
    await press('F5');
    await until('the end of the run', async () => (await states()).wait_for_branches === 'done');
    same(await states(), { manual_start: 'done', set_fields: 'done', if: 'done', wait_for_branches: 'done' }, 'states on the canvas');
    const taken = await run(() => Object.fromEntries([...document.querySelectorAll('[data-wire]')].map((one) => [one.dataset.wire, one.dataset.state])));
    same(taken, { 'manual_start.success>set_fields': 'taken', 'set_fields.success>if': 'taken', 'if.true>wait_for_branches': 'taken' }, 'wires');
  });

  await check('the log has a card for every call', async () => {
    const cards = await until('four cards', async () => {
      const found = await run(() => [...document.querySelectorAll('.step-card')].map((one) => one.getAttribute('aria-label')));
      return found.length === 4 && found;
    });
    same(cards.every((one) => /, (done|Done)/.test(one)), true, `cards ${cards.join('; ')}`);
  });

  await check('Ctrl+S writes the file', async () => {
    await press('Control', 's');
    const document = await until('the saved file', () => {
      const [name] = workflowFiles(scene.data);
      const file = name && JSON.parse(readFileSync(join(scene.data, name), 'utf8'));
      return file?.nodes?.if?.config?.condition && file;
    });
    same(document.nodes.if.config, { condition: 'item.n > 3' }, 'config of the If step');
    same(document.edges.length, 3, 'number of wires');
    await until('the word Saved', () => run(() => document.querySelector('header.bar').textContent.includes('Saved')));
  });

  await check('the expression shows its value on the data of that run', async () => {
    await until('true beside the condition', () => run(() => document.querySelector('.prev-value')?.textContent === 'true'));
  });

  if (process.env.SCREENSHOTS === '1') {
    await check('the picture for the documentation', async () => {
      mkdirSync(join(ROOT, 'docs/screenshots'), { recursive: true });
      picture(scene, join(ROOT, 'docs/screenshots/window.png'));
    });
  }

  await check('nothing was refused or thrown while drawing and running', untroubled);

  await check('a sample with the practice service runs, and its socket is closed afterwards', async () => {
    const before = listening(family(scene.data)).length;
    await click('nav.rail a[href="#/workflows"]');
    await click('.g-hero .btn.pri');
    await until('the sample on the canvas', () => run(() => location.hash.startsWith('#/workflow/') && document.querySelector('[data-node]') !== null));
    await until('a socket of the practice service', () => listening(family(scene.data)).length > before);
    // The sample asks once; the answer needs the service again.
    const asked = await until('the question', async () => (await rpc('task_list', {})).tasks[0]);
    await rpc('task_complete', { taskId: asked.id, action: 'correct', correctedInput: { customer: 2 } });
    await until('the end of the sample', async () => {
      const found = await states();
      return Object.values(found).length > 2 && Object.values(found).every((one) => one === 'done' || one === 'skipped');
    }, 60_000);
    await until('no socket any more', () => listening(family(scene.data)).length === before);
    await untroubled();
  });

  await check('a run with large events ends on the canvas, and is there again when the person comes back', async () => {
    const made = await rpc('workflow_create', { name: 'Large events' });
    const text = { type: 'data.set', config: { assign: { text: 'x'.repeat(9_000) } } };
    await rpc('workflow_save', { ref: made.ref, baseRevision: made.revision, document: { ...made.document, nodes: { one: text, two: text }, edges: [{ from: 'one.success', to: 'two' }] } });
    const done = async () => isDeepStrictEqual(await states(), { one: 'done', two: 'done' });
    await run((hash) => { location.hash = hash; }, `#/workflow/${encodeURIComponent(made.ref)}`);
    await has(nodes, 'one', 'two');
    await press('F5');
    await until('the end of the run', done);
    await click('nav.rail a[href="#/runs"]');
    await until('the list', () => run(() => document.querySelector('.r-row') !== null));
    await run((hash) => { location.hash = hash; }, `#/workflow/${encodeURIComponent(made.ref)}`);
    await until('the same run', done);
    await untroubled();
  });

  await check('a run that waits goes on after the program was killed', async () => {
    const made = await rpc('workflow_create', { name: 'Waits' });
    const document = { ...made.document, nodes: { wait: { type: 'flow.wait', config: { ms: 8000 } }, after: { type: 'flow.noop' } }, edges: [{ from: 'wait.success', to: 'after' }] };
    const { runId } = await rpc('run_start', { document, params: {} });
    await until('the step that waits', async () => (await rpc('run_get', { runId })).steps.wait?.state === 'RUNNING');
    for (const pid of family(scene.data)) try { process.kill(pid, 'SIGKILL'); } catch { /* Its parent took it along. */ }
    await browser.deleteSession().catch(() => undefined);
    await until('the end of the app', () => family(scene.data).length === 0);
    browser = await open(scene);
    await place('button.g-card');
    await watch();
    const done = await until('the end of the run', async () => {
      const found = await rpc('run_get', { runId });
      return found.status === 'completed' && found;
    }, 60_000);
    same(done.steps.after.state, 'SUCCEEDED', 'the step after the wait');
  });

  await check('after a restart the run is in Runs and opens on the canvas', async () => {
    await browser.deleteSession();
    await until('the end of the app', () => family(scene.data).length === 0);
    browser = await open(scene);
    await click('nav.rail a[href="#/runs"]');
    await watch();
    const at = await until('the run in the list', () => run(() => {
      const row = [...document.querySelectorAll('.r-row')].find((one) => one.textContent.startsWith('New workflow') && one.textContent.includes('Completed'));
      const box = row?.getBoundingClientRect();
      return box && { x: Math.round(box.x + 120), y: Math.round(box.y + box.height / 2) };
    }));
    await doubleClick(at.x, at.y);
    await until('the run on the canvas', async () => (await states()).wait_for_branches === 'done');
    await untroubled();
  });
  await check('closing the window while a workflow is active asks once, and keeps the program in the background', async () => {
    const made = await rpc('workflow_create', { name: 'Every night' });
    const document = { ...made.document, nodes: { night: { type: 'trigger.schedule', config: { cron: '0 3 * * *', timezone: 'UTC' } }, after: { type: 'flow.noop' } }, edges: [{ from: 'night.success', to: 'after' }] };
    await rpc('workflow_save', { ref: made.ref, baseRevision: made.revision, document });
    await rpc('workflow_activate', { ref: made.ref });
    await pressClose(scene);
    await until('the question', () => run(() => document.querySelector('[role="dialog"]')?.textContent.includes('1 workflow is active')));
    same(await run(() => document.querySelector('[role="dialog"]').textContent.includes('start Signalbox again')), true, 'the way back, where no bar shows the icon');
    if (process.env.SCREENSHOTS === '1') picture(scene, join(tmpdir(), 'signalbox-closing.png'));
    // The question is there already: another press changes nothing.
    await pressClose(scene);
    await click('[role="dialog"] button', 'Keep running');
    await until('the hidden window', async () => !await windowIsShown(scene));
    same((await rpc('settings_get', {})).closing, 'background', 'the answer is kept');
    same((await rpc('activation_list', {})).filter((one) => one.active).length, 1, 'active workflows');
  });

  await check('starting the program again shows the window, and a link is followed', async () => {
    const again = startPlain(scene);
    endedWell(await again.ended());
    await until('the window', () => windowIsShown(scene));
    // The answer holds: nobody is asked a second time.
    await pressClose(scene);
    await until('the hidden window', async () => !await windowIsShown(scene));
    same(await run(() => document.querySelector('[role="dialog"]')), null, 'a second question');
  });

  await check('a file that the system opens is shown in the open window, and nothing of it runs', async () => {
    const before = (await rpc('run_list', { limit: 100 })).runs.length;
    const outside = join(scene.folder, 'Prüfung 2.signalbox.json');
    writeFileSync(outside, JSON.stringify({ signalbox: 1, id: 'from-outside', name: 'From outside', nodes: { only: { type: 'flow.noop' } }, edges: [] }));
    endedWell(await startPlain(scene, scene.data, [pathToFileURL(outside).href]).ended());
    await until('the window', () => windowIsShown(scene));
    await has(nodes, 'only');
    rmSync(outside);
    endedWell(await startPlain(scene, scene.data, [outside]).ended());
    await until('what is wrong', () => run((name) => document.body.textContent.includes(`${name} does not exist`), outside));
    same((await rpc('run_list', { limit: 100 })).runs.length, before, 'runs');
    await pressClose(scene);
    await until('the hidden window', async () => !await windowIsShown(scene));
  });

  await check('without an active workflow, closing the window ends the program', async () => {
    for (const { workflowId } of (await rpc('activation_list', {})).filter((one) => one.active)) await rpc('workflow_deactivate', { workflowId });
    await startPlain(scene).ended();
    await until('the window', () => windowIsShown(scene));
    await untroubled();
    await pressClose(scene);
    await until('the end of the app', () => family(scene.data).length === 0);
  });
} catch (error) {
  if (error.message !== 'stopped') {
    results.failed += 1;
    console.log(`FAIL  ${error.stack}`);
  }
} finally {
  await browser?.deleteSession().catch(() => undefined);
  scene.close();
}
console.log(`${results.passed} passed, ${results.failed} failed (${BINARY})`);
process.exit(results.failed === 0 ? 0 : 1);
