import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { createRun, latestCheckpoint, openRun, saveCheckpoint, writeFileAtomic } from "./index.ts";

/**
 * A process that is killed does nothing more; what it has done stays. So: let the first n operations on the disk happen
 * and none after, and look at what is there. The write at which it dies writes half, the removal of a folder one file.
 */
class Killed extends Error {}
const disk = vi.hoisted(() => ({
  left: Number.POSITIVE_INFINITY,
  /** Done once, when the next file is about to be read. */
  beforeRead: undefined as (() => Promise<unknown>) | undefined,
}));

vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  type Work = (...args: never[]) => Promise<unknown>;
  const step = (half?: () => unknown) => {
    if (disk.left === 1) half?.();
    if (disk.left <= 1) {
      disk.left = 0;
      throw new Killed();
    }
    disk.left--;
  };
  const mortal =
    <W extends Work>(work: W, half?: (...args: Parameters<W>) => unknown) =>
    async (...args: Parameters<W>) => {
      step(half && (() => half(...args)));
      return work(...args);
    };
  const handle = (file: FileHandle, path: string) => ({
    writeFile: mortal(
      (content: Uint8Array | string) => file.writeFile(content),
      (content) => writeFileSync(path, content.slice(0, content.length >> 1)),
    ),
    sync: mortal(() => file.sync()),
    close: () => file.close(), // the system closes what the dead had open
  });
  return {
    ...real,
    readFile: async (...args: Parameters<typeof real.readFile>) => {
      const first = disk.beforeRead;
      disk.beforeRead = undefined;
      await first?.();
      return real.readFile(...args);
    },
    mkdir: mortal(real.mkdir),
    rename: mortal(real.rename),
    rm: mortal(real.rm, (path) => {
      const [first] =
        existsSync(String(path)) && statSync(String(path)).isDirectory() ? readdirSync(String(path)) : [];
      if (first !== undefined) rmSync(join(String(path), first), { recursive: true });
    }),
    open: mortal(async (path: string, flags: string) => handle(await real.open(path, flags), path)),
  };
});

const scratch = tmpFolder("crash");
let root = "";
beforeEach(() => {
  root = mkdtempSync(join(scratch, "x-"));
});

/** Kills `work` at each of its operations in turn, each time in a fresh copy of `root`, until it comes to its end. */
async function atEachPoint(
  work: (folder: string) => Promise<unknown>,
  check: (folder: string, ended: boolean) => Promise<void>,
) {
  for (let point = 1; ; point++) {
    const folder = join(scratch, "copy");
    rmSync(folder, { recursive: true, force: true });
    cpSync(root, folder, { recursive: true });
    disk.left = point;
    const ended = await work(folder).then(
      () => true,
      (error) => (error instanceof Killed ? false : Promise.reject(error)),
    );
    disk.left = Number.POSITIVE_INFINITY;
    await check(folder, ended);
    if (ended) return point;
  }
}

const save = (folder: string, step: number, value = step) => {
  const tensor = { dtype: "F32", shape: [2], data: Float32Array.of(value, value) } as const;
  return saveCheckpoint(folder, step, {
    model: { w: tensor },
    optimizer: { tensors: { m: tensor }, metadata: {} },
    state: { value },
  });
};
async function newest(folder: string) {
  const found = await latestCheckpoint(folder);
  expect(found?.passedOver ?? []).toEqual([]);
  if (found === undefined) return undefined;
  const { value } = found.state as { value: number };
  for (const data of [found.model.w.data, found.optimizer?.tensors.m.data])
    expect(data).toEqual(Float32Array.of(value, value));
  return [found.step, value];
}
const names = (folder: string) => readdirSync(join(folder, "checkpoints")).sort();

type Found = readonly [step: number, value: number];
test.each<[what: string, saved: number[], step: number, before: Found | undefined, kept: string[]]>([
  ["a save", [1, 2], 3, [2, 2], ["2", "3"]],
  ["the first save", [], 1, undefined, ["1"]],
  ["a step that is saved again", [1, 2], 2, [2, 2], ["1", "2"]],
])(
  "killed at any operation of %s, the newest checkpoint is whole: the one before, or the new one",
  async (_, saved, step, before, kept) => {
    for (const each of saved) await save(root, each);
    const points = await atEachPoint(
      (folder) => save(folder, step, 20),
      async (folder, ended) => {
        expect(ended ? [[step, 20]] : [before, [step, 20]]).toContainEqual(await newest(folder));
        await save(folder, step, 200);
        expect([await newest(folder), names(folder)]).toEqual([[step, 200], kept]);
      },
    );
    expect(points).toBeGreaterThan(15);
  },
);

test("killed twice, in the clearing up after the first kill too, the newest checkpoint is whole", async () => {
  await save(root, 1);
  await save(root, 2);
  // The state after a kill that follows the renaming of 2, with 2 half written again.
  mkdirSync(join(root, "checkpoints", ".2.tmp"));
  writeFileSync(join(root, "checkpoints", ".2.tmp", "model.safetensors"), "half");
  cpSync(join(root, "checkpoints", "2"), join(root, "checkpoints", "2.replaced"), { recursive: true });
  rmSync(join(root, "checkpoints", "2"), { recursive: true });
  await atEachPoint(
    (folder) => save(folder, 2, 20),
    async (folder, ended) => {
      const [step, value] = (await newest(folder))!; // it was saved before
      expect([step, ended ? [20] : [2, 20]]).toEqual([2, expect.arrayContaining([value])]);
    },
  );
});

test("killed at any operation while a file is replaced, it is the old one or the new one", async () => {
  await writeFileAtomic(join(root, "a.json"), "old");
  await atEachPoint(
    (folder) => writeFileAtomic(join(folder, "a.json"), "new, and longer"),
    async (folder, ended) => {
      expect(ended ? ["new, and longer"] : ["old", "new, and longer"]).toContain(
        readFileSync(join(folder, "a.json"), "utf8"),
      );
    },
  );
});

test("killed at any operation of making a run, the same call makes it, or it can be opened", async () => {
  await atEachPoint(
    async (folder) => (await createRun(join(folder, "run"), { seed: 1 })).close(),
    async (folder) => {
      const run = join(folder, "run");
      const again = existsSync(join(run, "config.json")) ? openRun(run) : createRun(run, { seed: 1 });
      (await again).close();
      expect(readdirSync(run).sort()).toEqual(["config.json", "metrics.jsonl"]);
    },
  );
});

test("a reader whose checkpoint is removed by a writer before it is read finds the newest, and nothing damaged", async () => {
  await save(root, 1);
  await save(root, 2);
  disk.beforeRead = async () => {
    await save(root, 3);
    await save(root, 4);
  };
  expect(await newest(root)).toEqual([4, 4]);
});
