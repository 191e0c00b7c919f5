import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { rngFrom } from "../../../src/core/rng.ts";
import { sha256 } from "../../../src/storage/index.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { getListing, type Listing, manifestParts, partBytes, putListing } from "./manifest.ts";
import { type S3Server, startS3 } from "./s3-server.test-helper.ts";
import { takeSnapshot } from "./snapshot.ts";
import { type ObjectStore, openStore } from "./store.ts";
import { digestIn, NotFoundError, restore, upload } from "./transfer.ts";

const root = tmpFolder("transfer");
let server: S3Server;
let store: ObjectStore;
let home = "";
let tests = 0;
let name = "";
beforeAll(async () => {
  server = await startS3();
  store = await openStore("s3://lab/runs", server.environment);
});
beforeEach(() => {
  name = `n${tests++}`;
  home = join(root, name);
  mkdirSync(join(home, "run"), { recursive: true });
});
afterAll(async () => {
  await server.stop();
});

const random = (length: number) => {
  const rng = rngFrom(length);
  return Buffer.from(
    Uint32Array.from({ length: Math.ceil(length / 4) }, () => rng.below(2 ** 32)).buffer,
  ).subarray(0, length);
};
const known = new Map<string, string>();
async function uploaded(under: string, already = known): Promise<Listing> {
  const snapshot = await takeSnapshot(home, ["run"], join(home, ".staged"));
  return (await upload(snapshot!, { store, name, under, known: already }))!;
}

test("files of no bytes, of some, and of several parts come back as they were", async () => {
  const files = {
    "run/none": Buffer.alloc(0),
    "run/a/some": random(1000),
    "run/large": random(2 * partBytes + 3),
  };
  mkdirSync(join(home, "run/a"));
  for (const [path, bytes] of Object.entries(files)) writeFileSync(join(home, path), bytes);
  const part = await putListing(store, name, "3.1", await uploaded("3.1", new Map()));
  const listing = (await getListing(store, name, part))!;
  expect(listing.files["run/large"].parts).toHaveLength(3);
  expect(manifestParts(listing).every((each) => each.startsWith("3.1/"))).toBe(true);
  const other = join(root, `${name}-back`);
  await restore(store, name, listing, other);
  for (const [path, bytes] of Object.entries(files))
    expect(readFileSync(join(other, path)).equals(bytes), path).toBe(true);
  expect(readdirSync(join(other, "run")).sort()).toEqual(["a", "large", "none"]);
});

test("of a log that has grown the last part alone is put again", async () => {
  const already = new Map<string, string>();
  writeFileSync(join(home, "run/metrics.jsonl"), random(partBytes + 100));
  const first = await uploaded("3.1", already);
  const before = server.requests.length;
  appendFileSync(join(home, "run/metrics.jsonl"), "more");
  const second = await uploaded("3.2", already);
  expect(server.requests.slice(before)).toHaveLength(1);
  const [one, two] = [first, second].map(({ files }) => files["run/metrics.jsonl"].parts);
  expect(two[0]).toBe(one[0]);
  expect(two[1]).toMatch(/^3\.2\//);
});

test("what is there with the same bytes is left alone, and what differs replaced", async () => {
  for (const path of ["same", "other"]) writeFileSync(join(home, "run", path), path);
  const listing = await uploaded("3.1", new Map());
  const { ino } = statSync(join(home, "run/same"));
  writeFileSync(join(home, "run/other"), "OTHER");
  await restore(store, name, listing, home);
  expect(readFileSync(join(home, "run/other"), "utf8")).toBe("other");
  expect(statSync(join(home, "run/same")).ino).toBe(ino);
});

test("bytes that the store has changed are refused, and nothing of that file is there", async () => {
  writeFileSync(join(home, "run/weights"), random(50));
  const listing = await uploaded("3.1", new Map());
  server.damage(`runs/${name}/${manifestParts(listing)[0]}`);
  rmSync(join(home, "run"), { recursive: true });
  await expect(restore(store, name, listing, home)).rejects.toThrow(
    /expected bytes with the SHA-256 of their name.*The store has changed them/,
  );
  expect(readdirSync(join(home, "run"))).toEqual([]);
});

test("a part that is there no more is told apart from a store that is silent", async () => {
  writeFileSync(join(home, "run/weights"), random(60));
  const listing = await uploaded("3.1", new Map());
  await store.remove(`${name}/${manifestParts(listing)[0]}`);
  await expect(restore(store, name, listing, join(root, "elsewhere"))).rejects.toThrow(NotFoundError);
  expect(await getListing(store, name, `3.1/${sha256("none")}`)).toBeUndefined();
});

test.each(["../out", "/out", "run/../../out", "run//out", "run\\..\\out", "."])(
  "a listing that names %j is refused, whoever has put it there",
  async (path) => {
    const listing: Listing = { version: 1, files: { [path]: { size: 0, parts: [] } } };
    const part = await putListing(store, name, "3.1", listing);
    await expect(getListing(store, name, part)).rejects.toThrow(/expected paths inside of the folder/);
    expect(existsSync(join(root, "out"))).toBe(false);
  },
);

test("digests are SHA-256, and parts bear them", () => {
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(digestIn("17.2/6d1f")).toBe("6d1f");
});
