import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { hostNames } from "../src/python/sandbox/host.ts";
import { comparePrograms, readPrograms, wrongOf } from "./compare-with-python.ts";

const programs = readPrograms(fileURLToPath(new URL("programs", import.meta.url)));

test.each(hostNames)(
  "under the %s host no proven result of 652 programs differs from that of python3 FILE",
  async (host) => {
    const found = await comparePrograms(programs, host);
    expect(found).toHaveLength(652);
    expect(wrongOf(found)).toEqual([]);
  },
);
