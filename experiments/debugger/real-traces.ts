/**
 * @file Does a model that was trained on traced Python follow each variable, and for how many lines after it was last written?
 *
 *     >>> a, b = 3, 4
 *     >>> a = (a + b) % 10
 *     >>> a
 *     7                          asked, in the line after it was written: age 0
 *     >>> i = next(forloop0)
 *     >>> b
 *     4                          age 2
 *
 *     own         functions of digits and a list, with loops and branches, drawn here; each is called once
 *     cruxeval    those of CRUXEval whose session is short; one in five is unseen
 *
 * Each call is executed by CPython, and its trace is a session: after half of the lines a variable is typed and echoed. Trained with next-token
 * loss over everything, first on the first lines alone, asked on functions that no training has. The age of a value is the number of lines since it changed. A value that
 * was echoed since then is counted apart. Baseline: the last echo of the variable.
 *
 * Predicted before the run: DeltaNet [-1,1] is right more often than [0,1] and the Transformer at age 4 and more, on own functions; all
 * fall with the age; nobody follows CRUXEval, whose values are mostly strings.
 *
 * Source: the future work of arXiv:2602.14814, on real traces; CRUXEval: arXiv:2401.03065.
 */

import { openBenchmark } from "../../src/app/data/benchmark.ts";
import { type Rng, rngFrom } from "../../src/core/rng.ts";
import { mean } from "../../src/core/statistics.ts";
import { benchmarks } from "../../src/python/benchmarks/index.ts";
import { openHost, severally } from "../../src/python/sandbox/open.ts";
import { stateLiterals } from "../../src/python/values/repr.ts";
import { LEARNED } from "../../src/schemas/convergence.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { parseTrace, type TraceRecord } from "../../src/schemas/trace.ts";
import { dataSetTask } from "../../src/tasks/dataset-task.ts";
import type { Task } from "../../src/tasks/index.ts";
import {
  aboutTraining,
  architectures,
  atLeast,
  crossed,
  defineExperiment,
  defineMeasurement,
  described,
  type Measuring,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";
import { openLesson } from "../teach/shared.ts";

const settings = {
  smoke: {
    model: { layers: 1, width: 16 },
    train: { steps: 4, batch: 4 },
    ...{ functions: 20, sessions: 1, real: false, programs: 4, device: "cpu" },
  },
  laptop: {
    model: { layers: 2, width: 64 },
    train: {
      ...{ steps: 4000, batch: 16, learningRate: 3e-3, warmupSteps: 100, schedule: "cosine" },
      ...{ minLearningRateRatio: 0.05 },
    },
    // Sessions of a function echo different variables. `real`: whether CRUXEval is read, from STATELAB_DATA or data.
    ...{ functions: 1500, sessions: 4, real: true, programs: 200, device: "cpu" },
  },
  paper: {
    model: { layers: 6, width: 384 },
    train: {
      steps: 30_000,
      batch: 64,
      learningRate: 1e-3,
      warmupSteps: 500,
      schedule: "cosine",
    },
    ...{ functions: 20_000, sessions: 8, real: true, programs: 1000, device: "cuda" },
  },
};
type Settings = (typeof settings)[keyof typeof settings];

const compared = ["deltanet[-1,1]", "deltanet[0,1]", "transformer+convolution"] as const;
type Compared = (typeof compared)[number];
const sources = ["own", "cruxeval"] as const;
type Source = (typeof sources)[number];
/** The youngest age of each group. */
const ages = { "0": 0, "1": 1, "2 to 3": 2, "4 or more": 4 } as const;
const ECHOED = "echoed";
type Age = keyof typeof ages | typeof ECHOED;
const groups = [...Object.keys(ages), ECHOED] as Age[];
const OLD = "4 or more";

const LONGEST_VALUE = 12;
const LONGEST_SESSION = 360;
/** Of the sessions that are trained on first. */
const FIRST_LINES = 4;
const FIRST_STAGE = 0.2;
/** One function in so many is unseen in training. */
const UNSEEN = 5;

/** A function of two or three digits and a list. */
export function drawFunction(rng: Rng): { readonly source: string; readonly call: string } {
  const names = ["a", "b", "c"].slice(0, 2 + rng.below(2));
  const name = () => names[rng.below(names.length)];
  const digit = () => rng.below(10);
  const updates: ((x: string, y: string) => string)[] = [
    (x, y) => `${x} = (${y} + ${1 + rng.below(9)}) % 10`,
    (x, y) => `${x} = (${x} + ${y}) % 10`,
    (x) => `${x} = (${x} * ${2 + rng.below(3)}) % 10`,
    (x, y) => (x === y ? `${x} = ${digit()}` : `${x}, ${y} = ${y}, ${x}`),
    (x, y) => (x === y ? "xs.reverse()" : `${x} = ${y}`),
    (x) => `xs.append(${x})`,
    (x) => `${x} = xs[${rng.below(2) - 1}]`,
    (x) => `xs[0] = ${x}`,
  ];
  const update = () => updates[rng.below(updates.length)](name(), name());
  const block = (): string[] => {
    const kind = rng.below(4);
    if (kind === 0) return [`for i in range(${2 + rng.below(3)}):`, `    ${update()}`];
    if (kind === 1)
      return [`if ${name()} < ${2 + rng.below(7)}:`, `    ${update()}`, "else:", `    ${update()}`];
    return [update()];
  };
  const body = Array.from({ length: 3 + rng.below(3) }, block).flat();
  const lines = [`xs = [${names[0]}, ${names[1]}]`, ...body, `return ${name()}`];
  return {
    source: `def f(${names.join(", ")}):\n${lines.map((line) => `    ${line}\n`).join("")}`,
    call: `f(${names.map(digit).join(", ")})`,
  };
}

interface Echo {
  readonly start: number;
  readonly end: number;
  readonly variable: string;
  readonly value: string;
  readonly commands: number;
  readonly age: Age;
  /** Whether it is the same as at the last echo of the variable. */
  readonly repeats: boolean;
}

/** The trace as a REPL session, at most so many lines, without the last one; undefined if it is too long or has no echo. */
export function sessionOf(
  { lines }: Pick<TraceRecord, "lines">,
  rng: Rng,
  atMost = Number.POSITIVE_INFINITY,
) {
  let text = "";
  const echoes: Echo[] = [];
  const written = new Map<string, { readonly value: string; readonly at: number; echoed: boolean }>();
  const last = new Map<string, string>();
  for (const [at, { code, state }] of lines.slice(0, -1).slice(0, atMost).entries()) {
    text += `>>> ${code}\n`;
    const literals = Object.entries(stateLiterals(state ?? {}));
    for (const [name, value] of literals)
      if (written.get(name)?.value !== value) written.set(name, { value, at, echoed: false });
    const short = literals.filter(([, value]) => value.length <= LONGEST_VALUE);
    if (short.length === 0 || rng.below(2) === 0) continue;
    const [variable, value] = short[rng.below(short.length)];
    const about = written.get(variable)!; // set above
    text += `>>> ${variable}\n`;
    const place = { start: text.length, end: text.length + value.length, commands: at + 1 };
    const age = about.echoed ? ECHOED : ageOf(at - about.at);
    echoes.push({ ...place, variable, value, age, repeats: last.get(variable) === value });
    text += `${value}\n`;
    about.echoed = true;
    last.set(variable, value);
  }
  const isRead = text.length <= LONGEST_SESSION && echoes.length > 0 && /^[\n -~]*$/.test(text);
  return isRead ? { text, echoes } : undefined;
}
type Session = NonNullable<ReturnType<typeof sessionOf>>;

const ageOf = (lines: number) =>
  (Object.keys(ages) as (keyof typeof ages)[]).findLast((age) => ages[age] <= lines)!; // the first is 0

/** Rows of the task: all echoes are trained, and those of one age are asked. */
function rowsOf(sessions: readonly Session[], age?: Age) {
  const rows = sessions.flatMap(({ text, echoes }) => {
    const reveals = echoes
      .filter((echo) => age === undefined || echo.age === age)
      .map(({ age: _, repeats: __, ...reveal }) => reveal);
    return reveals.length === 0 ? [] : [{ text, reveals, states: [] }];
  });
  return { count: rows.length, at: (i: number) => rows[i], where: (i: number) => `session ${i}` };
}

interface Called {
  readonly source: string;
  readonly call: string;
}

/** Executes the calls in the sandbox; those that end in an error or have no trace are left out. */
async function* traced(calls: readonly Called[]): AsyncGenerator<TraceRecord | undefined, void> {
  const options = { calls: "inline", maximumSteps: 60, anonymous: false };
  const host = await openHost("embedded", { atMost: 1 });
  try {
    for (let at = 0; at < calls.length; at += 50) {
      const requests = calls
        .slice(at, at + 50)
        .map(({ source, call }) => ({ operation: "trace", source, call, options }));
      for (const answer of await severally(host, requests, { wallSeconds: 60 })) {
        const record = "value" in answer ? parseTrace(answer.value, "lab.trace") : undefined;
        yield record?.reason === null ? record : undefined;
      }
    }
  } finally {
    await host.close();
  }
}

function callsOf(source: Source, { functions, real }: Settings, rng: Rng): Called[] {
  if (source === "own") {
    const drawn = Array.from({ length: functions }, () => drawFunction(rng));
    return [...new Map(drawn.map((each) => [each.source, each])).values()];
  }
  if (!real) return [];
  return openBenchmark(benchmarks.cruxeval, process.env.STATELAB_DATA).flatMap(({ calls }) =>
    calls.map(({ sources: [first], call }) => ({ source: first, call })),
  );
}

const followed = defineMeasurement({
  id: "followed",
  label: "Values of variables in sessions of unseen functions",
  at: { functions: "functions", age: "lines since it changed" },
  values: { accuracy: "right", lastEcho: "last echo", echoes: "asked" },
});

async function* measureWork({ seed, options: setup }: PlannedWork<Settings>): Measuring {
  const { sessions, programs, device, train } = setup;
  const rng = rngFrom(seed).fork("real-traces");
  const [seen, first, unseen] = [[] as Session[], [] as Session[], {} as Record<Source, Session[]>];
  const of = (1 + compared.length) * train.steps; // tracing is counted as a training
  // All are read before the first is traced: a missing file is told at once.
  const all = sources.map((source) => [source, callsOf(source, setup, rng.fork(source))] as const);
  for (const [source, calls] of all) {
    unseen[source] = [];
    let at = 0;
    for await (const trace of traced(calls)) {
      const isUnseen = at++ % UNSEEN === 0;
      for (let i = 0; trace !== undefined && i < sessions; i++) {
        const [whole, short] = [sessionOf(trace, rng), sessionOf(trace, rng, FIRST_LINES)];
        if (whole !== undefined) (isUnseen ? unseen[source] : seen).push(whole);
        if (short !== undefined && !isUnseen) first.push(short);
      }
      if (at % 50 === 0) yield { done: Math.round((at / calls.length) * train.steps), of };
    }
  }
  const asked = crossed(sources, groups)
    .map(([source, age]) => ({ source, age, rows: rowsOf(unseen[source], age) }))
    .filter(({ rows }) => rows.count > 0);
  const splits = asked.map(({ source, age, rows }) => [`${source}, ${age}`, rows] as const);
  const task = dataSetTask({
    splits: Object.fromEntries([["train", rowsOf(seen)], ["first", rowsOf(first)], ...splits]),
  });
  const rows = [];
  for (const [i, model] of compared.entries()) {
    const config = RunConfig.parse({
      ...{ seed, device, train: { loss: "next-token", padding: "longest", ...train } },
      curriculum: {
        stages: [[{ split: "first" }], [{}]],
        maxStepsPerStage: Math.ceil(train.steps * FIRST_STAGE),
      },
      task: { name: "data-set", folder: "in memory" },
      model: { ...architectures[model].model(4), ...setup.model },
    });
    const lesson = openLesson(config, { task: task as unknown as Task }); // a task takes exactly what its own schema gives
    try {
      for await (const { step } of lesson.steps()) yield { done: (1 + i) * train.steps + step, of };
      for (const { source, age } of asked) {
        const { exclude: _, ...test } = lesson.test({ split: `${source}, ${age}` }, programs); // none was trained
        const { accuracy } = await lesson.evaluate(test);
        const echoes = unseen[source].flatMap((each) => each.echoes.filter((echo) => echo.age === age));
        const lastEcho = mean(echoes.map(({ repeats }) => Number(repeats)));
        const values = { accuracy, lastEcho, echoes: echoes.length };
        rows.push(followed.row({ model, at: { functions: source, age }, values }));
      }
    } finally {
      await lesson.release();
    }
  }
  return rows;
}

const valuesAt = (
  result: UnreadResult,
  model: Compared,
  functions: Source,
  age: Age,
  what: "accuracy" | "lastEcho",
) => followed.of(result, { model, at: { functions, age } }).map(({ values }) => values[what]!);

export const realTraces = defineExperiment<Settings>({
  name: "real-traces",
  question: "For how many lines does a model follow a variable in traces of unseen Python functions?",
  about: "How long does a model follow variables of traced functions?",
  models: described(compared),
  settings,
  published: crossed(sources, [...compared, undefined], groups).map(([source, model, age]) => ({
    statement: `Accuracy of ${model === undefined ? "the last echo" : architectures[model].label}, ${source} functions, lines since the change: ${age}`,
    ...(model !== undefined && { models: [model] }),
    here: "share of right values, unseen functions",
    measure: (result) =>
      model === undefined
        ? valuesAt(result, compared[0], source, age, "lastEcho")
        : valuesAt(result, model, source, age, "accuracy"),
  })),
  measurements: [followed],
  measureWork,

  plan: (setup, seeds) => workOf(setup, seeds),

  checks: (result) =>
    aboutTraining(
      ...compared.slice(1).flatMap((other) => {
        const [own, theirs] = (["deltanet[-1,1]", other] as const).map((model) =>
          valuesAt(result, model, "own", OLD, "accuracy"),
        );
        const [ownEchoed, theirEchoed] = (["deltanet[-1,1]", other] as const).map((model) =>
          valuesAt(result, model, "own", ECHOED, "accuracy"),
        );
        // A model that does not repeat what it was shown has not learned its training.
        const more = own.flatMap((share, i) =>
          Math.min(ownEchoed[i], theirEchoed[i]) < LEARNED ? [] : [share - theirs[i]],
        );
        return atLeast(
          `DeltaNet [-1,1] less ${architectures[other].label}, own functions, ${OLD} lines`,
          more,
          0,
        );
      }),
    ),
});
