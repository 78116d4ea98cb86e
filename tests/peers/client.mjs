// What the conformance suite runs as "the client": it registers the suite's server with the real program, approves it, and
// calls its first tool, as a person would. The last argument is the server's address.
import { Signalbox } from './signalbox.mjs';

const ARGUMENTS = { add_numbers: { a: 5, b: 3 } };

const program = new Signalbox();
try {
  const told = await program.server('suite', '--url', process.argv.at(-1));
  if (told.code !== 0) throw new Error(`It did not connect: ${JSON.stringify(told.json)}`);
  const [tool] = told.json.tools;
  if (tool) {
    const summary = await program.call('suite', tool.name, ARGUMENTS[tool.name]);
    console.log(JSON.stringify(summary));
    if (summary.status !== 'completed') throw new Error(`The call failed: ${JSON.stringify(summary.error)}`);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  program.end();
}
