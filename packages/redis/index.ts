/** @file statelab/redis: a worker for the Redis executor, and a check of a Redis. For Node. */

export { examineRedis } from "./doctor.ts";
export { runWorker } from "./worker.ts";
