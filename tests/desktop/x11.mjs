/** A few requests of the X11 protocol, so that the test can press a window's close button and see whether the window is shown: the
 * display of the test has no window manager, and WebDriver sees the page alone. Little endian, no authorization, one request at a time. */
import { connect } from 'node:net';

const CLIENT_MESSAGE = 33;
const VIEWABLE = 2;

class Display {
  #socket;
  #held = Buffer.alloc(0);
  #wake = () => undefined;
  #failed = null;

  static async open(name) {
    const display = new Display();
    await display.#begin(/^:(\d+)/.exec(name)[1]);
    return display;
  }

  async #begin(number) {
    this.#socket = connect(`/tmp/.X11-unix/X${number}`);
    this.#socket.on('data', (bytes) => { this.#held = Buffer.concat([this.#held, bytes]); this.#wake(); });
    this.#socket.on('error', (error) => { this.#failed = error; this.#wake(); });
    this.#socket.on('close', () => { this.#failed ??= new Error('the display has closed the connection'); this.#wake(); });
    this.#socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    const head = await this.#take(8);
    const rest = await this.#take(head.readUInt16LE(6) * 4);
    if (head[0] !== 1) throw new Error(`the display refuses: ${rest.toString('latin1')}`);
    // The vendor's name, the formats, then the first screen, which begins with its root window.
    const vendor = rest.readUInt16LE(16);
    this.root = rest.readUInt32LE(32 + Math.ceil(vendor / 4) * 4 + rest[21] * 8);
  }

  async #take(size) {
    while (this.#held.length < size) {
      if (this.#failed) throw this.#failed;
      await new Promise((wake) => { this.#wake = wake; });
    }
    const taken = this.#held.subarray(0, size);
    this.#held = this.#held.subarray(size);
    return taken;
  }

  #send(opcode, detail, body) {
    const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)]);
    const head = Buffer.from([opcode, detail, 0, 0]);
    head.writeUInt16LE(1 + padded.length / 4, 2);
    this.#socket.write(Buffer.concat([head, padded]));
  }

  /** The answer, or `null` when the window is gone meanwhile. */
  async #ask(opcode, detail, body) {
    this.#send(opcode, detail, body);
    for (;;) {
      const head = await this.#take(32);
      if (head[0] === 0) return null;
      // Events are not asked for; one that comes anyway is no answer.
      if (head[0] === 1) return Buffer.concat([head, await this.#take(head.readUInt32LE(4) * 4)]);
    }
  }

  async atom(name) {
    const size = Buffer.alloc(4);
    size.writeUInt16LE(name.length);
    return (await this.#ask(16, 0, Buffer.concat([size, Buffer.from(name)]))).readUInt32LE(8);
  }

  async children(window) {
    const answer = await this.#ask(15, 0, numbers(window));
    return answer ? words(answer.subarray(32, 32 + answer.readUInt16LE(16) * 4)) : [];
  }

  async property(window, name) {
    const answer = await this.#ask(20, 0, numbers(window, await this.atom(name), 0, 0, 1024));
    return answer ? answer.subarray(32, 32 + answer.readUInt32LE(16) * (answer[1] / 8)) : Buffer.alloc(0);
  }

  async isViewable(window) {
    return (await this.#ask(3, 0, numbers(window)))?.[26] === VIEWABLE;
  }

  /** A window of a program whose title ends with these words, shown or not. */
  async find(title, below = this.root) {
    for (const window of await this.children(below)) {
      const named = (await this.property(window, '_NET_WM_NAME')).toString('utf8').endsWith(title);
      if (named && words(await this.property(window, 'WM_PROTOCOLS')).length > 0) return window;
      const inside = await this.find(title, window);
      if (inside) return inside;
    }
    return null;
  }

  /** What a window manager sends when a person presses the close button. */
  async pressClose(window) {
    const event = Buffer.alloc(32);
    event.set([CLIENT_MESSAGE, 32]);
    event.writeUInt32LE(window, 4);
    event.writeUInt32LE(await this.atom('WM_PROTOCOLS'), 8);
    event.writeUInt32LE(await this.atom('WM_DELETE_WINDOW'), 12);
    this.#send(25, 0, Buffer.concat([numbers(window, 0), event]));
    // An answer to a later request: the display has taken this one.
    await this.atom('WM_PROTOCOLS');
  }

  close() {
    this.#socket.destroy();
  }
}

const numbers = (...all) => {
  const bytes = Buffer.alloc(all.length * 4);
  all.forEach((one, at) => { bytes.writeUInt32LE(one, at * 4); });
  return bytes;
};
const words = (bytes) => Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readUInt32LE(at * 4));

async function withWindow(name, title, work) {
  const display = await Display.open(name);
  try {
    const window = await display.find(title);
    return window === null ? null : await work(display, window);
  } finally {
    display.close();
  }
}

export async function closeWindow(name, title) {
  const done = await withWindow(name, title, async (display, window) => { await display.pressClose(window); return true; });
  if (!done) throw new Error(`no window whose title ends with "${title}"`);
}

/** Whether there is such a window, and it is shown. */
export const isMapped = async (name, title) => await withWindow(name, title, (display, window) => display.isViewable(window)) === true;
