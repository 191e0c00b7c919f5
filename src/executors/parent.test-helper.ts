/** @file A parent with one waiting child, to be killed: it prints the child's process id when the job has begun. */

import { inChildProcess } from "./fork.ts";
import { runJobs } from "./pool.ts";

const [journal] = process.argv.slice(2);
const entry = new URL("./worker.test-helper.ts", import.meta.url);
await runJobs([{ name: "orphan", does: "wait", journal }], inChildProcess({ entry }), {
  atMost: 1,
  onProgress: () => process.stdout.write("begun\n"),
});
