/**
 * @file A user-defined probabilistic automaton: actions are visible, transitions random, answers exact.
 *
 *     press            an action of the sample lamp: 0.9 to dim, 0.1 stays off
 *     press
 *     lit yes          a reveal after every `spacing` actions: one of the declared ones, uniformly;
 *     wait             the state itself at every `fullEvery`-th, or if none is declared
 *     state bright
 *
 * Actions are uniformly random too. Each reveal of an example has the exact posterior. References: `exactBayes` is the accuracy of
 * the most likely answer. `windowedBayes` sees only the last W actions, W being twice the widest spacing.
 *
 * Source: own definition. The filter is the forward algorithm of a hidden Markov model.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { drawMove, drawState } from "../core/hidden-markov.ts";
import { Automaton } from "../schemas/automaton.ts";
import { eventReader, machineFrom, type NamedMachine } from "./automaton/machine.ts";
import { exactPosteriors, guessReferences } from "./posterior.ts";
import { defineTask, type Prepared, type Sink } from "./task.ts";
import { lastReveal } from "./task-prompt.ts";

const Spacing = z.int().min(1);

const AutomatonParams = z.strictObject({
  automaton: z
    .union([z.literal("lamp"), Automaton])
    .default("lamp")
    .describe("A custom automaton, or the name of the sample"),
  commands: z.int().min(1).max(1_000_000).default(12).describe("Actions per example"),
  spacing: z
    .union([Spacing, z.array(Spacing).min(1)])
    .default(2)
    .describe("Actions per reveal, drawn once per example if a list"),
  fullEvery: z.int().min(0).default(0).describe("Every n-th reveal is the state itself, 0 for none"),
});
type AutomatonParams = z.infer<typeof AutomatonParams>;

export const automaton = defineTask<AutomatonParams>({
  name: "automaton",
  summary: "actions of a custom automaton with random transitions, and reveals of its state",
  source: "own",
  params: AutomatonParams,
  prepare: prepareAutomaton,
  ask: ({ automaton: written }) => {
    const told = written === "lamp" ? lamp : written;
    return {
      instruction: `Below are actions of a probabilistic automaton and what it answered. It is written in JSON: states, actions with the state that each leads to (several with their probabilities; a state that is left out stays), and what is answered in each state; "state" is answered by the state itself.\n\n${JSON.stringify(told)}\n\n?? stands for the last answer. Say the likeliest one alone`,
      language: "text",
      answers: [...new Set(machineFrom(told).answerNames.flat())],
      question: lastReveal,
    };
  },
});

const lamp: Automaton = {
  states: ["off", "dim", "bright"],
  start: "off",
  actions: {
    press: { off: { dim: 0.9, off: 0.1 }, dim: "bright", bright: "off" },
    wait: { bright: { bright: 0.8, dim: 0.2 } },
  },
  reveals: { lit: { off: "no", dim: "yes", bright: "yes" } },
};

function prepareAutomaton(params: AutomatonParams): Prepared {
  const spacings = [params.spacing].flat();
  const widest = Math.max(...spacings);
  if (widest > params.commands) {
    fail("automaton", `every spacing to be at most the number of commands (${params.commands})`, widest);
  }
  const machine = machineFrom(params.automaton === "lamp" ? lamp : params.automaton);
  const { questionNames, actionNames, answerNames } = machine;
  const values = [...new Set(answerNames.flat())];
  const words = [...new Set(["\n", " ", ...actionNames, ...questionNames, ...values])];
  const places = new Map(words.map((word, i) => [word, i]));
  const valueAt = answerNames.map((names) => names.map((name) => values.indexOf(name)));
  const read = eventReader(machine);
  return {
    words,
    variables: questionNames,
    values,
    maximumWords: 2 * params.commands + 4 * Math.floor(params.commands / Math.min(...spacings)),
    write: writerOf(params, machine, spacings, valueAt, (sink, name) =>
      sink.word(places.get(name) as number),
    ),
    posterior: ({ text }) => {
      const { events } = read(text);
      const asked = events.flatMap((event) => (event.kind === "reveal" ? [event.question] : []));
      return exactPosteriors(read(text)).map((shares, i) => {
        const byValue = new Float64Array(values.length);
        for (const [answer, share] of shares.entries()) byValue[valueAt[asked[i]][answer]] = share;
        return byValue;
      });
    },
    hidden: {
      read: (text, assumed) =>
        assumed === undefined
          ? read(text)
          : fail("automaton", "the probabilities in the file", assumed, "Change the automaton"),
      values: (state) => machine.questions.map(({ answer }, i) => valueAt[i][answer[state]]),
    },
    references: guessReferences(read, 2 * widest),
  };
}

/** Order of draws: spacing · start · per action: which, transition · per partial reveal: which. */
function writerOf(
  { commands, fullEvery }: AutomatonParams,
  machine: NamedMachine,
  spacings: readonly number[],
  valueAt: readonly (readonly number[])[],
  write: (sink: Sink, name: string) => void,
): Prepared["write"] {
  const { actions, questions, actionNames, questionNames, answerNames } = machine;
  const whole = questions.length - 1;
  const answers = new Int32Array(questions.length);
  return (rng, sink) => {
    const spacing = spacings[rng.below(spacings.length)];
    let state = drawState(machine.start, rng);
    const tell = () => {
      for (const [i, { answer }] of questions.entries()) answers[i] = valueAt[i][answer[state]];
      sink.state(answers);
    };
    tell();
    for (let made = 1; made <= commands; made++) {
      const action = rng.below(actions.length);
      state = drawMove(actions[action], state, rng);
      write(sink, actionNames[action]);
      write(sink, "\n");
      tell();
      if (made % spacing !== 0) continue;
      const full = whole === 0 || (fullEvery > 0 && (made / spacing) % fullEvery === 0);
      const question = full ? whole : rng.below(whole);
      write(sink, questionNames[question]);
      write(sink, " ");
      sink.reveal(question, answers[question]);
      write(sink, answerNames[question][questions[question].answer[state]]);
      write(sink, "\n");
    }
  };
}
