/** @file Figures read back: marks stand at the height of their numbers. */

import { describe, expect, test } from "vitest";
import type { ExperimentResult } from "../../schemas/experiment-result.ts";
import { summarize } from "../aggregate.ts";
import { standAloneFigure } from "../figure-files.ts";
import { fixture, MODELS } from "../fixture.test-helper.ts";
import { all, type Node, readMarkup, textOf, withClass } from "../markup.test-helper.ts";
import { attentionFigure } from "./attention.ts";
import { conditionsFigure, conditionsWithPositions, revealsFigure } from "./conditions.ts";
import { meanCurve, stages, trainingFigure } from "./training.ts";

const mainFigure = (result: ExperimentResult) => readMarkup(conditionsFigure(summarize(result)).text);

/** The hover text of a mark, and its place. Circles' paths start at their left end, so at their height. */
const titled = (node: Node) =>
  withClass(node, "dot").flatMap((mark) => {
    const title = all(mark, "title").map(textOf)[0];
    return title === undefined ? [] : [{ title, y: Number(/^M\S+ ([\d.]+)/.exec(mark.attributes.d!)![1]) }];
  });

/** Of horizontal lines. */
const heights = (node: Node, name: string) =>
  withClass(node, name).map(({ attributes }) => {
    expect(attributes.y2).toBe(attributes.y1);
    return Number(attributes.y1);
  });

describe("the main figure", () => {
  test("draws every model in every condition once, at the height of its accuracy", () => {
    const result = fixture();
    const svg = mainFigure(result);
    const marks = titled(svg);
    expect(marks).toHaveLength(28);
    const [bottom, , top] = heights(svg, "rule");
    for (const row of result.results.filter(({ model }) => model === MODELS[0])) {
      const title = `DeltaNet [-1,1], ${row.tested.name}: `;
      const mark = marks.find((candidate) => candidate.title.startsWith(title))!;
      expect((bottom! - mark.y) / (bottom! - top!)).toBeCloseTo(row.accuracy, 3);
    }
  });

  test("marks chance and both references", () => {
    const svg = mainFigure(fixture());
    const [bottom, , top] = heights(svg, "rule");
    const share = (y: number) => (bottom! - y) / (bottom! - top!);
    expect(share(heights(svg, "guess")[0]!)).toBeCloseTo(1 / 3, 3);
    expect(heights(svg, "exact").slice(0, 7).map(share)).toEqual(Array(7).fill(1));
    expect(share(heights(svg, "edge")[6]!)).toBeCloseTo(0.834, 2);
  });

  test("shows each seed as a ring of its own beside the mean", () => {
    const svg = mainFigure(fixture({ seeds: [7, 8, 9] }));
    expect(withClass(svg, "seed")).toHaveLength(28 * 3);
    expect(titled(svg)).toHaveLength(28);
    expect(textOf(svg)).toContain("seed 8: ");
  });

  test("keeps its text inside its width", () => {
    const svg = mainFigure(fixture({ seeds: [0, 1] }));
    for (const node of all(svg, "text").filter(({ attributes }) => attributes["text-anchor"] === undefined)) {
      const shown = node.children.filter((child) => typeof child === "string").join("");
      expect(Number(node.attributes.x) + shown.length * 5.5, shown).toBeLessThanOrEqual(860);
    }
  });

  test("a model holds the tests in which every seed is within 5 points of the exact filter", () => {
    const accuracy = (model: string, _: number, spacing: number, seed: number) =>
      model === MODELS[0] ? 1 : spacing === 1 ? 0.951 : model === "lstm" && seed === 4 ? 0.949 : 0.952;
    const holds = summarize(fixture({ seeds: [3, 4], accuracy })).models.map(
      ({ cells }) => cells.filter((cell) => cell.holds).length,
    );
    expect(holds).toEqual([7, 7, 7, 1]);
  });

  test("has a background and colours for both themes in the file itself", () => {
    const svg = readMarkup(standAloneFigure("Accuracy", conditionsFigure(summarize(fixture()))));
    expect(svg.attributes.xmlns).toBe("http://www.w3.org/2000/svg");
    expect(withClass(svg, "paper")[0]!.attributes.width).toBe(svg.attributes.viewBox!.split(" ")[2]);
    expect(textOf(all(svg, "style")[0]!)).toContain("prefers-color-scheme:dark");
  });
});

describe("accuracy by reveal position", () => {
  test("is drawn for the conditions that were never trained, with every position of every model", () => {
    const summary = summarize(fixture());
    const conditions = conditionsWithPositions(summary);
    expect(conditions.map(({ key }) => key)).toEqual(["48/4", "48/8", "48/24"]);
    expect(
      conditions.map((condition) => titled(readMarkup(revealsFigure(summary, condition).text)).length),
    ).toEqual([48, 24, 8]);
  });

  test("labels every line at its end, no label on another", () => {
    const summary = summarize(fixture({ accuracy: () => 0.5 }));
    const svg = readMarkup(revealsFigure(summary, summary.hardest).text);
    const labels = ["windowed filter", "DeltaNet [-1,1]", "DeltaNet [0,1]", "Transformer", "LSTM"];
    const placed = all(svg, "text").filter((node) => labels.includes(textOf(node)));
    expect(placed.map(textOf).toSorted()).toEqual(labels.toSorted());
    const baselines = placed.map(({ attributes }) => Number(attributes.y)).toSorted((a, b) => a - b);
    for (let i = 1; i < baselines.length; i++)
      expect(baselines[i]! - baselines[i - 1]!).toBeGreaterThanOrEqual(14);
  });

  test("is absent where each program reveals once", () => {
    expect(conditionsWithPositions(summarize(fixture({ conditions: [[12, 12]] })))).toEqual([]);
  });
});

describe("training", () => {
  const point = (step: number, accuracy: number, spacing: number) => ({
    ...{ step, loss: 1, accuracy, stage: String(spacing) },
  });
  const curve = (seed: number, points: ReturnType<typeof point>[]) => ({
    ...{ setting: "", model: "m", seed, parameters: 10, learningRate: 0.005, steps: 40, seconds: 1, points },
  });

  test("stages follow each other without a gap, from step 0 to the last", () => {
    const points = [point(10, 0.3, 1), point(20, 0.9, 1), point(30, 0.5, 2), point(40, 0.6, 4)];
    expect(stages(points)).toEqual([
      { name: "1", from: 0, to: 30 },
      { name: "2", from: 30, to: 40 },
      { name: "4", from: 40, to: 40 },
    ]);
  });

  test("the mean curve reads each seed between its points and stops with the shorter one", () => {
    const curves = [
      curve(0, [point(0, 0, 1), point(20, 1, 1)]),
      curve(1, [point(0, 0.5, 1), point(10, 0.5, 1), point(30, 0.5, 1)]),
    ];
    expect(meanCurve(curves)).toEqual([
      [0, 0.25],
      [10, 0.5],
      [20, 0.75],
    ]);
  });

  test("every seed has its own strip of stages", () => {
    const curves = [0, 1].map((seed) =>
      curve(seed, [point(0, 0.3, 1), point(20, 0.9, 1), point(40, 0.9, 2)]),
    );
    const svg = readMarkup(trainingFigure("Model", 0, curves, 40, 1 / 3).text);
    expect([...withClass(svg, "stage0"), ...withClass(svg, "stage1")]).toHaveLength(4);
    expect(all(svg, "text").map(textOf)).toEqual(expect.arrayContaining(["seed 0", "seed 1"]));
  });
});

test("a token's row is as far down as its column is to the right, and darker where it looks more", () => {
  const svg = readMarkup(
    attentionFigure({
      title: "Attention",
      tokens: [">>> ", "a", "\n", "x", "y"],
      starts: [0, 3],
      questions: [4],
      map: [[1], [0.25, 0.75], [0.005, 0.005, 0.99], [0.2, 0.2, 0.3, 0.3], [0, 1, 0, 0, 0]],
    }).text,
  );
  const cells = all(svg, "rect").map(({ attributes, children }) => ({
    ...{ x: Number(attributes.x), y: Number(attributes.y), side: Number(attributes.width) },
    ...{ depth: Number(attributes["fill-opacity"]), title: children.length },
  }));
  expect(cells).toHaveLength(1 + 2 + 1 + 4 + 1); // what gets less than a hundredth is not drawn
  const [first, faint, strong] = cells;
  const last = cells.at(-1)!;
  expect(strong!.depth).toBeGreaterThan(faint!.depth);
  expect(last.depth).toBe(first!.depth);
  expect((last.y - first!.y) / first!.side).toBeCloseTo(4, 6);
  expect((last.x - first!.x) / first!.side).toBeCloseTo(1, 6);
  const titles = all(svg, "title").map(textOf);
  expect(titles).toContain("y in xy, at a in a: 100.0\u00A0%");
  // Lines are named, and the row of the question is marked at its middle.
  const names = all(svg, "text").map(textOf);
  expect(names).toEqual(["Attention", "a", "xy"]);
  const [mark] = withClass(svg, "s1").flatMap((group) => all(group, "path"));
  const top = Number(/^M\S+ ([\d.]+)/.exec(mark!.attributes.d!)![1]);
  expect(top).toBeGreaterThan(last.y);
  expect(top).toBeLessThan(last.y + last.side);
});
