import { expect, test } from "vitest";
import { cruxeval, hasCorpora, traceSamples } from "./corpus.test-helper.ts";
import { excludedBy, publishedFilters } from "./filters.ts";
import { hasPython } from "./python.test-helper.ts";

test.skipIf(!hasPython || !hasCorpora)(
  "all 800 programs of CRUXEval are traced, proven and end with the data set's output (skipped without python3 or STATELAB_DATA)",
  () => {
    const samples = cruxeval();
    const traced = traceSamples(samples);
    const problems = traced.flatMap(({ record, asExpected }, i) =>
      record.proven && record.reason === null && asExpected ? [] : [`${samples[i].id}: ${record.reason}`],
    );
    expect(problems).toEqual([]);
    expect(traced).toHaveLength(800);
    // the published tracer took 761 with this filter
    const taken = traced.filter(({ record }) => excludedBy(record, publishedFilters.cruxeval) === undefined);
    expect(taken.length).toBeGreaterThanOrEqual(761);
  },
);
