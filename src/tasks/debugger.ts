/**
 * @file The debugger: a program, a position in its run, and a command. Where does the command stop, and what has changed there?
 *
 *     line 1: def f(a, b):
 *     line 2:     a += 2
 *     line 3:     if b < 5:
 *     line 4:         a %= 2
 *     line 5:     return a
 *     line 2: {a: 4, b: 1}
 *     next
 *     line 3: {a: 6}                          asked, all of it
 *     line 5: {a: 0, b: 1}
 *     back
 *     line 4: {a: 6}                          a was 2, 4, 6 or 8: the best guess is right once in four
 *
 * The commands are those of `statelab debug`, with the same meaning. Each question is about a separate run with random, hidden
 * arguments. The shown state is complete, so forward commands have one answer; backward over an irreversible line there are several.
 * `exactBayes` counts the arguments that fit what is shown: no guess is right more often.
 *
 * Source: commands, states and their inverse are from Towards a Neural Debugger for Python (2026). Programs, text and the computed
 * ceiling are our own.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { updateKinds } from "./branches/generate.ts";
import { codePieces, type Line, readCode } from "./branches/syntax.ts";
import { type CommandName, commandNames } from "./debugger/moves.ts";
import { drawDebugged, HELPER_LINES, HELPER_VARIABLE, type ProgramForm } from "./debugger/program.ts";
import {
  answerPieces,
  type DebuggerQuestion,
  drawQuestion,
  everyRun,
  fitting,
  sharesOf,
  type Told,
} from "./debugger/questions.ts";
import {
  allAnswers,
  commandPieces,
  countAnswers,
  debuggerWords,
  lineStart,
  ownNames,
  stopPieces,
} from "./debugger/vocabulary.ts";
import { Length, lengthRange } from "./length.ts";
import { defineTask, type Example, type Prepared, type Sink } from "./task.ts";
import { lastReveal } from "./task-prompt.ts";

const DebuggerParams = z.strictObject({
  variables: z.int().min(2).max(3).default(2).describe("Number of variables of the function, a to c"),
  starts: z.int().min(2).max(12).default(8).describe("Arguments are uniform below this"),
  numbers: z.int().min(4).max(20).default(12).describe("Values are below this, in all stages and tests"),
  lines: Length.default([3, 8]).describe("Lines between the first and the last of the function"),
  branches: z.int().min(0).max(4).default(1).describe("Largest number of conditions"),
  calls: z.boolean().default(true).describe("Whether the function calls another one"),
  updates: z.enum(updateKinds).default("both").describe("Reversible changes, lossy ones, or both"),
  questions: z.int().min(1).max(100).default(4).describe("Questions per program"),
  /** The commands that may be asked. */
  commands: z
    .array(z.enum(commandNames as [CommandName, ...CommandName[]]))
    .min(1)
    .default(commandNames)
    .describe("Debugger commands that are asked"),
  labels: z.int().min(8).max(64).default(16).describe("Number of named lines, in all stages and tests"),
});
type DebuggerParams = z.infer<typeof DebuggerParams>;

export const debuggerTask = defineTask<DebuggerParams>({
  name: "debugger",
  summary: "a program, a position in its run and a debugger command: where does it stop, and what changes?",
  source: "Towards a Neural Debugger for Python (2026)",
  params: DebuggerParams,
  prepare: prepareDebugger,
  ask: (params) => ({
    instruction: debuggerInstruction,
    language: "text",
    answers: allAnswers(params),
    question: lastReveal,
  }),
});

export const debuggerInstruction =
  "Below are listings of Python programs, and under each what a debugger shows. A stop is the line that is to run next (`call`: a function begins there; `return`: it is about to return) and all variables. Under it stands a command: step (the next line, call or return), next (the same, over calls), return (the return of this function), continue LINE, or the same backwards: back, back over, back out (the call of this function), back continue LINE. Behind the command stand the next stop and, in braces, those variables whose values are other ones there, or that are new. Each run is with other arguments. ?? stands for the last of these answers";

/** More answers would need too much memory. */
const MOST_ANSWERS = 300_000;
const MOST_DRAWS = 1000;

function prepareDebugger(params: DebuggerParams): Prepared {
  const { variables: n, starts, numbers, questions, commands, labels, calls } = params;
  const range = lengthRange(params.lines, "debugger");
  const most = range.most + 2 + (calls ? HELPER_LINES : 0);
  if (most > labels)
    fail("debugger", `at most ${labels} lines, the number of labels`, most, "Raise labels too");
  if (starts > numbers) fail("debugger", `starts of at most ${numbers}, the number of numbers`, starts);
  const answers = countAnswers(params);
  if (answers > MOST_ANSWERS)
    fail("debugger", `sizes with at most ${MOST_ANSWERS} answers`, answers, "Lower numbers or labels");
  const form: ProgramForm = { ...params, lines: range };
  const words = debuggerWords(params);
  const indexOf = new Map(words.map((word, i) => [word, i]));
  const values = [...Array.from({ length: numbers }, (_, i) => String(i)), ...allAnswers(params)];
  const valueAt = new Map(values.map((value, i) => [value, i]));
  const names = [...ownNames(params), HELPER_VARIABLE];
  const say = (sink: Sink, pieces: readonly string[]) => {
    for (const piece of pieces) sink.word(indexOf.get(piece)!); // `words` has every piece
  };
  const held = new Int32Array(n + 2);
  return {
    words,
    variables: [...names, "answer"],
    values,
    // g without swaps, the head of f, swaps and a return; per question two stops with all variables, and a command
    maximumWords: (calls ? 21 : 0) + 4 + 10 * range.most + 5 + questions * (2 * (4 + 4 * (n + 1)) + 3),
    maximumStates: questions,
    write(rng, sink) {
      const { lines, asked } = drawAll(rng);
      for (const [i, line] of lines.entries()) say(sink, [...lineStart(i + 1, line), ...codePieces(line)]);
      for (const question of asked) {
        const { from, command, line } = question;
        say(sink, [...stopPieces(from, from.values), "\n", ...commandPieces(command, line), "\n"]);
        const answer = answerPieces(question);
        const value = valueAt.get(answer.join(""))!; // all possible answers are included
        for (const [i, name] of names.entries()) held[i] = Number(from.values[name] ?? -1);
        held[n + 1] = value;
        sink.state(held);
        sink.reveal(n + 1, value, answer.length);
        say(sink, [...answer, "\n"]);
      }
    },
    references: { exactBayes: (example) => debuggerPosteriors(example, params).map(largestShare) },
  };

  /** A program with its questions; another program is drawn if a command is impossible in it. */
  function drawAll(rng: Parameters<Prepared["write"]>[0]) {
    for (let draws = 0; draws < MOST_DRAWS; draws++) {
      const lines: Line[] = drawDebugged(rng, form);
      const asked: DebuggerQuestion[] = [];
      while (asked.length < questions) {
        const question = drawQuestion(rng, lines, commands, params);
        if (question === undefined) break;
        asked.push(question);
      }
      if (asked.length === questions) return { lines, asked };
    }
    return fail("debugger", "a command that is possible in some program", commands, "Take more lines");
  }
}

const largestShare = (shares: ReadonlyMap<string, number>) => Math.max(...shares.values());

/** The listing, and the visible part of each question. */
export function readDebugged({ text, reveals }: Pick<Example, "text" | "reveals">): {
  lines: Line[];
  told: Told[];
} {
  const rows = text.split("\n");
  const listing = rows.filter((row) => /^line \d+: [^{]/.test(row));
  return {
    lines: readCode(listing.map((row) => row.slice(row.indexOf(": ") + 2)).join("\n")),
    told: reveals.map(({ start }) => {
      const [stop, command] = text.slice(0, start).trimEnd().split("\n").slice(-2);
      const [, name, line = "0"] = /^(.*?)(?: line (\d+))?$/.exec(command)!; // it fits any line
      return { stop, command: name as CommandName, line: Number(line) };
    }),
  };
}

/** Every question of an example, in order, by enumeration of all arguments. */
export function knownQuestions(
  example: Pick<Example, "text" | "reveals">,
  { variables, starts }: Pick<DebuggerParams, "variables" | "starts">,
) {
  const { lines, told } = readDebugged(example);
  const runs = everyRun(lines, { variables, starts });
  return told.map((each) => ({ told: each, fit: fitting(runs, each) }));
}

/** For each question, in order, the probability of each answer given the visible part, by its text. */
export const debuggerPosteriors = (...given: Parameters<typeof knownQuestions>): Map<string, number>[] =>
  knownQuestions(...given).map(({ fit }) => sharesOf(fit));
