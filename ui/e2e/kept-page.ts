/** One context and one page for all tests of a worker. What the browser has compiled and loaded is kept in the process of a page, and ends with it: a new page for
 * each test takes twice the processor time to show the app, and its code runs slower. Between tests the page lies at an empty one, without anything that a test
 * left in it. Nothing moves, because a test waits for what it asks about and not for its way there. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test';

/** What a page cannot be rid of: after one of these there is a new page. */
const STAYING = ['addInitScript', 'exposeFunction', 'exposeBinding', 'addLocatorHandler', 'routeWebSocket', 'setExtraHTTPHeaders', 'setDefaultTimeout', 'setDefaultNavigationTimeout', 'pause'] as const;
const LISTENING = ['on', 'once', 'addListener', 'prependListener'] as const;

type Method = (...args: unknown[]) => unknown;
interface Kept { page: Page; session: CDPSession; marked: boolean; heard: [string, Method][]; origins: Set<string> }

export class Pages {
  private made: BrowserContext | undefined;
  private kept: Kept | undefined;
  private empty: Server | undefined;
  /** Where pages of the context have been since it was cleared. */
  private readonly origins = new Set<string>();

  constructor(private readonly browser: Browser) {}

  async context(): Promise<BrowserContext> {
    if (this.made) return this.made;
    const made = await this.browser.newContext({ reducedMotion: 'reduce' });
    // Where text is typed over marked text, the browser itself keeps the old look as an attribute: that is refused, and nobody misses it.
    await made.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (refused) => {
        if (refused.effectiveDirective !== 'style-src-attr') reportError(new Error(`refused by the policy: ${refused.effectiveDirective} ${refused.blockedURI}`));
      });
    });
    made.on('page', (page) => { page.on('framenavigated', (frame) => { if (frame.url().startsWith('http')) this.origins.add(new URL(frame.url()).origin); }); });
    made.on('close', () => { this.made = undefined; this.kept = undefined; });
    this.made = made;
    return made;
  }

  async page(context: BrowserContext, size: { width: number; height: number } | null): Promise<Page> {
    if (!this.kept || this.kept.page.isClosed()) this.kept = await keep(context);
    const { page } = this.kept;
    const now = page.viewportSize();
    if (size && (now?.width !== size.width || now.height !== size.height)) await page.setViewportSize(size);
    return page;
  }

  /** Closes the other pages of a test, and forgets what it kept. */
  async clear(): Promise<void> {
    const context = await this.context();
    const kept = this.kept && !this.kept.page.isClosed() && !this.kept.marked ? this.kept : undefined;
    const blank = kept ? undefined : await context.newPage();
    const rest = kept?.page ?? blank;
    await Promise.all(context.pages().filter((page) => page !== rest).map((page) => page.close()));
    await Promise.all([context.clearCookies(), context.clearPermissions(), context.unrouteAll({ behavior: 'ignoreErrors' })]);
    // What one tab keeps can be reached from its own origin alone.
    const lay = kept && kept.origins.size <= 1;
    if (lay) await this.lay(kept);
    const session = kept?.session ?? (blank && await context.newCDPSession(blank));
    for (const origin of this.origins) await session?.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' });
    this.origins.clear();
    if (lay) return;
    this.kept = undefined;
    await rest?.close();
  }

  async end(): Promise<void> {
    await this.made?.close();
    this.empty?.close();
  }

  /** Without listeners, routes, a mouse, a size or a past. */
  private async lay(kept: Kept): Promise<void> {
    const { page, session, heard } = kept;
    for (const [event, listener] of heard.splice(0)) page.off(event as 'close', listener);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.emulateMedia({ media: null, colorScheme: 'light', reducedMotion: 'reduce', forcedColors: null, contrast: null });
    if (page.url().startsWith('http')) await page.evaluate(() => { window.sessionStorage.clear(); });
    await page.mouse.move(-1, -1);
    await page.goto(await this.emptyPage());
    await session.send('Page.resetNavigationHistory');
    kept.origins.clear();
  }

  /** Of the same site as the programs, so that it is in the same process. */
  private async emptyPage(): Promise<string> {
    this.empty ??= await new Promise<Server>((ready) => {
      const server = createServer((_, response) => { response.setHeader('content-type', 'text/html').end('<!doctype html><link rel="icon" href="data:,"><title>-</title>'); });
      server.listen(0, '127.0.0.1', () => { ready(server); });
    });
    return `http://127.0.0.1:${String((this.empty.address() as AddressInfo).port)}/`;
  }
}

async function keep(context: BrowserContext): Promise<Kept> {
  const page = await context.newPage();
  const kept: Kept = { page, session: await context.newCDPSession(page), marked: false, heard: [], origins: new Set() };
  page.on('framenavigated', (frame) => { if (frame === page.mainFrame() && frame.url().startsWith('http')) kept.origins.add(new URL(frame.url()).origin); });
  const methods = page as unknown as Record<string, Method>;
  for (const name of STAYING) {
    const was = methods[name]?.bind(page);
    if (was) methods[name] = (...args) => { kept.marked = true; return was(...args); };
  }
  for (const name of LISTENING) {
    const was = methods[name]?.bind(page);
    if (was) methods[name] = (...args) => { kept.heard.push([args[0] as string, args[1] as Method]); return was(...args); };
  }
  return kept;
}
