import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { hostNames } from "../src/python/sandbox/host.ts";
import { compareFolder } from "./compare-with-python.ts";

const programs = fileURLToPath(new URL("programs", import.meta.url));

test.each(hostNames)(
  "under the %s host no proven result of 393 programs differs from that of python3 FILE",
  async (host) => {
    const found = await compareFolder(programs, host);
    expect(found).toHaveLength(393);
    expect(found.filter(({ verdict }) => verdict === "different" || verdict === "unexpected")).toEqual([]);
  },
);
