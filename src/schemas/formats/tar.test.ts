import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { readTar, writeTar } from "./tar.ts";

const folder = tmpFolder("tar");
const tarProgram = (...args: string[]) => execFileSync("tar", args, { cwd: folder, encoding: "utf8" });
const files = {
  "mine/config.json": new TextEncoder().encode('{"seed":0}\n'),
  "mine/checkpoints/20/model.safetensors": Uint8Array.from({ length: 1300 }, (_, i) => i & 255),
  "mine/empty": new Uint8Array(),
};

test("the system's own tar unpacks what was written, byte by byte", () => {
  writeFileSync(join(folder, "run.tar"), writeTar(files));
  tarProgram("xf", "run.tar");
  for (const [name, bytes] of Object.entries(files))
    expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true);
});

test.each(["ustar", "gnu", "pax"])("what the system's own tar wrote as %s is read", (format) => {
  writeFileSync(join(folder, "run.tar"), writeTar(files));
  tarProgram("xf", "run.tar");
  tarProgram("cf", "own.tar", `--format=${format}`, "./mine");
  const found = readTar(readFileSync(join(folder, "own.tar")), "own.tar");
  expect([...found.keys()].sort()).toEqual(Object.keys(files).sort());
  for (const [name, bytes] of Object.entries(files))
    expect(Buffer.from(found.get(name)!).equals(bytes)).toBe(true);
});

test("a link, a name that leaves the folder, a size beyond the end, a changed header are refused in a sentence", () => {
  tarProgram("cf", "link.tar", "mine/empty");
  execFileSync("ln", ["-sf", "/etc/passwd", join(folder, "link")]);
  tarProgram("cf", "link.tar", "link");
  const read = (bytes: Uint8Array) => () => readTar(bytes, "run.tar");
  expect(read(readFileSync(join(folder, "link.tar")))).toThrow(/expected files and folders alone, got "link/);
  tarProgram("cPf", "up.tar", "--transform=s,^,../,", "mine/empty");
  expect(read(readFileSync(join(folder, "up.tar")))).toThrow(/expected names below the folder/);
  const whole = writeTar(files);
  expect(read(whole.subarray(0, 700))).toThrow(/run\.tar: expected/);
  expect(read(whole.with(3, 65))).toThrow(/a header with its checksum/);
  expect(() => writeTar({ "../up": new Uint8Array() })).toThrow(/below the folder/);
  expect(read(new Uint8Array())).toThrow(/a block of zeros/);
});
