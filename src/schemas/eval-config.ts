/**
 * @file How a language model is evaluated: what the flags of `statelab llm eval` say, with every default.
 *
 *     EvalConfig.parse({ bench: "parity", baseUrl: "http://localhost:8000/v1", models: ["NAME"] })
 *
 * It is plain JSON without a secret: keys stay in environment variables, which it names. A submission carries it to workers as it is.
 */

import { z } from "zod";
import { missingPolicies } from "./eval.ts";

const Amount = z.number().min(0);
/** At most what a timer of Node waits, 24 days: a longer one would end at once. */
const Seconds = z
  .number()
  .min(0.01)
  .max(Math.floor((2 ** 31 - 1) / 1000));

/** Fields that decide what is asked and how the reply is read: no extra body may replace them. */
export const ownFields: readonly string[] = ["model", "messages", "prompt", "stream", "n"];
const ExtraBody = z
  .record(z.string(), z.unknown())
  .refine(
    (body) => !ownFields.some((field) => Object.hasOwn(body, field)),
    `to have only fields other than ${ownFields.join(", ")}`,
  );

/** Per million tokens of prompts and of replies, in any currency. */
export const Price = z.strictObject({ input: Amount, output: Amount });
export type Price = z.infer<typeof Price>;

/** Which model is asked, how, and for how much; shared by `llm eval` and `agent run`. */
export const EndpointConfig = z.strictObject({
  /** The server, up to the protocol's path; or a script of replies in its place. */
  baseUrl: z.string().optional(),
  script: z.string().optional(),
  protocol: z.enum(["chat", "completion", "ollama"]).default("chat"),
  /** As the server calls them. */
  models: z.array(z.string()).default([]),
  /** The environment variable with the key. */
  keyEnv: z.string().default("STATELAB_API_KEY"),
  /** `NAME: VALUE`; a secret as `NAME: env:VARIABLE`. */
  headers: z.array(z.string()).default([]),
  connectSeconds: Seconds.default(10),
  /** Of silence. */
  idleSeconds: Seconds.default(300),
  /** Of one request. */
  totalSeconds: Seconds.default(900),
  stream: z.boolean().default(false),
  /** Compares prompts with the server's count of tokens. */
  checkPrompt: z.boolean().default(true),
  temperature: Amount.default(0),
  /** Without it the benchmark or the policy decides. */
  maximumTokens: z.int().min(1).optional(),
  contextTokens: z.int().min(1).optional(),
  serverSeed: z.int().optional(),
  topP: z.number().gt(0).max(1).optional(),
  reasoningEffort: z.string().optional(),
  system: z.string().optional(),
  /** A file with a chat template, for completions. */
  chatTemplate: z.string().optional(),
  /** What the model writes before and after its thoughts. */
  think: z
    .tuple([z.string().min(1), z.string().min(1)])
    .readonly()
    .optional(),
  extraBody: ExtraBody.optional(),
  /** Requests at the same time. */
  atMost: z.int().min(1).default(8),
  perMinute: z.int().min(1).optional(),
  maximumRetries: z.int().min(0).default(5),
  /** Seconds before the first retry. */
  backOffUnit: Amount.default(1),
  price: Price.optional(),
  /** A file of prices by model. */
  prices: z.string().optional(),
  budget: Amount.optional(),
});
export type EndpointConfig = z.infer<typeof EndpointConfig>;

export const EvalConfig = EndpointConfig.extend({
  /** A benchmark, or a task by its name or file. */
  bench: z.string().optional(),
  task: z.string().optional(),
  /** Parameters of the benchmark, each KEY=VALUE. */
  settings: z.array(z.string()).default([]),
  arms: z.array(z.string()).default([]),
  predict: z.array(z.string()).default([]),
  style: z.enum(["direct", "cot"]).default("direct"),
  /** Worked examples in a prompt. */
  shots: z.int().min(0).optional(),
  /** A file with the prompt (eval/prompt.ts); `upstream`: CRUXEval's own. */
  prompt: z.string().optional(),
  scoring: z.enum(["strict", "upstream"]).default("strict"),
  missing: z.enum(missingPolicies).default("both"),
  data: z.string().optional(),
  /** What the columns of a file of functions hold: `code=source,input=args,output=result`. */
  columns: z.string().optional(),
  traces: z.string().optional(),
  samples: z.int().min(1).default(1),
  seed: z.int().default(0),
  /** Where programs run; auto: native where there is bubblewrap, else embedded. */
  host: z.enum(["auto", "embedded", "native"]).default("auto"),
  /** Default runs/llm-BENCH-MODEL; with several models DIR/MODEL. */
  folder: z.string().optional(),
});
export type EvalConfig = z.infer<typeof EvalConfig>;
