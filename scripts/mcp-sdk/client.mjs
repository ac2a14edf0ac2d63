// The server, asked by the official SDK. Ends with 1 at the first thing that is not as it should be.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import readline from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [program, folder] = process.argv.slice(2);

async function converse(name, transport) {
  const client = new Client({ name: "check", version: "1" }, { capabilities: {} });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.equal(tools.length, 13);
  assert.ok(tools.every((one) => one.outputSchema === undefined));
  const question = { name: "search", arguments: { query: "lantern", all_projects: true } };
  const shown = await client.callTool(question);
  assert.equal(shown.isError, false);
  assert.match(shown.content[0].text, /^<backstory-memory verb="search">/);
  assert.equal(shown.structuredContent, undefined);
  const found = await client.callTool({ ...question, _meta: { "backstory/json": true } });
  assert.equal(found.content[0].text, shown.content[0].text);
  assert.ok(JSON.stringify(found.structuredContent).startsWith('{"backstory":'));
  assert.match(JSON.stringify(found.structuredContent), /blue/);
  const wrong = await client.callTool({ name: "search", arguments: { querry: "x" } });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /Did you mean `query`/);
  const many = await Promise.all(
    Array.from({ length: 16 }, () => client.callTool({ name: "list", arguments: { what: "projects" } })),
  );
  assert.ok(many.every((one) => one.isError === false));
  const heard = [];
  await client.callTool({ name: "list", arguments: { what: "agents", all_projects: true } }, undefined, {
    onprogress: (one) => heard.push(one),
  });
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates.length, 3);
  const uri = found.structuredContent.result.items[0].uri;
  const read = await client.readResource({ uri });
  assert.match(read.contents[0].text, /lantern/);
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((one) => one.name), ["resume", "retrospective", "debug"]);
  const prompt = await client.getPrompt({ name: "debug", arguments: { error: "the lantern is out" } });
  assert.match(prompt.messages[0].content.text, /the lantern is out/);
  const stopped = new AbortController();
  const waiting = client.callTool({ name: "search", arguments: { query: "door", all_projects: true } }, undefined, {
    signal: stopped.signal,
  });
  stopped.abort();
  await assert.rejects(waiting);
  const after = await client.callTool({ name: "search", arguments: { query: "door", all_projects: true } });
  assert.equal(after.isError, false);
  await client.close();
  console.log(`${name}: ${tools.length} tools, ${resources.length} resources listed, ${prompts.length} prompts: good`);
}

await converse(
  "pipes",
  new StdioClientTransport({ command: program, args: ["mcp"], cwd: folder, env: { ...process.env } }),
);

const served = spawn(program, ["serve", "--port", "0"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
try {
  const lines = readline.createInterface({ input: served.stdout })[Symbol.asyncIterator]();
  const url = (await lines.next()).value.replace("MCP at ", "");
  const token = (await lines.next()).value.split(" ").at(-1);
  const headers = { Authorization: `Bearer ${token}` };
  await converse("HTTP", new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const stranger = new Client({ name: "stranger", version: "1" }, { capabilities: {} });
  await assert.rejects(stranger.connect(new StreamableHTTPClientTransport(new URL(url))));
  console.log("HTTP: nobody comes in without the token: good");
} finally {
  served.kill();
}
