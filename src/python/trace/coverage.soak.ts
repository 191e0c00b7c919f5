import { expect, test } from "vitest";
import { cruxeval, hasCorpora, mbpp, traceSamples } from "./corpus.test-helper.ts";
import { excludedBy, publishedFilters } from "./filters.ts";
import { hasPython } from "./python.test-helper.ts";

const slice = process.env.SOAK_SLICE === "ci";

test.skipIf(!hasPython || !hasCorpora)(
  `${slice ? "every eighth program" : "all 800 programs"} of CRUXEval are traced, proven and end with the data set's output (skipped without python3 or STATELAB_DATA)`,
  () => {
    const samples = cruxeval().filter((_, i) => !slice || i % 8 === 0);
    const traced = traceSamples(samples);
    const problems = traced.flatMap(({ record, asExpected }, i) =>
      record.proven && record.reason === null && asExpected ? [] : [`${samples[i].id}: ${record.reason}`],
    );
    expect(problems).toEqual([]);
    expect(traced).toHaveLength(slice ? 100 : 800);
    // the published tracer took 761 with this filter
    const taken = traced.filter(({ record }) => excludedBy(record, publishedFilters.cruxeval) === undefined);
    expect(taken.length).toBeGreaterThanOrEqual(slice ? 96 : 761);
  },
);

test.skipIf(!hasPython || !hasCorpora)(
  "MBPP: at least 490 of the 500 functions and 1,400 samples of the test split are traced and proven (skipped without python3 or STATELAB_DATA)",
  () => {
    const samples = slice ? mbpp(11, 30) : mbpp(11, 510);
    const traced = traceSamples(samples);
    const good = samples.filter((_, i) => traced[i].record.proven && traced[i].record.reason === null);
    const functions = new Set(good.map((sample) => sample.function));
    expect(functions.size).toBeGreaterThanOrEqual(slice ? 17 : 490);
    expect(good.length).toBeGreaterThanOrEqual(slice ? 50 : 1_400);
    // a sample that is traced gives what the benchmark's own assert says
    expect(samples.filter((_, i) => traced[i].record.reason === null && !traced[i].asExpected)).toEqual([]);
    const taken = new Set(
      samples
        .filter((_, i) => excludedBy(traced[i].record, publishedFilters.mbpp) === undefined)
        .map((each) => each.function),
    );
    // the published tracer took 347
    expect(taken.size).toBeGreaterThan(slice ? 12 : 347);
  },
);
