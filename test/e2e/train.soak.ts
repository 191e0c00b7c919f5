import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../kit/tmp.ts";
import { decodeSafetensors } from "../../src/schemas/formats/safetensors.ts";
import { statelab } from "../kit/cli.ts";
import { runCommandLine } from "../../src/cli/lib/dispatch.ts";
import { small } from "../kit/trainings.ts";

const root = tmpFolder("train");
const at = (...parts: string[]) => join(root, ...parts);
const text = (...parts: string[]) => readFileSync(at(...parts), "utf8");
const run = (...args: string[]) => statelab(root, ...args);

/** The same in this process, from the sources. */
async function here(...args: string[]) {
  const [printed, said]: [string[], string[]] = [[], []];
  const before = process.cwd();
  process.chdir(root);
  try {
    const code = await runCommandLine(
      {
        train: { summary: "", load: () => import("../../src/cli/train.ts") },
        resume: { summary: "", load: () => import("../../src/cli/resume.ts") },
        evaluate: { summary: "", load: () => import("../../src/cli/evaluate.ts") },
        reproduce: { summary: "", load: () => import("../../src/cli/reproduce.ts") },
      },
      args,
      { print: (text) => printed.push(`${text}\n`), say: (text) => said.push(`${text}\n`) },
      new AbortController().signal,
    );
    return { code, stdout: printed.join(""), stderr: said.join("") };
  } finally {
    process.chdir(before);
  }
}

beforeAll(async () => {
  writeFileSync(at("small.yaml"), small);
  const { code, stdout, stderr } = await run("train", "small.yaml", "--out", "whole");
  expect([code, stdout], stderr).toEqual([
    0,
    expect.stringMatching(
      /^whole: 300 steps done\nthe last loss: \d.*\n[\s\S]*\nAsk it: statelab evaluate whole\nSee it: statelab report whole\n$/,
    ),
  ]);
}, 60_000);

test("a finished run holds the files that docs/runs.md lists, and no others", () => {
  const page = readFileSync(new URL("../../docs/runs.md", import.meta.url), "utf8");
  const documented = [...page.matchAll(/^\| `([\w./]+)` \|/gm)].map(([, name]) => name);
  const found = (folder: string): string[] =>
    readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory()
        ? found(join(folder, entry.name))
        : [join(folder, entry.name).slice("whole/".length)],
    );
  const names = found("whole").map((name) => name.replace(/\/\d+\//, "/STEP/"));
  // By evaluate; of files of one's own; of examples made elsewhere; there while a process writes.
  const later = ["evaluation.json", "tested.jsonl", "own/", "stream/", "run.lock"];
  expect([...new Set(names)].sort()).toEqual(documented.filter((name) => !later.includes(name)).sort());
  expect(readdirSync(at("whole", "checkpoints")).sort()).toEqual(["200", "300"]);
});

test("the checksums of a checkpoint are those of its files, as another program computes them", () => {
  const lines = text("whole", "checkpoints", "300", "SHA256SUMS").trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    const [digest, name] = line.split("  ");
    const bytes = readFileSync(at("whole", "checkpoints", "300", name));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest);
  }
});

test("the exported models give the same logits for a sequence at once and token by token", async () => {
  const sequence = await InferenceSession.create(at("whole", "model.onnx"));
  const [, length] = (sequence.inputMetadata[0] as unknown as { shape: number[] }).shape;
  const tokens = Int32Array.from({ length }, (_, i) => (i * 5) % 14);
  const { logits } = await sequence.run({ tokens: new Tensor("int32", tokens, [1, length]) });
  const step = await InferenceSession.create(at("whole", "step.onnx"));
  const shapes = Object.fromEntries(
    (step.inputMetadata as unknown as { name: string; shape: number[] }[]).map(({ name, shape }) => [
      name,
      shape,
    ]),
  );
  let states: Record<string, Tensor> = Object.fromEntries(
    step.inputNames
      .filter((name) => name.startsWith("state."))
      .map((name) => {
        const size = shapes[name].reduce((a, b) => a * b, 1);
        return [name, new Tensor("float32", new Float32Array(size), shapes[name])];
      }),
  );
  let largest = 0;
  for (let t = 0; t < length; t++) {
    const scalar = (value: number) => new Tensor("int32", Int32Array.of(value), [1]);
    const results = await step.run({ token: scalar(tokens[t]), position: scalar(t), ...states });
    const vocabulary = results.logits.dims[1];
    for (let v = 0; v < vocabulary; v++) {
      const difference = Number(results.logits.data[v]) - Number(logits.data[t * vocabulary + v]);
      largest = Math.max(largest, Math.abs(difference));
    }
    states = Object.fromEntries(
      Object.keys(states).map((name) => [name, results[name.replace("state.", "next.")] as Tensor]),
    );
  }
  expect(largest).toBeLessThan(1e-4);
  expect(Math.max(...(logits.data as Float32Array))).toBeGreaterThan(0.1); // not the zeros that any two share
});

test("evaluate asks about the tests of the configuration and writes what it prints", async () => {
  const { code, stdout } = await run("evaluate", "whole", "--json");
  expect(code).toBe(0);
  const document = JSON.parse(stdout);
  expect(JSON.parse(text("whole", "evaluation.json"))).toEqual(document);
  expect(document).toMatchObject({ run: "whole", step: 300, results: [{ programs: 30 }, { programs: 30 }] });
  const [near, far] = document.results;
  // 4 commands at spacing 2 and 8 at spacing 4: two reveals each.
  expect([near.reveals, far.reveals]).toEqual([60, 60]);
  expect([near.references.exactBayes, far.references.exactBayes]).toEqual([1, 1]);
  // The window is twice the widest spacing trained, 4 commands: at spacing 4 no reveal and no initial value lies
  // inside, so one of three values is as likely as another.
  expect(far.references.windowedBayesWithoutBoundary).toBeCloseTo(1 / 3, 12);
  for (const { accuracy, accuracyLast } of document.results) {
    for (const share of [accuracy, accuracyLast]) {
      expect(share * 60).toBeCloseTo(Math.round(share * 60), 9);
      expect(share).toBeGreaterThan(0);
    }
  }
});

test("evaluate --set asks about one other kind of program", async () => {
  const { code, stdout } = await run("evaluate", "whole", "--set", "spacing=4", "--programs", "7");
  const [heading, row, ...rest] = stdout.trimEnd().split("\n");
  expect([code, rest]).toEqual([0, []]);
  expect(heading).toMatch(
    /^test +programs +all reveals +last reveal +exact Bayes +windowed Bayes +windowed Bayes without boundary$/,
  );
  expect(row).toMatch(/^spacing 4 +7 +[\d.]+ % +[\d.]+ % +100\.0 %/);
});

test("a mistake is one sentence with the file and the reason, its exit code, and nothing is written", async () => {
  writeFileSync(at("broken.yaml"), "task: [1\nmodel: 2\n");
  writeFileSync(at("empty.yaml"), "");
  writeFileSync(at("file"), "");
  mkdirSync(at("full"));
  writeFileSync(at("full", "thesis.tex"), "years of work");
  const before = readdirSync(root, { recursive: true }).sort();
  const set = (...settings: string[]) => [
    "train",
    "small.yaml",
    "--out",
    "new",
    ...settings.flatMap((s) => ["--set", s]),
  ];
  const cases: [args: string[], sentence: string][] = [
    [
      set("train.stpes=3"),
      'small.yaml: expected one of steps, batch, .* in train, got "stpes". Did you mean train.steps\\?',
    ],
    [set("train.steps=many"), 'small.yaml: expected train.steps to be a number, got "many"'],
    [set("task.comands=3"), 'small.yaml, task: expected one of .*, got "comands". Did you mean commands\\?'],
    [set("model.name=lstn"), 'small.yaml, model: expected one of deltanet, .*, got "lstn".*'],
    [set("model.heads=3"), "small.yaml, model: expected heads that divide width 16, got 3"],
    [set("model.witdh=3"), 'small.yaml, model: expected one of .*, got "witdh". Did you mean width\\?'],
    [
      set("curriculum.stages=[[{spcing: 1}]]"),
      'small.yaml, curriculum.stages.0.0: expected .*, got "spcing".*',
    ],
    [set("evaluate.tests=[{}, {spcing: 1}]"), 'small.yaml, evaluate.tests.1: expected .*, got "spcing".*'],
    [["train", "nowhere.yaml"], 'nowhere.yaml: expected a readable YAML file, got "no such file".*'],
    [["train", "full"], 'full: expected a readable YAML file, got "a folder".*'],
    [["train", "broken.yaml"], "broken.yaml, line \\d, column \\d: expected YAML, got .*"],
    [["train", "empty.yaml"], 'empty.yaml: expected task \\(an object\\), got "nothing".*'],
    [
      ["train", "small.yaml", "--model", "./gone.ts"],
      '.*gone.ts: expected an existing file, got "no such file"',
    ],
    [
      ["train", "small.yaml", "--out", "file/x"],
      "file/x: expected a place where folders can be made, got .*",
    ],
    [
      ["train", "small.yaml", "--out", "whole"],
      "whole: expected a new or empty folder, got .*statelab resume whole.*",
    ],
    [
      ["train", "small.yaml", "--out", "full", "--overwrite"],
      'full: expected a new or empty folder, got "thesis.tex".*',
    ],
    [["resume", "nowhere"], "nowhere: expected the folder of a run .*, got a path that does not exist"],
    [["evaluate", "nowhere"], "nowhere: expected the folder of a run .*, got a path that does not exist"],
    [["evaluate", "whole", "--programs", "0"], '--programs: expected an integer of at least 1, got "0"'],
    [["reproduce", "headlin"], 'reproduce: expected .*, got "headlin". Did you mean headline\\?'],
    [
      ["reproduce", "headline", "--only", "gru"],
      'reproduce headline: expected a flag that it has, got "--only". It is one of zoo',
    ],
  ];
  for (const [i, [args, sentence]] of cases.entries()) {
    // Built and started anew they say the same, at half a second each: every fifth shows it.
    const { code, stdout, stderr } = i % 5 === 0 ? await run(...args) : await here(...args);
    expect(stderr).toMatch(new RegExp(`^statelab: ${sentence}\n$`));
    expect([code, stdout], stderr).toEqual([2, ""]);
  }
  expect(readdirSync(root, { recursive: true }).sort()).toEqual(before);
  expect(text("full", "thesis.tex")).toBe("years of work");
});

test("--overwrite replaces a run with everything that commands have written into it", async () => {
  cpSync(at("whole"), at("old"), { recursive: true });
  expect((await run("evaluate", "old", "--programs", "5")).code).toBe(0);
  const { code, stderr } = await run(
    "train",
    "small.yaml",
    "--set",
    "train.steps=2",
    "--out",
    "old",
    "--overwrite",
  );
  expect(code, stderr).toBe(0);
  expect(readdirSync(at("old", "checkpoints"))).toEqual(["2"]);
  expect(existsSync(at("old", "evaluation.json"))).toBe(false);
});

test("the weights that are saved are those that safetensors names, all finite", () => {
  const file = join("checkpoints", "300", "model.safetensors");
  const { tensors } = decodeSafetensors(readFileSync(at("whole", file)), file);
  const count = Object.values(tensors).reduce((total, { data }) => total + data.length, 0);
  expect(count).toBe(3288);
  for (const { data } of Object.values(tensors))
    expect([...data].every((x) => Number.isFinite(Number(x)))).toBe(true);
});
