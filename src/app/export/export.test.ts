import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { LabError } from "../../core/error.ts";
import { percent } from "../../core/format.ts";
import { rngFrom } from "../../core/rng.ts";
import { runParallel, tokensBelow } from "../../models/conformance/run.ts";
import { dark, light } from "../../report/theme.ts";
import { decodeSafetensors } from "../../schemas/formats/safetensors.ts";
import { eventFile } from "../../schemas/formats/tensorboard.ts";
import { RunConfig, StepRecord } from "../../schemas/run-config.ts";
import { readLog } from "../../storage/index.ts";
import { withData } from "../../tensor/index.ts";
import { compareFolders } from "../compare/difference.ts";
import { comparisonTable } from "../compare/table.ts";
import { importRun } from "../import/run.ts";
import { evaluateRun } from "../run/evaluate.ts";
import { openTrainedRun } from "../run/open.ts";
import { readResults } from "../run/results.ts";
import { trainRun } from "../run/train.ts";
import { exportTo } from "./index.ts";

const root = tmpFolder("export-to");
const at = (...parts: string[]) => join(root, ...parts);
const { signal } = new AbortController();

const task = { name: "repl", commands: 4 };
const yaml = "task: { name: repl, commands: 4 }\nmodel: { name: gru }\nevaluate: { examples: 5 }\n";

async function trained(name: string, model: object, tokenizer = "word") {
  const config = RunConfig.parse({
    ...{ task, tokenizer, model: { layers: 2, width: 8, ...model } },
    train: { steps: 3, batch: 4, learningRate: 0.01 },
    evaluate: { examples: 5, settings: [{ spacing: 2 }, { commands: 5 }] },
  });
  await trainRun(at(name), config, { signal });
}

const metrics = (name: string) => readLog(at(name, "metrics.jsonl"), StepRecord);

const witness = fileURLToPath(new URL("curves.witness.test-helper.py", import.meta.url));
const readBack = (file: string) =>
  JSON.parse(execFileSync("python3", [witness, file], { encoding: "utf8", maxBuffer: 1 << 28 }));
const hasPython = (() => {
  try {
    execFileSync("python3", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

beforeAll(async () => {
  await trained("run", { name: "deltanet" });
  await evaluateRun({ folder: at("run"), signal });
});

async function logitsOf(folder: string) {
  const { model, tree, weights, runtime } = await openTrainedRun(folder);
  const tokens = tokensBelow(model.vocabulary, rngFrom(1), 2, 9);
  return (await runParallel(runtime, model, withData(tree, weights), tokens)).logits;
}

test.each([
  ["deltanet", { betaMax: 1, convolution: 0 }, "word"],
  ["deltanet", { betaMax: 2, convolution: 3, normEpsilon: 1e-5 }, "character"],
  ["gated-deltanet", {}, "word"],
  ["transformer", { rotaryBase: 500 }, "word"],
  [
    "transformer",
    { keyValueHeads: 1, queryKeyNorm: "head", rotaryScaling: { kind: "linear", factor: 2 } },
    "word",
  ],
  ["transformer", { rotary: [false, true], layers: 3 }, "word"],
  ["mamba2", { feedForward: 0 }, "word"],
])("%s %j by %s: what Hugging Face reads is read back with equal logits", async (name, model, tokenizer) => {
  const folder = `${name}${JSON.stringify(model).replaceAll(/\W/g, "")}`;
  await trained(folder, { name, ...model }, tokenizer);
  const { files, step } = await exportTo({ folder: at(folder), form: "hf" });
  expect([step, files.map((file) => file.slice(at(folder, "export", "hf").length + 1))]).toEqual([
    3,
    [
      "README.md",
      "config.json",
      "generation_config.json",
      "model.safetensors",
      "tokenizer.json",
      "tokenizer_config.json",
    ],
  ]);
  writeFileSync(at("for.yaml"), yaml);
  const checkpoint = at(folder, "export", "hf");
  const there = { checkpoint, file: at("for.yaml"), folder: at(`${folder}-back`), overwrite: false };
  await importRun({ ...there, settings: [`tokenizer=${tokenizer}`] });
  expect(await logitsOf(at(`${folder}-back`))).toEqual(await logitsOf(at(folder)));
});

test("the model card has the tests of these weights, and the line end pads and ends an answer", async () => {
  const { files } = await exportTo({ folder: at("run"), form: "hf", out: at("card") });
  const [card, config, generation, , , tokenizer] = files.map((file) => readFileSync(file, "utf8"));
  const rows = readResults(at("run")).map(
    (row) => `| ${row.programs} | ${row.reveals} | ${percent(row.accuracy)} |`,
  );
  expect(rows).toHaveLength(2);
  expect(card.split("\n").filter((line) => rows.some((row) => line.includes(row)))).toHaveLength(2);
  const id = (await openTrainedRun(at("run"))).data.tokenizer.tokens.indexOf("\n");
  for (const text of [config, generation])
    expect(JSON.parse(text)).toMatchObject({ bos_token_id: null, eos_token_id: id, pad_token_id: id });
  expect(JSON.parse(tokenizer)).toMatchObject({ pad_token: "\n", eos_token: "\n" });
});

test("a folder of the lab itself is told by which command it is read", async () => {
  writeFileSync(at("for.yaml"), yaml);
  const there = { checkpoint: at("run"), file: at("for.yaml"), folder: at("no"), overwrite: false };
  await expect(importRun({ ...there, settings: [] })).rejects.toThrow(/statelab export .*run --to hf$/);
});

test("a model that no other library has is refused, and nothing is written", async () => {
  await trained("gru", { name: "gru" });
  await expect(exportTo({ folder: at("gru"), form: "hf" })).rejects.toThrow(
    /gru, model\.name: expected deltanet, .* and mamba2, got "gru"/,
  );
});

test("the tables have every step and every test, and cells that hold commas are quoted", async () => {
  const { files } = await exportTo({ folder: at("run"), form: "csv", out: at("tables") });
  const tables = ["metrics", "tested", "positions", "answers", "summary"];
  expect(files).toEqual(tables.map((name) => at("tables", `${name}.csv`)));
  const rows = readFileSync(files[0], "utf8").split("\r\n");
  expect(rows).toHaveLength(5);
  const [names, first] = rows.map((row) => row.split(","));
  expect(Number(first[names.indexOf("loss")])).toBe(metrics("run")[0].loss);
  expect(readFileSync(files[1], "utf8")).toMatch(/^step,change,.*exactBayes.*\r\n3,"\{""spacing"":2\}",5,5,/);
});

test("of a folder of runs each row names the run and the settings in which the runs differ", async () => {
  await trained("sweep/b/seed-0", { name: "deltanet", betaMax: 1 });
  await trained("sweep/a/seed-0", { name: "deltanet", betaMax: 2 });
  mkdirSync(at("sweep", "c"));
  copyFileSync(at("run", "config.json"), at("sweep", "c", "config.json"));
  const { files, remarks } = await exportTo({ folder: at("sweep"), form: "csv", out: at("swept") });
  const [names, ...rows] = readFileSync(files[0], "utf8").trim().split("\r\n");
  expect(names).toMatch(/^run,model\.betaMax,step,loss,/);
  expect(rows.map((row) => row.split(",").slice(0, 3).join())).toEqual(
    [
      ["a/seed-0", 2],
      ["b/seed-0", 1],
    ].flatMap(([run, beta]) => [1, 2, 3].map((step) => `${run},${beta},${step}`)),
  );
  expect(Number(rows[0].split(",")[3])).toBe(metrics("sweep/a/seed-0")[0].loss);
  expect(remarks).toEqual([
    expect.stringMatching(/^left out .*sweep.c: expected a run with recorded steps or tests/),
    expect.stringMatching(/^not compared: .*sweep.a.seed-0: expected a run with test results/),
  ]);
  const events = await exportTo({ folder: at("sweep"), form: "tensorboard" });
  expect(events.files.map((file) => basename(dirname(dirname(file))))).toEqual(["a", "b"]);
  await expect(exportTo({ folder: at("sweep"), form: "latex" })).rejects.toThrow(
    /sweep: expected test results for --to latex, got none\. Test it: statelab evaluate .*sweep.a.seed-0$/,
  );
  await expect(exportTo({ folder: at("sweep"), form: "hf" })).rejects.toThrow(/expected the folder of a run/);
});

const cellsOf = (path: string) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\r\n")
    .map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));

test("per answer, per position and for each kind the numbers of the tests are written, and Parquet has those of CSV", async () => {
  const { files } = await exportTo({ folder: at("run"), form: "csv", out: at("numbers") });
  const [, , positions, answers, summary] = files.map(cellsOf);
  const column = ([names, ...rows]: string[][], name: string) => rows.map((row) => row[names.indexOf(name)]);
  const tested = readResults(at("run"));
  const numbers = (table: string[][], name: string) => column(table, name).map(Number);
  expect(numbers(positions, "accuracy")).toEqual(tested.flatMap((each) => each.accuracyByReveal));
  expect(column(answers, "correct").join("")).toBe(tested.flatMap(({ hits }) => hits).join(""));
  expect(numbers(summary, "accuracy")).toEqual(tested.map(({ accuracy }) => accuracy));
  expect(column(summary, "name")).toEqual(["run", "run"]);

  const parquet = await exportTo({ folder: at("run"), form: "parquet", out: at("numbers") });
  for (const [i, path] of parquet.files.entries()) {
    const { buffer, byteOffset, byteLength } = new Uint8Array(readFileSync(path));
    const rows = await parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + byteLength) });
    const [names, ...lines] = cellsOf(files[i]);
    expect(Object.keys(rows[0])).toEqual(names);
    expect(rows.map((row) => names.map((name) => String(row[name] ?? "")))).toEqual(
      lines.map((line) => line.map((cell) => cell.replace(/^"|"$/g, "").replaceAll('""', '"'))),
    );
  }
});

test("two sides are compared under the names that are given, as LaTeX and as figures", async () => {
  const runs = [1, 2].map((betaMax) => `side-${betaMax}`);
  for (const [i, name] of runs.entries()) {
    await trained(name, { name: "deltanet", betaMax: i + 1 });
    await evaluateRun({ folder: at(name), signal });
  }
  const names = ["* 100% _x_ & {y} \\z", "[−1, 1]"];
  const request = { folder: at(runs[0]), others: [at(runs[1])], names };
  const { files, remarks } = await exportTo({ ...request, form: "latex", out: at("tex") });
  expect([files, remarks]).toEqual([[at("tex", "summary.tex"), at("tex", "compared.tex")], []]);
  const compared = readFileSync(files[1], "utf8");
  const lines = compared.split("\n").filter((line) => line.endsWith(" \\\\"));
  const cells = lines.map((line) =>
    line
      .slice(0, -3)
      .split(/(?<!\\)&/)
      .map(plainOf),
  );
  const { comparisons } = await compareFolders(
    runs.map((name) => at(name)),
    names,
  );
  const { columns, rows } = comparisonTable(comparisons);
  expect(cells).toEqual([columns, ...rows].map((row) => row.map(String)));
  expect(compared).not.toMatch(/\\\\\n[*[]/);

  const figures = await exportTo({ ...request, form: "svg", out: at("svg") });
  expect(figures.files.map((file) => basename(file))).toEqual([
    "1-training-of-100-_x_-y-z.svg",
    "2-training-of-1-1-.svg",
  ]);
  expect(readFileSync(figures.files[1], "utf8")).toMatch(/^<svg xmlns=.*\[−1, 1\]/s);

  const pictures = await exportTo({ ...request, form: "png", out: at("png") });
  expect(pictures.files.map((file) => basename(file))).toEqual([
    "1-training-of-100-_x_-y-z.png",
    "2-training-of-1-1-.png",
  ]);
  const svg = readFileSync(figures.files[1], "utf8");
  const picture = readFileSync(pictures.files[1]);
  const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)];
  expect(svg).toContain(`width="${width / 2}" height="${height / 2}" role="img"`);
  const pixels = pixelsOf(picture, width, height);
  const count = (color: string) => pixels.filter((pixel) => pixel === color).length;
  expect(count(light.paper)).toBeGreaterThan((width * height) / 2);
  for (const color of [light.series[1], light.ink, light.muted])
    expect(count(color), color).toBeGreaterThan(100); // lines and text
  expect(count(dark.paper)).toBe(0);

  await expect(exportTo({ ...request, names: ["a", "a"], form: "latex" })).rejects.toThrow(
    /^--name: expected different names for side-1, side-2, in this order, got "a, a"$/,
  );
});

function pixelsOf(png: Uint8Array, width: number, height: number): string[] {
  const href = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
  const size = `width="${width}" height="${height}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}><image ${size} href="${href}"/></svg>`;
  const { pixels } = new Resvg(svg).render();
  return Array.from({ length: width * height }, (_, i) => `#${pixels.toString("hex", 4 * i, 4 * i + 3)}`);
}

test.each([
  [
    "the package",
    "the package @resvg/resvg-js, got none. Install it beside statelab: npm install @resvg/resvg-js",
  ],
  ["a font", "a font in the system, got none. Install one, such as DejaVu Sans"],
])("pictures without %s are refused before anything is written", async (missing, expected) => {
  vi.doMock("@resvg/resvg-js", () => {
    if (missing === "the package") throw new Error("Cannot find package");
    return {
      Resvg: class {
        innerBBox() {}
      },
    };
  });
  try {
    const refused = exportTo({ folder: at("run"), form: "png", out: at("no-png") });
    await expect(refused).rejects.toThrow(new LabError(`export --to png: expected ${expected}`));
    expect(existsSync(at("no-png"))).toBe(false);
  } finally {
    vi.doUnmock("@resvg/resvg-js");
  }
});

/** A LaTeX cell as text. */
const plainOf = (cell: string) =>
  cell
    .replaceAll(/\{([[*])\}|\$(-)\$/g, (_, character, minus) => character ?? (minus && "−"))
    .replaceAll("\\textbackslash{}", "\0")
    .replaceAll(/\\([{}$&#%_])/g, "$1")
    .replaceAll("\0", "\\")
    .trim();

test("exported activations equal the model's own, states equal the task's, and answers equal those of evaluate", async () => {
  const recorded = { record: ["residual", "layers.1.beta"], programs: 5, settings: ["spacing=2"] };
  const { files } = await exportTo({ folder: at("run"), form: "activations", recorded });
  const { tensors, metadata } = decodeSafetensors(readFileSync(files[0]), files[0]);
  const { tokens, states, reveals, lengths, ...taps } = tensors;
  expect(Object.keys(taps).sort()).toEqual(["layers.0.residual", "layers.1.beta", "layers.1.residual"]);
  const [programs, length] = tokens.shape;
  expect([programs, lengths.shape, states.shape]).toEqual([5, [5], [5, length, 3]]);

  const numbers = Object.fromEntries(
    Object.entries(tensors).map(([name, { data }]) => [name, [...(data as Float32Array | Int32Array)]]),
  );
  const ids = Array.from({ length: programs }, (_, i) => numbers.tokens.slice(i * length, (i + 1) * length));
  const { model, tree, weights, runtime } = await openTrainedRun(at("run"));
  const { taps: again } = await runParallel(runtime, model, withData(tree, weights), ids, { taps: true });
  for (const name of Object.keys(taps)) {
    const differences = numbers[name].map((x, i) => Math.abs(x - again[name].data[i]));
    expect(Math.max(...differences), name).toBeLessThan(1e-5);
  }

  const rows = Array.from({ length: reveals.shape[0] }, (_, r) => numbers.reveals.slice(5 * r, 5 * r + 5));
  for (const [program, position, variable, value] of rows)
    expect(numbers.states[(program * length + position) * 3 + variable]).toBe(value);
  const [known] = readResults(at("run")).filter(({ change }) => change.spacing === 2);
  expect(rows.filter(([, , , value, predicted]) => value === predicted).length / rows.length).toBe(
    known.accuracy,
  );
  expect(JSON.parse(metadata.task)).toMatchObject({ name: "repl", commands: 4, spacing: 2 });

  const unknown = { ...recorded, record: ["memories"] };
  await expect(exportTo({ folder: at("run"), form: "activations", recorded: unknown })).rejects.toThrow(
    /^--record: expected names of .*residual.*, got "?memories/,
  );
});

describe.runIf(hasPython)("as Python reads it", () => {
  test("the event file has every number of every step, and its checksums are right", async () => {
    const { files } = await exportTo({ folder: at("run"), form: "tensorboard" });
    expect(files[0]).toMatch(/events\.out\.tfevents\.\d{10}\.statelab$/);
    const [version, , , ...events] = readBack(files[0]);
    expect(version).toMatchObject({ version: "brain.Event:2", step: 0 });
    expect(events).toHaveLength(5); // three steps, two tests, after the start and the settings
    for (const [i, { step, loss, tokens }] of metrics("run").entries()) {
      expect(events[i]).toMatchObject({
        step,
        scalars: { "train/loss": Math.fround(loss), "train/tokens": tokens },
      });
    }
    expect(events[3].scalars).toHaveProperty(["tested/spacing 2/accuracy"]);
    expect(events[2].time).toBeGreaterThan(events[1].time);
  });

  test("a step beyond 32 bits and a name beyond ASCII are read", () => {
    writeFileSync(at("events"), eventFile(1, [{ time: 2, step: 2 ** 40, scalars: { a: 0.5, ä: -1 } }]));
    expect(readBack(at("events"))[2]).toMatchObject({
      step: 2 ** 40,
      scalars: { a: 0.5, ä: -1 },
    });
  });
});
