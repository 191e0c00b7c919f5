import { expect, test } from "vitest";
import { all, type Node, readMarkup, textOf, withClass } from "../markup.test-helper.ts";
import { matrixFigure, type PredictedCell, type PredictionsFigure, predictionsFigure } from "./cells.ts";

const about = (words: string): Pick<PredictedCell, "about" | "constructed" | "contradicted"> => ({
  ...{ about: words, constructed: false, contradicted: false },
});
const figure: PredictionsFigure = {
  ...{ title: "Predicted", rowLabel: "architecture", columnLabel: "task", rows: ["A"] },
  columns: ["one", "two", "open", "three"],
  cells: [
    [
      { ...about("held"), predicted: "+", measured: { text: "9 \u2192 36", share: 1 }, constructed: true },
      {
        ...about("against"),
        predicted: "\u2212",
        measured: { text: "2 \u2192 4", share: 0.4 },
        contradicted: true,
      },
      { ...about("least"), predicted: "\u2212", measured: { text: "1 \u2192 1", share: 0 } },
      { ...about("not run"), predicted: "+" },
    ],
  ],
};

const shown = (node: Node) =>
  all(node, "text").map((each) => each.children.filter((child) => typeof child === "string").join(""));

test("a cell says what was predicted and what was measured; one against it is framed, one not run is a point", () => {
  const svg = readMarkup(predictionsFigure(figure).text);
  expect(shown(svg).slice(-4)).toEqual([
    "+ 9 \u2192 36",
    "\u2212 2 \u2192 4",
    "\u2212 1 \u2192 1",
    "+ \u00B7",
  ]);
  expect(withClass(svg, "bar")).toHaveLength(1);
  expect(withClass(svg, "s1").map(textOf).join()).toContain("against");
  expect(all(svg, "circle")).toHaveLength(1);
  const [darkest, lighter] = withClass(svg, "dot").map(({ attributes }) =>
    Number(attributes["fill-opacity"]),
  );
  expect(darkest).toBeGreaterThan(lighter!);
  expect(svg.attributes["aria-label"] ?? all(svg, "svg")[0]?.attributes["aria-label"]).toBe(
    "Predicted: 1 architectures by 4 tasks, 3 of 4 run, 1 against the prediction (A on two).",
  );
});

test("a broad matrix keeps its size on a phone, and what is cut of a name can be read", () => {
  const columns = Array.from({ length: 30 }, (_, i) => `a long name of column ${i}`);
  const cells = [columns.map(() => 0.5)];
  const names = { title: "beta", rowLabel: "head", columnLabel: "token", rows: ["a head with a long name"] };
  const svg = readMarkup(matrixFigure({ ...names, columns, cells, from: 0, to: 2, digits: 2 }).text);
  expect(svg.attributes.class).toBe("fig broad");
  const titles = all(svg, "title").map(textOf);
  expect(titles).toContain("a long name of column 0");
  expect(titles).toContain("a head with a long name");
});
