/**
 * @file Where a run fails: the transcripts of a file, each held against its truth, where there is one.
 *
 *     a program and its call, or a recorded run          the truth of every transcript of the file
 *     samples of `llm eval`                              each sample's own program, run contained
 *     a ledger of `agent`                                the world, folded over the calls
 */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { findOnset, type Word } from "../../analysis/onset.ts";
import { planEpisode } from "../../eval/agents/plan.ts";
import { beliefAccuracy } from "../../eval/agents/replay.ts";
import { assertionSides } from "../../eval/scoring/source-text.ts";
import { checkClaims } from "../../eval/transcripts/check-claims.ts";
import { type ReadTranscript, readTranscripts } from "../../eval/transcripts/index.ts";
import { messageTree } from "../../eval/transcripts/message.ts";
import { openRecording } from "../../python/debugger/index.ts";
import type { EpisodeBegin, EpisodeTurn } from "../../schemas/agents.ts";
import type { SampleRecord } from "../../schemas/eval.ts";
import type { HistoryRecord } from "../../schemas/execution-trace.ts";
import type { Diagnosis, JudgedClaim, Transcript } from "../../schemas/transcript.ts";
import { parseLedger } from "../../storage/hash-chained-log.ts";
import { checkFolder, readInput } from "../../storage/index.ts";
import { agentFiles } from "../agents/read.ts";
import { jsonOfEval } from "../llm/saved-replies.ts";

/** Records the run of a call, contained; undefined where it gives none. */
type RecordRun = (source: string, call: string) => Promise<HistoryRecord | undefined>;

const LARGEST = 2 ** 28;

/** The transcripts of a file, or of a folder of `llm eval` or `agent`. @throws LabError where it is none. */
export function openTranscripts(path: string): readonly ReadTranscript[] {
  const isFolder = path !== "-" && existsSync(path) && statSync(path).isDirectory();
  if (isFolder) checkFolder(path);
  const inside = [agentFiles(path).ledger, join(path, "samples.jsonl")];
  const file = isFolder ? (inside.find((each) => existsSync(each)) ?? path) : path;
  const bytes = readInput(file === "-" ? 0 : file, { largestBytes: LARGEST });
  const at = file === "-" ? "stdin" : file;
  const read = readTranscripts(jsonOfEval(bytes, at) ?? bytes.toString("utf8"), at);
  if (read[0]?.episode !== undefined) parseLedger(bytes, file); // a line that was changed is named
  return read;
}

/** Compares a transcript with the run that it describes. */
export function diagnosedBy(transcript: Transcript, history: HistoryRecord): Diagnosis {
  const held = checkClaims(openRecording(history), transcript.steps);
  return diagnosis(transcript, "program", held.aligned, held.claims, held.madeOf, held.stateAt);
}

/** What there is to know of one transcript by itself: of a sample its program is run, an episode's world is folded. */
export async function diagnoseTranscripts(read: ReadTranscript, record: RecordRun): Promise<Diagnosis> {
  if (read.episode !== undefined) return ofEpisode(read.transcript, read.episode);
  if (read.sample === undefined) return diagnosis(read.transcript, "none", "none", []);
  return ofSample(read.transcript, read.sample, record);
}

async function ofSample(transcript: Transcript, sample: SampleRecord, record: RecordRun): Promise<Diagnosis> {
  const program = findProgram(sample.prompt);
  const history = program === undefined ? undefined : await record(program.source, program.call);
  return history === undefined || history.events.length === 0
    ? diagnosis(transcript, "none", "none", [])
    : diagnosedBy(transcript, history);
}

function ofEpisode(
  transcript: Transcript,
  { begin, turns }: { readonly begin: EpisodeBegin; readonly turns: readonly EpisodeTurn[] },
): Diagnosis {
  const { kind: _, version: __, episode: ___, ...order } = begin;
  const found = beliefAccuracy(planEpisode(order), turns);
  const claims: JudgedClaim[] = [];
  let call = 0;
  const drafts = transcript.steps.map(({ index, under: _, effect, ...step }) => {
    const { calls, cell } = found[step.message];
    if (step.role === "said") call = 0;
    const own = step.role === "called" ? calls[call++] : undefined;
    const beliefs = own?.beliefs ?? (step.role === "answered" ? cell : []);
    for (const { name, claimed, truth } of beliefs)
      claims.push({
        ...{ step: index, name, value: claimed, truth, moment: null },
        verdict: claimed === truth ? "right" : "wrong",
      });
    return {
      ...step,
      effect: own === undefined ? effect : own.changes ? ("changes" as const) : ("explores" as const),
      claims: beliefs.map(({ name, claimed }) => ({ name, value: claimed, place: null })),
    };
  });
  return diagnosis(messageTree("agent", transcript.name, drafts), "world", "calls", claims);
}

function diagnosis(
  transcript: Transcript,
  truth: Diagnosis["truth"],
  aligned: Diagnosis["aligned"],
  claims: readonly JudgedClaim[],
  madeOf: readonly (readonly string[])[] = [],
  stateAt: (step: number) => Readonly<Record<string, string>> = (step) =>
    Object.fromEntries(
      claims.flatMap((claim) =>
        claim.step === step && claim.truth !== null ? [[claim.name, claim.truth]] : [],
      ),
    ),
): Diagnosis {
  const words = claims.flatMap(({ step, name, verdict }, i): Word[] =>
    verdict === "right" || verdict === "wrong"
      ? [{ step, name, right: verdict === "right", madeOf: madeOf[i] ?? [] }]
      : [],
  );
  const { onset, chain, recovered, firstError, lastError } = findOnset(words);
  return {
    ...{ version: 1, transcript, truth, aligned, claims: [...claims] },
    onset: onset && { ...onset, state: stateAt(onset.step) },
    ...{ chain: [...chain], recovered: [...recovered], baselines: { firstError, lastError } },
  };
}

export function findProgram(prompt: string): { readonly source: string; readonly call: string } | undefined {
  const start = prompt.lastIndexOf("[PYTHON]");
  const end = prompt.indexOf("[/PYTHON]", start);
  if (start < 0) return undefined;
  const lines = prompt
    .slice(start + "[PYTHON]".length, end < 0 ? undefined : end)
    .replace(/^\n/, "")
    .trimEnd()
    .split("\n");
  const at = lines.findLastIndex((line) => /^assert\b/.test(line));
  if (at < 0) return undefined;
  const [call, expected] = assertionSides(lines.slice(at).join("\n"));
  if (call === undefined || expected === undefined || call.includes("??")) return undefined;
  return { source: `${lines.slice(0, at).join("\n")}\n`, call: call.trim() };
}
