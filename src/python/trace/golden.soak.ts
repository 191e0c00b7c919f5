/** @file Every program of golden/trace on the embedded host, with its calls kept, and with its arguments exchanged. */

import { describeGoldenRuns } from "./golden-runs.test-helper.ts";

describeGoldenRuns(process.env.SOAK_SLICE === "ci" ? 6 : 1);
