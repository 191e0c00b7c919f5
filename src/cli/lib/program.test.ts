import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { callIn, readProgram } from "./program.ts";

const folder = tmpFolder("program");

test("a program is read in the encoding that its first or second line names", () => {
  const read = (head: string, body: readonly number[]) => {
    const file = join(folder, "f.py");
    writeFileSync(file, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
    return readProgram(file).slice(head.length);
  };
  expect(read("# -*- coding: latin-1 -*-\n", [0xe9, 0x85])).toBe("é\u0085");
  expect(read("#!/usr/bin/python3\n# vim: set fileencoding=iso8859_1 :\n", [0xe9])).toBe("é");
  expect(read("# coding: cp1251\n", [0xe9])).toBe("й");
  expect(read("x = 1\ny = 2\n# coding: latin-1\n", [0xc3, 0xa9])).toBe("é");
  expect(() => read("x = 1\n", [0xe9])).toThrow("text in UTF-8");
  expect(() => read("# coding: nosuch\n", [0xe9])).toThrow("text in NOSUCH");
});

test("a program that ends in neither a call nor a definition is a script", () => {
  for (const script of [
    "x = 1\nprint(x)\n",
    "def f(n):\n    return n\n\ntotal = f(2)\nprint(total)\n",
    "def f(n):\n    return n\n\nif __name__ == '__main__':\n    f(2)\n# the end\n",
    "class A:\n    def f(self):\n        return 1\n\nprint(A().f())\n",
  ])
    expect(callIn(script, "f.py", undefined)).toEqual({ source: script, call: "None" });
  expect(() => callIn("import os\n\ndef f(n):\n    return n\n", "f.py", undefined)).toThrow(
    'Add --call "f(...)"',
  );
});
