/** @file The page read back: well-formed, inert, the same bytes each time, and its numbers the record's own. */

import { describe, expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { ExperimentResult } from "../schemas/experiment-result.ts";
import { headlineFigure, headlineReport, headlineTable } from "./experiment-headline.ts";
import { fixture, MODELS } from "./fixture.test-helper.ts";
import { all, type Node, readMarkup, textOf, withClass } from "./markup.test-helper.ts";

const FIVE = [0, 1, 2, 3, 4];
const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&amp;\u0000\uD800\u202E]]></style>`;

/** The same record with every string of it replaced by one that tries to get out. */
function hostile(): ExperimentResult {
  const base = fixture();
  return {
    ...base,
    experiment: HOSTILE,
    question: HOSTILE,
    command: HOSTILE,
    date: HOSTILE,
    device: HOSTILE,
    report: HOSTILE,
    sample: {
      text: `${HOSTILE}7\n${HOSTILE}`,
      reveals: [{ start: HOSTILE.length, end: HOSTILE.length + 1, answer: HOSTILE }],
    },
    models: { [HOSTILE]: { label: HOSTILE, summary: HOSTILE }, __proto__x: { label: "x", summary: "" } },
    results: base.results.map((row) => ({
      ...row,
      model: row.model === "lstm" ? HOSTILE : row.model === "transformer" ? "constructor" : row.model,
    })),
    training: base.training.map((curve) => ({ ...curve, model: HOSTILE })),
    claims: [
      {
        source: `arXiv:2602.14814${HOSTILE}`,
        statement: HOSTILE,
        published: 1,
        unit: "share",
        over: "mean",
        values: [],
      },
    ],
    findings: [HOSTILE],
  };
}

const long = "A model whose name somebody wrote down in full ".repeat(6);
const cases: Record<string, ExperimentResult> = {
  "one seed": fixture(),
  "five seeds": fixture({ seeds: FIVE }),
  "no training curves": { ...fixture(), training: [] },
  "an empty training curve": {
    ...fixture(),
    training: fixture().training.map((curve) => ({ ...curve, points: [] })),
  },
  "a single condition": fixture({ conditions: [[12, 12]] }),
  "very long names": {
    ...fixture(),
    models: Object.fromEntries(MODELS.map((name) => [name, { label: `${long}${name}`, summary: long }])),
  },
  "no model described": { ...fixture(), models: {} },
  "nothing published, nothing found": { ...fixture(), claims: [], findings: [] },
  "hostile strings": hostile(),
};

describe.each(Object.entries(cases))("of %s", (_, result) => {
  test("the fixture is a record that the schema accepts", () => {
    expect(ExperimentResult.parse(result)).toEqual(result);
  });

  test("page and figure are well-formed", () => {
    expect(readMarkup(headlineReport(result)).tag).toBe("html");
    expect(readMarkup(headlineFigure(result)).tag).toBe("svg");
  });

  test("nothing in page or figure can run or load anything", () => {
    for (const node of [
      ...all(readMarkup(headlineReport(result))),
      ...all(readMarkup(headlineFigure(result))),
    ]) {
      expect([
        "script",
        "img",
        "image",
        "link",
        "iframe",
        "object",
        "embed",
        "use",
        "foreignObject",
        "base",
      ]).not.toContain(node.tag);
      for (const [attribute, value] of Object.entries(node.attributes)) {
        expect(attribute).not.toMatch(/^on|^src|^style$|^xlink/);
        if (attribute === "href") expect(value).toMatch(/^https:\/\/arxiv\.org\/abs\/\d{4}\.\d{4,5}$/);
      }
      if (node.tag === "style") expect(textOf(node)).not.toMatch(/url\(|@import/);
    }
  });

  test("the same record gives the same bytes", () => {
    expect(headlineReport(structuredClone(result))).toBe(headlineReport(result));
    expect(headlineFigure(structuredClone(result))).toBe(headlineFigure(result));
  });

  test("no text stands for a number that is missing", () => {
    expect(textOf(readMarkup(headlineReport(result)))).not.toMatch(/NaN|undefined|Infinity|\[object/);
  });
});

test("hostile strings are shown as text, letter for letter where XML can hold the letter", () => {
  const shown = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&amp;\uFFFD\uFFFD\uFFFD]]></style>`;
  const page = readMarkup(headlineReport(hostile()));
  expect(textOf(withClass(page, "command")[0]!)).toBe(shown);
  expect(textOf(withClass(page, "trace")[0]!)).toContain(shown);
});

/** The tables of the page, read back: condition heading -> row name -> the numbers' full values. */
function tablesOf(page: Node): Map<string, Map<string, { values: number[]; shown: string[] }>> {
  return new Map(
    withClass(page, "numbers").map((table) => [
      textOf(all(all(table, "caption")[0]!, "strong")[0]!),
      new Map(
        all(table, "tbody").flatMap((body) =>
          all(body, "tr").map((row) => {
            const numbers = all(row, "data");
            return [
              textOf(all(row, "th")[0]!).trim(),
              {
                values: numbers.map(({ attributes }) => Number(attributes.value)),
                shown: numbers.map(textOf),
              },
            ] as const;
          }),
        ),
      ),
    ]),
  );
}

const shapeOf = ({ tested }: { readonly tested: { readonly name: string } }) => {
  const [commands, spacing] = tested.name.split("/").map(Number);
  return [commands!, spacing!] as const;
};
const headingOf = (commands: number, spacing: number) =>
  `${commands} commands, a reveal ${spacing === 1 ? "after each" : `every ${spacing}`}`;

test("with one seed every number of the tables is the record's own, to the last bit, and shown rounded", () => {
  const result = fixture();
  const tables = tablesOf(readMarkup(headlineReport(result)));
  expect(tables.size).toBe(7);
  for (const row of result.results) {
    const table = tables.get(headingOf(...shapeOf(row)))!;
    const scaled = (row.accuracy - 1 / 3) / (2 / 3);
    const { values, shown } = table.get(result.models[row.model]!.label)!;
    expect(values.slice(0, 2)).toEqual([row.accuracy, row.accuracyLast]);
    expect(values[2]).toBeCloseTo(scaled, 12);
    const rounded = (row.accuracy * 100).toFixed(1);
    expect(shown[0]).toBe(row.accuracy < 1 && rounded === "100.0" ? ">99.9" : rounded);
    expect(table.get("exact filter")!.values[0]).toBe(row.references.exactBayes!.accuracy);
    expect(table.get("windowed filter")!.values.slice(0, 2)).toEqual([
      row.references.windowedBayes!.accuracy,
      row.references.windowedBayes!.accuracyByReveal.at(-1),
    ]);
    expect(table.get("\u2026 no boundary")!.values[0]).toBe(
      row.references.windowedBayesWithoutBoundary!.accuracy,
    );
    expect(table.get("guessing")!.values).toEqual([1 / 3, 1 / 3, 0]);
  }
});

test("with five seeds the tables hold the mean over seeds, and the lowest and highest", () => {
  const result = fixture({ seeds: FIVE });
  const page = readMarkup(headlineReport(result));
  const own = result.results
    .filter((row) => row.model === "lstm" && row.tested.name === "48/24")
    .map((row) => row.accuracy);
  const cell = tablesOf(page).get(headingOf(48, 24))!.get("LSTM")!;
  expect(cell.values[0]).toBeCloseTo(own.reduce((sum, value) => sum + value) / 5, 12);
  const [low, high] = [Math.min(...own), Math.max(...own)].map((value) => (value * 100).toFixed(1));
  expect(all(page, "small").map(textOf)).toContain(`${low}\u2013${high}`);
});

test("the page's heading, its title and the figure's title are the same finding", () => {
  const page = readMarkup(headlineReport(fixture()));
  const finding =
    "DeltaNet [-1,1] holds to 48 commands with a reveal every 24; LSTM to a reveal every 2 commands; DeltaNet [0,1] to a reveal after every command; Transformer had not learned the densest reveals in this budget";
  expect(textOf(all(page, "h1")[0]!)).toBe(`${finding}.`);
  expect(textOf(all(page, "title")[0]!)).toBe(`${finding} \u00B7 Statelab`);
  expect(textOf(all(readMarkup(headlineFigure(fixture())), "title")[0]!)).toBe(finding);
});

test("the page is in the order in which it is read", () => {
  const headings = all(readMarkup(headlineReport(fixture())), "h2").map(textOf);
  expect(headings).toEqual([
    "Who tracks",
    "The task",
    "The numbers",
    "Where each one breaks",
    "What it took",
    "How each one learned",
    "Published, and here",
    "What disagrees",
    "Run it again",
    "Words",
  ]);
});

test("published statements, findings and how to run it again are all there", () => {
  const result = fixture();
  const text = textOf(readMarkup(headlineReport(result)));
  const facts = [
    result.command,
    result.device,
    result.date,
    result.report,
    "5 min 42 s",
    ...result.findings,
    ...result.claims.map(({ statement }) => statement),
  ];
  for (const fact of facts) expect(text).toContain(fact);
});

test("plain rows hold one row a model and condition, with the numbers of the record", () => {
  const result = fixture();
  const { columns, rows } = headlineTable(result);
  expect(rows).toHaveLength(28);
  for (const row of rows) expect(row).toHaveLength(columns.length);
  const found = result.results.find((row) => row.model === "transformer" && row.tested.name === "48/8")!;
  const shown = rows.find((row) => row[0] === "transformer" && row[1] === "48/8 *")!;
  const numbers = [
    found.accuracy,
    found.accuracyLast,
    (found.accuracy - 1 / 3) / (2 / 3),
    found.references.exactBayes!.accuracy,
    found.references.windowedBayes!.accuracy,
    found.references.windowedBayesWithoutBoundary!.accuracy,
  ];
  expect(shown.slice(2)).toEqual([...numbers.map((share) => (share * 100).toFixed(1)), "not learned"]);
  const held = rows.filter(([model]) => model === "deltanet[0,1]").map((row) => row.at(-1));
  expect(new Set(held)).toEqual(new Set(["yes", "no"]));
});

test("an experiment without a row is refused in one sentence", () => {
  expect(() => headlineReport({ ...fixture(), results: [] })).toThrow(LabError);
  expect(() => headlineReport({ ...fixture(), results: [] })).toThrow("at least one row");
});

test("an accuracy that is not a number does not pass the schema", () => {
  const result = fixture();
  const results = result.results.map((row, i) => (i === 3 ? { ...row, accuracy: Number.NaN } : row));
  expect(ExperimentResult.safeParse({ ...result, results }).success).toBe(false);
});
