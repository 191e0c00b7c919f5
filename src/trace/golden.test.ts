import { vi } from "vitest";
import { describeGolden, describeGoldenRuns } from "./golden-runs.test-helper.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 }); // three forks for each program

describeGolden();
describeGoldenRuns(24);
