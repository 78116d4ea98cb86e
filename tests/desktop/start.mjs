/** How long the window takes from the start of its process to a screen that can be used, and what its own process takes then: `node
 * tests/desktop/start.mjs [STARTS]`. The first start of each pair has no data yet, the second finds what the first has made. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { family, open, stage, until } from './window.mjs';

const STARTS = Number(process.argv[2] ?? 5);
/** The program gives code of its start back after 15 s (ADR 242); what waits has mapped its own again by then. */
const SETTLED = 25_000;
/** Clock ticks of the kernel in a second, on every Linux that there are programs for. */
const TICKS = 100;

/** When a process started, in milliseconds since 1970, to 10 ms. */
function started(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  const boot = Number(/^btime (\d+)/m.exec(readFileSync('/proc/stat', 'utf8'))[1]);
  // `btime` has whole seconds only; the time since the boot is exact.
  const since = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000;
  const now = Date.now();
  return Math.abs(now - since - boot * 1_000) < 1_500 ? now - since + (ticks * 1_000) / TICKS : boot * 1_000 + (ticks * 1_000) / TICKS;
}

/** Megabytes of a process: what it has in memory, its share of what it has in common with others, what it shares with nobody, and what is no
 * page of a file. */
function memory(pid) {
  const anonymous = Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const field = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)[1]) / 1_024;
  return { rss: field('Rss'), pss: field('Pss'), own: field('Private_Dirty') + field('Private_Clean'), anonymous };
}

async function once(scene, data, wait = 0) {
  const place = { ...scene, data };
  const browser = await open(place, 'none');
  const shown = await until('the first screen', () => browser.executeAsync((done) => {
    const look = () => document.querySelector('button.g-card, .g-hero h2') !== null;
    if (look()) return done(Date.now());
    const watcher = new MutationObserver(() => {
      if (!look()) return;
      watcher.disconnect();
      done(Date.now());
    });
    watcher.observe(document, { childList: true, subtree: true });
    return undefined;
  }));
  const pids = family(data);
  // The program is the one that nobody of the family has started.
  const own = Math.min(...pids);
  const ms = shown - started(own);
  await new Promise((done) => { setTimeout(done, wait); });
  const result = { ms, ...memory(own) };
  await browser.deleteSession();
  await until('the end of its processes', () => family(data).length === 0);
  return result;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const words = (of) => `resident ${of('rss')} MB, proportional ${of('pss')} MB, unshared ${of('own')} MB, without pages of files ${of('anonymous')} MB`;
const scene = await stage();
try {
  const rounds = { 'new data folder': [], 'data folder of the start before': [] };
  for (let start = 0; start < STARTS; start += 1) {
    const data = join(scene.folder, `start-${start}`);
    for (const round of Object.values(rounds)) round.push(await once(scene, data));
  }
  for (const [name, all] of Object.entries(rounds)) {
    const of = (key) => median(all.map((one) => one[key])).toFixed(0);
    console.log(`${name}: usable after ${of('ms')} ms (${all.map((one) => one.ms.toFixed(0)).join(', ')}); the program's own process: ${words(of)}`);
  }
  const later = await once(scene, join(scene.folder, 'start-0'), SETTLED);
  console.log(`${SETTLED / 1_000} s later: ${words((key) => later[key].toFixed(0))}`);
} finally {
  scene.close();
}
