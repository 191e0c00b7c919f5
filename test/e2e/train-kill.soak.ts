import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { rngFrom } from "../../src/core/rng.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { remains, trainKilled, trainWhole } from "../kit/trainings.ts";

const root = tmpFolder("kills");
beforeAll(() => trainWhole(root, 300), 120_000);

const runs = process.env.SOAK_SLICE === "ci" ? 1 : 10;

test.skipIf(process.platform === "win32")(
  `${runs} trainings, each killed ten times at random moments, end as one without a stop, to the bit`,
  async () => {
    const whole = remains(join(root, "whole"));
    let [killed, inSave] = [0, 0];
    for (let run = 0; run < runs; run++) {
      const kills = await trainKilled(root, `run-${run}`, 10, rngFrom(2).fork(run));
      killed += kills.killed;
      inSave += kills.inSave;
      expect(remains(join(root, `run-${run}`))).toEqual(whole);
    }
    console.log(`${killed} kills, ${inSave} of them in the middle of a save`);
    expect(killed).toBeGreaterThanOrEqual(9.5 * runs);
    expect(inSave).toBeGreaterThanOrEqual(runs);
  },
);
