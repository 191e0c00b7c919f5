import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callStatelab } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { page, project } from "./docs.test-helper.ts";

const text = page("docs/concepts/code-traces.md");
const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, block]) => block);
const root = tmpFolder("code-traces-page");

async function traced(file: string, call: string, ...flags: string[]) {
  const signal = new AbortController().signal;
  return callStatelab(["trace", file, "--call", call, ...flags], { signal });
}

test("docs/concepts/code-traces.md shows examples/sum.py and what trace makes of it", async () => {
  const file = join(project, "examples/sum.py");
  const { stdout } = await traced(file, "count([1, 2, 3, 1, 1], 5)", "--format", "code");
  const lines =
    blocks
      .find((block) => block.includes("forloop0"))
      ?.trimEnd()
      .split("\n") ?? [];
  const column = lines[0].indexOf("arr, n =");
  expect(lines.map((line) => line.slice(column)).join("\n")).toBe(stdout.trimEnd());
  const left = lines.map((line) => line.slice(0, column).trimEnd()).join("\n");
  expect(left.trimEnd()).toBe(page("examples/sum.py").trimEnd());
});

test("it shows states as the record has them", async () => {
  const rows = (blocks.find((block) => block.includes("Counter(")) ?? "").trimEnd().split("\n");
  const shown = rows.map((row) => row.split(/\s{2,}/));
  expect(shown).toHaveLength(4);
  const names = ["c", "d", "e"];
  const values = shown.map(([code], i) => (i === 0 ? code : `${names[i - 1]} = ${code}`));
  const file = join(root, "values.py");
  const point = "class Point:\n    def __init__(self, x, y): self.x, self.y = x, y\n";
  writeFileSync(
    file,
    `from collections import Counter\n${point}def f():\n    ${values.join("\n    ")}\n    return 1\n`,
  );
  const { stdout } = await traced(file, "f()", "--json");
  const { a, b, ...others } = JSON.parse(stdout).lines.at(-1).state;
  expect(JSON.parse(shown[0][1])).toEqual({ a, b });
  expect(names.map((name) => others[name])).toEqual(shown.slice(1).map(([, state]) => JSON.parse(state)));
});

test("it shows a refusal as it is", async () => {
  const refusal = blocks.find((block) => block.includes("refused")) ?? "";
  const file = join(root, "p.py");
  writeFileSync(file, "def f():\n    return input()\n");
  const { code, stderr } = await traced(file, "f()");
  expect(code).toBe(1);
  expect(stderr.replace(file, "p.py").trim()).toBe(refusal.trim());
});
