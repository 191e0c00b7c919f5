import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { pythonTest } from "../trace/python.test-helper.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
pythonTest(
  "a state written as what changed since the last one is, to the letter, what is written anew",
  () => {
    const { status, stdout, stderr } = spawnSync(
      "python3",
      ["-I", "-B", at("states.witness.test-helper.py"), at("../tracer"), "40"],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const { states, cut, labelled, kept } = JSON.parse(stdout);
    expect(states).toBe(4_000);
    for (const some of [cut, labelled, kept]) expect(some).toBeGreaterThan(500);
  },
);
