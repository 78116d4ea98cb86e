// A peer of the example `llm_aimock` (src-tauri/crates/adapters/examples/llm_aimock.rs): OpenAI, Anthropic and Ollama on one port,
// from the package @copilotkit/aimock, which is not among the dependencies of this project. How it is run:
//
//   mkdir /tmp/aimock && cd /tmp/aimock && npm init -y && npm i @copilotkit/aimock
//   node PATH/TO/tests/models/aimock.mjs /tmp/aimock          (prints its address)
//   SIGNALBOX_AIMOCK=ADDRESS cargo run -p signalbox-adapters --example llm_aimock
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { LLMock } = createRequire(join(process.argv[2] ?? process.cwd(), 'x.js'))('@copilotkit/aimock');
const mock = new LLMock({ port: 0 });
mock.onMessage('words', { content: 'Hello from the peer', reasoning: 'I greet it' });
mock.onMessage('tool', { toolCalls: [{ name: 'find', arguments: '{"q":"ab"}' }] });
mock.onMessage('limit', { error: { message: 'Rate limited', type: 'rate_limit_error' }, status: 429 });
await mock.start();
console.log(mock.url);
