/** A server of chat completions on this machine: what it answers, each test says. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked { tools?: { function: { name: string } }[]; messages: { role: string; content: unknown }[] }
export interface ModelPeer { base: string; asked: Asked[]; stop(): void }

/** `n`: how many were asked before. Who asks for its models hears of one, "small". */
export async function modelPeer(answer: (response: ServerResponse, n: number) => void): Promise<ModelPeer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models')) {
      request.resume();
      response.end(JSON.stringify({ data: [{ id: 'small' }] }));
      return;
    }
    // The program asks what the model can do; this peer does not say.
    if (request.url?.endsWith('/props')) {
      request.resume();
      response.writeHead(404).end('{}');
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      asked.push(JSON.parse(Buffer.concat(parts).toString('utf8')) as Asked);
      answer(response, asked.length - 1);
    });
  });
  await new Promise<void>((done) => { server.listen(0, '127.0.0.1', done); });
  return { base: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`, asked, stop: () => { server.closeAllConnections(); server.close(); } };
}

/** Tokens in, tokens out. */
type Tokens = readonly [number, number];
const usageOf = ([input, output]: Tokens) => ({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output });

/** The whole answer at once. */
export function answerWhole(response: ServerResponse, model: string, content: string, tokens: Tokens): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ model, choices: [{ message: { content }, finish_reason: 'stop' }], usage: usageOf(tokens) }));
}

/** Piece by piece, when the test wants it. */
export function answerInPieces(response: ServerResponse, model: string) {
  const send = (body: object) => response.write(`data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', model, ...body })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return {
    piece: (delta: object) => { send({ choices: [{ index: 0, delta }] }); },
    end: (finish: string, tokens: Tokens) => {
      send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
      send({ choices: [], usage: usageOf(tokens) });
      response.end('data: [DONE]\n\n');
    },
  };
}
