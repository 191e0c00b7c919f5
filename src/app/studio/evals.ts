/**
 * @file The evaluations of language models below a folder for the studio: a summary of each, its samples by verdict, and a single
 * sample. Nothing is written.
 *
 *     runs/gpt/{results.json, samples.jsonl}      what `statelab llm eval --out runs/gpt` left
 *
 * A file of samples may have a gigabyte: memory has only byte offsets and the fields that filters use.
 */

import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { LabError } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { type ArmResult, AskResults, SampleRecord } from "../../schemas/eval.ts";
import { checkFolder, parseJson } from "../../storage/index.ts";
import { answerLines } from "../llm/log.ts";

const DEPTH = 4;
/** Of a list at once: more make a browser slow. */
const MOST_LINES = 200;
/** Files whose places are kept. */
const MOST_FILES = 4;
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
  /** In the sample's name. */
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

export async function listEvals(folder: string): Promise<AskingLine[]> {
  return (await askingsBelow(folder, DEPTH)).map((asking) => {
    const name = nameOf(folder, asking);
    try {
      checkFolder(asking);
      const path = join(asking, RESULTS);
      const { bench, model, endpoint, denominator, arms, left } = parseWith(
        AskResults,
        parseJson(readFileSync(path, "utf8"), path),
        path,
      );
      return { name, bench, model, endpoint, denominator, arms, left };
    } catch (error) {
      if (error instanceof LabError) return { name, problem: error.message };
      throw error;
    }
  });
}

/** undefined where there is no asking of that name. Errors: LabError where its samples cannot be read, or lead out of it. */
export async function evalSamples(
  folder: string,
  name: string,
  choice: SampleChoice,
): Promise<SampleList | undefined> {
  const asking = await found(folder, name);
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
      line.sample.includes(text),
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
  const asking = await found(folder, name);
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

const nameOf = (folder: string, asking: string) => relative(folder, asking) || ".";

async function found(folder: string, name: string): Promise<string | undefined> {
  const asking = (await askingsBelow(folder, DEPTH)).find((each) => nameOf(folder, each) === name);
  if (asking !== undefined) checkFolder(asking);
  return asking;
}

async function askingsBelow(folder: string, depth: number): Promise<string[]> {
  if (existsSync(join(folder, SAMPLES)) && existsSync(join(folder, RESULTS))) return [folder];
  if (depth === 0 || !existsSync(folder)) return [];
  const inner = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const below = await Promise.all(inner.map(({ name }) => askingsBelow(join(folder, name), depth - 1)));
  return below.flat().sort();
}

interface Place {
  readonly at: number;
  readonly length: number;
  readonly line: SampleLine;
}

const known = new Map<string, { readonly stamp: string; readonly places: readonly Place[] }>();

/** A file of samples is put in its place whole, so its number and size tell whether it is the one that was read. */
async function placesAt(path: string): Promise<readonly Place[]> {
  const { ino, size, mtimeMs } = statSync(path);
  const stamp = `${ino} ${size} ${mtimeMs}`;
  const before = known.get(path);
  if (before?.stamp === stamp) return before.places;
  const places: Place[] = [];
  for await (const { line: text, at, length } of answerLines(path)) {
    const { sample, arm, predict, id, steps, verdict, words } = recordIn(text, path, at);
    places.push({ at, length, line: { sample, arm, predict, id, steps, verdict, words } });
  }
  known.delete(path);
  known.set(path, { stamp, places });
  const [oldest] = known.keys();
  if (known.size > MOST_FILES && oldest !== undefined) known.delete(oldest);
  return places;
}

function recordIn(text: string, path: string, at: number): SampleRecord {
  const where = `${path}, byte ${at}`;
  const value = parseJson(text, where, "statelab llm eval writes the file again from its answers");
  return parseWith(SampleRecord, value, where);
}
