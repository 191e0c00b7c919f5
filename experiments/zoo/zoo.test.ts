import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { derivedLength, groupNamed } from "../../src/core/groups.ts";
import { configureModel, mixerTraits, modelNamed } from "../../src/models/index.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { type ReachCell, type ReachRun, ZooCells } from "../../src/schemas/zoo.ts";
import { prepareTask, taskNamed } from "../../src/tasks/index.ts";
import { zooConfig, zooTests } from "./config.ts";
import { columns, gradedColumns, ofTwoLayers, rows, settings, stateColumns, wordColumns } from "./data.ts";
import { type ClassName, classes, findPrediction, mixerClass, predictedOn } from "./predictions.ts";
import { cellRanking, extendsBeyond, matrixTable, tablePlaces, tallyTable, triedPlaces } from "./table.ts";
import {
  chosenRate,
  keeping,
  merged,
  resultCells,
  selectCells,
  settingsHash,
  zoo,
  zooChecks,
  zooPlan,
} from "./zoo.ts";

const { laptop } = settings;

/** Of what a mixer declares of its transitions; undefined where several classes declare the same. */
function classDeclared(row: string): readonly ClassName[] {
  const { model } = rows[row];
  const { mixers } = configureModel(modelNamed(model.name), { ...model, ...laptop.model }, 8, "model");
  const { recurrence, every = 1 } = mixerTraits(mixers[0]);
  if (recurrence === "none") return ["attention"];
  if (recurrence === "nonlinear") return every === 1 ? ["nonlinear"] : ["fade"]; // no order within a chunk
  if (recurrence === undefined) return [];
  const { least, complex, commuting, fixed } = recurrence;
  if (fixed) return ["fade"];
  if (complex) return commuting ? ["phase"] : ["2 reflections", "4 reflections", "dense"];
  if (least > -1) return ["fade"];
  return commuting ? ["sign"] : ["reflection"];
}

const openOf: Partial<Record<ClassName, string[]>> = {
  reflection: ["a4", "f20", "s4", "a5-two", "s5-two"].map(ofTwoLayers),
  "2 reflections": ["q8", "f20", ofTwoLayers("s5-two")],
  attention: ["parity", "z3", "s3-swaps", "s3", "d5", "q8", "a4", "f20", "s4"].map(ofTwoLayers),
};

test.each(Object.keys(rows))(
  "the class of %s is one that its mixer declares, and has a prediction for every task but those that are open",
  (row) => {
    expect(classDeclared(row)).toContain(mixerClass[row]);
    const open = wordColumns.filter((column) => findPrediction(row, column) === undefined);
    expect(open).toEqual(row === "lact" ? stateColumns.map(ofTwoLayers) : (openOf[mixerClass[row]] ?? []));
  },
);

test("every column has the day on which it was predicted, and the page tells it", () => {
  expect(Object.keys(predictedOn).toSorted()).toEqual(Object.keys(columns).toSorted());
  const page = readFileSync(new URL("../../docs/results/zoo.md", import.meta.url), "utf8");
  for (const column of [...stateColumns, ...gradedColumns]) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${column}\` |`));
    const days = [predictedOn[column], predictedOn[ofTwoLayers(column)] ?? []].flat();
    expect(row, column).toMatch(new RegExp(`${days.map((day) => `\\| ${day} `).join("")}\\|$`));
  }
});

test("two layers hold what one does, and of a phase what has a derived length of two at most", () => {
  for (const row of Object.keys(rows))
    for (const column of stateColumns) {
      const [one, two] = [column, ofTwoLayers(column)].map((each) => findPrediction(row, each));
      if (one === "can") expect(two, `${row}, ${column}`).toBe("can");
      const length = derivedLength(groupNamed(columns[column].group!)!) ?? Number.POSITIVE_INFINITY;
      if (mixerClass[row] === "phase")
        expect([one, two], column).toEqual([1, 2].map((layers) => (length <= layers ? "can" : "cannot")));
    }
});

test("predictions are of groups: what holds a group holds its subgroups, and a 5-cycle needs four reflections", () => {
  const can = (name: ClassName, layers = 1) => {
    const [row] = Object.entries(mixerClass).find(([, each]) => each === name)!;
    return (column: string) => findPrediction(row, layers === 1 ? column : ofTwoLayers(column)) === "can";
  };
  const holdsToo = [
    ["s5-two", "a5-two"],
    ["s5-two", "s5-swaps"],
    ["s5-two", "s4"],
    ["s5-two", "f20"],
    ["f20", "d5"],
    ["a5-two", "a4"],
    ["s4", "s3"],
    ["s3", "z3"],
    ["s3", "s3-swaps"],
    ["s5-swaps", "s3-swaps"],
    ["s3-swaps", "parity"], // the sign of the permutation
    ["d5", "parity"],
  ];
  for (const name of Object.keys(classes) as ClassName[])
    for (const [group, part] of holdsToo)
      for (const layers of [1, 2])
        if (can(name, layers)(group))
          expect(can(name, layers)(part), `${name}, ${part}, ${layers}`).toBe(true);
  expect(can("2 reflections")("s5-two")).toBe(false);
  expect([findPrediction("mine", "parity"), findPrediction("gru", "mine")]).toEqual([undefined, undefined]);
});

test("the columns are in the order of their derived lengths, and their words generate the group", () => {
  const groups = stateColumns.map((column) => ({
    ...columns[column],
    made: groupNamed(columns[column].group!)!,
  }));
  const lengths = groups.map(({ made }) => derivedLength(made) ?? 9);
  expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
  for (const { label, task, made } of groups) {
    const { name, ...params } = task;
    const { words } = prepareTask(taskNamed(name), params);
    expect(words, label).toHaveLength(1 + made.order);
    const named =
      task.generators === "swaps"
        ? made.swaps
        : [task.generators ?? made.elements].flat().map((each) => made.elements.indexOf(String(each)));
    const reached = new Set([0]);
    for (const g of reached) for (const each of named) reached.add(made.multiply(g, Number(each)));
    expect(reached.size, label).toBe(made.order);
  }
});

const run = (seed: number, [trained, reach, generalization]: readonly number[], rate = 0.005): ReachRun => ({
  ...{ seed, rate, trained, reach, generalization },
});
const times = (n: number, lengths: readonly number[]) =>
  Array.from({ length: n }, (_, seed) => run(seed, lengths));
const EXTENDS = [8, 8, 32];
const ENDS = [8, 8, 31];

test("a run extends that is right as far as it was asked, if it was trained on more than a few words", () => {
  expect(
    [EXTENDS, ENDS, [7, 7, 28], [64, 60, 256], [64, 64, 200]].map((each) => extendsBeyond(run(0, each))),
  ).toEqual([true, false, false, true, false]);
});

test("one run is enough to extend, also one of the grid; against a theorem it contradicts", () => {
  const verdict = (runs: ReachRun[], grid: ReachRun[], prediction?: "can" | "cannot") =>
    cellRanking({ runs, grid }, prediction).verdict;
  expect(verdict([run(0, EXTENDS)], [], "can")).toBe("extends");
  expect(verdict([run(0, ENDS)], [run(1000, EXTENDS)], "can")).toBe("extends");
  expect(verdict([run(0, ENDS)], [], "can")).toBe("ends");
  expect(verdict([run(0, EXTENDS)], [])).toBe("extends");
  expect(verdict([run(0, ENDS)], [run(1000, EXTENDS)], "cannot")).toBe("contradicted");
  expect(verdict(times(3, ENDS), [], "cannot")).toBe("ends");
});

test("a cell shows medians over its reported seeds", () => {
  const runs = [run(0, [64, 64, 256]), run(1, [5, 3, 4]), run(2, [9, 7, 20])];
  expect(cellRanking({ runs, grid: [run(1000, [1, 0, 0])] }, "can")).toEqual({
    ...{ extending: 1, of: 3, trained: 9, reach: 7, generalization: 20, verdict: "extends" },
  });
});

test("the rate is the best of the grid over its seeds, of equals the smallest; none without a grid", () => {
  const grid = [
    run(1000, [4, 3, 9], 0.01),
    run(1001, [8, 8, 9], 0.01),
    run(1000, [7, 6, 6], 0.005),
    run(1001, [7, 6, 6], 0.005),
  ];
  expect(chosenRate(grid)).toBe(0.005); // what is beyond the training chooses nothing
  expect(chosenRate([run(0, [8, 8, 8], 0.01), run(0, [8, 8, 8], 0.002)])).toBe(0.002);
  expect(chosenRate([])).toBeUndefined();
});

test("the settings of a cell are the same for each of its runs, and other ones for any other cell", () => {
  const hashes = Object.keys(rows).flatMap((row) =>
    Object.keys(columns).map((column) => {
      const tests = zooTests(columns[column]);
      const of = (seed: number, rate: number) =>
        settingsHash(zooConfig(laptop, rows[row], columns[column], { seed, rate }), tests);
      expect(of(0, 0.002)).toBe(of(1000, 0.01));
      return of(0, 0.002);
    }),
  );
  expect(new Set(hashes).size).toBe(hashes.length);
  const config = zooConfig(laptop, rows.gru, columns.parity, { seed: 0, rate: 0.01 });
  const changed = RunConfig.parse({ ...config, train: { ...config.train, maxGradNorm: 2 } });
  expect(settingsHash(changed, [])).not.toBe(settingsHash(config, []));
  expect(settingsHash(config, [], "edited")).not.toBe(settingsHash(config, []));
});

const cellOf = (row: string, column: string, more: Partial<ReachCell> = {}): ReachCell => ({
  ...{ row, column, settings: "a", rate: 0.005, runs: times(5, EXTENDS), grid: times(6, EXTENDS) },
  ...{ parameters: 1, state: 1, seconds: 1, date: "2026-01-01", ...more },
});

test("cells of several nights become one list in the order of rows and columns; frozen ones stay, more seeds replace fewer", () => {
  const few = cellOf("gru", "parity", { runs: times(2, EXTENDS) });
  const before = [cellOf("transformer", "s5-two"), few];
  const found = [cellOf("gru", "parity"), cellOf("mlstm", "z3"), cellOf("mine", "parity")];
  const names = (
    cells: readonly { readonly row: string; readonly column: string; readonly runs: readonly object[] }[],
  ) => cells.map(({ row, column, runs }) => [row, column, runs.length]);
  expect(names(merged(before, found, "here"))).toEqual([
    ["mlstm", "z3", 5],
    ["gru", "parity", 5],
    ["transformer", "s5-two", 5],
  ]);
  expect(names(merged(found.slice(0, 1), [few], "here"))).toEqual([["gru", "parity", 5]]);
  const second = cellOf("gru", "parity", { runs: [run(1, ENDS), run(7, ENDS)] });
  const [joined] = merged([few], [second], "here");
  expect(joined.runs).toEqual([run(0, EXTENDS), run(1, ENDS), run(7, ENDS)]); // the newer of two with one seed
  const other = cellOf("gru", "parity", { rate: 0.01, runs: [run(7, ENDS, 0.01)] });
  expect(merged([few], [other], "here")[0].runs).toEqual(few.runs); // seeds of two rates are no cell
  expect(() => merged(before, [cellOf("gru", "parity", { settings: "b" })], "here")).toThrow(
    /^here: expected gru on parity with the settings a, which are frozen, got "b"/,
  );
});

test("nights in pieces are one result: its command and its seconds are of all cells, and no runs of one piece stand for them", () => {
  const before = JSON.stringify({ version: 1, cells: [cellOf("gru", "parity", { seconds: 2 })] });
  const piece = {
    ...{
      scale: "laptop",
      seeds: [0, 1],
      command: "statelab reproduce zoo --only lstm",
      seconds: 9,
      claims: [{}, {}],
    },
    ...{
      date: "2026-01-01",
      results: [],
      training: [{ model: "lstm", setting: "z3, rate 0.01" }],
      measurements: [],
    },
  };
  const { result } = keeping.merge(before, piece as never, "here");
  expect(result).toMatchObject({
    command: "statelab reproduce zoo --scale laptop --seeds 5", // of all cells, not of the last piece
    seconds: 22, // 5 and 6 runs of 2 s
    ...{ results: [], training: [], measurements: [] },
    claims: [{ values: [1] }, { values: [] }],
  });
});

test("cells of the committed evidence have the settings that are planned now: what is measured is frozen", () => {
  const path = new URL("../../evidence/zoo/laptop-cells.json", import.meta.url);
  if (!existsSync(path)) return;
  const { cells } = ZooCells.parse(JSON.parse(readFileSync(path, "utf8")));
  for (const { row, column, settings: found } of cells) {
    const config = zooConfig(laptop, rows[row], columns[column], { seed: 0, rate: 0.005 });
    expect(settingsHash(config, zooTests(columns[column])), `${row} on ${column}`).toBe(found);
  }
});

test("what was not run is empty, and every contradicted prediction is a check that is not met", () => {
  const none = { runs: times(5, ENDS), grid: times(6, ENDS) };
  const cells = [
    cellOf("deltanet", "parity"),
    cellOf("transformer", "parity"),
    cellOf("gru", "s3", none),
    cellOf("gru", "z3", { runs: none.runs }),
    cellOf("deltaproduct-n2", "q8", none),
    cellOf("mlstm", "z3", none),
  ];
  const { columns: names, rows: lines } = matrixTable(tablePlaces(cells));
  const shown = (row: string, column: string) =>
    lines.find(([label]) => label === row)![names.indexOf(column)];
  expect(shown("DeltaNet [-1,1]", "parity")).toBe("+ 8\u219232 h");
  expect(shown("Transformer", "parity")).toBe("\u2212 8\u219232 !");
  expect(shown("GRU", "S_3")).toBe("+ 8\u219231");
  expect(shown("GRU", "Z_3")).toBe("+ 8\u219231 h");
  expect(shown("DeltaProduct, n = 2", "Q_8")).toBe("? 8\u219231");
  expect(shown("mLSTM", "A_5")).toBe("");
  expect(tallyTable(tablePlaces(cells)).rows).toEqual([
    ["+", "3", "2", "1"],
    ["\u2212", "2", "1", "1"],
  ]);
  expect(zooChecks(cells).map(({ name, values, met }) => [name, values, met])).toEqual([
    ["Transformer on parity: runs that extend", [11], false],
  ]);
});

test("a terminal shows of a few cells their rows and columns alone", () => {
  const shown = matrixTable(triedPlaces(tablePlaces([cellOf("gru", "z3"), cellOf("lstm", "parity")])));
  expect(shown.columns).toEqual(["architecture", "class", "parity", "Z_3"]);
  expect(shown.rows.map(([label]) => label)).toEqual(["GRU", "LSTM"]);
  expect(triedPlaces(tablePlaces([]))).toEqual([]);
});

test("options name rows, tasks and an own file; others are refused", () => {
  const wanted = (given: Parameters<typeof zooPlan>[2]) =>
    selectCells(laptop, [0, 1], given, () => "settings");
  expect(Object.keys(wanted({}).rows)).toEqual(Object.keys(rows));
  const mine = new URL(import.meta.url).pathname; // a file that is there
  const own = wanted({ only: "gru, zoo.test", tasks: "s3", model: mine });
  expect(Object.keys(own.rows)).toEqual(["gru", "zoo.test"]);
  expect([own.columns, own.rows["zoo.test"].model.name]).toEqual([["s3"], mine]);
  expect(() => wanted({ model: "./none.ts" })).toThrow(
    /^\.\/none\.ts: expected an existing file, got "none"/,
  );
  expect(() => wanted({ only: "gruu" })).toThrow(/Did you mean gru\?/);
  expect(() => wanted({ tasks: "z_3" })).toThrow(/^--tasks: expected known names, got "z_3"/);
  expect(() => wanted({ model: "gru" })).toThrow(/^gru: expected a file such as/);
  expect(() => zooPlan(laptop, [999, 1000], {})).toThrow(/seeds that the grid does not use/);
});

test("cells of a file are passed over where they have the same settings and all the seeds, and nothing else is", () => {
  const folder = mkdtempSync(join(tmpdir(), "statelab-zoo-"));
  try {
    const file = join(folder, "cells.json");
    const settingsOf = (row: string, column: string) =>
      settingsHash(
        zooConfig(laptop, rows[row], columns[column], { seed: 0, rate: 0.002 }),
        zooTests(columns[column]),
      );
    const cells = [
      { ...cellOf("gru", "parity"), settings: settingsOf("gru", "parity") },
      { ...cellOf("gru", "s3"), settings: "others" },
      { ...cellOf("lstm", "s3"), settings: settingsOf("lstm", "s3") },
    ];
    writeFileSync(file, JSON.stringify({ version: 1, cells }));
    const asked = { only: "gru,lstm", tasks: "parity,s3", except: file };
    const left = (seeds: readonly number[]) => {
      const { work, next } = zooPlan(laptop, seeds, asked);
      const unread = { models: {}, results: [], measurements: [], training: [] };
      const { words, next: reported } = next!(unread as never);
      const { runs } = reported!(unread as never);
      const names = new Set(runs.map(({ setting, model }) => `${model} ${setting.split(",")[0]}`));
      return { names: [...names], timed: work!.map(({ model }) => model), passed: words![0] };
    };
    expect(left([0, 1, 2, 3, 4])).toEqual({
      names: ["lstm parity", "gru s3"],
      timed: ["gru", "lstm"],
      passed: "2 cells of the file are passed over",
    });
    expect(left([0, 1, 2, 3, 4, 5]).names).toEqual(["gru parity", "lstm parity", "gru s3", "lstm s3"]);
    expect(() => zooPlan(laptop, [0], { only: "lstm", tasks: "s3", except: file })).toThrow(
      '--except: expected a cell that is not in the file, got "none". Nothing is left to run',
    );
    expect(() => zooPlan(laptop, [0], { except: join(folder, "none") })).toThrow(
      /^--except: expected a file/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A made-up result of runs that came to lengths by their rate. */
function answered(plan: ReturnType<typeof zooPlan>, lengths: (rate: number) => readonly number[]) {
  const at = plan.runs.map(({ setting, model, config }) => ({
    setting,
    model,
    seed: config.seed,
    rate: config.train.learningRate,
  }));
  return {
    ...{ date: "2026-01-01", results: [] },
    training: at.map(({ rate, ...key }) => ({
      ...{ ...key, parameters: 7, learningRate: rate, steps: 1, seconds: 2, points: [] },
    })),
    measurements: at.flatMap(({ rate, ...key }) => {
      const { seed: _, rate: __, ...values } = run(0, lengths(rate));
      return [
        { ...key, name: "cell", note: "settings", at: { rate }, values: { state: 3 } },
        { ...key, name: "reached", at: { rate }, values },
      ];
    }),
  };
}

test("an own architecture is timed, tried at each rate by the grid's seeds, and reported at the best rate on others", () => {
  const model = new URL(import.meta.url).pathname; // a file that is there
  const { runs, work, next } = zooPlan(laptop, [0, 1, 2], { only: "zoo.test", tasks: "parity", model });
  expect([runs.length, work!.map(({ model }) => model)]).toEqual([0, ["zoo.test"]]);
  const unread = { models: {}, results: [], measurements: [], training: [] };
  const grid = next!(unread as never);
  expect(grid.runs.map(({ config }) => config.seed)).toEqual([1000, 1000, 1000]);
  for (const best of laptop.words.rates) {
    const tried = answered(grid, (rate) => (rate === best ? EXTENDS : [4, 4, 16]));
    const reported = grid.next!(tried as never);
    expect(reported.runs.map(({ config }) => [config.seed, config.train.learningRate])).toEqual(
      [0, 1, 2].map((seed) => [seed, best]),
    );
    const own = answered(reported, () => EXTENDS);
    const cells = resultCells({
      ...{ date: "2026-01-01", results: [] },
      training: [...tried.training, ...own.training],
      measurements: [...tried.measurements, ...own.measurements],
    } as never);
    expect(cells.map(({ row, rate, runs, grid }) => [row, rate, runs.length, grid.length])).toEqual([
      ["zoo.test", best, 3, 3],
    ]);
    expect(cells[0]).toMatchObject({ settings: "settings", parameters: 7, state: 3, seconds: 2 });
  }
});

test("a built-in architecture has one rate for all words, and a grid for graded tasks", () => {
  const plan = (tasks: string) =>
    zooPlan(laptop, [0, 1, 2], { only: "gru", tasks }).next!({
      models: {},
      results: [],
      measurements: [],
      training: [],
    } as never);
  const words = plan("a4");
  expect(words.runs).toEqual([]);
  const reported = words.next!({ models: {}, results: [], measurements: [], training: [] } as never);
  expect(reported.runs.map(({ config }) => [config.seed, config.train.learningRate])).toEqual(
    [0, 1, 2].map((seed) => [seed, rows.gru.rate]),
  );
  const { task, curriculum } = reported.runs[0].config;
  expect(task).toMatchObject({ name: "group-words", group: "A_4", length: 64, targets: "each" });
  expect(curriculum).toMatchObject({
    threshold: 0.99,
    stages: Array.from({ length: 64 }, (_, i) => [{ length: i + 1 }]),
  });
  expect(curriculum.maxStepsPerStage).toBeUndefined();
  expect(plan("mqar").runs).toHaveLength(6);
});

test("runs of one cell have folders of their own, and seeds never meet those of the grid", () => {
  const { next } = zooPlan(laptop, [0], {});
  const { runs } = next!({ models: {}, results: [], measurements: [], training: [] } as never);
  const names = runs.map(({ setting, model, config }) => `${setting} ${model} ${config.seed}`);
  expect(names).toHaveLength(Object.keys(rows).length * gradedColumns.length * 6);
  expect(new Set(names).size).toBe(names.length);
  expect(zoo.plan({ scale: "smoke" }, [0]).work).toHaveLength(2);
});
