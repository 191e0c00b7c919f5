/**
 * @file Judges a program by tests that it cannot see: the asserts at its end, split off in a separate process
 * (lab/split.py) before the program starts. Also parses the interpreter's reply.
 *
 *     def f(n): return n * n          run in the program's process, which returns the value of f(3)
 *     assert f(3) == 9                9 is known only here, as a digest; equal digests pass
 *
 * So forged messages do not help: the process must send the correct value. For tests that are not an equality with a
 * literal, the process reports the outcome (`said`), which can be forged. A program with asserts, but none at its
 * end, is `untested` if it completes.
 */

import { z } from "zod";
import { type HostName, type Outcome, stops } from "./host.ts";
import type { Contained, Heard, Watch } from "./sandboxed-process.ts";

/**
 * The expected outcome of a test: a digest (null: equal to nothing), a verdict reached without the program, or the
 * program's report.
 */
const Plan = z.array(
  z.object({
    digest: z.string().nullable().optional(),
    holds: z.boolean().optional(),
    message: z.string(),
  }),
);
type Plan = z.infer<typeof Plan>;

const Told = z.object({
  outcome: z.enum(["passed", "assertion", "raised", "syntax"]),
  exception: z.string().optional(),
  message: z.string().optional(),
  told: z.array(z.union([z.string(), z.boolean(), z.null()])).default([]),
});

/** Waits for the answer to a request, preceded by the plan if the request is judged. */
export async function hearAnswer(
  child: Contained,
  watch: Watch,
  signal?: AbortSignal,
): Promise<{ readonly heard: Heard; readonly plan?: string }> {
  const started = performance.now();
  const first = await child.hear(watch, signal);
  if (first.kind !== "frame" || first.frame.kind !== "plan") return { heard: first };
  const wallSeconds = Math.max(0.001, watch.wallSeconds - (performance.now() - started) / 1000);
  const heard = await child.hear({ ...watch, wallSeconds }, signal);
  const late = heard.kind === "stopped" && heard.stop === "time";
  const words = `the program ran for longer than ${watch.wallSeconds} s`;
  return { heard: late ? { ...heard, words } : heard, plan: first.frame.body.toString() };
}

/** The outcome of a program whose tests are those of the plan. */
export function judge(plan: string, outcome: Outcome): Outcome {
  if (outcome.kind !== "done") return outcome;
  const tests = Plan.parse(JSON.parse(plan));
  const value = Told.safeParse(outcome.value);
  const verdict = value.success ? verdictOf(tests, value.data) : undefined;
  return verdict === undefined
    ? { kind: "forged", words: "the interpreter's answer is not of the lab's form" }
    : { ...outcome, value: verdict };
}

function verdictOf(tests: Plan, { told, ...ended }: z.infer<typeof Told>): object | undefined {
  if (told.length > tests.length) return undefined;
  const failed = tests.find((test, at) => at < told.length && !holds(test, told[at]));
  if (failed !== undefined)
    return { outcome: "assertion", exception: "AssertionError", message: failed.message };
  if (ended.outcome !== "passed") return ended;
  if (told.length < tests.length) return undefined;
  if (tests.length === 0)
    return { outcome: "untested", message: "no assert at the end of the program is a test of it" };
  const said = tests.filter((test) => test.digest === undefined && test.holds === undefined).length;
  return { ...ended, tests: { judged: tests.length - said, said } };
}

function holds({ digest, holds }: Plan[number], told: string | boolean | null): boolean {
  if (digest !== undefined) return digest !== null && told === digest;
  return holds ?? told === true;
}

const Header = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("done"),
    python: z.object({
      version: z.string(),
      wordBits: z.union([z.literal(32), z.literal(64)]),
      implementation: z.string(),
    }),
    output: z.string().default(""),
  }),
  z.object({ kind: z.enum(stops), words: z.string() }),
]);

export interface Answered {
  readonly body: Buffer;
  /** The expected values, if the program is judged. */
  readonly plan: string | undefined;
  readonly host: HostName;
  readonly output?: string;
}

/** The program could have had a hand in what its interpreter says, so nothing is taken on trust. */
export function readReply({ body, plan, host, output }: Answered): Outcome {
  try {
    const end = body.indexOf(10);
    const header = Header.parse(JSON.parse(body.toString("utf8", 0, end)));
    if (header.kind !== "done") return { kind: header.kind, words: header.words };
    const { python } = header;
    const outcome: Outcome = {
      kind: "done",
      value: JSON.parse(body.toString("utf8", end + 1)),
      output: output ?? header.output,
      python: { ...python, host },
    };
    return plan === undefined ? outcome : judge(plan, outcome);
  } catch {
    return { kind: "forged", words: "the interpreter's answer is not of the lab's form" };
  }
}
