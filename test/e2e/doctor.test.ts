import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { statelab } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const folder = tmpFolder("doctor");
chmodSync(folder, 0o755); // bwrap is looked up as another user

test.skipIf(process.platform === "win32")(
  "where no program can be contained the exit code is 6, and the reason is told; a matrix product runs on this machine",
  async () => {
    const broken = "#!/bin/sh\necho 'bwrap: no permission to create a namespace' >&2\nexit 1\n";
    writeFileSync(join(folder, "bwrap"), broken, { mode: 0o755 });
    const env = { PATH: `${folder}${delimiter}${process.env.PATH}` };
    const { code, stdout, stderr } = await statelab({ folder, env }, "doctor --json --quick --python native");
    expect([code, stderr]).toEqual([6, "statelab: no Python sandbox works here\n"]);
    const cpu = { name: "cpu", compiledIn: true, tried: { ok: true, seconds: expect.any(Number) } };
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ node: process.version, onnxRuntime: { session: { ok: true }, providers: expect.any(Array) } },
      python: [{ host: "native", missing: expect.stringMatching(/bwrap|Linux/), attacks: [] }],
    });
    expect(JSON.parse(stdout).onnxRuntime.providers).toContainEqual(expect.objectContaining(cpu));
  },
);
