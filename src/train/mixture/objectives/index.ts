/** @file Every objective that a part of a mixture may have, by name. To add one: write its file, its test and one line here. */

import { suggest } from "../../../core/did-you-mean.ts";
import { fail } from "../../../core/error.ts";
import { parseWith } from "../../../core/settings.ts";
import type { Prepared } from "../../../tasks/task.ts";
import { copy } from "./copy.ts";
import { infill } from "./infill.ts";
import { nextToken } from "./next-token.ts";
import { NEW_WORDS, type PartObjective, wrapped } from "./objective.ts";
import { selectiveCopy } from "./selective-copy.ts";

export const partObjectives = { "next-token": nextToken, copy, "selective-copy": selectiveCopy, infill };
export type PartObjectiveName = keyof typeof partObjectives;

/** What the task itself asks for: a part without another objective. */
export const OWN_OBJECTIVE = "reveals";

export interface NamedObjective {
  readonly name: string;
  readonly [field: string]: unknown;
}

export const nameOf = (given: string | NamedObjective): string =>
  typeof given === "string" ? given : given.name;

/** Errors: LabError for an objective that is not there, fields that it does not have, or a task that it does not fit. */
export function objectiveAround(
  given: string | NamedObjective,
  at: string,
): ((wide: Prepared) => Prepared) | undefined {
  const { name, ...own } = typeof given === "string" ? { name: given } : given;
  if (name === OWN_OBJECTIVE && Object.keys(own).length === 0) return undefined;
  if (!Object.hasOwn(partObjectives, name)) {
    const names = [OWN_OBJECTIVE, ...Object.keys(partObjectives)];
    return fail(`${at}.objective`, `one of ${names.join(", ")}`, name, suggest(name, names));
  }
  const objective = partObjectives[name as PartObjectiveName] as unknown as PartObjective; // its params are parsed by its own schema
  const params = parseWith(objective.params, own, `${at}.objective`);
  return (wide) => wrapped(wide, objective, params);
}

/** Errors: LabError for a task around which no objective can be written. */
export function checkWrappable({ asks, words }: Prepared, tokenizer: "word" | "character", at: string): void {
  if (asks === "states") {
    const hint = "Of this one the states are asked for, and not written";
    fail(at, "objectives with a task that writes what it asks for", "another task", hint);
  }
  if (tokenizer !== "word") fail(at, "objectives with tokenizer: word", tokenizer);
  const taken = Object.values(NEW_WORDS).find((word) => words.includes(word));
  if (taken !== undefined) fail(at, `a task without a word ${taken}`, "one that has it");
}
