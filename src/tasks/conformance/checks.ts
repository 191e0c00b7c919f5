/**
 * @file Conformance checks of a task; each returns an error sentence. Used by the conformance suite, and by `statelab check` and
 * `train` for a user's task.
 *
 *     deterministic  example i is a function of the seed and i, whatever was drawn before
 *     reveals        the revealed word is at its offset, and agrees with the state
 *     states         given before each reveal: one of the named values for each named variable
 *     words          the text tokenizes to the words that were written
 *     lengths        no example exceeds the declared bounds
 *     references     in 0 .. 1 for each reveal, and at most the exact filter's
 *     posterior      in 0 .. 1, sums to 1, and gives the revealed value a positive probability
 */

import { exampleStream } from "../../core/rng.ts";
import { batchWriter, emptyBatch, maximumLength } from "../batch.ts";
import { exampleFrom, wordsFrom } from "../example.ts";
import { type Example, type Prepared, statesAtMost } from "../task.ts";
import { wordTokenizer } from "../tokenizer.ts";

const count = 60;
const stream = exampleStream(1, "train");
const draw = (prepared: Prepared, i: number) => exampleFrom(prepared, stream(i));
const samplesOf = (prepared: Prepared) => Array.from({ length: count }, (_, i) => draw(prepared, i));

/** An error message, or undefined. */
type TaskCheck = (prepared: Prepared) => string | undefined;

/** The first error over several examples. */
const firstOf = (prepared: Prepared, look: (example: Example, i: number) => string | undefined) => {
  for (let i = 0; i < count; i++) {
    const found = look(draw(prepared, i), i);
    if (found !== undefined) return `example ${i}: ${found}`;
  }
  return undefined;
};

function deterministic(prepared: Prepared): string | undefined {
  const first = samplesOf(prepared).map((example) => JSON.stringify(example));
  const again = Array.from({ length: count }, (_, i) =>
    JSON.stringify(draw(prepared, count - 1 - i)),
  ).reverse();
  const different = first.findIndex((text, i) => text !== again[i]);
  if (different !== -1)
    return `example ${different} is another when it is drawn again with the same seed, in another order`;
  return new Set(first).size === 1 ? `the first ${count} examples are all the same` : undefined;
}

function reveals(prepared: Prepared): string | undefined {
  const written = prepared.asks !== "states";
  return firstOf(prepared, ({ text, reveals: all, states }) => {
    if (all.length === 0) return "it reveals nothing, so there is nothing to ask";
    for (const { start, end, variable, value, commands } of all) {
      const stands = text.slice(start, end);
      if (stands !== (written ? value : "")) {
        return `it reveals that ${variable} is ${value}, and the text says ${JSON.stringify(stands)} there`;
      }
      const now = states[commands];
      if (now === undefined || now.end > start) return `no state is given before it reveals ${variable}`;
      const held = now.values[variable];
      if (held !== value)
        return `it reveals that ${variable} is ${value}, and the state holds ${held ?? "nothing"}`;
    }
    return undefined;
  });
}

function states(prepared: Prepared): string | undefined {
  const known = new Set(prepared.values);
  return firstOf(prepared, ({ text, states: all }) => {
    if (all.length === 0) return "no state is given";
    for (const [i, { end, values }] of all.entries()) {
      if (end > text.length || (i > 0 && end <= all[i - 1].end))
        return `state ${i} does not end behind the one before it`;
      const strange = Object.keys(values).find((name) => !prepared.variables.includes(name));
      if (strange !== undefined) return `state ${i} has ${strange}, which is none of the task's variables`;
      const odd = Object.entries(values).find(([, value]) => !known.has(value));
      if (odd !== undefined)
        return `in state ${i} ${odd[0]} holds ${String(odd[1])}, which is none of the task's values`;
    }
    return undefined;
  });
}

function words(prepared: Prepared): string | undefined {
  const tokenizer = wordTokenizer(prepared.words);
  return firstOf(prepared, ({ text }, i) => {
    const written = wordsFrom(prepared, stream(i));
    const read = tokenizer.encode(text);
    const at = written.findIndex((word, place) => word !== read[place]);
    if (at === -1 && written.length === read.length) return undefined;
    const [is, was] = [read[at], written[at]].map((word) => JSON.stringify(prepared.words[word]));
    return `its text is read back as other words: word ${at} as ${is}, not ${was}`;
  });
}

function lengths(prepared: Prepared): string | undefined {
  const { maximumWords, maximumCharacters = Number.POSITIVE_INFINITY } = prepared;
  const most = statesAtMost(prepared);
  const found = firstOf(prepared, ({ text, states: all }, i) => {
    const length = wordsFrom(prepared, stream(i)).length;
    if (length > maximumWords) return `it has ${length} words, and maximumWords is ${maximumWords}`;
    if (text.length > maximumCharacters)
      return `it has ${text.length} characters, and maximumCharacters is ${maximumCharacters}`;
    return all.length > most
      ? `it has ${all.length} states, and at most ${most} are said to be possible`
      : undefined;
  });
  if (found !== undefined) return found;
  // A trainer's batch must accept them, too.
  const tokenizer = wordTokenizer(prepared.words);
  const batch = emptyBatch(8, maximumLength(prepared, tokenizer));
  batchWriter(prepared, tokenizer)(batch, stream, 0);
  return undefined;
}

function references(prepared: Prepared): string | undefined {
  return firstOf(prepared, (example) => {
    const exact = prepared.references?.exactBayes?.(example);
    for (const [name, reference] of Object.entries(prepared.references ?? {})) {
      const shares = reference(example);
      if (shares.length !== example.reveals.length) {
        return `reference ${name} says ${shares.length} shares for ${example.reveals.length} reveals`;
      }
      const odd = shares.find((share) => !(share >= 0 && share <= 1));
      if (odd !== undefined) return `reference ${name} says ${odd}, which is no share from 0 to 1`;
      const better = shares.findIndex((share, i) => share > (exact?.[i] ?? 1) + 1e-9);
      if (better !== -1)
        return `reference ${name} expects to be right more often than exactBayes at reveal ${better}`;
    }
    return undefined;
  });
}

function posterior(prepared: Prepared): string | undefined {
  if (prepared.posterior === undefined) return undefined;
  return firstOf(prepared, ({ reveals: all }) => {
    for (const { posterior: shares = {}, value } of all) {
      const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
      if (!(Math.abs(total - 1) <= 1e-9)) return `the posterior of a reveal sums to ${total}`;
      const odd = Object.entries(shares).find(([, share]) => !(share >= 0 && share <= 1));
      if (odd !== undefined) return `the posterior of ${odd[0]} is ${odd[1]}`;
      if (!(shares[value] > 0)) return `it reveals ${value}, which its posterior holds impossible`;
    }
    return undefined;
  });
}

/** By user-facing name. All are fast. */
export const taskChecks = {
  deterministic,
  "lengths in bounds": lengths,
  "states given": states,
  "reveals true": reveals,
  "words read back": words,
  "references are shares": references,
  "posterior is one": posterior,
} as const satisfies Record<string, TaskCheck>;

/*
 * Extracts the Python code of a text, so that an interpreter can recompute its states.
 *
 *     >>> a, b = b, a          a, b = b, a
 *     >>> print('a', a)        print('a', a)
 *     a 2
 */

/** The code lines of a session, without prompts and printed output. */
export function sessionCode(text: string): string {
  let isOutput = false;
  return text
    .split("\n")
    .filter((line) => {
      const keep = !isOutput;
      isOutput = keep && /^(>>> )?print\(/.test(line);
      return keep;
    })
    .map((line) => line.replace(/^>>> /, ""))
    .join("\n");
}

/** Whether the text assigns each of these names in Python syntax. */
export function isPython(text: string, names: readonly string[]): boolean {
  const assigned = sessionCode(text)
    .split("\n")
    .flatMap((line) => /^(\w+(?:, \w+)*) = \S/.exec(line)?.[1].split(", ") ?? []);
  return names.length > 0 && names.every((name) => assigned.includes(name));
}
