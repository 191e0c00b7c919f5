import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type S3Server, startS3 } from "./s3-server.test-helper.ts";
import { openStore, StoreSilent, storeAddress, tryStore } from "./store.ts";

let server: S3Server;
beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.stop());

const open = (address: string, changes: Record<string, string | undefined> = {}) =>
  openStore(address, { ...server.environment, ...changes });
const wordsOf = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    (error: Error) => error.message,
  );

test("what was put is got back, listed below its prefix alone, and removed, by requests that are signed as S3 asks", async () => {
  const store = await open("s3://lab/runs/a");
  const other = await open("s3://lab/runs/ab");
  const bytes = Buffer.from([0, 255, 13, 10]);
  await store.put("x/1.0/f", bytes);
  await store.put("x/10.0/f", Buffer.alloc(0));
  await other.put("x/1.0/g", bytes);
  expect(await store.get("x/1.0/f")).toEqual(bytes);
  expect(await store.get("x/10.0/f")).toEqual(Buffer.alloc(0));
  expect(await store.get("x/1.0/g")).toBeUndefined();
  expect(await store.list("x/1.")).toEqual(["x/1.0/f"]);
  expect((await store.list("")).toSorted()).toEqual(["x/1.0/f", "x/10.0/f"]);
  await store.remove("x/1.0/f");
  await store.remove("x/1.0/f");
  expect(await store.get("x/1.0/f")).toBeUndefined();
  expect(server.names("runs/")).toEqual(["runs/a/x/10.0/f", "runs/ab/x/1.0/g"]);
});

// s3rver cuts no list into pages on a Node without DES: these are the documentation's own.
test("a list of more than a page is whole: each page is asked for by the token of the one before", async () => {
  const asked: (string | null)[] = [];
  const pages = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://any");
    const token = searchParams.get("continuation-token");
    asked.push(token);
    const next = token === null ? "<NextContinuationToken>1/x+y=&amp;z</NextContinuationToken>" : "";
    const key = token === null ? "runs/a&amp;b" : "runs/c";
    response.end(`<ListBucketResult><Contents><Key>${key}</Key></Contents>${next}</ListBucketResult>`);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  const { port } = pages.address() as { port: number }; // a TCP server has one
  const store = await open("s3://lab/runs", { STATELAB_S3_ENDPOINT: `http://127.0.0.1:${port}` });
  expect(await store.list("")).toEqual(["a&b", "c"]);
  expect(asked).toEqual([null, "1/x+y=&z"]);
  pages.closeAllConnections();
  pages.close();
});

test("what it is tried by leaves nothing there", async () => {
  const tried: string[] = [];
  await tryStore(await open("s3://lab/tried"), (what) => tried.push(what));
  expect(tried).toHaveLength(4);
  expect(server.names("tried")).toEqual([]);
});

test.each([
  [
    "a key that nobody has",
    { AWS_ACCESS_KEY_ID: "nobody" },
    /keys that may read.*got "403 InvalidAccessKeyId". Check AWS_/,
  ],
  ["another secret", { AWS_SECRET_ACCESS_KEY: "wrong" }, /got "403 SignatureDoesNotMatch"/],
  [
    "no secret",
    { AWS_SECRET_ACCESS_KEY: undefined },
    /AWS_SECRET_ACCESS_KEY in the environment, got "the first alone"/,
  ],
  ["no keys", { AWS_ACCESS_KEY_ID: "" }, /in the environment, got "none"/],
  [
    "an endpoint with a key in it",
    { STATELAB_S3_ENDPOINT: "http://a:secret@b" },
    /^STATELAB_S3_ENDPOINT(?!.*secret)/,
  ],
])("%s is refused in one sentence", async (_, changes, words) => {
  const said = await wordsOf(open("s3://lab/x", changes).then((store) => tryStore(store)));
  expect(said).toMatch(words);
  expect(said).not.toMatch(/\n/);
});

test("a bucket that is not there is named, and where it was looked for", async () => {
  const said = await wordsOf(open("s3://nowhere/x").then((store) => tryStore(store)));
  expect(said).toContain(
    `s3://nowhere/x: expected the bucket nowhere at ${server.endpoint}, got "404 NoSuchBucket"`,
  );
  expect(await wordsOf(open("s3://nowhere/x").then((store) => store.get("y")))).toMatch(/NoSuchBucket/);
});

test("a server that is busy or gone is silent, and is asked again when it is back", async () => {
  const store = await open("s3://lab/busy");
  server.answer(503);
  const before = server.requests.length;
  const busy = store.put("a", Buffer.from("1"));
  await expect(busy).rejects.toThrow(StoreSilent);
  await expect(busy).rejects.toThrow(/got "503 ServiceUnavailable"/);
  expect(server.requests.length - before).toBe(3);
  server.answer(undefined);
  await server.leave();
  await expect(store.put("a", Buffer.from("1"))).rejects.toThrow(
    /a store that answers at http.*ECONNREFUSED/,
  );
  await server.come();
  await store.put("a", Buffer.from("1"));
  expect(server.names("busy")).toEqual(["busy/a"]);
});

test.each([
  "lab",
  "s3://",
  "s3://Lab/x",
  "s3://lab/../x",
  "s3://lab//x",
  "s3://lab/x?y",
  "s3://a:b@lab/x",
  "s3://l/x",
])("%s is no address of a store", (text) => {
  expect(() => storeAddress(text)).toThrow(/--object-store: expected a bucket and a prefix/);
});

test("an address has one way of writing, and needs no prefix", () => {
  expect(storeAddress("s3://lab/runs/a/")).toBe("s3://lab/runs/a");
  expect(storeAddress("s3://lab/")).toBe("s3://lab");
});
