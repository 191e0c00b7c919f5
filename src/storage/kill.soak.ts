import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { rngFrom } from "../core/rng.ts";
import { checkRemains, killWriter } from "./killed-writer.test-helper.ts";

const folder = tmpFolder("kill");

const kills = process.env.SOAK_SLICE === "ci" ? 25 : 500;

test(`after each of ${kills} kills at random moments the newest reported checkpoint and log are whole`, async () => {
  const rng = rngFrom(2).fork("kills");
  const run = join(folder, "run");
  let step = 0;
  for (let kill = 0; kill < kills; kill++) {
    const reported = await killWriter(run, rng.next() * 100);
    expect(reported).toBeGreaterThan(step);
    step = await checkRemains(run, reported);
  }
});
