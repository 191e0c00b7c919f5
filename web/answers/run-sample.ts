/** @file The program of a sample, run in the page's sandbox, and the claims of its reply as `statelab diagnose` checks them. */

import { config } from "zod";
import { checkClaims, lineVisits } from "../../src/eval/transcripts/check-claims.ts";
import { ask } from "../../src/eval/transcripts/statelab.ts";
import { openRecording } from "../../src/python/debugger/recording.ts";
import { findRun } from "../../src/python/trace/find-call.ts";
import type { SampleRecord } from "../../src/schemas/eval.ts";
import { parseHistory } from "../../src/schemas/execution-trace.ts";
import { openPython } from "../python/contained.ts";
import type { Followed, Values } from "./first-error.ts";

config({ jitless: true }); // the page's policy lets no code be made of text

/** The lines in the order in which they ran, and the values after each. */
export interface SampleRun {
  readonly lines: readonly string[];
  readonly truth: readonly Values[];
  readonly followed: Followed;
}

const MOST_EVENTS = 2_000;

/** @throws Error in a sentence where the program is stopped. */
export async function runSample(
  sample: SampleRecord,
  program: string,
  progress: (share: number) => void,
): Promise<SampleRun> {
  const python = await openPython(progress);
  const options = { maximumSteps: MOST_EVENTS };
  const outcome = await python
    .run({ operation: "history", ...findRun(program), options })
    .finally(() => python.close());
  if (outcome.kind === "stopped") throw new Error(`Stopped: ${outcome.words}`);
  const run = openRecording(parseHistory(outcome.value, "the run"));
  const visits = lineVisits(run);
  const lines = visits.map(({ line }) => run.lines[line - 1]);
  const truth = visits.map(
    ({ done, activation }) => new Map(Object.entries(run.localLiterals(done, activation))),
  );
  const { steps } = ask.read(JSON.stringify(sample), sample.sample)![0].transcript; // it is one of them
  const judged = checkClaims(run, steps).claims;
  const claims = judged.filter(({ verdict }) => verdict === "right").length;
  const wrong = judged.find(({ verdict }) => verdict === "wrong");
  if (wrong === undefined)
    return { lines, truth, followed: claims === 0 ? { kind: "unknown" } : { kind: "agrees", claims, truth } };
  const { name, value, moment } = wrong;
  const departure = {
    line: moment === null ? 0 : visits.findIndex(({ done }) => done >= moment) + 1,
    ...{
      kind: "state" as const,
      said: `${name} = ${value}`,
      truth: `${name} = ${wrong.truth ?? "no such state"}`,
    },
  };
  return { lines, truth, followed: { kind: "departs", departure, claims, truth } };
}
