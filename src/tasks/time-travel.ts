/**
 * @file Time travel: variables are permuted by numbered commands. What was a variable's value after an earlier one?
 *
 *     a = 2
 *     b = 1
 *     c = 3
 *     1: a, b = b, a
 *     2: b, c = c, b
 *     3: a, b = b, a
 *     at 1 b 2              after command 1; `at 0` asks for the initial values
 *     ago 1 a 1             before the last 1 command, so after command 2; `ago 0` asks for the current value
 *
 * The present state alone does not suffice; stored copies of it, or access to the commands, may. The time asked is uniform, or is
 * `distance` commands back. Permutations are invertible: a state together with all later commands determines the past.
 *
 * References: `exactBayes` replays all commands. `now` knows the final values of all variables and the asked time, but no command.
 * `windowedBayes` also knows the last W commands, W being the most commands of an example of the task. Neither reads the answers
 * above.
 *
 * Source: own definition, after the question which checkpoints of its state a model can go back to (Memory Caching, arXiv:2602.24281).
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { shuffled } from "../core/permutations.ts";
import { drawIfSeveral, drawLength, Length, lengthRange } from "./length.ts";
import { commandSize, commandWriter } from "./repl/commands.ts";
import { VARIABLES } from "./repl/vocabulary.ts";
import { defineTask, type Example, type Prepared, writeWords } from "./task.ts";
import { lastReveal } from "./task-prompt.ts";

const Steps = z.int().min(0).max(1_000_000);

const TimeTravelParams = z.strictObject({
  variables: z.int().min(2).max(8).default(3).describe("Number of variables, a to h"),
  commandKind: z
    .enum(["swap", "permutation"])
    .default("swap")
    .describe("A swap of two variables, or a permutation of all"),
  commands: Length.default(12).describe("Commands per example"),
  questions: Length.default(4).describe("Questions per example"),
  named: z
    .enum(["at", "ago", "either"])
    .default("either")
    .describe("Names a time by the number of its command (at), by commands before the end (ago), or either"),
  distance: z
    .union([z.literal("any"), Steps, z.tuple([Steps, Steps])])
    .default("any")
    .describe("Commands between the time asked and the end"),
  numbers: z
    .int()
    .min(9)
    .max(100_000)
    .default(128)
    .describe("Number words from 0, more than commands, in all stages and tests"),
});
type TimeTravelParams = z.infer<typeof TimeTravelParams>;

export const timeTravel = defineTask<TimeTravelParams>({
  name: "time-travel",
  summary: "numbered commands that permute values: what did a variable hold after an earlier command?",
  source: "own definition",
  params: TimeTravelParams,
  prepare: prepareTimeTravel,
  ask: () => ({
    instruction:
      "Below are variables and numbered commands that permute their values, and behind them questions with their answers: `at 3 a` asks what a held after command 3 (`at 0`: at first), `ago 2 a` what it held before the last two commands. ?? stands for the last answer. Say that value alone",
    language: "text",
    answers: "literal",
    question: lastReveal,
  }),
});

const SYMBOLS = ["\n", " = ", ", ", ": ", "at ", "ago ", " "];
const [newline, equals, comma, colon, at, ago, space] = SYMBOLS.keys();
const firstVariable = SYMBOLS.length;

function prepareTimeTravel(params: TimeTravelParams): Prepared {
  const { variables: n, commandKind, named, numbers } = params;
  const range = lengthRange(params.commands, "time-travel");
  const questions = lengthRange(params.questions, "time-travel");
  if (range.most >= numbers)
    fail("time-travel", `commands below ${numbers}, the number of numbers`, range.most, "Raise numbers too");
  const distance = distancesOf(params, range.least);
  const firstNumber = firstVariable + n;
  const command = commandWriter(commandKind, n, { newline, equals, comma, firstVariable });
  const order = Array.from({ length: n }, (_, i) => i);
  const answer = n; // a state variable: the target of the last question
  return {
    words: [...SYMBOLS, ...VARIABLES.slice(0, n), ...Array.from({ length: numbers }, (_, i) => String(i))],
    variables: [...VARIABLES.slice(0, n), "answer"],
    values: order.map((i) => String(i + 1)),
    maximumWords: 4 * n + range.most * (2 + commandSize(commandKind, n).words) + 7 * questions.most,
    maximumStates: 1 + range.most + questions.most,
    write(rng, sink) {
      const held = Int32Array.from(shuffled(order, rng));
      const state = new Int32Array(n + 1).fill(-1);
      const say = () => {
        state.set(held);
        sink.state(state);
      };
      for (const [i, value] of held.entries()) {
        for (const word of [firstVariable + i, equals, firstNumber + value + 1, newline]) sink.word(word);
      }
      say();
      const count = drawLength(range, rng);
      const history = [held.slice()];
      for (let number = 1; number <= count; number++) {
        writeWords(sink, firstNumber + number, colon);
        command(rng, sink, held);
        history.push(held.slice());
        say();
      }
      const asked = drawIfSeveral(questions, rng);
      for (let question = 0; question < asked; question++) {
        const back =
          distance === undefined
            ? rng.below(count + 1)
            : distance[0] + rng.below(distance[1] - distance[0] + 1);
        const isAt = named === "at" || (named === "either" && rng.below(2) === 0);
        const variable = rng.below(n);
        const value = history[count - back][variable];
        writeWords(
          sink,
          isAt ? at : ago,
          firstNumber + (isAt ? count - back : back),
          space,
          firstVariable + variable,
          space,
        );
        state[answer] = value;
        say();
        sink.reveal(answer, value);
        writeWords(sink, firstNumber + value + 1, newline);
      }
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      windowedBayes: (example) => guesses(example, params, range.most),
      now: (example) => guesses(example, params, 0),
    },
  };
}

/** [least, most]; undefined if any time may be asked. */
function distancesOf({ distance }: TimeTravelParams, fewest: number): readonly [number, number] | undefined {
  if (distance === "any") return undefined;
  const [least, most] = typeof distance === "number" ? [distance, distance] : distance;
  if (least > most) fail("time-travel", "a range of distances [least, most]", distance);
  if (most > fewest)
    fail(
      "time-travel",
      `a distance of at most ${fewest}, as many as commands`,
      most,
      "0 asks for the current value",
    );
  return [least, most];
}

/**
 * Accuracy of the best guess given the present and the last `window` commands. `unseen` commands before them, a variable had the same
 * value with probability p, and each other value equally:
 *
 *     swaps           p = 1/n + (1 - 1/n) r^unseen, r = 1 - 2 / (n - 1): one swap leaves a variable in 1 - 2/n, and moves evenly
 *     permutations    p = 1/n, or 1 where unseen = 0
 */
function guesses(
  { text, reveals }: Example,
  { variables: n, commandKind }: TimeTravelParams,
  window: number,
) {
  const commands = text.match(/^\d+: /gm)?.length ?? 0;
  const ratio = commandKind === "swap" ? 1 - 2 / (n - 1) : 0;
  return reveals.map(({ start }) => {
    const [, name, number] = /(at|ago) (\d+) \w $/.exec(text.slice(0, start))!; // its own question
    const back = name === "at" ? commands - Number(number) : Number(number);
    const same = 1 / n + (1 - 1 / n) * ratio ** Math.max(0, back - window);
    return Math.max(same, (1 - same) / (n - 1));
  });
}
