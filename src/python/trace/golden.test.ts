import { vi } from "vitest";
import { describeGolden } from "./golden-runs.test-helper.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 }); // three forks for each program

describeGolden();
