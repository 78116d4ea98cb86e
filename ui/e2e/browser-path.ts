import { existsSync } from 'node:fs';

/** Chromium without its own windows takes 0.6 of the processor time of the whole browser; the engine that draws pages is the same. */
const HEADLESS = '/usr/bin/chromium-headless-shell';

export const browserPath = () => process.env.CHROMIUM ?? (existsSync(HEADLESS) ? HEADLESS : '/usr/bin/chromium');
