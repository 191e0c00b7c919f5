import { expect, test } from "vitest";
import { newerEvidence, toEvidence } from "../schemas/evidence.ts";
import {
  cell,
  evidenceIndex,
  experimentPart,
  type JudgedClaim,
  type JudgedEntry,
  type KnownExperiment,
  type ResultPage,
  resultsIndex,
  withExperiments,
  withPart,
} from "./evidence.ts";
import { fixture } from "./fixture.test-helper.ts";

const claim = (fields: Partial<JudgedClaim>): JudgedClaim => ({
  ...{ source: "A", statement: "It tracks", unit: "share", over: "mean", values: [], ...fields },
});
const entry = (fields: Partial<JudgedEntry>): JudgedEntry => ({ ...toEvidence(fixture())!, ...fields });
const known = (...entries: JudgedEntry[]): KnownExperiment => ({
  ...{ name: "headline", question: "Which model tracks?", about: "which model tracks" },
  ...{ publishedIn: "A, teaser", claims: [claim({ published: 0.9 })], answer: "One tracks." },
  ...{ hasLog: true, entries },
});
const part = (fields: Partial<JudgedEntry>) => experimentPart(known(entry({ findings: [], ...fields })));

test("a published result stands beside ours only if the two are comparable", () => {
  const values = [0.8, 0.85, 0.9, 0.95, 1];
  const like = claim({ published: 0.9, values, verdict: "agrees" });
  const text = part({ claims: [like, claim({ ...like, statement: "It recalls", unlike: "other loss" })] });
  // mean 90, Student's half width 2.776445105198 * sqrt(0.00125)
  expect(text).toContain("| It tracks (A) | 90.0 % | 90.0 % | 80.2 % to 99.8 % (Student) | 5 |  | agrees |");
  const [, unlike] = text.split("Published under other conditions, so not comparable:");
  expect(unlike).toContain("| 5 |  | similar | other loss |");
  expect(unlike).not.toContain("It tracks");
  expect(text).toContain("*Student*: Student\u2019s 95 % confidence interval");
  expect(text).toContain("`statelab reproduce headline --scale laptop`");
});

test("own measurements have no column of published ones, and what was not measured is a list", () => {
  const text = part({
    claims: [
      claim({ source: "own question", values: [0.5] }),
      claim({ statement: "It recalls", published: 1 }),
    ],
  });
  expect(text).toContain("| claim | ours | range over seeds | seeds | training |");
  expect(text).toContain("Published, but not measured at this scale:\n\n- It recalls (A)");
});

test("each range says whether it is Student's interval, that of one seed, or the lowest and highest", () => {
  const text = part({
    claims: [
      claim({ statement: "Five seeds", values: [0.8, 0.85, 0.9, 0.95, 1] }),
      claim({ statement: "The best", values: [0.8, 0.9, 1], over: "best" }),
      claim({ statement: "One seed", values: [1.5], errors: [0.1], unit: "nats" }),
      claim({ statement: "Two kinds", values: [0.3, 1, 0.99] }),
    ],
  });
  expect(text).toContain("| Five seeds (A) | in words | 90.0 % | 80.2 % to 99.8 % (Student) | 5 |");
  expect(text).toContain("| The best (A) | in words | 100.0 % | 80.0 % to 100.0 % (range) | 3 |");
  expect(text).toContain("| One seed (A) | in words | 1.5 | 1.304 to 1.696 (normal) | 1 |");
  expect(text).toContain("(solved: 2 of 3) | 3 |");
  for (const kind of ["Student", "normal", "range", "solved"]) expect(text).toContain(`*${kind}*: `);
});

test("how far a model came in its training stands beside the claim about it", () => {
  const values = [0.5];
  const claims = [
    claim({ models: ["gru"], setting: "S_3", values }),
    claim({ models: ["lstm"], values }),
    claim({ models: ["gru"], values }),
    claim({ values }),
  ];
  const of = (model: string, stage: number, seeds: number) => ({
    ...{ setting: "S_3", model, stage, stages: 5, unlearned: { seeds, of: 3 } },
  });
  const trained = [
    { ...of("gru", 5, 0), lowest: 0.982, highest: 1, lowestSeed: 0.982 },
    { ...of("lstm", 1, 3), lowest: 0.331, highest: 0.949, lowestSeed: 0.305 },
    { ...of("gru", 4, 1), setting: "S_5" },
  ];
  const machine = { node: "v20", platform: "linux x64", processor: "Chip", cores: 2, memoryGiB: 8 };
  const text = part({ claims, trained, machine });
  const cells = text.split("\n").filter((line) => line.startsWith("| It tracks"));
  expect(cells.map((line) => line.split(" | ").at(-2))).toEqual([
    "stage 5 of 5, 98.2\u00A0%",
    "does not fit: stage 1 of 5, 33.1\u00A0% (lowest seed 30.5\u00A0%)",
    "S\\_3: stage 5 of 5, 98.2\u00A0%; S\\_5: does not fit in 1 of 3 seeds: stage 4 of 5",
    "",
  ]);
  expect(text).toContain("Chip, 2 cores, 8 GiB, linux x64, Node v20 |");
  const { trained: _, ...older } = entry({ claims: claims.slice(0, 1) });
  expect(experimentPart(known(older))).toContain("| 1 | not recorded |");
});

test("what the evidence keeps of a training is the stage that every seed came to, and the mean where it is lowest and highest", () => {
  const curve = (seed: number, reached: number) => ({
    ...{ setting: "", model: "lstm", seed, parameters: 1, learningRate: 1, steps: 1, seconds: 1, points: [] },
    stages: { reached, of: 5 },
  });
  const made = toEvidence({ ...fixture({ seeds: [0, 1] }), training: [curve(0, 5), curve(1, 3)] })!;
  const rows = fixture({ seeds: [0, 1] }).results.filter(
    ({ model, tested }) => model === "lstm" && tested.asTrained,
  );
  const mean = (name: string) => {
    const own = rows.filter(({ tested }) => tested.name === name).map(({ accuracy }) => accuracy);
    return own.reduce((a, b) => a + b) / own.length;
  };
  const names = [...new Set(rows.map(({ tested }) => tested.name))];
  const means = names.map(mean);
  const hardest = rows.filter(({ tested }) => mean(tested.name) === Math.min(...means));
  expect(made.trained).toEqual([
    {
      ...{ setting: "", model: "lstm", stage: 3, stages: 5 },
      lowest: Math.min(...means),
      highest: Math.max(...means),
      lowestSeed: Math.min(...hardest.map(({ accuracy }) => accuracy)),
      unlearned: { seeds: 0, of: 2 },
    },
  ]);
});

test("what was not met is counted or shown, and what was not run says so", () => {
  expect(part({ claims: [], findings: ["It did not"] })).toContain("1 expectation not met");
  const missed = { name: "It", expected: "at least 95 %", unit: "share" as const, values: [0.5], met: false };
  expect(part({ claims: [], checks: [missed] })).toContain("| It | at least 95 % | 50.0 % | – | no |");
  expect(part({ outdated: "each model has its own since." })).toContain("**Outdated**");
  const text = experimentPart(known());
  expect(text).toContain("Not run yet");
  expect(text).toContain("- It tracks (A)");
});

test("words of a record cannot break out of the table", () => {
  const text = part({ claims: [claim({ statement: "a | b\n| c <script>", values: [1] })] });
  expect(text).toContain("| a \\| b \\| c \\<script\\> (A) |");
});

test("several claims become one table, and the others stay rows", () => {
  const pivot = {
    statements: /^It/,
    table: { columns: ["", "4"], rows: [["x", "1 [2]"]] },
    words: "Percent.",
  };
  const claims = [claim({ values: [1] }), claim({ statement: "Other", values: [1] })];
  const text = experimentPart({ ...known(entry({ claims, findings: [] })), pivot });
  expect(text).toContain("| x | 1 \\[2\\] |\n\nPercent.");
  expect(text).not.toContain("It tracks");
  expect(text).toContain("| Other (A) |");
});

test("a newer entry takes the place of an older one, an older one does not", () => {
  const [old, recent] = [entry({ date: "2026-01-01" }), entry({ date: "2026-02-01" })];
  expect(newerEvidence(old, recent)).toBe(recent);
  expect(newerEvidence(recent, old)).toBe(recent);
  expect(newerEvidence(undefined, old)).toBe(old);
  const again = { ...recent };
  expect(newerEvidence(recent, again)).toBe(again);
});

const page: ResultPage = {
  ...{ page: "first", question: "Which?", answer: "This one.", experiments: ["headline"] },
  evidence: "headline",
};

test("the index has a row per page, an archive of the rest, and what contradicts a paper", () => {
  const claims = [
    claim({ values: [0.1], published: 0.9, verdict: "contradicts" }),
    claim({ statement: "It recalls", values: [0.1], verdict: "contradicts", unlike: "other loss" }),
    claim({ statement: "It copies", values: [0.1], verdict: "inconclusive" }),
    claim({ statement: "We hoped", source: "own question", values: [0.1], verdict: "contradicts" }),
  ];
  const other = { ...known(entry({})), name: "other" };
  const index = resultsIndex([page], [known(entry({ claims })), other]);
  const rows = "[rows](../../evidence/headline/rows.jsonl), [log](../../evidence/headline/log.md)";
  expect(index).toContain(`| [Which?](first.md) | This one. | ${rows} | \`statelab reproduce headline`);
  const [, archive = "", contradicted = ""] = /## Archive([\s\S]*)## Contradicts the paper([\s\S]*)/.exec(
    index,
  )!;
  expect(archive).toContain("| Which model tracks? | One tracks. | [rows](../../evidence/other/rows.jsonl)");
  expect(archive).not.toContain("headline/rows.jsonl");
  const [alike, apart] = contradicted.split("Under other conditions");
  expect(alike).toContain("| [It tracks](first.md) | A | 90.0 % | 10.0 % |");
  expect(apart).toContain("| [It recalls](first.md) | A | in words | 10.0 % | other loss |");
  expect(index).not.toMatch(/It copies|We hoped/);
  const unrun = { ...page, answer: "Not run yet." };
  expect(resultsIndex([unrun], [known()])).toContain(
    "| Not run yet. | [log](../../evidence/headline/log.md) |",
  );
});

test("the folder's index has a row per scale, and logs that belong to no experiment", () => {
  const measured = known(
    entry({ scale: "laptop", date: "2026-01-01" }),
    entry({ scale: "paper", date: "2026-02-01", rows: [] }),
  );
  const index = evidenceIndex(
    [measured, { ...known(), name: "other", answer: undefined, hasLog: false }],
    ["delta-rule"],
  );
  const count = fixture().results.length;
  expect(index).toContain(
    `| [headline](headline/log.md) | One tracks. | [${count}](headline/rows.jsonl) | 1 | 2026-01-01 |`,
  );
  expect(index).toContain("|  |  | [values](headline/paper.json) | 1 | 2026-02-01 |");
  expect(index).toContain("| other | Not run yet. |  |  |  |");
  expect(index).toContain("[delta-rule](delta-rule/log.md)");
});

test("the table of a page is made anew between its marks, and a page without them stays as it is", () => {
  const [begin, end] = ["<!-- experiments: generated by statelab reproduce --evidence -->", "<!-- end -->"];
  const timed = [known(entry({ seconds: 4231 }))];
  const made = withExperiments(`Before.\n\n${begin}\nold\n${end}\n\nAfter.\n`, timed);
  expect(made).toMatch(
    /^Before\.[\s\S]*\| `headline` \| which model tracks \| A, teaser \| 1 h 11 min \| \d \|[\s\S]*After\.\n$/,
  );
  expect(made).not.toContain("old");
  expect(withExperiments(made, timed)).toBe(made);
  expect(withExperiments(made, [known()])).toContain("| `headline` | which model tracks | A, teaser |  |  |");
  expect(withExperiments("# Page\n", [known()])).toBe("# Page\n");
  expect(withPart(made, "answer", "Yes.")).toBe(made);
});

test("smoke scale is no evidence", () => {
  expect(toEvidence({ ...fixture(), scale: "smoke" })).toBeUndefined();
});

test("the rows by seed and test are kept, and the page's accuracies are made of them", () => {
  const result = fixture();
  const made = entry({});
  expect(made.rows).toHaveLength(result.results.length);
  const [first] = result.results;
  const text = experimentPart(known(made));
  const own = result.results.filter(
    ({ setting, model, tested }) =>
      setting === first.setting && model === first.model && tested.name === first.tested.name,
  );
  const mean = own.reduce((sum, { accuracy }) => sum + accuracy, 0) / own.length;
  const line = text.split("\n").find((each) => each.startsWith(`| ${cell(first.model)} | `));
  expect(line).toContain(`| ${(100 * mean).toFixed(1)}`);
  expect(experimentPart(known({ ...made, rows: [] }))).not.toContain("Accuracy in percent");
});
