import { describe, expect, test } from "vitest";
import { mean } from "../core/statistics.ts";
import { type Claim, ExperimentResult } from "../schemas/experiment-result.ts";
import { summarize } from "./aggregate.ts";
import { experimentReport, experimentTable, type View } from "./experiment.ts";
import { gridFigure } from "./figures/cells.ts";
import { conditionsFigure, conditionsWithPositions, revealsFigure } from "./figures/conditions.ts";
import { linesFigure, meanLine } from "./figures/lines.ts";
import { fixture, points } from "./fixture.test-helper.ts";
import { all, readMarkup, textOf, withClass } from "./markup.test-helper.ts";
import { checkRow, checkText, claimSpread, claimValue, spreadText } from "./sections.ts";

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&amp;\u0000\uD800\u202E]]></style>`;

const lines = (label = "Model") =>
  ({
    kind: "lines",
    title: "Accuracy by length",
    xLabel: "length",
    scale: "log2",
    chance: 0.5,
    window: { label: "windowed filter", points: points(1, 1, 16, 0.6) },
    lines: [
      {
        label,
        index: 1,
        seeds: [
          { seed: 0, points: points(1, 1, 4, 0.9, 16, 0.5) },
          { seed: 1, points: points(1, 0.8, 4, 0.7, 16, 0.7) },
        ],
      },
    ],
  }) as const;

const grid = {
  kind: "grid",
  title: "Model",
  rowLabel: "every",
  columnLabel: "commands",
  rows: ["4", "8"],
  columns: ["32", "64"],
  cells: [
    [
      { share: 1, trained: true },
      { share: 0.25, trained: false },
    ],
    [{ share: 0.5, trained: false }, undefined],
  ],
} as const;

const view = (label?: string): View => ({
  heading: "By length",
  text: "Longer is harder.",
  caption: "Mean over seeds.",
  figures: [lines(label), grid],
});

describe("lines", () => {
  test("stand at the mean of their seeds, even steps apart for lengths that double", () => {
    const svg = readMarkup(linesFigure(lines()).text);
    const dots = withClass(svg, "dot").map((mark) => ({
      title: textOf(all(mark, "title")[0]!),
      x: Number(/^M([\d.]+)/.exec(mark.attributes.d!)![1]),
    }));
    expect(dots.map(({ title }) => title)).toEqual([
      "Model, at 1: 90.0\u00A0%",
      "Model, at 4: 80.0\u00A0%",
      "Model, at 16: 60.0\u00A0%",
    ]);
    expect(dots[1]!.x - dots[0]!.x).toBeCloseTo(dots[2]!.x - dots[1]!.x, 1);
    expect(withClass(svg, "thin")).toHaveLength(2);
  });

  test("seeds without a place in common are drawn and named, without a mean", () => {
    const figure = lines();
    const [line] = figure.lines;
    const apart = line.seeds.map(({ seed, points }, i) => ({
      seed,
      points: points.map(([x, share]) => [x + i / 2, share] as const),
    }));
    const svg = readMarkup(linesFigure({ ...figure, lines: [{ ...line, seeds: apart }] }).text);
    expect(withClass(svg, "thin")).toHaveLength(2);
    expect(withClass(svg, "dot")).toHaveLength(0);
    expect(all(svg, "text").map(textOf)).toContain("Model");
  });

  test("a mean has only the places that every seed has", () => {
    const [{ seeds }] = lines().lines;
    const shorter = { ...seeds[1], points: seeds[1].points.slice(0, 2) };
    expect(meanLine({ label: "", index: 0, seeds: [seeds[0], shorter] }).map(([x]) => x)).toEqual([1, 4]);
  });
});

test("a grid has a cell for every pair that was tested, framed where it was trained", () => {
  const svg = readMarkup(gridFigure(grid).text);
  expect(withClass(svg, "dot")).toHaveLength(3);
  expect(withClass(svg, "bar")).toHaveLength(1);
  const depths = withClass(svg, "dot").map(({ attributes }) => Number(attributes["fill-opacity"]));
  expect(depths).toEqual([0.85, 0.25, 0.45]); // 0.05 for 0 to 0.85 for 1
  expect(
    all(svg, "text")
      .map(textOf)
      .filter((each) => /^\d+$/.test(each)),
  ).toEqual(expect.arrayContaining(["100", "25", "50"]));
});

describe("the page", () => {
  const result = fixture({ seeds: [0, 1, 2] });

  test("shows the question, every figure, every row of the table and the command", () => {
    const { page, figures } = experimentReport(result, { lead: "By far", views: [view()] });
    const html = readMarkup(page.replace("<!doctype html>", ""));
    const text = textOf(html);
    for (const words of ["By far", result.question, result.command, "Longer is harder."])
      expect(text).toContain(words);
    const tables = all(html, "table").filter((node) => node.attributes.class === "all");
    expect(all(tables[0]!, "tr")).toHaveLength(1 + 28);
    expect(Object.keys(figures)).toEqual(["headline-1", "headline-2"]);
    for (const svg of Object.values(figures))
      expect(readMarkup(svg).attributes.xmlns).toBe("http://www.w3.org/2000/svg");
  });

  test("shows each expectation with what was measured, and whether it is met", () => {
    const checks = [
      { name: "LSTM at 48/24", expected: "at least 95 %", unit: "share" as const, values: [0.9], met: false },
    ];
    const html = readMarkup(
      experimentReport({ ...result, checks }, { views: [] }).page.replace("<!doctype html>", ""),
    );
    expect(all(html, "tr").map((row) => [...all(row, "th"), ...all(row, "td")].map(textOf))).toContainEqual([
      ...["LSTM at 48/24", "at least 95 %", "90.0 %", "\u2013", "no"],
    ]);
    const text = "LSTM at 48/24: 85.0 %, 80.0 % to 90.0 % (range); expected at least 95 %";
    expect(checkText({ ...checks[0]!, values: [0.8, 0.9] })).toBe(text);
    const unsure = { ...checks[0]!, values: [0.8, 0.9], met: "inconclusive" as const };
    expect([checkRow(unsure).at(-1), checkText(unsure)]).toEqual(["inconclusive", `${text}; inconclusive`]);
  });
});

/** The same record with every string replaced by one that tries to leave its element. */
function hostile(): ExperimentResult {
  const base = fixture();
  const model = (name: string) => (name === "lstm" ? HOSTILE : name === "transformer" ? "constructor" : name);
  return {
    ...base,
    ...{ experiment: HOSTILE, question: HOSTILE, command: HOSTILE, date: HOSTILE, device: HOSTILE },
    report: HOSTILE,
    sample: {
      text: `${HOSTILE}7\n${HOSTILE}`,
      reveals: [{ start: HOSTILE.length, end: HOSTILE.length + 1, answer: HOSTILE }],
    },
    models: { [HOSTILE]: { label: HOSTILE, summary: HOSTILE }, __proto__x: { label: "x", summary: "" } },
    results: base.results.map((row) => ({ ...row, model: model(row.model) })),
    training: base.training.map((curve) => ({ ...curve, model: HOSTILE })),
    claims: [
      {
        ...{ source: `arXiv:2602.14814${HOSTILE}`, statement: HOSTILE, published: 1 },
        ...{ unit: "share", over: "mean", values: [] },
      },
    ],
    findings: [HOSTILE],
  };
}

describe.each(
  Object.entries({
    "one seed": fixture(),
    "five seeds": fixture({ seeds: [0, 1, 2, 3, 4] }),
    "an empty training curve": {
      ...fixture(),
      training: fixture().training.map((curve) => ({ ...curve, points: [] })),
    },
    "a single condition": fixture({ conditions: [[12, 12]] }),
    "no model described": { ...fixture(), models: {} },
    "hostile strings": hostile(),
  }),
)("page and figures of %s", (_, result) => {
  const summary = summarize(result);
  const made = (record: ExperimentResult) =>
    experimentReport(record, {
      lead: HOSTILE,
      views: [
        view(HOSTILE),
        {
          ...view(HOSTILE),
          figures: [
            { kind: "drawing", title: HOSTILE, drawing: conditionsFigure(summary) },
            ...conditionsWithPositions(summary).map((condition) => {
              return { kind: "drawing", title: HOSTILE, drawing: revealsFigure(summary, condition) } as const;
            }),
          ],
        },
      ],
    });
  const { page, figures } = made(result);
  const roots = [page, ...Object.values(figures)].map(readMarkup);

  test("are well-formed, have no missing number, and are the same bytes each time", () => {
    expect(ExperimentResult.parse(result)).toEqual(result);
    expect(roots.map(({ tag }) => tag)).toEqual(["html", ...Object.keys(figures).map(() => "svg")]);
    for (const root of roots) expect(textOf(root)).not.toMatch(/NaN|undefined|Infinity|\[object/);
    expect(made(structuredClone(result))).toEqual({ ...made(result) });
  });

  test("can run or load nothing", () => {
    const active = "script img image link iframe object embed use foreignObject base".split(" ");
    for (const node of roots.flatMap((root) => all(root))) {
      expect(active).not.toContain(node.tag);
      for (const [attribute, value] of Object.entries(node.attributes)) {
        expect(attribute).not.toMatch(/^on|^src|^style$|^xlink/);
        if (attribute === "href") expect(value).toMatch(/^https:\/\/arxiv\.org\/abs\/\d{4}\.\d{4,5}$/);
      }
      if (node.tag === "style") expect(textOf(node)).not.toMatch(/url\(|@import/);
    }
  });
});

test("hostile strings are shown as text, letter for letter if XML can contain the letter", () => {
  const shown = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&amp;\uFFFD\uFFFD\uFFFD]]></style>`;
  const page = readMarkup(experimentReport(hostile(), { views: [] }).page);
  expect(textOf(withClass(page, "command")[0]!)).toBe(shown);
  expect(textOf(withClass(page, "trace")[0]!)).toContain(shown);
});

test("the table has a column for settings only where there are several, and the mean with its range", () => {
  const result = fixture({ seeds: [0, 1, 2] });
  const { columns, rows } = experimentTable(result);
  expect(columns).toEqual(["test", "model", "accuracy", "last", "scaled", "exact", "windowed"]);
  const row = rows.find(([test, model]) => test === "48/24 *" && model === "lstm")!;
  const own = result.results.filter(({ model, tested }) => model === "lstm" && tested.name === "48/24");
  expect(row[2]).toMatch(
    new RegExp(`^${(100 * mean(own.map(({ accuracy }) => accuracy))).toFixed(1)} \\([\\d.]+-[\\d.]+\\)$`),
  );
  const withSettings = { ...result, results: result.results.map((each) => ({ ...each, setting: "swaps" })) };
  expect(experimentTable(withSettings).columns[0]).toBe("setting");
});

describe("a claim", () => {
  const claim = (values: number[], over: Claim["over"]): Claim => ({
    ...{ source: "", statement: "", unit: "share", over, values },
  });

  test("is the mean of its seeds within Student's interval, of five seeds and more", () => {
    const five = claim([0.8, 0.85, 0.9, 0.95, 1], "mean");
    expect(claimValue(five)).toBeCloseTo(0.9, 12);
    // t with 4 degrees of freedom is 2.776445105198, the standard error sqrt(0.00625 / 5)
    expect(claimSpread(five)!.bounds[0]).toBeCloseTo(0.9 - 2.776445105198 * Math.sqrt(0.00125), 4);
    expect(claimSpread(five)!.kind).toBe("Student");
    expect(claimSpread(claim([0.8, 0.9, 0.95, 1], "mean"))).toEqual({ kind: "range", bounds: [0.8, 1] });
  });

  test("or the best of them, with the lowest and highest; seeds of two kinds have no interval of their mean", () => {
    expect(claimValue(claim([0.2, 0.7], "best"))).toBe(0.7);
    expect(claimSpread(claim([0.2, 0.7], "mean"))).toEqual({ kind: "range", bounds: [0.2, 0.7] });
    const mixed = claimSpread(claim([0.987, 0.323], "mean"))!;
    expect(mixed.kind).toBe("solved");
    // 1 of 2: 1 - sqrt(0.975) and its mirror image
    expect(mixed.bounds).toEqual([
      expect.closeTo(1 - Math.sqrt(0.975), 9),
      expect.closeTo(Math.sqrt(0.975), 9),
    ]);
    expect(spreadText(claim([0.987, 0.323], "mean"))).toBe("1.3 % to 98.7 % (solved: 1 of 2)");
    expect(claimSpread(claim([-0.1, 0.9, 0.1, 0.8, 0.2], "mean"))).toEqual({
      kind: "range",
      bounds: [-0.1, 0.9],
    });
    expect(claimSpread(claim([0.2, 0.7], "best"))).toEqual({ kind: "range", bounds: [0.2, 0.7] });
  });

  test("of seeds that all have the same, which say nothing of a spread, it is they that are told", () => {
    expect(claimSpread(claim([1, 1, 1], "mean"))).toEqual({ kind: "range", bounds: [1, 1] });
  });

  test("has no value without seeds, and no interval with one", () => {
    expect(claimValue(claim([], "mean"))).toBeUndefined();
    expect(claimSpread(claim([0.5], "mean"))).toBeUndefined();
  });

  test("has a normal interval with one seed that has a standard error", () => {
    const one = { ...claim([0.5], "mean"), errors: [0.1] };
    expect(claimSpread(one)!.kind).toBe("normal");
    expect(claimSpread(one)!.bounds).toEqual([expect.closeTo(0.304, 12), expect.closeTo(0.696, 12)]);
  });
});
