import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { hostNames } from "../src/python/sandbox/host.ts";
import { comparePrograms, readPrograms, wrongOf } from "./compare-with-python.ts";

const programs = readPrograms(fileURLToPath(new URL("proofs", import.meta.url)));
/** In CI every program is asked of one host. */
const hostsEach = process.env.SOAK_SLICE === "ci" ? hostNames.length : 1;
const hasNative = existsSync("/usr/bin/bwrap") && existsSync("/usr/bin/python3");

describe.concurrent("a proven trace has the result of python3 FILE, or its environment names what it depends on", () => {
  test.skipIf(!hasNative).each(hostNames)(
    "under the %s host",
    async (name) => {
      const own = programs.filter((_, i) => i % hostsEach === hostNames.indexOf(name) % hostsEach);
      const found = await comparePrograms(own, name);
      expect(found.length).toBeGreaterThan(200 / hostsEach);
      expect(wrongOf(found)).toEqual([]);
    },
    600_000,
  );
});
