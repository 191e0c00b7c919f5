/**
 * @file Fault localization: the model names the faulty block, from block states or output alone, or repairs the
 * program.
 *
 *     def f(n):
 *         total = 0  # block 0
 *         for i in range(n):  # block 1
 *             total -= i  # block 2
 *         return total  # block 3                       f(3) should give 3, and gives -3
 *     run 3: block 2, before n = 3, total = 0, i = 0, after n = 3, total = 0, i = 0                      expected: 2
 *
 * Arms: `states` shows the first and last five executed blocks, `output` none; the third, for
 * repairs, names the faulty block. Their differences are the value of block states, and of a perfect judge, to a model.
 *
 * Source: the verdicts by block, in one question, of "Debug like a Human" (LDB, 2024); the words are our own.
 */

import { z } from "zod";
import { parseWith } from "../../core/settings.ts";
import { FaultRecord } from "../../schemas/fault.ts";
import type { Execute } from "../execute.ts";
import { answersBetween, between, isMention, stopMark } from "../prompt.ts";
import { defineBench, type Judgement, type Question, type Style } from "../question.ts";
import { type Form, judgeAnswer } from "../scoring/answer-parser.ts";
import type { Grade } from "../scoring/grade.ts";

const Params = z.strictObject({
  programs: z.int().min(1).optional().describe("Number of faults, from the first; all by default"),
  see: z
    .array(z.enum(["states", "output", "told"]))
    .min(1)
    .default(["states", "output"])
    .describe("What the prompt shows: states before each block, the output, or the location"),
  want: z
    .enum(["block", "repair"])
    .default("block")
    .describe("The number of the faulty block, or the repaired program"),
});
type See = z.infer<typeof Params>["see"][number];

export const faultBlocks = defineBench<z.infer<typeof Params>, FaultRecord>({
  name: "fault-blocks",
  summary: "a faulty program: which block is faulty, or what is the repaired program?",
  source: "statelab data faults",
  data: {
    place: "mbpp-faults.jsonl",
    hint: "Make it: statelab data faults mbpp",
    row: (value, at) => parseWith(FaultRecord, value, at),
  },
  params: Params,
  arms: ["function"],
  armSetting: "see",
  predict: ["output"],
  fixedPrompt: true,
  stop: [stopMark],
  prepare({ programs, see, want }, { rows, style }) {
    const arms = see.filter((each) => want === "repair" || each !== "told");
    const excluded: { id: string; reason: string }[] = [];
    const asked = rows.slice(0, programs).flatMap((fault) => {
      const index = faultyBlock(fault);
      if (index !== -1 && fault.run !== null) return arms.map((arm) => ({ fault, arm, index }));
      excluded.push({ id: fault.id, reason: "the faulty run was not recorded" });
      return [];
    });
    return {
      count: asked.length,
      excluded,
      question: (at) => questionOf(asked[at].fault, asked[at].arm, asked[at].index, want, style),
    };
  },
});

const faultyBlock = ({ blocks, block }: FaultRecord) =>
  blocks.findIndex(([first, last]) => first === block[0] && last === block[1]);

function questionOf(
  fault: FaultRecord,
  arm: See,
  index: number,
  want: "block" | "repair",
  style: Style,
): Question {
  const { id, source, tests } = fault;
  const prompt = promptOf(fault, arm, index, want, style);
  return {
    ...{ id, arm, predict: "output", steps: fault.run?.sequence.length ?? null },
    expected: want === "block" ? String(index) : source,
    ...(want === "repair" && { replyTokens: 400 + source.length }),
    next: (replies) => (replies.length === 0 ? prompt : undefined),
    async judge([reply], execute) {
      if (want === "block")
        return judgeAnswer(reply, { style, program: numbered(fault), form: blockForm }, (answer) =>
          named(answer, index),
        );
      const answer = repairIn(reply, style);
      if (answer === undefined)
        return { extracted: null, grade: { kind: "unreadable", words: "no answer in the reply" } };
      return repaired(answer, tests, execute);
    },
  };
}

const blockForm: Form = (text) => /^(?:block\s*)?#?(\d+)$/i.exec(text.trim())?.[1];

function named(answer: string, index: number): Grade {
  const number = blockForm(answer);
  if (number === undefined) return { kind: "unreadable", words: "the answer is no number of a block" };
  return Number(number) === index ? { kind: "correct" } : { kind: "wrong", words: "another block" };
}

/** The program may be inside the marks of the prompt. */
function repairIn(reply: string, style: Style): string | undefined {
  const tagged = answersBetween(reply, style).filter((text) => !isMention(text));
  const text = tagged[0] ?? (style === "direct" ? reply : undefined);
  if (text === undefined) return undefined;
  const code = between(text, "PYTHON").find((each) => !isMention(each)) ?? text;
  const inside = /```[\w-]*[ \t]*\n([\s\S]*?)(?:```|$)/.exec(code)?.[1] ?? code;
  return inside.trim() === "" ? undefined : inside.trim();
}

async function repaired(code: string, tests: FaultRecord["tests"], execute: Execute): Promise<Judgement> {
  const expression = tests.map(({ test }) => `(${test})`).join(" and ");
  const run = await execute({ code, expression });
  return {
    extracted: code,
    grade: run.kind === "passed" ? { kind: "correct" } : { kind: "wrong", words: run.words },
  };
}

function promptOf(
  fault: FaultRecord,
  arm: See,
  index: number,
  want: "block" | "repair",
  style: Style,
): string {
  const { run } = fault;
  const evidence =
    arm === "states"
      ? `The variables before and after the blocks that ran, the first five and the last five of ${run!.sequence.length}:\n\n${statesOf(run!)}\n\n` // it was recorded, or the fault is not asked about
      : arm === "told"
        ? `The fault is in block ${index}.\n\n`
        : "";
  const wanted =
    want === "block"
      ? "Which block does something else than it should? Put its number alone between [ANSWER] and [/ANSWER]."
      : "Put the whole program without the fault, and nothing else, between [ANSWER] and [/ANSWER].";
  const judging =
    arm === "states" && want === "block" ? " Say of each block that is shown whether it is right." : "";
  const how = style === "cot" ? " Work it out between [THOUGHT] and [/THOUGHT] before you answer." : "";
  return [
    "One line of this Python program is wrong. Its basic blocks are numbered in comments.",
    `[PYTHON]\n${numbered(fault)}\n[/PYTHON]`,
    `${run!.call} should give ${run!.expected}, and it gives ${run!.got}.`,
    `${evidence}${wanted}${style === "cot" ? judging : ""}${how}`,
    style === "cot" ? "[THOUGHT]\n" : "[ANSWER]\n",
  ].join("\n\n");
}

function numbered({ faulty, blocks }: FaultRecord): string {
  const numbers = new Map(blocks.map(([first], i) => [first, i]));
  return faulty
    .trimEnd()
    .split(/\r\n|\r|\n/)
    .map((line, i) => (numbers.has(i + 1) ? `${line}  # block ${numbers.get(i + 1)}` : line))
    .join("\n");
}

function statesOf({ sequence, shown }: NonNullable<FaultRecord["run"]>): string {
  const words = (state: Readonly<Record<string, string>>) =>
    Object.entries(state)
      .map(([name, value]) => `${name} = ${value}`)
      .join(", ") || "nothing";
  return shown
    .map(
      ({ at, before, after }) =>
        `run ${at + 1}: block ${sequence[at]}\n  before: ${words(before)}\n  after: ${words(after)}`,
    )
    .join("\n");
}
