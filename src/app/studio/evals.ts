/**
 * @file The evaluations of language models below a folder for the studio: a summary of each, its samples by verdict, and a single
 * sample. Nothing is written.
 *
 *     runs/gpt/{results.json, samples.jsonl}      what `statelab llm eval --out runs/gpt` left
 *
 * A file of samples may have a gigabyte: memory has only byte offsets and the fields that filters use.
 */

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { parseWith } from "../../core/settings.ts";
import { type ArmResult, AskResults, SampleRecord } from "../../schemas/eval.ts";
import { parseJson, readRecord } from "../../storage/index.ts";
import { answerLines } from "../llm/log.ts";
import { folderNamed, keptFiles, linesBelow, MOST_LINES } from "./folders.ts";

const RESULTS = "results.json";
const SAMPLES = "samples.jsonl";

export interface AskingLine {
  /** Path below the folder; "." is the folder itself. */
  readonly name: string;
  /** Of one that cannot be read, why; nothing else is known of it. */
  readonly problem?: string;
  readonly bench?: string;
  readonly model?: string;
  readonly endpoint?: string;
  readonly denominator?: string;
  readonly arms?: readonly ArmResult[];
  /** Samples without an answer, by what happened. */
  readonly left?: Readonly<Record<string, number>>;
}

interface SampleLine
  extends Pick<SampleRecord, "sample" | "arm" | "predict" | "id" | "steps" | "verdict" | "words"> {}

export interface SampleChoice {
  readonly verdict?: string;
  readonly arm?: string;
  readonly predict?: string;
  /** Where one of these is given, samples whose steps are not known are left out. */
  readonly leastSteps?: number;
  readonly mostSteps?: number;
  /** In the sample's name, or in why it has its verdict. */
  readonly text?: string;
  readonly from?: number;
}

export interface SampleList {
  readonly all: number;
  readonly found: number;
  readonly from: number;
  readonly samples: readonly SampleLine[];
  /** How many of those that are found have each verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
}

const isAsking = (folder: string) => existsSync(join(folder, SAMPLES)) && existsSync(join(folder, RESULTS));

export function listEvals(folder: string): Promise<AskingLine[]> {
  return linesBelow(folder, isAsking, async (asking) => {
    const hint = "Create it with statelab llm eval";
    const { bench, model, endpoint, denominator, arms, left } = await readRecord(
      join(asking, RESULTS),
      AskResults,
      hint,
    );
    return { bench, model, endpoint, denominator, arms, left };
  });
}

/** undefined where there is no asking of that name. Errors: LabError where its samples cannot be read, or lead out of it. */
export async function evalSamples(
  folder: string,
  name: string,
  choice: SampleChoice,
): Promise<SampleList | undefined> {
  const asking = await folderNamed(folder, name, isAsking);
  if (asking === undefined) return undefined;
  const places = await placesAt(join(asking, SAMPLES));
  const { verdict, arm, predict, text = "", from = 0 } = choice;
  const { leastSteps = 0, mostSteps = Number.POSITIVE_INFINITY } = choice;
  const bounded = choice.leastSteps !== undefined || choice.mostSteps !== undefined;
  const matching = places.filter(
    ({ line }) =>
      (arm === undefined || line.arm === arm) &&
      (predict === undefined || line.predict === predict) &&
      (!bounded || (line.steps !== null && line.steps >= leastSteps && line.steps <= mostSteps)) &&
      [line.sample, line.words].some((each) => each.includes(text)),
  );
  const verdicts: Record<string, number> = {};
  for (const { line } of matching) verdicts[line.verdict] = (verdicts[line.verdict] ?? 0) + 1;
  const chosen = verdict === undefined ? matching : matching.filter(({ line }) => line.verdict === verdict);
  return {
    all: places.length,
    found: chosen.length,
    from,
    samples: chosen.slice(from, from + MOST_LINES).map(({ line }) => line),
    verdicts,
  };
}

/** undefined where there is no such asking, or no such sample in it. */
export async function evalSample(
  folder: string,
  name: string,
  sample: string,
): Promise<SampleRecord | undefined> {
  const asking = await folderNamed(folder, name, isAsking);
  if (asking === undefined) return undefined;
  const path = join(asking, SAMPLES);
  const place = (await placesAt(path)).find(({ line }) => line.sample === sample);
  if (place === undefined) return undefined;
  const bytes = Buffer.alloc(place.length);
  const file = openSync(path, "r");
  try {
    readSync(file, bytes, 0, place.length, place.at);
  } finally {
    closeSync(file);
  }
  return recordIn(bytes.toString("utf8"), path, place.at);
}

interface Place {
  readonly at: number;
  readonly length: number;
  readonly line: SampleLine;
}

/** A file of samples is put in its place whole, so its number and size tell whether it is the one that was read. */
const placesAt = keptFiles(async (path): Promise<readonly Place[]> => {
  const places: Place[] = [];
  for await (const { line: text, at, length } of answerLines(path)) {
    const { sample, arm, predict, id, steps, verdict, words } = recordIn(text, path, at);
    places.push({ at, length, line: { sample, arm, predict, id, steps, verdict, words } });
  }
  return places;
});

function recordIn(text: string, path: string, at: number): SampleRecord {
  const where = `${path}, byte ${at}`;
  const value = parseJson(text, where, "statelab llm eval writes the file again from its answers");
  return parseWith(SampleRecord, value, where);
}
