/**
 * @file What a run is to be asked, from a command line to tests: one change, or a grid of them.
 *
 *     --set variables=3 --over commands=12,48 --over spacing=4,12
 *     {variables: 3, commands: 12, spacing: 4}, {..., spacing: 12}, {..., commands: 48, spacing: 4}, {..., spacing: 12}
 *
 * A corner of a grid that the task does not allow (a reveal every 24 of 12 commands) is left out and named.
 */

import { fail, LabError } from "../../core/error.ts";
import { applySettings } from "../../core/settings.ts";
import { testName } from "../../schemas/test-result.ts";
import type { Tokenizer } from "../../tasks/tokenizer.ts";
import { type Axis, combine, parseAxis } from "../grid.ts";
import type { TrainedRun } from "./open.ts";

export type Change = Readonly<Record<string, unknown>>;

export interface Questions {
  readonly tests: readonly Change[];
  /** What the tests are combinations of; none where they are not. */
  readonly axes: readonly Axis[];
  /** One sentence for each combination that the task does not allow. */
  readonly left: readonly string[];
  /** What they are called where nobody says: `tests`, `commands=48,spacing=4`. */
  readonly name: string;
}

/** `task.commands` is `commands`: a test changes nothing but the task. */
const ofTask = (settings: readonly string[]) => settings.map((setting) => setting.replace(/^\s*task\./, ""));

/** Errors: LabError for a setting that no corner of the grid allows, or that names words the run does not know. */
export function questionsFor(
  run: TrainedRun,
  { settings, over }: { readonly settings: readonly string[]; readonly over: readonly string[] },
): Questions {
  const axes = ofTask(over).map(parseAxis);
  const base = applySettings({}, ofTask(settings)) as Change; // settings over an object make one
  if (settings.length + over.length === 0) {
    return { tests: run.config.evaluate.tests, axes: [], left: [], name: "tests" };
  }
  const all = combine(axes).map(({ changes }) => {
    const own = Object.entries(changes).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return applySettings(base, own) as Change;
  });
  const left: LabError[] = [];
  const tests = all.filter((change) => {
    try {
      allowed(run, change);
      return true;
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      left.push(error);
      return false;
    }
  });
  if (tests.length === 0) throw left[0];
  return { tests, axes, left: left.map(({ message }) => `left out: ${message}`), name: nameOf(base, axes) };
}

/** Prepares the task as the test wants it: the words of its programs are those that the run has learned. */
function allowed({ data: { variant, tokenizer } }: TrainedRun, change: Change): void {
  const unknown = variant(change, testName(change)).words.filter((word) => !isKnown(tokenizer, word));
  if (unknown.length === 0) return;
  const hint = "A model knows the words that it was trained with; train one with this setting";
  fail(testName(change), "words that the run knows", unknown.slice(0, 8).join(" "), hint);
}

function isKnown(tokenizer: Tokenizer, word: string): boolean {
  try {
    tokenizer.encode(word);
    return true;
  } catch {
    return false;
  }
}

/** `variables=3,commands=12-48,spacing=4-12`, for a file. */
function nameOf(base: Change, axes: readonly Axis[]): string {
  const parts = [
    ...Object.entries(base).map(([key, value]) => [key, [value]] as const),
    ...axes.map(({ key, values }) => [key, values] as const),
  ];
  const name = parts
    .map(([key, values]) => `${key}=${values.map((value) => JSON.stringify(value)).join("-")}`)
    .join(",");
  return name.replaceAll(/[^\w.,=-]+/g, "").slice(0, 120);
}
