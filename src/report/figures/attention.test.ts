import { expect, test } from "vitest";
import { all, readMarkup, textOf, withClass } from "../markup.test-helper.ts";
import { attentionFigure } from "./attention.ts";

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
