/** @file statelab/redis: the Redis executor, its workers, and a check of a Redis. For Node. */

import type { ExecutorPackage } from "../../src/executors/packages.ts";
import { bullmq } from "./bullmq.ts";
import { examineRedis } from "./doctor.ts";
import { runWorker } from "./worker.ts";

export { examineRedis, runWorker };
export default {
  executor: (address, { atMost, filesOf }) => bullmq({ address, filesOf, atMost }),
  runWorker,
  examine: examineRedis,
} satisfies ExecutorPackage;
