import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { LabError } from "../../core/error.ts";
import { openAnswerLog, sealPath } from "./log.ts";

const root = tmpFolder("answers");

const sha = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");
const answer = (i: number) => ({
  ...{ key: sha(String(i)), sample: `s/${i}`, turn: 0, text: `ä${i}`, finish: "stop" },
  ...{ promptTokens: 1, replyTokens: null, attempts: 1 },
});

/** Five lines, in two goes. */
async function written(name: string): Promise<string> {
  const path = join(root, `${name}.jsonl`);
  for (const more of [[0, 1, 2, 3], [4]]) {
    const log = await openAnswerLog(path);
    for (const i of more) log.keep(answer(i));
    await log.close();
  }
  return path;
}

test("a log goes on; each line holds the SHA-256 of the one before", async () => {
  const path = await written("whole");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const previous = lines.map((line) => JSON.parse(line).previous);
  expect(previous).toEqual(["0".repeat(64), ...lines.slice(0, -1).map(sha)]);
  expect(JSON.parse(readFileSync(sealPath(path), "utf8"))).toEqual({
    ...{ version: 1, lines: 5, hash: sha(lines[4]) },
  });
  const log = await openAnswerLog(path);
  for (const i of [0, 1, 2, 3, 4]) expect(log.get(answer(i).key)).toEqual(answer(i));
  await log.close();
});

test("every byte that is changed is found, and its line is named", async () => {
  const path = await written("changed");
  const bytes = readFileSync(path);
  let line = 1;
  let [found, tried] = [0, 0];
  for (const [at, byte] of bytes.entries()) {
    if (at % 11 === 0) {
      const changed = Buffer.from(bytes);
      changed[at] = byte ^ 1;
      writeFileSync(path, changed);
      const error = await openAnswerLog(path).catch((reason: unknown) => reason);
      expect(error, `byte ${at}`).toBeInstanceOf(LabError);
      expect((error as LabError).kind).toBe("corrupt");
      // without its newline a line runs into the next one
      const named = Number(/line (\d+)/.exec((error as LabError).message)?.[1]);
      tried++;
      if (named === line || byte === 0x0a) found++;
    }
    if (byte === 0x0a) line++;
  }
  expect(found).toBe(tried);
  expect(tried).toBeGreaterThan(50);
});

test("the last line is vouched for by the seal, as is the number of lines; more lines may follow", async () => {
  const path = await written("sealed");
  const bytes = readFileSync(path);
  const lines = bytes.toString().trimEnd().split("\n");
  writeFileSync(path, `${lines.slice(0, 3).join("\n")}\n`);
  await expect(openAnswerLog(path)).rejects.toThrow(
    /line 4: expected 5 lines, as they were sealed, got "3 lines"/,
  );
  rmSync(sealPath(path));
  const log = await openAnswerLog(path);
  log.keep(answer(9));
  expect(log.count).toBe(4);
  await log.close();
  writeFileSync(path, `${readFileSync(path, "utf8").trimEnd().split("\n").toSpliced(2, 1).join("\n")}\n`);
  await expect(openAnswerLog(path)).rejects.toThrow(/line \d: expected the line as it was written/);
});

test("a half line of a killed writer is no damage, and what was kept after the seal is believed by its chain", async () => {
  const path = await written("killed");
  const more = await openAnswerLog(path);
  more.keep(answer(7));
  // killed: nothing is closed
  writeFileSync(path, `${readFileSync(path, "utf8")}{"version":1,"prev`);
  const log = await openAnswerLog(path);
  expect(log.count).toBe(6);
  log.keep(answer(8));
  await log.close();
  expect(JSON.parse(readFileSync(sealPath(path), "utf8")).lines).toBe(7);
});
