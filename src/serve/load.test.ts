import { expect, test } from "vitest";
import { underLoad } from "./load.test-helper.ts";
import { modelOf, serve } from "./served.test-helper.ts";

test("among three hundred connections, sixty of them slow or silent, short requests are answered", async () => {
  const server = await serve(modelOf("deltanet"), { slots: 8, context: 1000, queue: 100 });
  const { requests, refused, p99Milliseconds } = await underLoad(server, {
    ...{ connections: 300, slow: 60, atOnce: 4, seconds: 3 },
  });
  expect(server.faults).toEqual([]);
  await server.close();
  expect(requests).toBeGreaterThan(10);
  expect(refused).toBeLessThan(requests / 10);
  expect(p99Milliseconds).toBeLessThan(3000); // the soak requires one second, on an idle machine
});
