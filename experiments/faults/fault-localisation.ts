/**
 * @file Who finds the faulty block: a judge that sees the states before and after each block, one that sees the output alone, a perfect one?
 *
 *     work        so many programs are drawn, with tests that Python answers; faults are put in, each confirmed to change a test's outcome
 *     blocks      the faulty run by basic blocks; shown are the first five and the last five, or all
 *     judge       scripted: says "right" or "wrong" of each block that it sees, each time wrong with probability e; the first "wrong" is named
 *     computed    how often it must name the faulty block, in closed form, fault by fault (src/analysis/fault-localization.ts)
 *     perfect     knows the right program's run: the block at which the two runs part
 *     repair      the block that is named is written as it was; where a test still fails, it is judged again, three times at most
 *
 * No model is asked: how far a judge of known error comes is arithmetic, and the lab measures the same. `statelab ask --bench fault-blocks` asks one.
 *
 * Source: "Debug like a Human" (LDB, 2024), which reports up to 9.8 points more repairs by block states; of models, which this is not.
 */

import {
  chanceOfGuessing,
  chanceOfNaming,
  chanceWithin,
  namedBlock,
  type Search,
} from "../../src/analysis/fault-localization.ts";
import { injectFaults } from "../../src/app/data/faults.ts";
import { silent } from "../../src/core/progress.ts";
import { type Rng, rngFrom } from "../../src/core/rng.ts";
import { mean } from "../../src/core/statistics.ts";
import type { Benchmark, BenchmarkRow } from "../../src/python/benchmarks/index.ts";
import { visibleBlocks } from "../../src/python/debugger/index.ts";
import type { PythonHost } from "../../src/python/sandbox/host.ts";
import { openHost, severally } from "../../src/python/sandbox/open.ts";
import { pythonLiteral } from "../../src/python/values/repr.ts";
import { parseHistory } from "../../src/schemas/execution-trace.ts";
import type { FaultRecord } from "../../src/schemas/fault.ts";
import { atLeast, atMost } from "../runner/checks.ts";
import {
  defineExperiment,
  type Measurements,
  type Measuring,
  type PlannedWork,
  type Scale,
  type UnreadResult,
} from "../runner/define.ts";
import { defineMeasurement } from "../runner/views.ts";

const names = ["total", "best", "count"] as const;

export function drawSource(rng: Rng): string {
  const used = names.slice(0, 2 + rng.fork("names").below(2));
  const start = used.map((name) => `${name} = ${rng.fork(name).below(5)}`);
  const blocks = Array.from({ length: 2 + rng.fork("blocks").below(3) }, (_, i) =>
    drawBlock(used, rng.fork(i)),
  );
  const body = [...start, ...blocks.flat(), `return ${used.join(" * 7 + ")}`];
  return `def f(xs, k):\n${body.map((line) => `    ${line}\n`).join("")}`;
}

function drawBlock(used: readonly string[], rng: Rng): string[] {
  const one = () => drawUpdate(used, ["k", "len(xs)"], rng.fork("one"));
  const pick = used[rng.below(used.length)];
  switch (rng.below(4)) {
    case 0:
      return [one(), drawUpdate(used, ["k"], rng.fork("two"))];
    case 1:
      return [
        `if ${pick} % ${2 + rng.below(3)} == ${rng.below(2)}:`,
        `    ${one()}`,
        "else:",
        `    ${drawUpdate(used, ["k"], rng.fork("two"))}`,
      ];
    case 2: {
      const inside = [one(), drawUpdate(used, ["x", "i", "k"], rng.fork("two"))];
      return [
        "for i in range(len(xs)):",
        "    x = xs[i]",
        `    if x ${rng.below(2) === 0 ? ">" : "<="} k:`,
        `        ${inside[1]}`,
        "    else:",
        `        ${inside[0]}`,
      ];
    }
    default:
      return [
        "for x in xs[1:]:",
        `    ${drawUpdate(used, ["x"], rng.fork("two"))}`,
        `    if ${pick} > 50 and x > k:`,
        `        ${pick} -= 40`,
      ];
  }
}

function drawUpdate(used: readonly string[], also: readonly string[], rng: Rng): string {
  const to = used[rng.fork("to").below(used.length)];
  const from = [...also, ...used.filter((name) => name !== to)];
  const operand = from[rng.fork("from").below(from.length)];
  return [
    `${to} = ${to} + ${operand}`,
    `${to} = ${operand} - ${to}`,
    `${to} += ${operand} * ${2 + rng.fork("times").below(3)}`,
    `${to} = (${to} + ${operand}) % 11`,
    `${to} = max(${to}, ${operand} + 1)`,
  ][rng.fork("kind").below(5)];
}

export function drawCalls(rng: Rng, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const each = rng.fork(i);
    const xs = Array.from({ length: 2 + each.below(5) }, (_, n) => each.fork(n).below(20) - 4);
    return `f([${xs.join(", ")}], ${each.fork("k").below(9)})`;
  });
}

interface DrawOptions {
  readonly host: PythonHost;
  readonly programs: number;
  readonly each: number;
  readonly seed: number;
}

const CALLS = 4;
const TOGETHER = 5;

/** A few programs at a time. */
async function* drawnFaults({ host, programs, each, seed }: DrawOptions): AsyncGenerator<{
  readonly done: number;
  readonly faults: readonly FaultRecord[];
}> {
  const signal = new AbortController().signal;
  for (let from = 0; from < programs; from += TOGETHER) {
    const drawn = Array.from({ length: Math.min(TOGETHER, programs - from) }, (_, i) => {
      const rng = rngFrom(seed)
        .fork("faulty-programs")
        .fork(from + i);
      return { source: drawSource(rng.fork("source")), calls: drawCalls(rng.fork("calls"), CALLS) };
    });
    const answers = await severally(
      host,
      drawn.flatMap(({ source, calls }) => calls.map((call) => ({ operation: "history", source, call }))),
      {},
    );
    const rows = drawn.map(({ source, calls }, i): BenchmarkRow => {
      const program = `drawn_${from + i}`;
      const asked = calls.map((call, n) => {
        const answer = answers[i * CALLS + n];
        if ("stopped" in answer) throw new Error(`a drawn program did not end: ${answer.stopped}`);
        const { result } = parseHistory(answer.value, "lab.history");
        return { id: `${program}/${n}`, program, sources: [source], call, expected: pythonLiteral(result) };
      });
      return { program, calls: asked, unreadable: [] };
    });
    const { faults } = await injectFaults(drawnBenchmark, rows, {
      ...{ host, jobs: 1, each, seed, wallSeconds: 10, progress: silent, signal },
    });
    yield { done: from + drawn.length, faults };
  }
}

const drawnBenchmark: Pick<Benchmark, "name" | "license" | "sha256"> = {
  name: "drawn",
  license: "Apache-2.0",
  sha256: "",
};

interface Settings {
  readonly programs: number;
  readonly each: number;
  readonly errors: readonly number[];
}

const errors = [0, 0.02, 0.05, 0.1, 0.2, 0.3];
const settings: Record<Scale, Settings> = {
  smoke: { programs: 4, each: 2, errors: [0, 0.1] },
  laptop: { programs: 100, each: 4, errors },
  paper: { programs: 1_000, each: 4, errors },
};

const judges = {
  perfect: { label: "perfect", summary: "knows the right run: where the two part" },
  all: { label: "all block states", summary: "judges every block that was executed" },
  states: { label: "5 + 5 block states", summary: "judges the first five and the last five" },
  output: { label: "output", summary: "sees the output alone: a guess among the blocks that ran" },
} as const;
type JudgeName = keyof typeof judges;

const named = defineMeasurement({
  id: "named",
  label: "the faulty block is named",
  at: { error: "the judge's error" },
  values: { named: "named", computed: "computed", standardError: "standard error", faults: "faults" },
});
const repaired = defineMeasurement({
  id: "repaired",
  label: "repaired within three tries",
  at: { error: "the judge's error" },
  values: { repaired: "repaired", computed: "computed", points: "points above the output alone" },
});
const corpus = defineMeasurement({
  id: "corpus",
  label: "the faults",
  at: {},
  values: {
    faults: "faults",
    programs: "programs",
    blocks: "blocks executed, mean",
    hidden: "share beyond the first and last five",
  },
});

const TRIES = 3;
/** Draws of a judge on each fault. */
const DRAWS = 20;

interface Faulty {
  readonly search: Search;
  readonly record: FaultRecord;
}

async function* measureWork({ seed, options }: PlannedWork): Measuring {
  const { programs, each, errors: tried } = options as unknown as Settings; // from `plan` below
  const host = await openHost("embedded", { atMost: 1 });
  const records: FaultRecord[] = [];
  try {
    const drawing = drawnFaults({ host, programs, each, seed });
    let step = await drawing.next();
    for (; !step.done; step = await drawing.next()) {
      records.push(...step.value.faults);
      yield { done: step.value.done, of: programs };
    }
  } finally {
    await host.close();
  }
  const faults = records.flatMap((record): Faulty[] => {
    const search = searchOf(record);
    return search === undefined ? [] : [{ record, search }];
  });
  return faults.length === 0 ? [] : rowsOf(faults, tried, seed);
}

/** `parts` is null where the runs do not part within their bounds: then there is no known first faulty block. */
function searchOf({ blocks, block, run }: FaultRecord): Search | undefined {
  if (run === null || run.first === null) return undefined;
  const fault = blocks.findIndex(([first, last]) => first === block[0] && last === block[1]);
  const { sequence, first } = run;
  return { sequence, fault, first, shown: visibleBlocks(sequence.length) };
}

function rowsOf(faults: readonly Faulty[], tried: readonly number[], seed: number): Measurements {
  const seen: Readonly<Record<"all" | "states", (search: Search) => Search>> = {
    all: (search) => ({ ...search, shown: search.sequence.map((_, at) => at) }),
    states: (search) => search,
  };
  const searches = faults.map(({ search }) => search);
  const guess = searches.map(chanceOfGuessing);
  const guessedWithin = mean(guess.map((chance) => chanceWithin(chance, TRIES)));
  const rng = rngFrom(seed).fork("fault-localisation");
  const rows: Measurements[number][] = [
    corpus.row({
      model: "perfect",
      values: {
        faults: faults.length,
        programs: new Set(faults.map(({ record }) => record.program)).size,
        blocks: mean(searches.map(({ sequence }) => sequence.length)),
        hidden: mean(searches.map((search) => (chanceOfNaming(search, 0) === 0 ? 1 : 0))),
      },
    }),
    named.row({
      model: "perfect",
      at: { error: 0 },
      values: {
        named: mean(searches.map(({ sequence, first, fault }) => (sequence[first] === fault ? 1 : 0))),
        computed: 1,
        faults: faults.length,
      },
    }),
    ...tried.map((error) =>
      named.row({
        model: "output",
        at: { error },
        values: {
          ...drawn(searches, (search, i) => guessed(search, rng.fork("output").fork(String(error)).fork(i))),
          computed: mean(guess),
          faults: faults.length,
        },
      }),
    ),
  ];
  for (const model of ["all", "states"] as const)
    for (const error of tried) {
      const own = searches.map(seen[model]);
      const stream = rng.fork(model).fork(String(error));
      const chances = own.map((search) => chanceOfNaming(search, error));
      const within = drawn(own, (search, i) =>
        Array.from({ length: TRIES }, (_, t) =>
          namedBlock(search, error, stream.fork("again").fork(i).fork(t)),
        ).some((block) => block === search.fault),
      );
      rows.push(
        named.row({
          model,
          at: { error },
          values: {
            ...drawn(own, (search, i) => namedBlock(search, error, stream.fork(i)) === search.fault),
            computed: mean(chances),
            faults: faults.length,
          },
        }),
        repaired.row({
          model,
          at: { error },
          values: {
            repaired: within.named,
            computed: mean(chances.map((chance) => chanceWithin(chance, TRIES))),
            points: 100 * (within.named - guessedWithin),
          },
        }),
      );
    }
  return rows;
}

/** The share of hits over so many draws of each fault, with its binomial standard error. */
function drawn(searches: readonly Search[], isHit: (search: Search, draw: number) => boolean) {
  const hits = searches.flatMap((search, i) =>
    Array.from({ length: DRAWS }, (_, draw): number => (isHit(search, i * DRAWS + draw) ? 1 : 0)),
  );
  const share = mean(hits);
  return { named: share, standardError: Math.sqrt((share * (1 - share)) / hits.length) };
}

function guessed({ sequence, fault }: Search, rng: ReturnType<typeof rngFrom>): boolean {
  const ran = [...new Set(sequence)];
  return ran[rng.below(ran.length)] === fault;
}

const shareAt = (result: UnreadResult, model: JudgeName, error: number) =>
  named.of(result, { model, at: { error } }).map(({ values }) => values.named);

export const faultLocalisation = defineExperiment<Settings>({
  name: "fault-localisation",
  question:
    "Who names the first faulty block: who sees states block by block, who sees the output alone, who knows the right run?",
  about: "who names the faulty block: by block states, by the output (a scripted judge; trains nothing)",
  publishedIn: "our own, after LDB",
  models: judges,
  settings,
  published: [
    {
      source: "by construction: one block was changed",
      statement: "Where right and faulty run part, there is the block that holds the fault",
      published: 1,
      here: "share of the faults whose runs part within the recorded events",
      unit: "number",
      measure: (result) => shareAt(result, "perfect", 0),
    },
    {
      source: "own expectation",
      statement:
        "A judge that errs at one block in ten, and sees the first five and the last five, is better than the output alone",
      here: "share of faults whose block is named, less the share of a guess among the blocks that ran",
      unit: "number",
      measure: (result) =>
        shareAt(result, "states", 0.1).map((share, i) => share - shareAt(result, "output", 0.1)[i]),
    },
    {
      source: "by arithmetic",
      statement: "A judge of known error names the block as often as the closed form says",
      published: 0,
      here: "greatest difference over all errors and both views, in standard errors",
      unit: "number",
      measure: (result) => result.seeds.map((seed) => greatestDeviation(result, seed)),
    },
  ],
  measurements: [named, repaired, corpus],
  measureWork,

  plan: (chosen, seeds) => ({
    runs: [],
    work: seeds.map((seed) => ({ setting: "", model: "", seed, options: { ...chosen } })),
  }),

  checks: (result) => [
    ...atMost(
      "greatest distance from the closed form, standard errors",
      result.seeds.map((seed) => greatestDeviation(result, seed)),
      MOST_ERRORS,
      "number",
    ),
    ...atLeast("faults whose runs part in the changed block", shareAt(result, "perfect", 0), 1),
  ],

  report: (result) => ({
    lead: "Faults of twelve kinds in drawn programs, each confirmed by a test. The first five and the last five blocks are what LDB shows; what lies between is not seen, and every right block before the faulty one is a chance to err.",
    views: [
      {
        heading: "Shares by the judge's error",
        text: "Each judge says of each block that it sees whether it is right, and is wrong about that with the probability on the axis. What the closed form says and what was drawn are within each other's errors.",
        caption: "Share of faults whose block is named.",
        figures: [
          {
            kind: "numbers",
            title: "The faulty block is named",
            yLabel: "share of faults",
            xLabel: "the judge's error at each block",
            lines: (["all", "states", "output"] as const).map((model, index) => ({
              label: judges[model].label,
              index,
              seeds: result.seeds.map((seed) => ({
                seed,
                points: named
                  .of(result, { model, seed })
                  .map(({ at: { error }, values }): [number, number] => [Number(error), values.named]),
              })),
            })),
          },
        ],
      },
    ],
  }),
});

/** The greatest of so many differences is seldom more. */
const MOST_ERRORS = 4;

function greatestDeviation(result: UnreadResult, seed: number): number {
  const rows = named.of(result, { seed }).filter(({ values }) => values.standardError > 0);
  return Math.max(
    0,
    ...rows.map(({ values }) => Math.abs(values.named - values.computed) / values.standardError),
  );
}
