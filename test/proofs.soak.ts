import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { hostNames } from "../src/python/sandbox/host.ts";
import { comparePrograms, readPrograms, wrongOf } from "./compare-with-python.ts";

const programs = readPrograms(fileURLToPath(new URL("proofs", import.meta.url)));
const hasNative = existsSync("/usr/bin/bwrap") && existsSync("/usr/bin/python3");

describe.concurrent("a proven trace has the result of python3 FILE, or its environment names what it depends on", () => {
  test.skipIf(!hasNative).each(hostNames)(
    "under the %s host",
    async (name) => {
      const found = await comparePrograms(programs, name);
      expect(found.length).toBeGreaterThan(200);
      expect(wrongOf(found)).toEqual([]);
    },
    600_000,
  );
});
