import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { type Attention, attentionRow, MAPPED, measureAttention } from "./attention.ts";
import { attendedParts, partsBefore } from "./attention-sources.ts";
import { parityPrograms, recordingOf, tapOf } from "./recording.test-helper.ts";
import type { Program, TokenClass } from "./recording.ts";

const lines: readonly (readonly [TokenClass, string])[] = [
  ["initialisation", "a = 1 \n"],
  ["initialisation", "b = 2 \n"],
  ["initialisation", "c = 3 \n"],
  ["reveal", "print c \n 3 \n"],
  ["command", "a b = b a \n"],
  ["reveal", "print a \n 2 \n"],
  ["command", "b c = c b \n"],
  ["reveal", "print b \n 3 \n"],
  ["command", "a b = b a \n"],
  ["reveal", "print c \n 1 \n"],
  ["reveal", "print a \n 3 \n"],
];
/** What lies where, as the question about `a` in the last line sees it. */
const lastQuestion = [
  ...["initialisation", "initialisation", "initialisation", "oldReveals", "oldCommands", "variableReveal"],
  ...["commandsSince", "answerReveal", "lastCommand", "freshReveals", "question"],
];

/** The program of attention.ts's header. */
function swaps(): Program {
  const program = {
    ...{
      tokens: [] as string[],
      classes: [] as TokenClass[],
      places: [] as number[],
      commands: [] as number[],
    },
    ...{ letters: [] as string[], ends: [] as number[], questions: [] as Program["questions"][number][] },
  };
  let complete = -1;
  for (const [kind, text] of lines) {
    const tokens = text.split(" ");
    for (const [place, token] of tokens.entries()) {
      const isEnd = place === tokens.length - 1;
      if (isEnd && (kind === "command" || text.startsWith("c"))) {
        complete++;
        program.ends.push(program.tokens.length);
      }
      if (kind === "reveal" && place === 3) {
        program.questions.push({
          ...{ position: program.tokens.length - 1, variable: "abc".indexOf(tokens[1]) },
          value: Number(token) - 1,
        });
      }
      program.tokens.push(token);
      program.classes.push(kind);
      program.places.push(place);
      program.commands.push(complete);
    }
    if (kind === "command") program.letters.push(text);
  }
  const states = [
    [0, 1, 2],
    [1, 0, 2],
    [1, 2, 0],
    [2, 1, 0],
  ];
  return { ...program, states };
}

function found(
  programs: readonly Program[],
  query: () => number[],
  key: (i: number, t: number) => number[],
): Attention {
  const taps = {
    "layers.1.query": tapOf(programs, [2, 2], query),
    "layers.1.key": tapOf(programs, [2, 2], key),
  };
  const work = measureAttention(recordingOf(programs, taps, [{}, { attention: true }]));
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    expect(step.value).toBe(2); // heads
  }
}

test("shares are those of e^score: with one-dimensional keys ln 1, ln 2, ln 3 they are 1/6, 2/6, 3/6", () => {
  const programs = parityPrograms(1, 4, rngFrom(1));
  const key = tapOf(programs, [2, 1], (_, t) => [Math.log(t + 1), 5000 * (t === 1 ? 1 : -1)]);
  const query = tapOf(programs, [2, 1], () => [1, 2]);
  const row = (token: number, head: number) => attentionRow(query, key, { program: 0, token, head });
  for (const [s, share] of row(2, 0).entries()) expect(share).toBeCloseTo((s + 1) / 6, 6);
  expect(row(3, 0).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  expect(Array.from(row(3, 1))).toEqual([0, 1, 0, 0]); // e^10000 is no number
});

test("each line of a program has the part that it plays for the question", () => {
  const program = swaps();
  const seen = Array.from(partsBefore(program, 4), (part) => attendedParts[part]);
  const starts = program.places.flatMap((place, t) => (place === 0 ? [t] : []));
  expect(starts.map((start) => seen[start])).toEqual(lastQuestion);
  for (const [t, part] of seen.entries()) expect(part, String(t)).toBe(seen[t - program.places[t]]);
  expect(seen).toHaveLength(program.questions[4].position + 1);
  // The first question: nothing was revealed and no command has been.
  const first = new Set(Array.from(partsBefore(program, 0), (part) => attendedParts[part]));
  expect(first).toEqual(new Set(["initialisation", "question"]));
});

test("where states are asked and never written, the last command is the one before the question's", () => {
  const [program] = parityPrograms(1, 4, rngFrom(3));
  const seen = Array.from(partsBefore(program, 3), (part) => attendedParts[part]);
  expect(seen).toEqual(["commandsSince", "commandsSince", "lastCommand", "question"]);
});

test("queries of zero look everywhere alike: shares are counts of tokens, the spread is their number", () => {
  const { questions, parts, tokens, heads, sample } = found(
    [swaps()],
    () => [0, 0, 0, 0],
    () => [1, 2, 3, 4],
  );
  expect(questions).toBe(5);
  // Initial values are 12 tokens, a reveal 5, a command 6; of a question 3 stand before its answer.
  const until = [12 + 3, 12 + 11 + 3, 12 + 22 + 3, 12 + 33 + 3, 12 + 38 + 3];
  const own = until.reduce((sum, count) => sum + 3 / count, 0) / 5;
  const initial = until.reduce((sum, count) => sum + 12 / count, 0) / 5;
  const share = (name: string, of: readonly number[]) => of[parts.findIndex((part) => part.name === name)];
  for (const each of [parts.map(({ uniform }) => uniform), heads[0].shares, heads[1].shares]) {
    expect(share("question", each)).toBeCloseTo(own, 6);
    expect(share("initialisation", each)).toBeCloseTo(initial, 6);
    expect(share("variableReveal", each)).toBeCloseTo((5 / 48 + 5 / 53) / 2, 6); // the others ask for the first time
  }
  expect(parts.find(({ name }) => name === "variableReveal")?.questions).toBe(2);
  const mean = until.reduce((product, count) => product * count, 1) ** (1 / 5);
  for (const spread of [tokens, heads[0].spread, heads[1].spread]) expect(spread).toBeCloseTo(mean, 6);
  expect(heads[0].map[9]).toEqual(Array(10).fill(0.1));
  expect([sample.from, sample.starts[4], sample.questions[0]]).toEqual([0, 17, 14]);
});

test("a head that matches one token is found there, and all parts together get all attention", () => {
  const program = swaps();
  const shown = program.questions[1].position + 1; // the value of a, as it was last revealed
  const { parts, heads, questions } = found(
    [program],
    () => [1, 0, 0.3, -0.2],
    (_, t) => [t === shown ? 30 : 0, 0, Math.sin(t), Math.cos(3 * t)],
  );
  const last = parts.findIndex(({ name }) => name === "variableReveal");
  expect(heads[0].shares[last]).toBeCloseTo(1 / 2, 6); // all where a is asked again, nothing where c is
  expect(heads[0].map[52].indexOf(Math.max(...heads[0].map[52]))).toBe(shown);
  for (const { shares, map } of heads) {
    const total = parts.reduce((sum, part, i) => sum + shares[i] * (part.questions / questions), 0);
    expect(total).toBeCloseTo(1, 6);
    for (const row of map)
      expect(Math.abs(row.reduce((sum, share) => sum + share, 0) - 1)).toBeLessThan(0.005);
  }
  expect(heads[1].spread).toBeGreaterThan(heads[0].spread);
});

test("a long program is mapped up to its first question", () => {
  const [program] = parityPrograms(1, 100, rngFrom(5));
  const late = { ...program, questions: program.questions.slice(90) };
  const { sample, heads } = found(
    [late],
    () => [0, 0, 0, 0],
    () => [0, 0, 0, 0],
  );
  expect([sample.from, sample.tokens.length, sample.questions]).toEqual([91 - MAPPED, MAPPED, [MAPPED - 1]]);
  expect(heads[0].map.at(-1)).toEqual(Array(MAPPED).fill(Number((1 / 91).toFixed(4))));
});
