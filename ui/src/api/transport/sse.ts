/** Server-sent events out of text that arrives in pieces. */
export interface SseFrame { id?: string; event?: string; data: string }

export class SseParser {
  #rest = '';

  push(text: string): SseFrame[] {
    this.#rest += text;
    const frames: SseFrame[] = [];
    for (;;) {
      const end = /\r\n\r\n|\n\n|\r\r/.exec(this.#rest);
      if (!end) return frames;
      const block = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const frame = parseBlock(block);
      if (frame) frames.push(frame);
    }
  }
}

function parseBlock(block: string): SseFrame | undefined {
  const data: string[] = [];
  const frame: SseFrame = { data: '' };
  for (const line of block.split(/\r\n|\n|\r/)) {
    if (line.startsWith(':')) continue;
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'id') frame.id = value;
    else if (name === 'event') frame.event = value;
  }
  if (!data.length) return undefined;
  frame.data = data.join('\n');
  return frame;
}
