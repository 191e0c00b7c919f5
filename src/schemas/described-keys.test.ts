import { expect, test } from "vitest";
import { z } from "zod";
import { mixers } from "../models/index.ts";
import { tasks } from "../tasks/index.ts";
import { describedKeys } from "./described-keys.ts";
import { RunConfig } from "./run-config.ts";

test("every setting, task parameter and model field has a description", () => {
  const schemas = [
    RunConfig,
    ...Object.values(tasks).map(({ params }) => params),
    ...Object.values(mixers).map(({ config }) => config),
  ] as z.ZodType[];
  const keys = schemas.flatMap(describedKeys);
  expect(keys.length).toBeGreaterThan(200);
  expect(keys.filter(({ description }) => description === "")).toEqual([]);
});

test("keys at any depth have their bounds, choices and defaults", () => {
  const schema = z.object({
    a: z.object({ count: z.int().positive().max(9).default(2).describe("How many") }),
    list: z.array(z.object({ share: z.number().gt(0).lt(1) })),
    either: z.union([z.literal(1), z.literal(2), z.string()]).optional(),
    read: z.preprocess((value) => value, z.enum(["x", "y"])).default("x"),
    pair: z.tuple([z.int(), z.int()]).nullable(),
  });
  expect(describedKeys(schema).map((key) => Object.values(key).join(" | "))).toEqual([
    "a.count | integer, 1 to 9 | 2 | How many",
    "list | list |  | ",
    "list.N.share | number, above 0 and below 1 |  | ",
    "either | 1 or 2 or string |  | ",
    'read | x, y | "x" | ',
    "pair | [minimum, maximum] or null |  | ",
  ]);
});

test("of a union of objects the keys that all have, with the choices of each", () => {
  const schema = z.discriminatedUnion("of", [
    z.object({ of: z.literal("a"), length: z.int(), own: z.int() }),
    z.object({ of: z.literal("b"), length: z.int() }),
  ]);
  expect(describedKeys(schema).map(({ name, values }) => `${name}: ${values}`)).toEqual([
    "of: a, b",
    "length: integer",
  ]);
});
