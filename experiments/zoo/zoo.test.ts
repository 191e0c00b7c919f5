import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configureModel, mixerTraits, modelNamed } from "../../src/models/index.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { type ZooCell, ZooCells, type ZooRun } from "../../src/schemas/zoo.ts";
import { zooConfig, zooTests } from "./config.ts";
import { columns, rows, settings, stateColumns } from "./data.ts";
import { type ClassName, classes, findPrediction, mixerClass, predictedOn } from "./predictions.ts";
import { cellRanking, matrixTable, tablePlaces, tallied, tallyTable, triedPlaces } from "./table.ts";
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

test.each(Object.keys(rows))(
  "the class of %s is one that its mixer declares, and has a prediction for every task",
  (row) => {
    expect(classDeclared(row)).toContain(mixerClass[row]);
    for (const column of stateColumns) {
      const open = row === "path" && ["tomita5", "tomita6"].includes(column);
      expect(findPrediction(row, column) ?? "open").toMatch(open ? /^open$/ : /^can(not)?$/);
    }
  },
);

test("every column has the day on which it was predicted, and the page tells it", () => {
  expect(Object.keys(predictedOn).toSorted()).toEqual(Object.keys(columns).toSorted());
  const page = readFileSync(new URL("../../docs/results/zoo.md", import.meta.url), "utf8");
  for (const [column, day] of Object.entries(predictedOn)) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${column}\` |`));
    expect(row, column).toMatch(new RegExp(`\\| ${day} \\|$`));
  }
});

test("predictions are of groups: what holds a group holds its subgroups, and a 5-cycle needs four reflections", () => {
  const can = (name: ClassName) => {
    const [row] = Object.entries(mixerClass).find(([, each]) => each === name)!;
    return (column: string) => findPrediction(row, column) === "can";
  };
  const holdsToo = [
    ["s5", "a5"],
    ["s5", "s5-swaps"],
    ["s5-swaps", "s3-swaps"],
    ["s5", "s3"],
    ["s3", "z3"],
    ["s3", "s3-swaps"],
    ["s3-swaps", "parity"], // the sign of the permutation
    ["s3-deep", "tomita6"], // its turns
    // Some words of a group are no more than all of them.
    ["a5", "a5-two"],
    ["s5", "s5-two"],
    ["tomita6", "tomita5"], // no class here has a third of a turn, and not a half
    // One layer more takes nothing away.
    ["parity", "tomita5"],
    ["z3", "tomita6"],
    ["s3", "s3-deep"],
  ];
  for (const name of Object.keys(classes) as ClassName[])
    for (const [group, part] of holdsToo)
      if (can(name)(group)) expect(can(name)(part), `${name}, ${part}`).toBe(true);
  expect(can("2 reflections")("s5")).toBe(false);
  expect([findPrediction("mine", "parity"), findPrediction("gru", "mine")]).toEqual([undefined, undefined]);
});

const run = (seed: number, trained: number, longer: number, rate = 0.005): ZooRun => ({
  seed,
  rate,
  trained,
  longer,
});
const times = (n: number, trained: number, longer: number) =>
  Array.from({ length: n }, (_, seed) => run(seed, trained, longer));
const [SOLVED, JUST, SHORT] = [
  [1, 1],
  [0.99, 0.95],
  [0.9899, 1],
] as const;

describe("a verdict", () => {
  const verdict = (runs: ZooRun[], grid: ZooRun[], prediction?: "can" | "cannot", byHand = false) =>
    cellRanking({ runs, grid }, prediction, byHand).verdict;

  test("cannot is said only where theory says so, ten runs agree, and one of them learned the trained length", () => {
    expect(verdict(times(5, 1, 0.5), times(6, 0.5, 0.5), "cannot")).toBe("cannot");
    expect(verdict(times(5, 0.5, 0.5), times(6, 0.99, 0.5), "cannot")).toBe("cannot");
    expect(verdict(times(5, 0.98, 0.5), times(6, 0.98, 0.5), "cannot")).toBe("not learned");
    expect(verdict(times(4, 1, 0.5), times(5, 1, 0.5), "cannot")).toBe("not solved");
    expect(verdict(times(5, 0.5, 0.5), times(6, 0.5, 0.5), "can")).toBe("not learned");
    expect(verdict(times(5, 0.5, 0.5), times(6, 0.5, 0.5))).toBe("not learned");
  });

  test("one run is enough to say it can, also one of the grid, and weights set by hand are", () => {
    expect(verdict([run(0, ...JUST)], [], "can")).toBe("can");
    expect(verdict([run(0, ...SHORT)], [run(1000, ...SOLVED)], "can")).toBe("can");
    expect(verdict([run(0, ...SHORT)], [run(1000, 1, 0.9499)], "can")).toBe("not solved");
    expect(verdict(times(5, 0.5, 0.5), [], "can", true)).toBe("can");
    expect(verdict([run(0, ...JUST)], [], "cannot")).toBe("contradicted");
  });

  test("bounds are exact: 5 of 5 is at least 48 %, 0 of 5 at most 52 %, 0 of 10 at most 31 %", () => {
    const bounds = (runs: ZooRun[]) =>
      cellRanking({ runs, grid: [] }, "can", false).bounds.map((each) => Math.round(100 * each));
    expect(bounds(times(5, ...SOLVED))).toEqual([48, 100]);
    expect(bounds(times(5, ...SHORT))).toEqual([0, 52]);
    expect(bounds(times(10, ...SHORT))).toEqual([0, 31]);
  });
});

test("the rate is the best of the grid over its seeds, of equals the smallest; none without a grid", () => {
  const grid = [
    run(1000, 0.5, 0.5, 0.01),
    run(1001, 1, 1, 0.01),
    run(1000, 0.9, 0.7, 0.005),
    run(1001, 0.9, 0.6, 0.005),
  ];
  expect(chosenRate(grid)).toBe(0.005);
  expect(chosenRate([run(0, 1, 1, 0.01), run(0, 1, 1, 0.002)])).toBe(0.002);
  expect(chosenRate([])).toBeUndefined();
});

test("the settings of a cell are the same for each of its runs, and other ones for any other cell", () => {
  const hashes = Object.keys(rows).flatMap((row) =>
    Object.keys(columns).map((column) => {
      const tests = zooTests(laptop, columns[column]);
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

const cellOf = (row: string, column: string, more: Partial<ZooCell> = {}): ZooCell => ({
  ...{ row, column, settings: "a", rate: 0.005, runs: times(5, 1, 1), grid: times(6, 1, 1) },
  ...{ parameters: 1, state: 1, seconds: 1, date: "2026-01-01", ...more },
});

test("cells of several nights become one list in the order of rows and columns; frozen ones stay, more seeds replace fewer", () => {
  const few = cellOf("gru", "parity", { runs: times(2, 1, 1) });
  const before = [cellOf("transformer", "s5"), few];
  const found = [cellOf("gru", "parity"), cellOf("mlstm", "z3"), cellOf("mine", "parity")];
  const names = (cells: readonly ZooCell[]) =>
    cells.map(({ row, column, runs }) => [row, column, runs.length]);
  expect(names(merged(before, found, "here"))).toEqual([
    ["mlstm", "z3", 5],
    ["gru", "parity", 5],
    ["transformer", "s5", 5],
  ]);
  expect(names(merged(found.slice(0, 1), [few], "here"))).toEqual([["gru", "parity", 5]]);
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
      claims: [{}],
    },
    ...{ date: "2026-01-01", results: [], training: [{ model: "lstm" }], measurements: [] },
  };
  const { result } = keeping.merge(before, piece as never, "here");
  expect(result).toMatchObject({
    command: "statelab reproduce zoo --scale laptop --seeds 5", // of all cells, not of the last piece
    seconds: 22, // 5 and 6 runs of 2 s
    ...{ results: [], training: [] },
  });
});

test("cells of the committed evidence have the settings that are planned now: what is measured is frozen", () => {
  const path = new URL("../../evidence/zoo/laptop-cells.json", import.meta.url);
  if (!existsSync(path)) return;
  const { cells } = ZooCells.parse(JSON.parse(readFileSync(path, "utf8")));
  for (const { row, column, settings: found } of cells) {
    const config = zooConfig(laptop, rows[row], columns[column], { seed: 0, rate: 0.005 });
    expect(settingsHash(config, zooTests(laptop, columns[column])), `${row} on ${column}`).toBe(found);
  }
});

test("what was not run is said to be, and every contradicted prediction is a check that is not met", () => {
  const none = { runs: times(5, 0.3, 0.2), grid: times(6, 0.3, 0.2) };
  const cells = [
    cellOf("deltanet", "parity"),
    cellOf("transformer", "parity"),
    cellOf("gru", "s3", none),
    cellOf("gru", "a5", { runs: none.runs }),
    cellOf("gru", "z3", none),
    cellOf("mlstm", "z3", { ...none, grid: times(6, 1, 0.2) }),
    cellOf("mlstm", "parity", none),
    cellOf("mlstm", "s3-swaps", none),
    cellOf("gla", "parity", none),
    cellOf("mlstm", "s3", { ...none, grid: [] }),
  ];
  const { columns: names, rows: lines } = matrixTable(tablePlaces(cells));
  const shown = (row: string, column: string) =>
    lines.find(([label]) => label === row)![names.indexOf(column)];
  expect(shown("DeltaNet [-1,1]", "parity")).toBe("+ 5/5, by hand");
  expect(shown("Transformer", "parity")).toBe("\u2212 5/5 contradicted");
  expect(shown("GRU", "S_3")).toBe("+ 0/5 not learned");
  expect(shown("GRU", "A_5")).toBe("+ 0/5 grid alone");
  expect(shown("GRU", "Z_3")).toBe("+ 0/5, by hand");
  expect(shown("mLSTM", "Z_3")).toBe("\u2212 0/5");
  expect(shown("mLSTM", "parity")).toBe("\u2212 0/5 not learned");
  expect(shown("mLSTM", "S_3")).toBe("\u2212 0/5 not learned");
  expect(shown("mLSTM", "A_5")).toBe("\u2212 not run");
  expect(tallyTable(tablePlaces(cells)).rows).toEqual([
    [String(tallied(tablePlaces([])).predicted), "10", "4", "1", "5"],
  ]);
  expect(zooChecks(cells).map(({ name, values, met }) => [name, values, met])).toEqual([
    ["predictions confirmed, of those run", [0.4], false],
    ["Transformer on parity: runs that solved it", [11], false],
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
        zooTests(laptop, columns[column]),
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
      const { runs, words } = next!(unread as never);
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

/** A made-up result of runs that are right with `share` at the longer length, by their rate and seed. */
function answered(plan: ReturnType<typeof zooPlan>, share: (rate: number, seed: number) => number) {
  return {
    date: "2026-01-01",
    results: plan.runs.flatMap(({ setting, model, config, tests }) =>
      tests.map((tested, i) => {
        const accuracy = i === 0 ? 1 : share(config.train.learningRate, config.seed);
        const shares = { accuracy, accuracyLast: accuracy, accuracyByReveal: [accuracy] };
        const asked = { ...tested, change: { ...tested.change }, programs: 1, reveals: 1 };
        return { setting, model, seed: config.seed, tested: asked, references: {}, ...shares };
      }),
    ),
    training: plan.runs.map(({ setting, model, config }) => ({
      ...{ setting, model, seed: config.seed, parameters: 7, learningRate: config.train.learningRate },
      ...{ steps: 1, seconds: 2, points: [] },
    })),
    measurements: plan.runs.map(({ setting, model, config }) => ({
      ...{ setting, model, seed: config.seed, name: "cell", note: "settings" },
      ...{ at: { rate: config.train.learningRate }, values: { state: 3 } },
    })),
  };
}

test("a cell is timed, tried at each rate by the grid's seeds, and reported at the best rate on others", () => {
  const { runs, work, next } = zooPlan(laptop, [0, 1, 2], { only: "gru,deltanet", tasks: "parity" });
  expect([runs.length, work!.map(({ model }) => model)]).toEqual([0, ["gru", "deltanet"]]);
  const unread = { models: {}, results: [], measurements: [], training: [] };
  const grid = next!(unread as never);
  expect(grid.runs).toHaveLength(2 * 3 * 2);
  expect(new Set(grid.runs.map(({ config }) => config.seed))).toEqual(new Set([1000, 1001]));
  fc.assert(
    fc.property(fc.constantFrom(...laptop.rates), (best) => {
      const tried = answered(grid, (rate) => (rate === best ? 0.9 : 0.4));
      const reported = grid.next!(tried as never);
      expect(reported.runs.map(({ config }) => [config.seed, config.train.learningRate])).toEqual(
        [0, 1, 2, 0, 1, 2].map((seed) => [seed, best]),
      );
      const own = answered(reported, () => 1);
      const cells = resultCells({
        date: "2026-01-01",
        results: [...tried.results, ...own.results],
        training: [...tried.training, ...own.training],
        measurements: [...tried.measurements, ...own.measurements],
      });
      expect(cells.map(({ row, rate, runs, grid }) => [row, rate, runs.length, grid.length])).toEqual([
        ["gru", best, 3, 6],
        ["deltanet", best, 3, 6],
      ]);
      expect(cells[0]).toMatchObject({ settings: "settings", parameters: 7, state: 3, seconds: 2 });
    }),
    { numRuns: 3, seed: 1 },
  );
});

test("runs of one cell have folders of their own, and seeds never meet those of the grid", () => {
  const { next } = zooPlan(laptop, [0], {});
  const { runs } = next!({ models: {}, results: [], measurements: [], training: [] } as never);
  const names = runs.map(({ setting, model, config }) => `${setting} ${model} ${config.seed}`);
  expect(new Set(names).size).toBe(Object.keys(rows).length * Object.keys(columns).length * 6);
  expect(zoo.plan({ scale: "smoke" }, [0]).work).toHaveLength(2);
});
