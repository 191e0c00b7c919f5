import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { analysisReport, drawn } from "../report/analysis.ts";
import { escaped } from "../report/svg.ts";
import type { AnalysisInput } from "./analysis.ts";
import { type AnalysisDocument, type AnyAnalysis, parseAnalysis } from "./document.ts";
import { analyses } from "./index.ts";
import { parityPrograms, recordingOf, tapOf } from "./recording.test-helper.ts";
import type { LayerTraits, Program } from "./recording.ts";

const programs = parityPrograms(24, 8, rngFrom(3));
const layers: LayerTraits[] = [{ gate: { tap: "beta", maximum: 1 } }, { attention: true }];
const rng = rngFrom(4);
const drawTap = (rest: number[]) =>
  tapOf(programs, rest, () => Array.from({ length: rest.reduce((a, b) => a * b, 1) }, () => rng.next()));
const taps = Object.fromEntries(
  [0, 1].flatMap((layer) => [
    [`layers.${layer}.residual`, drawTap([4])],
    ...["query", "key", "value", "heads"].map((name) => [`layers.${layer}.${name}`, drawTap([2, 2])]),
    ...(layer === 0 ? [["layers.0.beta", drawTap([2])]] : []),
  ]),
);

/** A model with all there is to analyse: it answers at random, and each head carries something. */
function given(own = programs): AnalysisInput & { ticks: [number, number][] } {
  const random = rngFrom(5);
  const ticks: [number, number][] = [];
  let of = 1;
  const step = async () => void ticks.push([ticks.length + 1, of]);
  return {
    recording: {
      ...recordingOf(own, taps, layers),
      answers: own.map(({ questions }) => questions.map(() => random.below(2))),
    },
    heads: [0, 1].flatMap((layer) => [0, 1].map((head) => ({ layer, head }))),
    async ask() {
      await step();
      return own.map(({ questions: { length } }) => ({ asked: length, right: random.below(length + 1) }));
    },
    async askPairs(pairs) {
      await step();
      await step();
      return async (which, patch) => {
        if (patch !== undefined) await step();
        return pairs.map(() => (which === "program" ? 1 : -1) + random.next() / 2);
      };
    },
    runsFor: () => 1,
    rng: rngFrom(6),
    steps: {
      expect(steps) {
        of = steps;
      },
      step,
    },
    ticks,
  };
}

const about: Omit<AnalysisDocument, keyof typeof analyses> = {
  ...{ run: "run", step: 3, model: { name: "made" }, task: { name: "parity" }, seed: 0, programs: 24 },
  ...{ command: "statelab analyze run", missing: {} },
  measured: { questions: 0, accuracy: 0, interval: [0, 1], references: {}, byCommands: [] },
};

describe.each(Object.entries<AnyAnalysis>(analyses))("%s", (key, analysis) => {
  test("is listed under its own name", () => expect(analysis.name).toBe(key));

  test("what it finds goes through analysis.json unchanged, and makes a part whose figures can be drawn", async () => {
    const own = given();
    expect(analysis.needs.filter((need) => !need.isMet(own))).toEqual([]);
    const found = await analysis.measure(own);
    expect(found).not.toBeTypeOf("string");
    const document = { ...about, [key]: found } as AnalysisDocument;
    expect(parseAnalysis(JSON.stringify(document), "analysis.json")).toEqual(document);
    const part = analysis.part(found, { accuracy: about.measured, of: () => undefined });
    expect(part?.heading).toMatch(/^[A-Z]/);
    expect(part?.meaning.join(" ")).not.toMatch(/undefined|NaN/);
    for (const figure of Object.values(part?.figures ?? {})) {
      expect(drawn(figure).text).toContain(escaped(figure.title.slice(0, 12)));
      expect(drawn(figure).text).not.toMatch(/NaN|undefined/);
    }
    expect(analysisReport(document).page).toContain(escaped(part!.heading));
  });

  test("counts as many steps as it says there are", async () => {
    const own = given();
    await analysis.measure(own);
    const of = own.ticks.at(-1)?.[1] ?? 0;
    expect(own.ticks.map(([done]) => done)).toEqual(Array.from({ length: of }, (_, i) => i + 1));
  });

  test("names what is missing, in words, where it has nothing to read", () => {
    const silent: Program[] = programs.map((program) => ({ ...program, questions: [] }));
    const nothing = { recording: recordingOf(silent, {}, [{}]), heads: [] };
    const unmet = analysis.needs.filter((need) => !need.isMet(nothing));
    if (analysis.needs.every(({ otherwise }) => otherwise === "")) return; // it reads whatever there is
    expect(unmet[0].otherwise).toMatch(/^(no|nothing|the) [a-z ]+/);
  });
});
