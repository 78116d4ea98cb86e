// What the conformance suite runs as "the client": it registers the suite's server with the real program, signs in when the
// server wants that, approves it, and calls its first tool, as a person would. The last argument is the server's address.
import { Signalbox } from './signalbox.mjs';

const ARGUMENTS = { add_numbers: { a: 5, b: 3 } };
/** What the suite tells its client of itself: ids, secrets and keys that were registered before. */
const KNOWN = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
/** The document that the suite knows its client by. */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json';
/** A person tries so often before giving up. */
const PATIENCE = 5;

const SCENARIO = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const url = process.argv.at(-1);
const program = new Signalbox();

async function secret(name, value) {
  const kept = await program.told(value, 'secret', 'set', name, '--host', new URL(url).hostname);
  if (kept.code !== 0) throw new Error(`The secret was not kept: ${JSON.stringify(kept.json)}${kept.err}`);
  return `secret://${name}`;
}

/** As whom the program comes. */
async function asWhom() {
  if (SCENARIO === 'auth/basic-cimd') return ['--client-metadata', DOCUMENT];
  if (!KNOWN.client_id) return [];
  const as = ['--client-id', KNOWN.client_id];
  if (KNOWN.client_secret) as.push('--client-secret', await secret('client', KNOWN.client_secret));
  if (KNOWN.private_key_pem) as.push('--client-key', await secret('key', KNOWN.private_key_pem.replaceAll('\n', ' ').trim()));
  if (SCENARIO.includes('client-credentials')) as.push('--unattended');
  return as;
}

/** What the person's browser does: it goes to the address, and on to where that sends it. */
async function signIn() {
  const signing = program.watch('tools', 'sign-in', 'suite');
  const begun = await signing.until((line) => line.address ?? line.definition).then(() => signing.lines[0]);
  if (begun.address) await (await fetch(begun.address)).text();
  const told = await signing.ended;
  if (told.signIn?.state !== 'signedIn') throw new Error(`Nobody is signed in: ${JSON.stringify(told)}`);
}

/** Does something that may want somebody to sign in, or to sign in again for further rights. */
async function patiently(work, wants) {
  for (let left = PATIENCE; ; left -= 1) {
    const done = await work();
    if (left === 0 || !wants(done)) return done;
    await signIn();
  }
}

try {
  await program.run('secret', 'choose', 'file');
  const connect = () => program.run('tools', 'connect', 'suite');
  const set = await program.run('tools', 'set', 'suite', '--url', url, ...await asWhom());
  if (set.code !== 0) throw new Error(`It was not registered: ${JSON.stringify(set.json)}${set.err}`);
  const told = await patiently(connect, (done) => ['wanted', 'more'].includes(done.json.signIn?.state));
  if (told.code !== 0) throw new Error(`It did not connect: ${JSON.stringify(told.json)}`);
  await program.run('tools', 'approve', 'suite', '--hash', told.json.hash);
  const [tool] = told.json.tools;
  if (tool) {
    const call = () => program.call('suite', tool.name, ARGUMENTS[tool.name]);
    // Whoever looks at the form and changes nothing.
    const answered = async () => (await program.answering(call(), 'submit', {})).result;
    const summary = await patiently(SCENARIO.startsWith('elicitation') ? answered : call, (done) => done.error?.details?.code === 'AUTH');
    console.log(JSON.stringify(summary));
    if (summary.status !== 'completed') throw new Error(`The call failed: ${JSON.stringify(summary.error)}`);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  program.end();
}
