import { expect, test } from "vitest";
import { rngFrom } from "../../../core/rng.ts";
import { episodesOf } from "../episode.test-helper.ts";
import { tokensOf } from "../history.ts";
import { reading } from "./document-reading.ts";

const lines = 240;
const stub = "Content has been deleted to save space.";

async function read(chunk: number, view = "notes") {
  const settings = { reading: { lines }, noting: { chunk }, notes: { keep: "last" } };
  const [{ begin, end }] = await episodesOf({ world: "reading", policy: "noting", view, settings }, 1);
  return { begin, end };
}

test("who notes the state needs nothing else of what was read: the answer is right, in any parts and either view", async () => {
  for (const chunk of [3, 48, 500])
    for (const view of ["notes", "full"]) {
      const { end } = await read(chunk, view);
      expect(end, `${chunk}, ${view}`).toMatchObject({ over: true, score: { share: 1, read: lines } });
      expect(end.turns).toBe(Math.ceil(lines / chunk) + 1);
    }
});

test("the longest prompt and all prompts together are the closed forms, but for the words of one call", async () => {
  const task = tokensOf(reading.task(reading.draw({ values: 3, lines }, rngFrom(1))));
  const note = tokensOf("# note: a=1, b=0, c=2");
  const s = tokensOf(stub);
  const peaks = new Map<number, number>();
  for (const chunk of [4, 8, 12, 20, 30, 40, 80, 120]) {
    const { end } = await read(chunk);
    const chunks = lines / chunk;
    const shown = task + 10 * chunk + note; // a line has ten tokens
    // the reply also contains the note and a call; a list has one bracket more than commas; the last turn has no stubs
    const words = note + tokensOf(`read(${chunk})`) + 1 - 2 * s;
    expect(end.tokens.peak).toBe(shown + 2 * s * chunks + words);
    // stubs go on for one turn more, where the answer is given
    const processed = chunks * shown + s * chunks * (chunks - 1);
    expect(end.tokens.processed).toBe(processed + task + chunks * (words + 2 * s));
    peaks.set(chunk, end.tokens.peak);
  }
  // m* = sqrt(2 T s / c) = 19.6
  expect([...peaks].toSorted(([, a], [, b]) => a - b)[0][0]).toBe(20);
});

test("who is not shown its notes is lost, and a call that is none changes nothing", async () => {
  const settings = { reading: { lines: 60 }, noting: { chunk: 5 }, window: { turns: 0 } };
  const blind = await episodesOf({ world: "reading", policy: "noting", view: "window", settings }, 12);
  expect(blind.some(({ end }) => end.score.share === 0)).toBe(true);
  const state = reading.draw({ values: 3, lines: 2 }, rngFrom(1));
  expect(reading.act(state, { name: "read", arguments: [-1] })).toMatchObject({
    state,
    answer: { error: "TypeError" },
  });
  expect(reading.act(state, { name: "read", arguments: [9] }).answer).toEqual({ value: state.lines });
});
