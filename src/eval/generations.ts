/**
 * @file Answers that a model gave before, in any of the layouts in which they are kept, as answers by program.
 *
 *     {"sample_0": ["17", "18"], ...}                          CRUXEval's
 *     {"sample_0": [["17", "the whole reply"], ...], ...}      CRUXEval's, with what they were extracted from
 *     [["17", "18"], ...]   ["17", ...]                        a list, in the order of the benchmark
 *     [{"id": "sample_0", "answers": ["17"]}, ...]             a list with names; also answer, generations, generation, output_list, pred_list
 *     {"version": 1, "sample": "function/output/sample_0/0000", ...}\n...      samples.jsonl of `statelab llm eval`
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { parseWith } from "../core/settings.ts";
import { SampleRecord } from "../schemas/eval.ts";
import type { Generations } from "../schemas/samples.ts";
import type { Predict } from "./question.ts";

export interface ReadGenerations {
  readonly generations: Generations;
  /** The programs in the file, if it may be incomplete. */
  readonly only: ReadonlySet<string> | null;
}

const Answer = z.union([z.string(), z.tuple([z.string(), z.unknown()]).transform(([answer]) => answer)]);
const Answers = z.union([z.array(Answer), z.string().transform((answer) => [answer])]);
const ByName = z.record(z.string(), z.array(Answer));
const InOrder = z.array(Answers);
const lists = [
  "answers",
  "answer",
  "generations",
  "generation",
  "output_list",
  "pred_list",
  "extracted",
] as const;
const Named = z.array(
  z
    .looseObject({
      id: z.union([z.string(), z.int()]).optional(),
      question_id: z.union([z.string(), z.int()]).optional(),
    })
    .transform((row, context) => {
      const id = row.id ?? row.question_id;
      const field = lists.find((name) => name in row);
      const answers = Answers.safeParse(field === undefined ? undefined : row[field]);
      if (id !== undefined && answers.success) return { id: String(id), answers: answers.data };
      context.addIssue({ code: "custom", message: "no name or no answers" });
      return z.NEVER;
    }),
);

/** `ids`: of the benchmark's programs, in its order. @throws LabError (corrupt) naming the layouts. */
export function readGenerations(
  text: string,
  {
    ids,
    predict,
    arm = "function",
    at,
  }: {
    readonly ids: readonly string[];
    readonly predict: Predict;
    readonly arm?: string;
    readonly at: string;
  },
): ReadGenerations {
  const values = jsonIn(text, at);
  const samples = z.array(SampleRecord).min(1).safeParse(values);
  if (samples.success) return ofSamples(samples.data, predict, arm, at);
  const [value] = values.length === 1 ? values : [values];
  if (!Array.isArray(value) && typeof value === "object" && value !== null && values.length === 1)
    return { generations: parseWith(ByName, value, at), only: null };
  const named = Named.safeParse(value);
  if (named.success) {
    const generations = new Map<string, string[]>(); // a name may be __proto__
    for (const { id, answers } of named.data)
      generations.set(id, [...(generations.get(id) ?? []), ...answers]);
    return { generations: Object.fromEntries(generations), only: null };
  }
  const inOrder = InOrder.safeParse(value);
  if (inOrder.success && inOrder.data.length === ids.length)
    return { generations: Object.fromEntries(ids.map((id, i) => [id, inOrder.data[i]])), only: null };
  const got = inOrder.success ? `a list of ${inOrder.data.length}` : text.trim().slice(0, 60);
  return fail(
    at,
    `{"sample_0": ["17", ...], ...}, a list of the ${ids.length} programs' answers, a list of {id, answers}, or samples.jsonl of llm eval`,
    got,
    undefined,
    "corrupt",
  );
}

function ofSamples(
  samples: readonly SampleRecord[],
  predict: Predict,
  arm: string,
  at: string,
): ReadGenerations {
  const own = samples.filter((sample) => sample.predict === predict && sample.arm === arm);
  if (own.length === 0)
    fail(
      at,
      `samples of ${arm}, ${predict} prediction`,
      [...new Set(samples.map((each) => `${each.arm}, ${each.predict}`))].join("; "),
      undefined,
      "corrupt",
    );
  const generations: Generations = {};
  for (const { id, extracted } of own) generations[id] = [...(generations[id] ?? []), extracted ?? ""];
  return { generations, only: new Set(Object.keys(generations)) };
}

/** One document, or one a line. */
function jsonIn(text: string, at: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text.split("\n").flatMap((line, i) => {
      if (line.trim() === "") return [];
      try {
        return [JSON.parse(line)];
      } catch {
        // a file whose first line is not JSON is not JSON lines
        return fail(i === 0 ? at : `${at}, line ${i + 1}`, "JSON", line.slice(0, 60), undefined, "corrupt");
      }
    });
  }
}
