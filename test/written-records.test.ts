import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { AnalysisDocument } from "../src/analysis/document.ts";
import { readJson } from "../src/app/data/files.ts";
import { openAnswerLog } from "../src/app/llm/log.ts";
import { LabError } from "../src/core/error.ts";
import { jsonText } from "../src/core/json.ts";
import { DatasetConfig, DatasetRow } from "../src/schemas/dataset.ts";
import { AnswerRecord, SampleRecord } from "../src/schemas/eval.ts";
import { EvidenceEntry } from "../src/schemas/evidence.ts";
import { MeasuredRecord } from "../src/schemas/experiment-result.ts";
import { Origin } from "../src/schemas/provenance.ts";
import { StepRecord } from "../src/schemas/run-config.ts";
import { Score } from "../src/schemas/samples.ts";
import { RevealRecord } from "../src/schemas/test-result.ts";
import { openRows } from "../src/storage/dataset/rows.ts";
import { writeDataset } from "../src/storage/dataset.ts";
import { openLog, readConfig, readLog, writeConfig } from "../src/storage/index.ts";
import { tmpFolder } from "./kit/tmp.ts";

const root = tmpFolder("written");
const runs = { numRuns: 60, seed: 9 };

const anyNumber = fc.oneof(
  { weight: 90, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  { weight: 30, arbitrary: fc.nat(1000) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY, 5e-324, -1.7e308, 2 ** 53),
  },
);
/** Any JavaScript string, with lone surrogates, line separators and controls. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud800", "\u2028", "__proto__", "\0", ""),
);

// biome-ignore lint/suspicious/noExplicitAny: zod's description of a schema has no exported type
type Described = any;

/** Values of about the form that a schema wants, with numbers that JSON does not have. */
function like({ _zod: { def } }: Described): fc.Arbitrary<unknown> {
  switch (def.type) {
    case "object": {
      const parts = Object.entries<Described>(def.shape);
      const needed = parts.filter(([, part]) => !["optional", "default"].includes(part._zod.def.type));
      return fc.record(Object.fromEntries(parts.map(([key, part]) => [key, like(part)])), {
        requiredKeys: needed.map(([key]) => key),
      });
    }
    case "string":
      return def.checks?.length > 0 || def.format
        ? fc.constantFrom("0".repeat(64), "0".repeat(64), "a", "2026-01-01T00:00:00.000Z")
        : anyText;
    case "number":
      return def.checks?.length > 0 || def.format ? fc.nat(60) : anyNumber;
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "literal":
      return fc.constantFrom(...def.values);
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "array":
      return fc.array(like(def.element), { minLength: 1, maxLength: 2 });
    case "tuple":
      return fc.tuple(...def.items.map(like));
    case "record":
      return fc.dictionary(like(def.keyType) as fc.Arbitrary<string>, like(def.valueType), { maxKeys: 2 });
    case "union":
      return fc.oneof(...def.options.map(like));
    case "nullable":
      return fc.oneof(like(def.innerType), fc.constant(null));
    case "optional":
    case "default":
    case "readonly":
    case "nonoptional":
    case "catch":
      return like(def.innerType);
    case "pipe":
      return like(def.in._zod.def.type === "transform" ? def.out : def.in);
    default:
      return fc.constantFrom(1, "x", null, { a: [1] });
  }
}

const documents: Readonly<Record<string, z.ZodType>> = {
  ...{ AnalysisDocument, AnswerRecord, DatasetConfig, DatasetRow, EvidenceEntry, MeasuredRecord },
  ...{ Origin, RevealRecord, SampleRecord, Score, StepRecord },
};

/** JSON has no undefined, and its zero no sign. */
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

describe.each(Object.entries(documents))("%s", (name, schema) => {
  test("what is written of it can be read, or was refused for a number that JSON does not have", async () => {
    const path = join(root, `${name}.json`);
    let read = 0;
    const written = fc.asyncProperty(like(schema), async (value) => {
      let text: string;
      try {
        text = jsonText(value, path);
      } catch (error) {
        expect(error).toBeInstanceOf(LabError);
        return;
      }
      const parsed = schema.safeParse(value);
      if (!parsed.success) return;
      writeFileSync(path, text);
      const again = (await readJson(path, schema)).value;
      expect(asJson(again)).toEqual(asJson(parsed.data));
      writeFileSync(path, JSON.stringify(again)); // a horizon without end is null
      expect(asJson((await readJson(path, schema)).value)).toEqual(asJson(again));
      read++;
    });
    await fc.assert(written, runs);
    expect(read).toBeGreaterThan(0);
  });
});

test("a log, a configuration and answers are read as they were written", async () => {
  const anything = fc.dictionary(anyText, fc.oneof(fc.jsonValue(), anyText, anyNumber), { maxKeys: 3 });
  const path = join(root, "log.jsonl");
  await fc.assert(
    fc.asyncProperty(anything, anyText, async (record, text) => {
      const log = openLog(path);
      const before = readLog(path).length;
      const finite = !Object.values(record).some(
        (value) => typeof value === "number" && !Number.isFinite(value),
      );
      if (finite) {
        log.append(record);
        expect(asJson(readLog(path).at(-1))).toEqual(asJson(record));
        await writeConfig(root, record);
        expect(asJson(await readConfig(root))).toEqual(asJson(record));
      } else {
        expect(() => log.append(record)).toThrow(LabError);
        await expect((async () => writeConfig(root, record))()).rejects.toThrow(LabError);
        expect(readLog(path)).toHaveLength(before);
      }
      log.close();

      const answers = join(root, "answers.jsonl");
      const kept = {
        ...{ key: "0".repeat(64), sample: text, turn: 0, text, finish: text, attempts: 1, reasoning: text },
        ...{ promptTokens: 1, replyTokens: null },
      };
      const first = await openAnswerLog(answers);
      first.keep(kept);
      expect(first.get(kept.key)).toEqual(kept);
      await first.close();
    }),
    runs,
  );
});

test("rows of a data set are read as they were written, as JSON lines and as Parquet", async () => {
  const word = fc.string({ minLength: 1 });
  const row = fc.record({
    text: fc.string({ unit: "binary" }),
    reveals: fc.array(
      fc.record({
        start: fc.nat(9),
        end: fc.nat(9),
        variable: word,
        value: word,
        commands: fc.nat(9),
        posterior: posteriors(),
      }),
      { maxLength: 2 },
    ),
    states: fc.array(fc.record({ end: fc.nat(9), values: fc.record({ a: word, b: word }) }), {
      maxLength: 2,
    }),
  });
  let folders = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 3 }), async (rows) => {
      for (const format of ["jsonl", "parquet"] as const) {
        const folder = join(root, `rows-${folders++}`);
        await writeDataset(folder, {
          ...{ rows, format, variables: ["a", "b"], outcomes: ["0", "1"], split: "train", tokenizer: {} },
          ...{ tokenizerConfig: {}, summary: "a test", source: "none", command: "statelab generate repl" },
          config: { task: "repl", params: {}, seed: 7, tokenizer: "word", lab: "0.1.0" },
        });
        const { train } = await openRows(folder);
        expect(
          Array.from({ length: train.count }, (_, i) => train.at(i)),
          format,
        ).toEqual(rows);
        rmSync(folder, { recursive: true });
      }
    }),
    { ...runs, numRuns: 15 },
  );
});

function posteriors() {
  return fc.double({ min: 0, max: 1, noNaN: true }).map((share) => ({ "0": share + 0, "1": 1 - share }));
}
