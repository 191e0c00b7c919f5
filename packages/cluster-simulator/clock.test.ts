import fc from "fast-check";
import { expect, test } from "vitest";
import { virtualClock } from "./clock.ts";

test("events happen in the order of their times, those of one time as they were set, dropped ones never", async () => {
  const event = fc.record({ time: fc.nat(20), dropped: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const clock = virtualClock();
      const seen: [number, number][] = [];
      const timers = events.map(({ time }, i) => clock.at(time, () => seen.push([clock.now(), i])));
      for (const [i, { dropped }] of events.entries()) if (dropped) clock.drop(timers[i]);
      expect(await clock.until(Number.POSITIVE_INFINITY)).toBe(false);
      const kept = events.flatMap(({ time, dropped }, i): [number, number][] => (dropped ? [] : [[time, i]]));
      expect(seen).toEqual(kept.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
    }),
    { seed: 3, numRuns: 60 },
  );
});

test("what an event wakes comes to rest before the next event, through however many awaits", async () => {
  const clock = virtualClock();
  const seen: string[] = [];
  const wait = async (name: string, seconds: number) => {
    await clock.sleep(seconds);
    for (let i = 0; i < 50; i++) await undefined;
    seen.push(`${name} at ${clock.now()}`);
    await clock.sleep(1);
    seen.push(`${name} again at ${clock.now()}`);
  };
  void wait("a", 1);
  void wait("b", 1.5);
  expect(await clock.until(10, () => seen.length === 3)).toBe(true);
  expect(clock.now()).toBe(2);
  await clock.until(10);
  expect(seen).toEqual(["a at 1", "b at 1.5", "a again at 2", "b again at 2.5"]);
  expect(clock.now()).toBe(10);
});
