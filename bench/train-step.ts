/**
 * @file How long a whole training step takes (forward, loss, backward, clipping, AdamW), against PyTorch and jax-js.
 *
 *     npm run bench -- train-step [--only deltanet-64x8,lstm-64x8]       model, width, sequences
 *
 * Every contender gets the same weights and the same batch, and has to agree on the first step's loss within 1e-4. Then
 * all take turns, a few steps a turn, so that other load on the machine falls on all of them. A contender counts with
 * its fastest variant: the median over its steps. bench/README.md: the models, and how to install the others.
 */

import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

import { thisMachine } from "../src/app/doctor/machine.ts";
import { fail } from "../src/core/error.ts";
import { median } from "../src/core/statistics.ts";
import { textTable } from "../src/report/text-table.ts";
import { type BenchOptions, selected } from "./lib/interleave.ts";
import type { Contender, Prepared } from "./train-step/baseline.ts";
import { jaxJs, pytorch } from "./train-step/contenders.ts";
import { machineRate } from "./train-step/matmul-flops.ts";
import { benchmarkConfig, type Config, configName, makeProblem, modelNames } from "./train-step/problem.ts";
import { operationsOfStep, statelab } from "./train-step/statelab.ts";

/** One contender on one configuration. */
export interface Measurement {
  readonly contender: string;
  readonly firstLosses: readonly number[];
  /** Of the fastest variant. */
  readonly seconds: number;
  readonly variant: string;
  /** Median seconds of a step, and the number of steps, by variant. */
  readonly variants: Readonly<Record<string, { readonly seconds: number; readonly steps: number }>>;
  readonly notes: string;
}

export interface Row {
  readonly config: Config;
  readonly measured: readonly Measurement[];
  readonly skipped: Readonly<Record<string, string>>;
  readonly products: Products;
  /** Share of the processors' time that was idle while all contenders waited, before and after the measurement. */
  readonly idle: readonly [before: number, after: number];
}

/** The matrix products of one of our steps, relative to the machine's rate. */
export interface Products {
  /** Floating-point operations in a step. */
  readonly operations: number;
  /** Operations a second of one large product with two threads. */
  readonly machineRate: number;
}

export interface TrainStepOptions extends BenchOptions {
  readonly configs?: readonly Config[];
  readonly contenders?: readonly Contender[];
  readonly rounds?: number;
}

/** d = 64 and 128 with 8 sequences, d = 64 with 24; then six layers of d = 512. */
export const standardConfigs: readonly Config[] = [
  ...modelNames.flatMap((model) => [
    benchmarkConfig(model, 64, 8),
    benchmarkConfig(model, 128, 8),
    benchmarkConfig(model, 64, 24),
  ]),
  ...(["transformer", "deltanet"] as const).map((model) => benchmarkConfig(model, 512, 8, 256, 6)),
];

const ROUNDS = 9;
/** A turn is as many steps as fit into this, at least one; a contender that needs longer for one gets fewer turns. */
const TURN_SECONDS = 0.5;
const SLOW_TURNS = 3;
const LOSS_TOLERANCE = 1e-4;
const PAUSE = 500; // ms

export async function run(options: TrainStepOptions): Promise<readonly Row[]> {
  const { configs = standardConfigs, json, only, signal } = options;
  const rows: Row[] = [];
  const machine = thisMachine();
  if (!json) console.log(`${machine.processor}, ${machine.cores} cores`);
  for (const config of selected(configs, shapeName, only)) {
    if (signal.aborted) break;
    const row = await measure(config, options);
    rows.push(row);
    if (!json) console.log(rowText(row));
  }
  if (json) console.log(JSON.stringify({ version: 1, benchmark: "train-step", machine, rows }, null, 2));
  else console.log(`\n${tableText(rows)}`);
  return rows;
}

/** "deltanet-64x8" */
export function shapeName({ model, width, batch }: Config): string {
  return `${model}-${width}x${batch}`;
}

/** Share of the processors' time that is idle in the next half second. */
async function idleShare(): Promise<number> {
  const sum = (of: (times: ReturnType<typeof cpus>[number]["times"]) => number) =>
    cpus().reduce((total, { times }) => total + of(times), 0);
  const now = () => ({
    idle: sum(({ idle }) => idle),
    all: sum((t) => t.user + t.nice + t.sys + t.idle + t.irq),
  });
  const before = now();
  await sleep(PAUSE);
  const after = now();
  return (after.idle - before.idle) / (after.all - before.all);
}

export async function measure(
  config: Config,
  { contenders = [statelab, pytorch, jaxJs], rounds = ROUNDS, signal }: TrainStepOptions,
): Promise<Row> {
  const problem = makeProblem(config);
  const skipped: Record<string, string> = {};
  const ready: { name: string; prepared: Prepared; seconds: number[][] }[] = [];
  try {
    for (const { name, prepare } of contenders) {
      const prepared = await prepare(problem);
      if ("skipped" in prepared) skipped[name] = prepared.skipped;
      else ready.push({ name, prepared, seconds: prepared.variants.map(() => []) });
    }
    agree(config, ready);
    const before = await idleShare();
    for (let round = 0; round < rounds && !signal.aborted; round++) {
      for (const { prepared, seconds } of ready) {
        for (const [variant, known] of seconds.entries()) await turn(prepared, variant, known, round);
      }
    }
    const idle = [before, await idleShare()] as const;
    const measured = ready
      .filter(({ seconds }) => seconds.every((known) => known.length > 0))
      .map(({ name, prepared, seconds }) => summary(name, prepared, seconds));
    const products = {
      operations: operationsOfStep(config),
      machineRate: await machineRate(2),
    };
    return { config, measured, skipped, products, idle };
  } finally {
    for (const { prepared } of ready) await prepared.close();
  }
}

async function turn(prepared: Prepared, variant: number, known: number[], round: number): Promise<void> {
  const usual = known.length === 0 ? 0 : median(known);
  if (usual > TURN_SECONDS && round >= SLOW_TURNS) return;
  const steps = known.length === 0 ? 1 : Math.max(1, Math.min(10, Math.floor(TURN_SECONDS / usual)));
  known.push(...(await prepared.run(variant, steps)));
}

function agree(config: Config, ready: readonly { name: string; prepared: Prepared }[]): void {
  const [first, ...others] = ready;
  for (const { name, prepared } of others) {
    const [expected, got] = [first.prepared.firstLosses[0], prepared.firstLosses[0]];
    if (!(Math.abs(got - expected) <= LOSS_TOLERANCE * expected)) {
      fail(
        `bench/train-step, ${configName(config)}`,
        `${first.name}'s first loss ${expected} from ${name}`,
        got,
      );
    }
  }
}

function summary(contender: string, prepared: Prepared, seconds: readonly number[][]): Measurement {
  const { variants: names, firstLosses, notes } = prepared;
  const medians = seconds.map((each) => median(each));
  const best = medians.indexOf(Math.min(...medians));
  const variants = Object.fromEntries(
    names.map((name, i) => [name, { seconds: medians[i], steps: seconds[i].length }]),
  );
  return { contender, firstLosses, seconds: medians[best], variant: names[best], variants, notes };
}

/** A table for one configuration; the ratio is how many times longer than the first contender. */
export function rowText({ config, measured, skipped, products, idle }: Row): string {
  const lines = [configName(config)];
  for (const { contender, seconds, variant, variants, firstLosses, notes } of measured) {
    const ratio = (seconds / measured[0].seconds).toFixed(2);
    const each = Object.entries(variants).map(([name, value]) => `${name} ${milliseconds(value.seconds)}`);
    lines.push(
      `  ${contender.padEnd(24)} ${milliseconds(seconds).padStart(12)} ${ratio.padStart(8)} x   ${variant.padEnd(10)}` +
        ` first loss ${firstLosses[0].toFixed(5)}   (${each.join(", ")}; ${notes})`,
    );
  }
  for (const [contender, reason] of Object.entries(skipped))
    lines.push(`  ${contender.padEnd(24)} skipped: ${reason}`);
  const { operations, machineRate: rate } = products;
  lines.push(
    `  matrix products: ${giga(operations)} GFLOP a step, ${giga(operations / measured[0].seconds)} GFLOP/s, ${percent(shareOfRate(measured[0], products))} of SGEMM here (${giga(rate)} GFLOP/s)`,
    `  idle before and after: ${idle.map(percent).join(", ")}`,
  );
  return lines.join("\n");
}

const shareOfRate = ({ seconds }: Measurement, { operations, machineRate }: Products) =>
  operations / seconds / machineRate;

/** All configurations: milliseconds, and how many times longer than the first contender. */
function tableText(rows: readonly Row[]): string {
  const others = [
    ...new Set(rows.flatMap(({ measured }) => measured.slice(1).map((each) => each.contender))),
  ];
  const [first] = rows[0]?.measured ?? [];
  return textTable({
    columns: ["shape", first?.contender ?? "", ...others.flatMap((name) => [name, "ratio"]), "SGEMM", "idle"],
    rows: rows.map(({ config, measured: [ours, ...theirs], products, idle }) => [
      shapeName(config),
      milliseconds(ours.seconds),
      ...others.flatMap((name) => {
        const found = theirs.find(({ contender }) => contender === name);
        return found ? [milliseconds(found.seconds), (found.seconds / ours.seconds).toFixed(2)] : ["", ""];
      }),
      percent(shareOfRate(ours, products)),
      percent(Math.min(...idle)),
    ]),
  });
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function giga(value: number): string {
  return (value / 1e9).toFixed(value < 1e10 ? 2 : 1);
}

function milliseconds(seconds: number): string {
  return `${(seconds * 1000).toFixed(1)} ms`;
}
