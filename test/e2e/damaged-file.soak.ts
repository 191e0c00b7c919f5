import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { statelab, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("damaged");
/** The slice takes every so many cases. */
const every = process.env.SOAK_SLICE === "ci" ? 83 : 1;

const config = `
task: { name: repl, variables: 3, commands: 4, spacing: 2 }
model: { name: deltanet, layers: 1, width: 16, feedForward: 16, heads: 2 }
train: { steps: 6, batch: 4, evaluateEvery: 3, validationExamples: 4 }
evaluate: { examples: 8 }
checkpointEvery: 3
`;
const space =
  "programs: 32\nrungs: 2\nspace: { train.learningRate: { from: 0.001, to: 0.01, scale: log } }\n";
const row = { id: "a", code: "def f(x):\n    return x + 1\n", input: "1", output: "2" };

const good = (name: string) => join(root, "good", name);
const again = (name: string) => `sweep CONFIG ${name} --out X`.replace("CONFIG", good("c.yaml")).split(" ");

/** What reads each folder. X is the folder, OUT one that is not there. */
const readers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  run: [
    ["evaluate", "X"],
    ["train --resume", "X"],
    words("train --resume X --set train.steps=8"),
    ["compare", "X", good("run")],
    ["compare", good("run"), "X"],
    words("report X --out OUT"),
    words("analyze X --only beta"),
    words("export X --out OUT"),
    words("export X --to hf --out OUT"),
    words("export X --to csv --out OUT"),
  ],
  sweep: [
    again("--grid model.heads=1,2"),
    words("report X --out OUT"),
    ["compare", "X/heads=1", "X/heads=2"],
  ],
  search: [again(`--search ${good("space.yaml")} --trials 2`), words("report X --out OUT")],
  set: [words("generate repl --count 5 --out X --split test")],
  columns: [words("generate repl --count 5 --out X --split test --format parquet")],
  traces: [["data", "trace", "--functions", good("functions.jsonl"), "--out", "X"]],
};

const damages: Readonly<Record<string, (bytes: Buffer) => Buffer | undefined>> = {
  empty: () => Buffer.alloc(0),
  "half a document": () => Buffer.from("{"),
  "a list": () => Buffer.from("[1]\n"),
  null: () => Buffer.from("null\n"),
  half: (bytes) => bytes.subarray(0, bytes.length >> 1),
  "other bits": (bytes) => bytes.map((byte, i) => (i % 11 === 7 ? byte ^ 0x15 : byte)) as Buffer, // of a Buffer
  gone: () => undefined,
  "another document": () => Buffer.from('{"version":1,"x":{"y":[1,2,3]}}\n'),
};

/** Half a line of a log is no line. */
const nothingThere = new Set(["empty", "half a document", "gone"]);

beforeAll(async () => {
  mkdirSync(join(root, "good"));
  writeFileSync(good("c.yaml"), config);
  writeFileSync(good("space.yaml"), space);
  writeFileSync(good("functions.jsonl"), `${JSON.stringify(row)}\n`);
  for (const line of [
    "train c.yaml --out run",
    "evaluate run",
    "evaluate run --programs 16 --name more",
    "analyze run --only beta",
    "sweep c.yaml --grid model.heads=1,2 --out sweep",
    "sweep c.yaml --search space.yaml --trials 2 --out search",
    "generate repl --count 5 --out set",
    "generate repl --count 5 --format parquet --out columns",
    "data trace --functions functions.jsonl --out traces",
  ]) {
    const { code, stderr } = await statelab(join(root, "good"), ...line.split(" "));
    expect(code, `${line}: ${stderr}`).toBe(0);
  }
}, 300_000);

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}

function* cases() {
  for (const [name, commands] of Object.entries(readers)) {
    for (const path of filesIn(good(name))) {
      const file = relative(good(name), path);
      if (/\.(svg|html)$/.test(file)) continue; // nothing reads them
      if (/heads=2|trial-001|checkpoints\/3/.test(file)) continue; // like the files next to them
      for (const damage of Object.keys(damages))
        for (const command of commands) yield { name, file, damage, command };
    }
  }
}

test("a damaged file is passed over, or the refusal names it, in a sentence and with a documented exit code", async () => {
  const all = [...cases()].filter((_, i) => i % every === 0);
  const faults: string[] = [];
  const told = (fault: string) => {
    faults.push(fault);
    console.log(fault); // an hour is long
  };
  let refused = 0;
  const work = async (worker: number) => {
    for (let each = all.pop(); each !== undefined; each = all.pop()) {
      const { name, file, damage, command } = each;
      const folder = join(root, String(worker));
      rmSync(folder, { recursive: true, force: true });
      cpSync(good(name), join(folder, name), { recursive: true });
      const damaged = join(folder, name, file);
      const bytes = damages[damage](readFileSync(damaged));
      if (bytes === undefined) rmSync(damaged);
      else writeFileSync(damaged, bytes);
      const args = command.map((word) => word.replace(/^X/, name).replace(/^OUT$/, "out"));
      const { code, stdout, stderr } = await statelab(folder, ...args);
      if (code !== 0) refused++;
      // What is not there has no other name than its folder's.
      const names = nothingThere.has(damage) ? [basename(file), name] : [basename(file)];
      const isNamed = code === 0 || names.some((each) => `${stdout}${stderr}`.includes(each));
      if (!isNamed || code === null || code === 70 || /\n\s+at /.test(stderr))
        told(`${name}/${file}, ${damage}: ${args.join(" ")}: ${code}: ${stderr.slice(-300)}`);
    }
  };
  await Promise.all([work(0), work(1)]);
  expect(faults).toEqual([]);
  expect(refused).toBeGreaterThan(every === 1 ? 5 : 1);
});
