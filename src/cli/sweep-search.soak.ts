import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { killedSearch, prepareSearch, searched } from "./sweep-search.test-helper.ts";

const root = mkdtempSync(join(tmpdir(), "statelab-search-"));
afterAll(() => rmSync(root, { recursive: true }));
const searches = process.env.SOAK_SLICE === "ci" ? 1 : 10;

test(`${searches} searches, each killed four times, end as the one that was not`, async () => {
  prepareSearch(root);
  const whole = await searched(root, "whole");
  for (let i = 0; i < searches; i++) {
    await killedSearch(root, `killed-${i}`, 4, rngFrom(i).fork("kills"));
    expect(await searched(root, `killed-${i}`)).toEqual(whole);
  }
});
