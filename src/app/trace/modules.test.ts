import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { modulesBeside } from "./modules.ts";

const root = tmpFolder("modules");
const folder = join(root, "program");
const files = {
  "main.py": "",
  "areas.py": "import shapes.square\n",
  "shapes/__init__.py": "",
  "shapes/square.py": "from . import other\nimport deep\n",
  "shapes/data.txt": "no module",
  "deep.py": "    import areas  # a circle\n",
  "unused.py": "",
};
mkdirSync(join(folder, "shapes"), { recursive: true });
for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
writeFileSync(join(root, "secret.py"), "key = 1\n");
symlinkSync(join(root, "secret.py"), join(folder, "secret.py"));
const found = (source: string) => modulesBeside(join(folder, "main.py"), source).modules;

test.each([
  ["import areas", ["areas.py", "deep.py", "shapes/__init__.py", "shapes/square.py"]],
  ["import os, deep as d", ["areas.py", "deep.py", "shapes/__init__.py", "shapes/square.py"]],
  [
    "def f():\n    from shapes.square import x",
    ["areas.py", "deep.py", "shapes/__init__.py", "shapes/square.py"],
  ],
  ["# import areas\nimport os, sys", undefined],
  ["import secret", undefined], // a link leads out of the folder
  ["from .. import secret\nfrom ..secret import key\nimport ..secret", undefined],
])("%s takes %j", (source, paths) => {
  const modules = found(source);
  expect(modules && Object.keys(modules).toSorted()).toEqual(paths);
  for (const [path, text] of Object.entries(modules ?? {}))
    expect(text).toBe(files[path as keyof typeof files]);
});

test("stdin has no folder; bytes that are not text, and too much text, are refused", () => {
  expect(modulesBeside("-", "import areas")).toEqual({});
  writeFileSync(join(folder, "bytes.py"), Buffer.from([0xff, 0xfe]));
  expect(() => found("import bytes")).toThrow(/bytes\.py: expected text in UTF-8/);
  writeFileSync(join(folder, "large.py"), "x".repeat(2 ** 20 + 1));
  expect(() => found("import large")).toThrow(/modules of at most 1048576 characters/);
});
