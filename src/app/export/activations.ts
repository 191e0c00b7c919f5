/**
 * @file activations.safetensors: what the layers of a model compute on programs, with the true states.
 *
 *     tokens              [N, T]           i32, 0 behind the end of a program
 *     lengths             [N]              i32, tokens of each program
 *     states              [N, T, V]        i32, the value of each variable after the commands that are complete at the token; -1 before
 *     reveals             [R, 5]           i32: program, position, variable, value, predicted value (-1: another word)
 *     layers.L.NAME       [N, T, ...]      f32, as the layer publishes it: residual, query, key, beta, ...
 *
 * Metadata: `task`, `values` and `vocabulary` as JSON, `step`. Programs of the training are left out.
 */

import { fail } from "../../core/error.ts";
import { applySettings } from "../../core/settings.ts";
import { encodeSafetensors, type StoredTensor } from "../../schemas/formats/safetensors.ts";
import { declaredTaps } from "../analyze/forward.ts";
import { collect } from "../analyze/record-activations.ts";
import { type TrainedRun, testAbout } from "../run/open.ts";

export interface Recorded {
  /** NAME of every layer, or `layers.L.NAME`. */
  readonly record: readonly string[];
  readonly programs: number;
  /** Over the parameters of the task: `commands=48`. */
  readonly settings: readonly string[];
  /** Called after each run of the model; it may throw to stop. */
  readonly tick?: (done: number, of: number) => Promise<void>;
}

/** A file of more would not be written whole by one call of Node. */
const mostBytes = 2 ** 31 - 1;

export async function activationFiles(
  run: TrainedRun,
  { record, programs, settings, tick = async () => {} }: Recorded,
): Promise<Record<string, Uint8Array>> {
  const declared = declaredTaps(run).flatMap((taps, layer) =>
    taps.map(({ name, rest }) => ({ name, path: `layers.${layer}.${name}`, rest })),
  );
  const chosen = declared.filter(({ name, path }) => record.includes(name) || record.includes(path));
  const names = [...new Set(declared.map(({ name }) => name))];
  const unknown = record.find((name) => !declared.some((tap) => tap.name === name || tap.path === name));
  if (unknown !== undefined) fail("--record", `names of ${names.join(", ")}`, unknown);
  const change = applySettings({}, settings) as Record<string, unknown>; // settings over an object make one
  const test = testAbout(run, change, programs);
  const { recording, tokens, forward } = await collect(run, test, tick, record);
  await forward.release();
  const { programs: read, values, taps, answers } = recording;
  if (read.length === 0) fail("--set", "programs that the run was not trained on", 0, "Change the task");
  const [N, T] = [read.length, tokens[0].length];
  const variables = read[0].states[0].length;
  const states = new Int32Array(N * T * variables).fill(-1);
  for (const [i, { commands, states: own }] of read.entries())
    for (const [t, count] of commands.entries())
      if (count >= 0) states.set(own[count], (i * T + t) * variables);
  const reveals = read.flatMap(({ questions }, i) =>
    questions.map(({ position, variable, value }, k) => [i, position, variable, value, answers[i][k]]),
  );
  const int = (shape: number[], data: Int32Array<ArrayBuffer>): StoredTensor => ({
    dtype: "I32",
    shape,
    data,
  });
  const tensors: Record<string, StoredTensor> = {
    tokens: int([N, T], Int32Array.from(tokens.flatMap((row) => [...row]))),
    lengths: int(
      [N],
      Int32Array.from(read, (program) => program.tokens.length),
    ),
    states: int([N, T, variables], states),
    reveals: int([reveals.length, 5], Int32Array.from(reveals.flat())),
    ...Object.fromEntries(
      chosen.map(({ path }) => [path, { dtype: "F32", shape: taps[path].shape, data: taps[path].data }]),
    ),
  };
  const bytes = Object.values(tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
  if (bytes > mostBytes)
    fail("export", `at most ${mostBytes} bytes`, bytes, "Lower --programs, or name less in --record");
  const { name, ...params } = run.config.task;
  const metadata = {
    task: JSON.stringify({ name, ...params, ...change }),
    values: JSON.stringify(values),
    vocabulary: JSON.stringify(run.data.tokenizer.tokens),
    step: String(run.step),
  };
  return { "activations.safetensors": encodeSafetensors(tensors, metadata) };
}
