import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type HostName, hostNames } from "../src/python/sandbox/host.ts";
import { openHost } from "../src/python/sandbox/open.ts";
import { compareProgram, readPrograms } from "./compare-with-python.ts";

const programs = readPrograms(fileURLToPath(new URL("proofs", import.meta.url)));
const hasNative = existsSync("/usr/bin/bwrap") && existsSync("/usr/bin/python3");

describe.each<HostName>([...hostNames])("%s", (name) => {
  test.skipIf(!hasNative)(
    "a proven trace has the result of python3 FILE, or its environment names what it depends on",
    async () => {
      const host = await openHost(name);
      const wrong: string[] = [];
      for (const program of programs) {
        const { verdict, words } = await compareProgram(host, program);
        if (verdict === "different" || verdict === "unexpected")
          wrong.push(`${program.name}: ${verdict}: ${words}`);
      }
      await host.close();
      expect(wrong).toEqual([]);
    },
    600_000,
  );
});
