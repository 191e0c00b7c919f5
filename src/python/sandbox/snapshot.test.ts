import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { embeddedHost } from "./embedded.ts";
import { cacheFolder, checksumBytes, snapshotFile } from "./snapshot.ts";

const root = tmpFolder("snapshots");

function maker() {
  let made = 0;
  const make = async () => Buffer.from(`memory ${++made}`);
  return { make, made: () => made };
}

test("a snapshot is made once, and its file holds the memory behind a checksum", async () => {
  const folder = join(root, "once", "deep");
  const { make, made } = maker();
  const path = await snapshotFile(folder, "1", make);
  expect(await snapshotFile(folder, "1", make)).toBe(path);
  expect(made()).toBe(1);
  expect(readFileSync(path).subarray(checksumBytes).toString()).toBe("memory 1");
  expect(readdirSync(folder)).toEqual(["pyodide-1.snapshot"]);
});

test.each([
  ["a changed byte", (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from("X")])],
  ["a lost end", (bytes: Buffer) => bytes.subarray(0, -3)],
  ["nothing", () => Buffer.alloc(0)],
])("a file with %s is made anew", async (what, damage) => {
  const folder = join(root, what);
  const { make, made } = maker();
  const path = await snapshotFile(folder, "1", make);
  writeFileSync(path, damage(readFileSync(path)));
  await snapshotFile(folder, "1", make);
  expect(made()).toBe(2);
  expect(readFileSync(path).subarray(checksumBytes).toString()).toBe("memory 2");
});

test("three snapshots are kept, the newest, and nothing else in the folder is touched", async () => {
  const folder = join(root, "many");
  for (const key of ["1", "2", "3", "4"]) {
    const path = await snapshotFile(folder, key, maker().make);
    utimesSync(path, Number(key), Number(key));
    writeFileSync(join(folder, "notes"), "mine");
  }
  await snapshotFile(folder, "5", maker().make);
  expect(readdirSync(folder)).toEqual([
    "notes",
    "pyodide-3.snapshot",
    "pyodide-4.snapshot",
    "pyodide-5.snapshot",
  ]);
});

test("the cache is where the environment says", () => {
  expect(cacheFolder({ STATELAB_CACHE: "/a", XDG_CACHE_HOME: "/b" })).toBe("/a");
  if (process.platform === "linux") expect(cacheFolder({ XDG_CACHE_HOME: "/b" })).toBe("/b/statelab");
});

test("a host whose cache cannot be written works", async () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  const host = await embeddedHost({ cache: join(file, "below") });
  const outcome = await host.run({ operation: "execute", code: "assert 1" });
  await host.close();
  expect(outcome).toMatchObject({ kind: "done", value: { outcome: "passed" } });
});
