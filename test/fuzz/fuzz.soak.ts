import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { bytesFor, type Case, keep, smaller, someCase, wrongWith } from "./cases.test-helper.ts";
import { openDoors } from "./entry-points.test-helper.ts";
import { openServedDoors } from "./server.test-helper.ts";

/** STATELAB_FUZZ_CASES=2000000 is a run of days, STATELAB_FUZZ_SEED another beginning (docs/concepts/security.md). */
const cases = Number(process.env.STATELAB_FUZZ_CASES ?? (process.env.SOAK_SLICE === "ci" ? 2_000 : 100_000));
const seed = Number(process.env.STATELAB_FUZZ_SEED ?? 1);
const mostBytes = 500e6;

// What the cases before have left is collected, so that the memory is that of a case.
setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const together = 200;

const opened = [await openDoors(), await openServedDoors()];
afterAll(async () => {
  for (const { close } of opened) await close();
});
const chosen = process.env.STATELAB_FUZZ_DOOR;
const doors = opened
  .flatMap(({ doors }) => doors)
  .filter(({ name }) => chosen === undefined || name === chosen);
const shares = doors.map(({ cost = 1 }) => 1 / cost);
const all = shares.reduce((sum, share) => sum + share, 0);

test(`${cases} cases at ${doors.length} doors: taken or refused, each within 2 s, and in less than 500 MB`, async () => {
  const failures: string[] = [];
  let most = 0;
  for (const [i, door] of doors.entries()) {
    const count = Math.ceil((cases * shares[i]) / all);
    const started = performance.now();
    let found = 0;
    let drawn: Case[] = [];
    for (let done = 0; done < count; done++) {
      if (done % together === 0) {
        drawn = fc.sample(someCase, { numRuns: Math.min(together, count - done), seed: seed + done });
        collect();
      }
      const each = drawn[done % together];
      const wrong = await wrongWith(door, bytesFor(door, each));
      most = Math.max(most, process.memoryUsage.rss());
      if (wrong === undefined) continue;
      const bytes = bytesFor(door, await smaller(door, each));
      failures.push(
        `${door.name}: ${wrong.split("\n").slice(0, 4).join("\n")}\n  kept as ${keep(door, bytes)}`,
      );
      if (++found === 5) break; // it is known by now
    }
    const seconds = (performance.now() - started) / 1000;
    console.log(
      `${door.name}: ${count} cases, ${seconds.toFixed(1)} s, ${(most / 1e6).toFixed(0)} MB so far`,
    );
  }
  expect(failures.join("\n")).toBe("");
  expect(most).toBeLessThan(mostBytes);
});
