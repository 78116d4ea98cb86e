/** `npm run dev` and /dev.html: the screens on made-up data. */
import { setTransport } from '../api/client.ts';
import { demoHost } from './fixtures.ts';

setTransport(demoHost());
await import('../main.tsx');
