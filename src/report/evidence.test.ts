import { expect, test } from "vitest";
import { type EvidenceEntry, newerEvidence, toEvidence } from "../schemas/evidence.ts";
import type { Claim } from "../schemas/experiment-result.ts";
import {
  cell,
  evidenceIndex,
  evidencePage,
  type KnownExperiment,
  readVerdict,
  withExperiments,
} from "./evidence.ts";
import { fixture } from "./fixture.test-helper.ts";

const claim = (fields: Partial<Claim>): Claim => ({
  source: "A",
  statement: "It tracks",
  unit: "share",
  over: "mean",
  values: [],
  ...fields,
});
const entry = (fields: Partial<EvidenceEntry>): EvidenceEntry => ({ ...toEvidence(fixture())!, ...fields });
const known = (...entries: EvidenceEntry[]): KnownExperiment => ({
  name: "headline",
  question: "Who tracks?",
  about: "who tracks",
  publishedIn: "A, teaser",
  claims: [claim({ published: 0.9 })],
  verdict: undefined,
  entries,
});

test("a published result stands beside ours, with interval and seeds", () => {
  const claims = [claim({ published: 0.9, values: [0.8, 0.9, 1] })];
  const page = evidencePage([known(entry({ claims, findings: [] }))]);
  // mean 90, Student's half width 4.302652729911 * 10 / sqrt(3)
  expect(page).toContain("| It tracks (A) | 90.0 % | 90.0 % | 65.2 % to 100.0 % (Student) | 3 |");
  expect(page).toContain("`statelab reproduce headline --scale laptop`");
  expect(page).not.toContain("What disagrees");
});

test("numbers that the command would not give today are called outdated, and why; a new result takes the word away", () => {
  const old = entry({ outdated: "since then each model has its own recipe." });
  expect(evidencePage([known(old)])).toContain(
    "**Outdated**, the command gives other numbers today: since then each model has its own recipe.",
  );
  expect(evidencePage([known(newerEvidence(old, entry({})))])).not.toContain("Outdated");
});

test("each cell says whether it is Student's interval, that of one seed, or the lowest and highest", () => {
  const claims = [
    claim({ statement: "Over seeds", values: [0.8, 0.9, 1] }),
    claim({ statement: "The best", values: [0.8, 0.9, 1], over: "best" }),
    claim({ statement: "One seed", values: [1.5], errors: [0.1], unit: "nats" }),
  ];
  const page = evidencePage([known(entry({ claims, findings: [] }))]);
  expect(page).toContain("| Over seeds (A) | in words | 90.0 % | 65.2 % to 100.0 % (Student) | 3 |");
  expect(page).toContain("| The best (A) | in words | 100.0 % | 80.0 % to 100.0 % (range) | 3 |");
  expect(page).toContain("| One seed (A) | in words | 1.5 | 1.304 to 1.696 (normal) | 1 |");
  for (const kind of ["Student", "normal", "range"]) expect(page).toContain(`- *${kind}*: `);
});

test("how far a model came in its training stands beside the claim about it, and the machine above", () => {
  const values = [0.5];
  const claims = [
    claim({ models: ["gru"], setting: "S_3", values }),
    claim({ models: ["lstm"], values }),
    claim({ models: ["gru"], values }),
    claim({ models: ["gru", "lstm"], setting: "S_3", values }),
    claim({ values }),
    claim({ models: ["gru"] }),
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
  const page = evidencePage([known(entry({ claims, trained, machine, findings: [] }))]);
  const cells = page.split("\n").filter((line) => line.startsWith("| It tracks"));
  expect(cells.map((line) => line.split(" | ").at(-1))).toEqual([
    "stage 5 of 5, 98.2\u00A0% |",
    "not learned: stage 1 of 5, 33.1\u00A0% (30.5\u00A0%) |",
    "S\\_3: stage 5 of 5, 98.2\u00A0%; S\\_5: not learned in 1 of 3 seeds: stage 4 of 5 |",
    "gru: stage 5 of 5, 98.2\u00A0%; lstm: not learned: stage 1 of 5, 33.1\u00A0% (30.5\u00A0%) |",
    " |",
    " |",
  ]);
  const { trained: _, ...older } = entry({ claims: claims.slice(0, 1) });
  expect(evidencePage([known(older)])).toContain("| 1 | not recorded |");
  expect(page).toContain("Machine: Chip, 2 cores, 8 GiB, linux x64, Node v20.");
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

test("what contradicts stays, and what was not run says so", () => {
  expect(evidencePage([known(entry({ findings: ["It did not"] }))])).toContain("- It did not");
  const page = evidencePage([known()]);
  expect(page).toContain("Not run yet");
  expect(page).toContain("| It tracks (A) | 90.0 % | \u2013 | \u2013 | 0 |");
});

test("words of a record cannot break out of the table", () => {
  const page = evidencePage([{ ...known(), claims: [claim({ statement: "a | b\n| c <script>" })] }]);
  expect(page).toContain("| a \\| b \\| c \\<script\\> (A) |");
});

test("a newer entry takes the place of an older one, an older one does not", () => {
  const [old, recent] = [entry({ date: "2026-01-01" }), entry({ date: "2026-02-01" })];
  expect(newerEvidence(old, recent)).toBe(recent);
  expect(newerEvidence(recent, old)).toBe(recent);
  expect(newerEvidence(undefined, old)).toBe(old);
  const again = { ...recent };
  expect(newerEvidence(recent, again)).toBe(again);
});

test("the index has the verdict of the newest entry, a row a scale, and logs that are no experiment's", () => {
  const log = "# headline\n\n## Headline, one seed: one tracks\n\nText.\n\n## An older entry\n";
  const measured = known(
    entry({ scale: "laptop", date: "2026-01-01" }),
    entry({ scale: "paper", date: "2026-02-01" }),
  );
  const experiments = [
    { ...measured, verdict: readVerdict(log) },
    { ...known(), name: "other" },
  ];
  const index = evidenceIndex(experiments, [{ name: "delta-rule", verdict: "Delta rule with equal keys" }]);
  expect(index).toContain("| [headline](headline/log.md) | One tracks | laptop | 1 seed | 2026-01-01 |");
  expect(index).toContain("|  |  | paper | 1 seed | 2026-02-01 |");
  expect(index).toContain("| other | no entry yet | not run yet |  |  |");
  expect(index).toContain("| [delta-rule](delta-rule/log.md) | Delta rule with equal keys |");
});

test("the table of a page is made anew between its marks, and a page without them stays as it is", () => {
  const [begin, end] = ["<!-- experiments: made by statelab reproduce --evidence -->", "<!-- end -->"];
  const page = withExperiments(`Before.\n\n${begin}\nold\n${end}\n\nAfter.\n`, [
    known(entry({ seconds: 4231 })),
  ]);
  expect(page).toMatch(
    /^Before\.[\s\S]*\| `headline` \| who tracks \| A, teaser \| 1 h 11 min \| \d \|[\s\S]*After\.\n$/,
  );
  expect(page).not.toContain("old");
  expect(withExperiments(page, [known(entry({ seconds: 4231 }))])).toBe(page);
  expect(withExperiments(page, [known()])).toContain("| `headline` | who tracks | A, teaser |  |  |");
  expect(withExperiments("# Page\n", [known()])).toBe("# Page\n");
});

test("smoke scale is no evidence", () => {
  expect(toEvidence({ ...fixture(), scale: "smoke" })).toBeUndefined();
});

test("the rows by seed and test are kept, and the page's accuracies are made of them", () => {
  const result = fixture();
  const made = entry({});
  expect(made.rows).toHaveLength(result.results.length);
  const [first] = result.results;
  const page = evidencePage([known(made)]);
  const own = result.results.filter(
    ({ setting, model, tested }) =>
      setting === first.setting && model === first.model && tested.name === first.tested.name,
  );
  const mean = own.reduce((sum, { accuracy }) => sum + accuracy, 0) / own.length;
  const line = page.split("\n").find((each) => each.startsWith(`| ${cell(first.model)} | `));
  expect(line).toContain(`| ${(100 * mean).toFixed(1)}`);
  const { rows: _, ...older } = made;
  expect(evidencePage([known(older)])).not.toContain("accuracy, percent");
});
