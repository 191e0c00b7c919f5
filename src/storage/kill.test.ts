import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { rngFrom } from "../core/rng.ts";
import { checkRemains, killWriter } from "./killed-writer.test-helper.ts";

const folder = tmpFolder("kill");

test("after each of five kills at random moments the newest reported checkpoint and log are whole, and the next writer goes on", async () => {
  const rng = rngFrom(1).fork("kills");
  const run = join(folder, "run");
  let step = 0;
  for (let kill = 0; kill < 5; kill++) {
    const reported = await killWriter(run, rng.below(60));
    expect(reported).toBeGreaterThan(step); // it resumed where the killed one was, and got further
    step = await checkRemains(run, reported);
  }
});
