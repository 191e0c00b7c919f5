/**
 * @file What a visitor trains: one task for both sides, and two models that learn the same programs.
 *
 *     #/train?task=parity&left=deltanet-1&right=deltanet-2&width=32&length=24      two configurations of runs, as the command line takes them
 *     #/train?task=zoo-s3-swaps&left=gla&right=deltanet&rate=0.01                  two rows of the zoo, trained as its cells are
 */

import { columns, rows } from "../../experiments/zoo/data.ts";
import { whole } from "../address.ts";

export interface PageTask {
  readonly title: string;
  /** Chance. */
  readonly chance: number;
  readonly steps: number;
  /** The sizes of its programs that may be chosen, and their name in a choice; a column of the zoo has its own. */
  readonly size?: {
    readonly name: "length" | "spacing";
    readonly label: string;
    readonly values: readonly number[];
  };
  /** Whether text is asked for, so that every next token may be trained. */
  readonly isText?: true;
  /** Its name in the zoo. */
  readonly column?: string;
}

const own = {
  parity: {
    title: "Parity: is the number of ones odd?",
    chance: 1 / 2,
    steps: 600,
    size: { name: "length", label: "Bits", values: [8, 16, 24, 40] },
  },
  s3: {
    title: "S₃: each word swaps two of three values",
    chance: 1 / 3, // how many swaps there were tells whether the order is even
    steps: 600,
    size: { name: "length", label: "Words", values: [8, 16, 24, 40] },
  },
  swaps: {
    title: "Python session that swaps three variables",
    chance: 1 / 3,
    steps: 1200,
    size: { name: "spacing", label: "Reveal interval", values: [1, 2, 4] },
    isText: true,
  },
} as const satisfies Readonly<Record<string, PageTask>>;

const SIZE = /[.,]?( of)? (two layers|\d+ words).*$/i; // labels say it where it distinguishes tasks
export const tasks: Readonly<Record<string, PageTask>> = {
  ...own,
  ...Object.fromEntries(
    Object.entries(columns).map(([column, { label, summary, chance, steps }]): [string, PageTask] => [
      `zoo-${column}`,
      { title: `${label}: ${summary.replace(SIZE, "")}`, chance, steps, column },
    ]),
  ),
};

export interface PageModel {
  readonly title: string;
  readonly model: { readonly name: string; readonly [field: string]: unknown };
}

const models: Readonly<Record<string, PageModel>> = {
  "deltanet-1": { title: "DeltaNet [0,1]", model: { name: "deltanet", heads: 2, betaMax: 1 } },
  "deltanet-2": { title: "DeltaNet [-1,1]", model: { name: "deltanet", heads: 2, betaMax: 2 } },
  lstm: { title: "LSTM", model: { name: "lstm" } },
  transformer: { title: "Transformer", model: { name: "transformer", heads: 2 } },
};
const zooModels: Readonly<Record<string, PageModel>> = Object.fromEntries(
  Object.entries(rows).map(([row, { label, model }]) => [row, { title: label, model }]),
);

/** Those that may learn a task. */
export const pageModels = (task: string) => (tasks[task].column === undefined ? models : zooModels);

export const widths = [16, 32, 64] as const;
export const rates = [0.001, 0.002, 0.005, 0.01] as const;
export const budgets = [300, 600, 1000, 1200, 2400, 3000] as const;
/** The file of ONNX Runtime for each device, and its size. */
export const devices = {
  cpu: { title: "CPU", file: "ort/ort-wasm-simd-threaded.wasm", megabytes: 14 },
  webgpu: { title: "WebGPU", file: "ort/ort-wasm-simd-threaded.jspi.wasm", megabytes: 17 },
} as const;
export type Device = keyof typeof devices;
export const objectives = { "revealed-values": "revealed values", "next-token": "every token" } as const;

export interface Choice {
  /** A name in `tasks`. */
  readonly task: string;
  /** Names in `modelsOf(task)`. */
  readonly left: string;
  readonly right: string;
  readonly width: number;
  /** Bits of parity, words. */
  readonly length: number;
  /** Swaps from one print to the next. */
  readonly spacing: number;
  readonly seed: number;
  readonly rate: number;
  readonly steps: number;
  readonly objective: keyof typeof objectives;
  readonly device: Device;
}

/** The nearest choice to the untrusted text of the address. */
export function choiceFrom(settings: Readonly<Record<string, string>>): Choice {
  const of = (known: object, name: string | undefined, otherwise: string) =>
    name !== undefined && Object.hasOwn(known, name) ? name : otherwise;
  const among = (known: readonly number[], text: string | undefined, otherwise: number) =>
    known.find((value) => String(value) === text) ?? otherwise;
  const task = of(tasks, settings.task, "parity");
  const known = pageModels(task);
  const [left, right] =
    tasks[task].column === undefined ? ["deltanet-1", "deltanet-2"] : ["deltanet-positive", "deltanet"];
  return {
    task,
    left: of(known, settings.left, left),
    right: of(known, settings.right, right),
    width: among(widths, settings.width, 32),
    length: among(own.parity.size.values, settings.length, task === "s3" ? 16 : 24),
    spacing: among(own.swaps.size.values, settings.spacing, 2),
    seed: whole(settings.seed, 0, 9999, 0),
    rate: among(rates, settings.rate, 0.005),
    steps: among(budgets, settings.steps, tasks[task].steps),
    objective: of(
      objectives,
      tasks[task].isText && settings.objective,
      "revealed-values",
    ) as Choice["objective"], // it is one of the keys
    device: of(devices, settings.device, "cpu") as Device, // likewise
  };
}

/** Held-out answers are asked every so many steps. */
export const EVERY = 20;
const HELD_OUT = 100;
/** So large a share of them right is called solved: one in two hundred may be wrong. */
export const SOLVED = 0.995;

/** Tests on held-out programs. */
export const asking = { evaluateEvery: EVERY, validationExamples: HELD_OUT } as const;

/** A run's configuration, as `statelab train` takes it; of a column of the zoo experiments/zoo/config.ts makes it. */
export function pageConfig(choice: Choice, name: string): object {
  const { task, width, length, spacing, seed, rate, steps, objective } = choice;
  const train = {
    ...{
      steps,
      batch: 16,
      shares: 1, // the page has one thread
      learningRate: rate,
      schedule: "cosine",
      warmupSteps: 20,
      minLearningRateRatio: 0.05,
    },
    ...(objective !== "revealed-values" && { loss: objective }),
    ...asking,
  };
  const model = { layers: task === "swaps" ? 2 : 1, width, feedForward: 2 * width, ...models[name].model };
  if (task === "parity") return { seed, task: { name: "parity", length, targets: "each" }, model, train };
  if (task === "s3") {
    // As in the zoo without a short convolution: with one a word is read together with those before it, and it takes five times as long.
    const plain = { ...model, convolution: 0 };
    const words = { name: "group-words", group: "S_3", generators: "swaps", length, targets: "each" };
    const lengths = [3, 6, 12, 24, 40].filter((each) => each < length).concat(length);
    const stages = lengths.map((_, i) =>
      lengths.slice(Math.max(0, i - 1), i + 1).map((of) => ({ length: of })),
    );
    return {
      seed,
      task: words,
      model: plain,
      train,
      curriculum: { stages, maxStepsPerStage: Math.ceil(steps / lengths.length) },
    };
  }
  const dense = own.swaps.size.values.filter((each) => each <= spacing);
  return {
    seed,
    task: { name: "repl", variables: 3, commandKind: "swap", commands: 8, spacing },
    model,
    train,
    curriculum: { stages: dense.map((_, i) => dense.slice(0, i + 1).map((each) => ({ spacing: each }))) },
  };
}
