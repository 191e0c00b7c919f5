import { expect, test } from "vitest";
import { underLoad } from "./load.test-helper.ts";
import { modelOf, serve } from "./served.test-helper.ts";

test("ten minutes of a thousand connections, two hundred of them slow: short requests have a p99 under a second, and memory is flat", async () => {
  const server = await serve(modelOf("deltanet"), { slots: 8, context: 1000, queue: 400 });
  const { requests, refused, p99Milliseconds, resident } = await underLoad(server, {
    ...{ connections: 1000, slow: 200, atOnce: 4, seconds: 600 },
  });
  console.log({
    requests,
    refused,
    p99Milliseconds,
    megabytes: resident.map((bytes) => Math.round(bytes / 1e6)),
  });
  expect(server.faults).toEqual([]);
  await server.close();
  expect(requests).toBeGreaterThan(100);
  expect(refused).toBeLessThan(requests / 100);
  expect(p99Milliseconds).toBeLessThan(1000);
  const [warm, last] = [resident[2], resident.at(-1) ?? 0];
  expect(last).toBeLessThan(1.3 * warm);
});
