import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { until } from "../../test/kit/until.ts";
import { jsonSize } from "./body.ts";
import { connectionLimits, watchConnections } from "./connections.ts";
import { looksAt, modelOf, posted, type Serving, serve, session } from "./served.test-helper.ts";

const model = modelOf("deltanet");
let server: Serving | undefined;
let clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients) client.destroy();
  clients = [];
  await server?.close();
  expect(server?.faults ?? []).toEqual([]);
  server = undefined;
});

async function client({ url }: { readonly url: string }, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  clients.push(socket);
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(text);
  return socket;
}

const health = "GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
const stream = posted({ prompt: session, max_tokens: 900_000, stream: true });

test("nine streams in one packet end with their connection", async () => {
  server = await serve(model, { slots: 4, context: 1e6, queue: 16 });
  const { engine } = server;
  const socket = await client(server, stream.repeat(9));
  await until(() => engine.busy > 0, "the engine", looksAt(engine));
  socket.destroy();
  await until(() => engine.busy === 0 && engine.waiting === 0, "the engine", looksAt(engine)); // eight went on for ever
  expect(server.server.totals.left).toBe(9);
});

test("requests in one packet are answered in their order, and a thousand of them end the connection", async () => {
  server = await serve(model);
  const socket = await client(server, health.repeat(3) + health.replace("/health", "/none"));
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  await until(() => /404/.test(text), "four answers", { saw: () => text });
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([200, 200, 200, 404].map((status) => `HTTP/1.1 ${status}`));
  const flood = await client(server, health.repeat(1000));
  await until(() => flood.destroyed, "the end of the connection");
  expect((await server.complete({ prompt: session, max_tokens: 1 })).choices).toHaveLength(1);
});

test("connections that read nothing, or ask for nothing, lock nobody out", async () => {
  const connections = { ...connectionLimits, most: 20 };
  server = await serve(model, { slots: 2, context: 1e6, queue: 4, connections });
  const { engine, url } = server;
  for (let i = 0; i < 20; i++) await client(server, "");
  expect((await fetch(`${url}/health`)).status).toBe(200); // the one that was idle for longest made room
  const silent = [];
  for (let i = 0; i < 40; i++) silent.push((await client(server, stream)).pause());
  await until(() => engine.busy === 2 && engine.waiting === 4, "the engine", looksAt(engine));
  expect((await fetch(`${url}/health`)).status).toBe(200);
  for (const socket of silent) socket.destroy();
  await until(() => engine.busy === 0 && engine.waiting === 0, "the engine", looksAt(engine));
});

test("a client that takes nothing of a long reply is let go, one that takes it slowly is not", async () => {
  const http = createServer((_, response) => response.end(Buffer.alloc(2 ** 25)));
  watchConnections(http, { ...connectionLimits, unreadMilliseconds: 1500 });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo; // it listens on a port
  const url = `http://127.0.0.1:${port}`;
  const [silent, slow] = await Promise.all([client({ url }, health), client({ url }, health)]);
  silent.pause();
  let read = 0;
  slow.on("data", (data) => {
    read += data.length;
    slow.pause();
    setTimeout(() => slow.resume(), 1);
  });
  const left = () => new Promise<number>((resolve) => http.getConnections((_, count) => resolve(count)));
  const start = performance.now();
  while ((await left()) > 1 && performance.now() - start < 20_000)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const onlySlow = (await left()) <= 1;
  await until(() => read > 2 ** 25, "the whole reply", { saw: () => read });
  expect(onlySlow).toBe(true);
  http.closeAllConnections();
  http.close();
}, 90_000);

test.each([
  [
    "1,350,000 objects",
    `{"model": "tiny", "prompt": [${"{},".repeat(1_349_999)}{}]}`,
    /at most 10000 lists and objects/,
  ],
  [
    "1,300,000 prompts",
    `{"model": "tiny", "prompt": [${'"",'.repeat(1_000_000)}""]}`,
    /at most 256 replies, got 1000001/,
  ],
  [
    "2,000,000 numbers as stops",
    `{"model": "tiny", "prompt": "a", "stop": [${"1,".repeat(1_999_999)}1]}`,
    /stop to be a text/,
  ],
  ["numbers and a text", `{"model": "tiny", "prompt": [${"1,".repeat(1_900_000)}""]}`, /prompt to be a text/],
  [
    "20,000 brackets",
    `{"model": "tiny", "prompt": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
    /at most 16 levels/,
  ],
  ["20,000 brackets that are not closed", "[".repeat(20_000), /at most 16 levels/],
])("%s in a body are refused by 400 within the memory of the body", async (_, body, words) => {
  server = await serve(model);
  const before = process.memoryUsage().rss;
  const start = process.cpuUsage();
  const response = await server.post(body);
  expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(words)]);
  const { user, system } = process.cpuUsage(start); // the server is in this process
  expect((user + system) / 1e6).toBeLessThan(5); // 13 s
  expect(process.memoryUsage().rss - before).toBeLessThan(400e6); // 2.1 GB
});

test("the size of a JSON text is that of what it parses to", () => {
  const size = (value: unknown): { depth: number; containers: number; values: number } => {
    if (typeof value !== "object" || value === null) return { depth: 0, containers: 0, values: 1 };
    const parts = Object.values(value).map(size);
    const sum = (of: "containers" | "values") => parts.reduce((total, part) => total + part[of], 1);
    return {
      depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
      containers: sum("containers"),
      values: sum("values"),
    };
  };
  for (const value of [3, "a[{,\\", {}, [[], {}], { 'a"[': [1, [2, '\\"]']], b: "]" }, [["é\u2028,"]]]) {
    const found = jsonSize(Buffer.from(JSON.stringify(value)));
    const { depth, containers, values } = size(value);
    expect([found.depth, found.containers]).toEqual([depth, containers]);
    expect(found.values).toBeGreaterThanOrEqual(values);
  }
});
