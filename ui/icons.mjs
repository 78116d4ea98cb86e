/** Draws the icons of the program from `src/icon.svg`: `npm run icons`. PNG for Linux, ICO for Windows, ICNS for macOS. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';

const out = resolve(import.meta.dirname, '../src-tauri/icons');
const drawing = readFileSync(join(import.meta.dirname, 'src/icon.svg'), 'utf8');
const SIZES = [16, 24, 32, 48, 64, 128, 256, 512];
const HEADLESS = '/usr/bin/chromium-headless-shell';
const pictures = new Map();

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? (existsSync(HEADLESS) ? HEADLESS : '/usr/bin/chromium'), args: ['--no-sandbox', '--disable-gpu'] });
for (const size of SIZES) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>* { margin: 0 } svg { display: block; width: ${size}px; height: ${size}px }</style>${drawing}`);
  pictures.set(size, await page.screenshot({ omitBackground: true }));
  writeFileSync(join(out, `${size}x${size}.png`), pictures.get(size));
}
await browser.close();

/** Each entry: size (0 is 256), planes, bits, length and place of a PNG. */
function ico(sizes) {
  const head = Buffer.alloc(6 + 16 * sizes.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(sizes.length, 4);
  let place = head.length;
  for (const [at, size] of sizes.entries()) {
    const { length } = pictures.get(size);
    const entry = 6 + 16 * at;
    head[entry] = head[entry + 1] = size % 256;
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(length, entry + 8);
    head.writeUInt32LE(place, entry + 12);
    place += length;
  }
  return Buffer.concat([head, ...sizes.map((size) => pictures.get(size))]);
}

/** Each part: four letters, its length with this head, a PNG. Some sizes are there twice: for screens of double density, too. */
function icns(parts) {
  const part = (kind, body) => {
    const head = Buffer.from(`${kind}----`, 'latin1');
    head.writeUInt32BE(head.length + body.length, 4);
    return Buffer.concat([head, body]);
  };
  return part('icns', Buffer.concat(parts.map(([kind, size]) => part(kind, pictures.get(size)))));
}

writeFileSync(join(out, 'icon.ico'), ico([16, 24, 32, 48, 64, 256]));
writeFileSync(join(out, 'icon.icns'), icns([['icp4', 16], ['icp5', 32], ['ic11', 32], ['ic12', 64], ['ic07', 128], ['ic13', 256], ['ic08', 256], ['ic14', 512], ['ic09', 512]]));
