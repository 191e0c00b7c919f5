/** @file Asking a language model: a bench, its data and an endpoint brought together, and everything closed at the end. */

import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { applySettings, parseWith } from "../../core/settings.ts";
import type { Endpoint, Parameters } from "../../eval/endpoints/endpoint.ts";
import { type PromptForm, promptTemplate } from "../../eval/prompt-template.ts";
import type { Arm, Bench, Predict, Style } from "../../eval/question.ts";
import type { Scoring } from "../../eval/scoring/score-cruxeval.ts";
import { readInput, sha256 } from "../../storage/index.ts";
import { dataPath } from "../data/files.ts";
import { benchData, tracesOf } from "./benchmark.ts";
import { type Asked, openEndpoint } from "./endpoint.ts";
import { type AskEnd, type AskRun, runAsk } from "./run.ts";
import { openSandbox, type SandboxOptions } from "./sandbox.ts";

export interface AskOrder
  extends Pick<
    AskRun,
    | "samples"
    | "atMost"
    | "perMinute"
    | "maximumRetries"
    | "backOffUnit"
    | "missing"
    | "price"
    | "budget"
    | "signal"
    | "progress"
  > {
  readonly bench: Bench;
  /** Of its parameters, each KEY=VALUE. */
  readonly settings: readonly string[];
  readonly arms: readonly Arm[];
  readonly predict: readonly Predict[];
  readonly style: Style;
  readonly scoring: Scoring;
  readonly seed: number;
  /** Worked examples of a prompt, and a file with its words (eval/prompt-form.ts); `upstream`: CRUXEval's own. */
  readonly shots?: number;
  readonly prompt?: string;
  /** Files, where the bench needs some. */
  readonly data: string | undefined;
  readonly traces: string | undefined;
  /** What the columns of a file of one's own hold: `code=source,input=args,output=result`. */
  readonly columns?: string | undefined;
  readonly asked: Asked;
  /** In place of who is asked. */
  readonly endpoint?: Endpoint;
  readonly sandbox: SandboxOptions;
  /** By default named after the bench and the model. */
  readonly folder: string | undefined;
  /** Without `maximumTokens` the bench says it. */
  readonly parameters: Omit<Parameters, "maximumTokens" | "stop"> & {
    readonly maximumTokens: number | undefined;
  };
}

/** @throws LabError where settings or files are not what they should be; else every answer is kept. */
export async function askBench(order: AskOrder): Promise<AskEnd & { readonly folder: string }> {
  return withAsking(order, async (run) => ({ ...(await runAsk(run)), folder: run.folder }));
}

/** Everything opened that an asking needs, and closed behind it. */
export async function withAsking<T>(order: AskOrder, use: (run: AskRun) => Promise<T>): Promise<T> {
  const { bench, arms, predict, style, scoring, seed, signal } = order;
  const params = parseWith(bench.params, applySettings({}, order.settings), bench.name);
  const { traces, checksum: tracesChecksum } = await tracesOf(order.traces);
  const { rows, checksum } = await benchData(bench, order.data, order.columns);
  const { form, sum } = formOf(order);
  const { maximumTokens } = order.parameters;
  const { progress } = order;
  const asking = await openEndpoint(order.asked, (words) =>
    progress.say(`statelab: from now on requests are sent otherwise: ${words}`),
  );
  const sandbox = await openSandbox(order.sandbox, signal);
  const folder = order.folder ?? join("runs", slug(`ask-${bench.name}-${asking.model}`));
  try {
    return await use({
      ...order,
      ...asking,
      ...(order.endpoint && { endpoint: order.endpoint }),
      ...{ params, sandbox, folder },
      input: {
        ...{ arms, predict, style, scoring, seed, rows, traces, maximumTokens, form },
        protocol: asking.protocol,
      },
      parameters: {
        ...order.parameters,
        maximumTokens: maximumTokens ?? bench.replyTokens?.(params, rows) ?? (style === "cot" ? 2000 : 300),
        stop: bench.stop,
      },
      checksums: { data: checksum, traces: tracesChecksum, prompt: sum },
    });
  } finally {
    await sandbox.close();
    await asking.connection?.close();
  }
}

const upstreamHint =
  "CRUXEval's words are no part of this project: put prompts.py of its repository (MIT) at data/cruxeval/prompts.py";

function formOf({ bench, shots, prompt, style, predict }: AskOrder): {
  readonly form: PromptForm;
  readonly sum: string | null;
} {
  if (bench.fixedPrompt && (shots !== undefined || prompt !== undefined))
    fail("--prompt and --shots", "another bench", bench.name, "What it asks has one form");
  const form = { ...(shots !== undefined && { shots }) };
  if (prompt === undefined) return { form, sum: null };
  const path = prompt === "upstream" ? dataPath(undefined, "cruxeval/prompts.py", [], upstreamHint) : prompt;
  const bytes = readInput(path);
  const template = promptTemplate(bytes.toString("utf8"), path);
  for (const each of predict) template(style, each); // what is missing is said before anything is asked
  return { form: { ...form, template }, sum: sha256(bytes) };
}

/** As a folder is called after a model. */
export const slug = (name: string) => name.replaceAll(/[^\w.-]+/g, "-");
