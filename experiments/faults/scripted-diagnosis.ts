/** @file Scripted runs diagnosed: their files read, held against Python's own run, replayed from the onset. */

import { readTranscripts } from "../../src/eval/transcripts/index.ts";
import { type Rng, rngFrom } from "../../src/math/rng.ts";
import type { HistoryRecord } from "../../src/records/history.ts";
import { diagnosedBy } from "../../src/work/diagnose/diagnose.ts";
import { replayOf } from "../../src/work/diagnose/replay.ts";
import { drawProgram, type Program } from "./scripted-program.ts";
import { carriedBy, type Deception, deceptions, type ScriptedRun, scriptedRun } from "./scripted-run.ts";
import {
  type FileKind,
  files,
  isGapless,
  type Style,
  stateGiven,
  styles,
  transcriptText,
} from "./scripted-words.ts";

export interface Case {
  readonly program: Program;
  readonly run: ScriptedRun;
  readonly style: Style;
  readonly file: FileKind;
  readonly text: string;
}

/** One run in twenty is of a policy that makes its mistake again. */
const shares: Readonly<Record<Deception, number>> = {
  ...{ plain: 6, mended: 3, slip: 4, flicker: 3, gaps: 3, reader: 1 },
};

export function drawCase(index: number, seed: number): Case {
  const rng = rngFrom(seed).fork("failure-onset").fork(index);
  const program = drawProgram(rng.fork("program"));
  const style = styles[rng.fork("style").below(styles.length)];
  const file = files[rng.fork("file").below(files.length)];
  const run = scriptedRun(program, drawDeception(rng.fork("deception")), isGapless(style), rng.fork("run"));
  return {
    program,
    run,
    style,
    file,
    text: transcriptText(program, run.sayings, style, file, rng.fork("words")),
  };
}

function drawDeception(rng: Rng): Deception {
  const all = deceptions.flatMap((each) => Array.from({ length: shares[each] }, () => each));
  return all[rng.below(all.length)];
}

export interface CaseFound {
  /** Steps of the file; null: nowhere. */
  readonly truth: number | null;
  readonly onset: number | null;
  readonly firstError: number | null;
  readonly lastError: number | null;
  /** Whether the policy, given the replay, ends in the right state; null where there is none. */
  readonly recovered: boolean | null;
}

/** `history`: of `f()`, by Python. */
export function diagnosedCase({ program, run, text }: Case, history: HistoryRecord): CaseFound {
  const [{ transcript }] = readTranscripts(text, "a scripted run");
  const found = diagnosedBy(transcript, history);
  // Each saying is a step of the file, in their order: it is found by counting, whatever was read in it.
  const said = transcript.steps
    .filter(({ role, text: words }) => isSaying(role, words))
    .map(({ index }) => index);
  return {
    truth: run.lostAt === null ? null : (said[run.lostAt] ?? -1),
    onset: found.onset?.step ?? null,
    firstError: found.baselines.firstError,
    lastError: found.baselines.lastError,
    recovered:
      found.onset === null ? null : recovers(program, run, said.indexOf(found.onset.step), replayOf(found)!), // there is an onset
  };
}

const isSaying = (role: string, words: string) =>
  (role === "said" || role === "called") && !/f\.py/.test(words) && words.trim() !== "";

function recovers(
  program: Program,
  { sayings, carried, truth, deception }: ScriptedRun,
  saying: number,
  replay: NonNullable<ReturnType<typeof replayOf>>,
): boolean {
  if (saying < 0) return false;
  const { visit } = sayings[saying];
  const given = stateGiven(replay.at(-2)?.content ?? "");
  // What it is not told of it has as it had it.
  const start = { ...carried[visit], ...given };
  const after = carriedBy(program, start, visit + 1, () => deception === "reader");
  const last = after.at(-1)?.state ?? start;
  return Object.entries(truth.at(-1) ?? {}).every(([name, value]) => last[name] === value);
}
