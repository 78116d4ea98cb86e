// A small MCP server for tests, without dependencies: over standard input and output, or with `--http PORTFILE` over
// streamable HTTP on loopback (it writes its address into the file). `--text FILE`: the description of the tool `echo` is
// what the file holds. `--newest`: it speaks the protocol without a greeting (2026-07-28) alone. `--pictures`: it has the tool `shows`, which answers a picture. `--hostile`: it has `deep`, which answers deeper than JSON may be, `wide`, whose schema is huge, `elsewhere` and `promise`, whose schemas cannot be checked, and `counts`, which answers the number that it is given as a text, without a text beside it. `--at-once`: answers over HTTP come as JSON, not as events. `--hold FILE`: as long as that file is there, `tools/list` is not answered. `--cursors A,B,…`: the n-th page of its list names the n-th of them as the next one, the last one again and again; the tools are on the first page. `--log FILE`: what it was told to do is written there, one JSON object a line.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const log = (entry) => option("--log") && appendFileSync(option("--log"), `${JSON.stringify(entry)}\n`);
const text = () => (option("--text") ? readFileSync(option("--text"), "utf8") : "Says what it is told.");
const held = () => option("--hold") !== undefined && existsSync(option("--hold"));
const cursors = option("--cursors")?.split(",");
let pages = 0;
/** A page of the list of tools. */
const page = (all) => {
  if (cursors === undefined) return { tools: all };
  const at = pages++;
  log({ page: at });
  return { tools: at === 0 ? all : [], nextCursor: cursors[Math.min(at, cursors.length - 1)] };
};
const object = (properties = {}, required = []) => ({ type: "object", properties, required, additionalProperties: false });

/** A text that begins with this is written without its quotes: a number with digits that JavaScript does not have. */
const RAW = "raw number ";
/** Stands for a member that occurs a second time, with another value: JavaScript writes none. */
const TWICE = "two values of id";
const written = (message) =>
  JSON.stringify(message)
    .replaceAll(new RegExp(`"${RAW}([-+.0-9eE]*)"`, "g"), "$1")
    .replaceAll(`"${TWICE}"`, '1,"id":2');

const words = (text) => ({ content: [{ type: "text", text }] });
const data = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value });

const tools = {
  echo: {
    get description() {
      return text();
    },
    inputSchema: object({ text: { type: "string", title: "Text" }, times: { type: "integer", minimum: 1 } }, ["text"]),
    outputSchema: object({ said: { type: "string" } }, ["said"]),
    annotations: { readOnlyHint: true, title: "Echo" },
    run: ({ text, times = 1 }) => data({ said: text.repeat(times) }),
  },
  wrapped: {
    description: "Hands out a result with something beside it.",
    inputSchema: object(),
    run: () => data({ result: { a: 1 }, undoId: 7 }),
  },
  fails: {
    description: "Fails.",
    inputSchema: object({ text: { type: "string" } }),
    run: ({ text = "It did not work" }) => ({ ...words(text), isError: true }),
  },
  fails_safely: {
    description: "Fails, and may be tried again.",
    inputSchema: object(),
    annotations: { idempotentHint: true },
    run: () => ({ ...words("Not now"), isError: true }),
  },
  timed: {
    description: "Says how long it may take.",
    inputSchema: object({ timeout: { type: "integer", description: "Milliseconds." } }),
    run: (given) => data(given),
  },
  wrong: {
    description: "Breaks its own promise.",
    inputSchema: object(),
    outputSchema: object({ count: { type: "integer" } }, ["count"]),
    run: () => data({ count: "many" }),
  },
  refuses: {
    description: "Refuses its arguments.",
    inputSchema: { type: "object" },
    run: () => ({ error: { code: -32602, message: "no such user" } }),
  },
  breaks: {
    description: "Has a fault.",
    inputSchema: { type: "object" },
    run: () => ({ error: { code: -32603, message: "a fault" } }),
  },
  tells: {
    description: "Tells what it does.",
    inputSchema: object(),
    run: (_, { notify, token }) => {
      notify("notifications/message", { level: "info", data: "begun" });
      notify("notifications/message", { level: "warning", logger: "disk", data: { message: "nearly full", free: 3 } });
      notify("notifications/progress", { progressToken: token, progress: 1, total: 2, message: "half" });
      return words("done");
    },
  },
  waits: {
    description: "Waits until it is cancelled, with a child of its own.",
    inputSchema: object({ tell: { type: "boolean" }, alone: { type: "boolean" } }),
    run: ({ tell, alone }, { notify, token }) => {
      const child = alone ? undefined : spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
      log({ pid: process.pid, child: child?.pid });
      if (tell) notify("notifications/message", { level: "info", data: "waiting" });
      return new Promise(() => token);
    },
  },
  asks: {
    description: "Asks back before it answers; `together` says how many questions at once.",
    inputSchema: object({ together: { type: "integer" }, secret: { type: "boolean" } }),
    run: async ({ together = 1, secret = false }, { request }) => {
      const size = { type: "string", enum: ["S", "M"], default: "M" };
      const properties = secret ? { apiKey: { type: "string", title: "API key" } } : { colour: { type: "string", title: "Colour", minLength: 1 }, size };
      const requestedSchema = { type: "object", properties, required: [Object.keys(properties)[0]] };
      log({ asking: together });
      const ask = (_, at) => request("elicitation/create", { message: at ? `Which colour, ${at}?` : "Which colour?", requestedSchema });
      const told = await Promise.all(Array.from({ length: together }, ask));
      log({ told });
      return data({ told });
    },
  },
  dies: {
    description: "Ends its process.",
    inputSchema: object(),
    run: () => {
      process.stderr.write("the disk is on fire\n");
      process.exit(3);
    },
  },
  large: {
    description: "Says too much.",
    inputSchema: object({ bytes: { type: "integer" } }, ["bytes"]),
    run: ({ bytes }) => words("x".repeat(bytes)),
  },
  environment: {
    description: "Says what it was started with.",
    inputSchema: object(),
    run: () => data({ env: process.env, cwd: process.cwd(), args }),
  },
  changes: {
    description: "Says that its tools are others now.",
    inputSchema: object(),
    run: (_, { notify }) => {
      notify("notifications/tools/list_changed", {});
      return words("changed");
    },
  },
};

/** The smallest picture that there is. */
const PIXEL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
if (args.includes("--pictures")) {
  tools.shows = {
    description: "Shows what is there.",
    inputSchema: object(),
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: () => ({ content: [{ type: "text", text: "The screen:" }, { type: "image", data: PIXEL, mimeType: "image/gif" }] }),
  };
}

if (args.includes("--hostile")) {
  tools.deep = {
    description: "Answers deeper than JSON may be.",
    inputSchema: object(),
    run: () => ({ content: [], structuredContent: JSON.parse(`{"a":${"[".repeat(3000)}${"]".repeat(3000)}}`) }),
  };
  tools.wide = {
    description: "Takes a hundred thousand things.",
    inputSchema: object(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`property_${n}`, { type: "string" }]))),
    run: () => words("wide"),
  };
  tools.elsewhere = {
    description: "What it takes is described elsewhere.",
    inputSchema: { type: "object", properties: { order: { $ref: "https://example.com/order.json" } } },
    run: () => words("elsewhere"),
  };
  tools.counts = {
    description: "Answers a number as it is written.",
    inputSchema: object({ number: { type: "string" } }, ["number"]),
    run: ({ number }) => ({ content: [], structuredContent: { rows: [{ id: `${RAW}${number}` }] } }),
  };
  tools.twice = {
    description: "Answers with a member that occurs twice.",
    inputSchema: object(),
    run: () => ({ content: [], structuredContent: { rows: [{ id: TWICE }] } }),
  };
  tools.promise = {
    description: "What it answers cannot be checked.",
    inputSchema: object(),
    outputSchema: { type: "object", $ref: "#/$defs/gone" },
    run: () => words("promise"),
  };
}

/** Requests to the client that have no answer yet. */
const asked = new Map();
const asking = (send) => (method, params) => new Promise((done) => {
  const id = `ask-${asked.size + 1}`;
  asked.set(id, done);
  send({ jsonrpc: "2.0", id, method, params });
});

async function answer(message, notify, request) {
  const { id, method, params = {} } = message;
  if (method === undefined) {
    asked.get(id)?.(message.result ?? { error: message.error });
    return undefined;
  }
  const result = (result) => ({ jsonrpc: "2.0", id, result });
  switch (method) {
    case "initialize":
      log({ started: process.pid, can: params.capabilities });
      if (args.includes("--newest")) return { jsonrpc: "2.0", id, error: { code: -32601, message: "There is no greeting" } };
      return result({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: "signalbox-test", version: "1.0.0" },
      });
    case "server/discover":
      log({ discovered: params._meta });
      return result({
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "signalbox-test", version: "2.0.0" } },
      });
    case "ping":
      return result({});
    case "tools/list":
      if (held()) log({ held: true });
      while (held()) await new Promise((done) => setTimeout(done, 10));
      return result(page(Object.entries(tools).map(([name, { run: _, ...tool }]) => ({ name, ...tool }))));
    case "tools/call": {
      const tool = tools[params.name];
      if (!tool) return { jsonrpc: "2.0", id, error: { code: -32602, message: `Unknown tool: ${params.name}` } };
      log({ called: params.name, arguments: params.arguments });
      const done = await tool.run(params.arguments ?? {}, { notify, request, token: params._meta?.progressToken });
      return done.error ? { jsonrpc: "2.0", id, error: done.error } : result(done);
    }
    case "notifications/cancelled":
      log({ cancelled: params.requestId, reason: params.reason });
      return undefined;
    default:
      return id === undefined ? undefined : { jsonrpc: "2.0", id, error: { code: -32601, message: `No ${method}` } };
  }
}

if (args.includes("--http")) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      log({ http: request.method, url: request.url, authorization: request.headers.authorization });
      if (request.url === "/moved") return response.writeHead(307, { location: "/mcp" }).end();
      if (request.method !== "POST") return response.writeHead(405).end();
      if (option("--token") && request.headers.authorization !== `Bearer ${option("--token")}`) {
        return response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      }
      const message = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      // With ids, so that a stream that broke is asked for again.
      let events = 0;
      const send = (one) => {
        if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`id: ${message.id}-${(events += 1)}\ndata: ${written(one)}\n\n`);
      };
      const done = await answer(message, (method, params) => send({ jsonrpc: "2.0", method, params }), asking(send));
      if (!done) return response.writeHead(202).end();
      if (args.includes("--at-once")) return response.writeHead(200, { "content-type": "application/json" }).end(written(done));
      send(done);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1", () => writeFileSync(option("--http"), `http://127.0.0.1:${server.address().port}`));
} else {
  const send = (message) => process.stdout.write(`${written(message)}\n`);
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const done = await answer(JSON.parse(line), (method, params) => send({ jsonrpc: "2.0", method, params }), asking(send));
    if (done) send(done);
  });
}
