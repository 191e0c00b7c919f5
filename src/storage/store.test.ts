import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { tmpFolder } from "../../test/kit/tmp.ts";
import {
  checkpointAt,
  createRun,
  latestCheckpoint,
  openLog,
  openRun,
  readConfig,
  readLog,
  saveCheckpoint,
  writeFileAtomic,
} from "./index.ts";

const scratch = tmpFolder("store");
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(scratch, "x-"));
});
const labError = (kind: string) => expect.objectContaining({ name: "LabError", kind });

describe("atomic files", () => {
  test("a file is replaced whole, and nothing else stays in its folder", async () => {
    const path = join(folder, "new", "a.json");
    await writeFileAtomic(path, "first, and longer");
    await writeFileAtomic(path, Uint8Array.of(104, 105));
    expect(readFileSync(path, "utf8")).toBe("hi");
    expect(readdirSync(join(folder, "new"))).toEqual(["a.json"]);
  });

  test("a failed write leaves the old file and no temporary one", async () => {
    await expect(writeFileAtomic(folder, "a folder cannot be replaced by a file")).rejects.toThrow();
    expect(readdirSync(scratch).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("logs", () => {
  test("wherever a log is cut, opening it keeps every whole line and appending goes on behind them", () => {
    const records = fc.array(
      fc.record({ step: fc.nat(), text: fc.string({ unit: "grapheme", maxLength: 20 }) }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(records, fc.nat(), (written, where) => {
        const path = join(folder, "metrics.jsonl");
        rmSync(path, { force: true });
        const first = openLog(path);
        for (const record of written) first.append(record);
        first.close();
        const bytes = readFileSync(path);
        const length = where % (bytes.length + 1);
        truncateSync(path, length);
        const whole = bytes.subarray(0, length).filter((byte) => byte === 10).length;
        expect(readLog(path)).toEqual(written.slice(0, whole)); // a reader needs no repair
        const second = openLog(path);
        expect(second.cut).toBe(
          bytes.subarray(bytes.subarray(0, length).lastIndexOf(10) + 1, length).toString(),
        );
        second.append({ step: -1 });
        second.close();
        expect(readLog(path)).toEqual([...written.slice(0, whole), { step: -1 }]);
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  test("a half line longer than one block of reading is cut to the newline before it", () => {
    const path = join(folder, "long.jsonl");
    writeFileSync(path, `{"a":1}\n${"y".repeat(200_000)}`);
    const log = openLog(path);
    log.close();
    expect(log.cut).toHaveLength(200_000);
    expect(readFileSync(path, "utf8")).toBe('{"a":1}\n');
  });

  test("a resumed run drops the records that it will write again", () => {
    const path = join(folder, "metrics.jsonl");
    const log = openLog(path);
    for (const step of [1, 2, 3, 4]) log.append({ step, name: "β" });
    log.close();
    const resumed = openLog(path, { dropFrom: (record) => (record as { step: number }).step > 2 });
    resumed.append({ step: 3, name: "again" });
    resumed.close();
    expect(readLog(path)).toEqual([
      { step: 1, name: "β" },
      { step: 2, name: "β" },
      { step: 3, name: "again" },
    ]);
  });

  test("a damaged line in the middle is named by its number, and so is one of another schema", () => {
    const path = join(folder, "metrics.jsonl");
    writeFileSync(path, '{"step":1}\n{"st\n{"step":3}\n');
    expect(() => readLog(path)).toThrow(`${path}, line 2: expected a JSON record`);
    writeFileSync(path, '{"step":1}\n{"step":"x"}\n');
    expect(() => readLog(path, z.strictObject({ step: z.int() }))).toThrow(
      `${path}, line 2: expected step to be a number`,
    );
  });
});

const weights = (value: number) =>
  ({ w: { dtype: "F32", shape: [2], data: Float32Array.of(value, value) } }) as const;
const save = (step: number, value = step) =>
  saveCheckpoint(folder, step, { model: weights(value), state: { step } });
const checkpoints = () => readdirSync(join(folder, "checkpoints")).sort();

describe("checkpoints", () => {
  test("the newest two are kept, by number and not by name", async () => {
    for (const step of [8, 9, 10, 100]) await save(step);
    expect(checkpoints()).toEqual(["10", "100"]);
    const latest = await latestCheckpoint(folder);
    expect(latest).toMatchObject({ step: 100, state: { step: 100 }, passedOver: [], optimizer: undefined });
    expect(latest?.model).toEqual(weights(100));
  });

  test.runIf(process.platform === "linux")("sha256sum of the system agrees with the checksums", async () => {
    const path = await save(1);
    const printed = execFileSync("sha256sum", ["-c", "SHA256SUMS"], { cwd: path, encoding: "utf8" });
    expect(printed).toBe("model.safetensors: OK\nstate.json: OK\n");
  });

  test("one of a step is read, a damaged one told, and one that is not there answered by those that are", async () => {
    await expect(checkpointAt(folder, 3)).rejects.toThrow(/expected a checkpoint of step 3, got "none"$/);
    for (const step of [8, 10]) await save(step);
    expect(await checkpointAt(folder, 8)).toMatchObject({ step: 8, model: weights(8), passedOver: [] });
    await expect(checkpointAt(folder, 9)).rejects.toEqual(labError("usage"));
    await expect(checkpointAt(folder, 9)).rejects.toThrow("expected a checkpoint of step 8 or 10, got 9");
    rmSync(join(folder, "checkpoints", "8", "model.safetensors"));
    await expect(checkpointAt(folder, 8)).rejects.toEqual(labError("corrupt"));
  });

  test("a run without checkpoints has none, which is no error", async () => {
    expect(await latestCheckpoint(folder)).toBeUndefined();
  });

  test("a step saved again replaces the first, and what killed writers left is removed", async () => {
    await save(3, 1);
    writeFileSync(join(folder, "checkpoints", ".9.tmp"), "left");
    await save(3, 2);
    expect(checkpoints()).toEqual(["3"]);
    expect((await latestCheckpoint(folder))?.model).toEqual(weights(2));
  });

  test("a damaged later checkpoint does not push good ones out", async () => {
    await save(10);
    const late = await save(20);
    rmSync(join(late, "state.json"));
    await save(15);
    await save(16);
    expect(checkpoints()).toEqual(["15", "16"]);
  });
});

describe("run folders", () => {
  test("an existing run is refused unless it is to be overwritten, and then starts empty", async () => {
    const first = await createRun(folder, { seed: 1 });
    first.metrics.append({ step: 1 });
    first.close();
    await save(1);
    await expect(createRun(folder, { seed: 2 })).rejects.toEqual(labError("usage"));
    expect(await readConfig(folder)).toEqual({ seed: 1 });
    const second = await createRun(folder, { seed: 2 }, { overwrite: true });
    second.close();
    expect(await readConfig(folder)).toEqual({ seed: 2 });
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl"]);
    expect(readLog(join(folder, "metrics.jsonl"))).toEqual([]);
  });

  test("a folder with files of somebody else is never overwritten", async () => {
    writeFileSync(join(folder, "thesis.tex"), "...");
    await expect(createRun(folder, {}, { overwrite: true })).rejects.toThrow(/thesis\.tex/);
    expect(readdirSync(folder)).toEqual(["thesis.tex"]);
  });

  test("a run has one writer at a time, and goes on where the last one stopped", async () => {
    const run = await createRun(folder, { seed: 1 });
    run.metrics.append({ step: 1 });
    await expect(openRun(folder)).rejects.toEqual(labError("locked"));
    run.close();
    appendFileSync(join(folder, "metrics.jsonl"), '{"ste');
    const again = await openRun(folder);
    expect(again.metrics.cut).toBe('{"ste');
    again.metrics.append({ step: 2 });
    again.close();
    expect(readLog(join(folder, "metrics.jsonl"))).toEqual([{ step: 1 }, { step: 2 }]);
  });

  test("a folder without a run, and one whose config is damaged, are told apart", async () => {
    await expect(openRun(join(folder, "none"))).rejects.toEqual(labError("usage"));
    writeFileSync(join(folder, "config.json"), '{"seed":');
    await expect(openRun(folder)).rejects.toEqual(labError("corrupt"));
  });
});
