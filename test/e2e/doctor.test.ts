import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const folder = tmpFolder("doctor");
chmodSync(folder, 0o755); // bwrap is looked up as another user

function doctor(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "doctor", "--json", ...args], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
  return { status, report: JSON.parse(stdout), stderr };
}

test.skipIf(process.platform === "win32")(
  "where no program can be contained the exit code is 6, and the reason is told",
  () => {
    writeFileSync(
      join(folder, "bwrap"),
      "#!/bin/sh\necho 'bwrap: no permission to create a namespace' >&2\nexit 1\n",
      {
        mode: 0o755,
      },
    );
    const broken = { PATH: `${folder}${delimiter}${process.env.PATH}` };
    const { status, report, stderr } = doctor(broken, "--quick", "--python", "native");
    expect(status).toBe(6);
    expect(stderr).toBe("statelab: no program of Python can be contained here\n");
    expect(report.python).toMatchObject([
      { host: "native", missing: expect.stringMatching(/bwrap|Linux/), attacks: [] },
    ]);
  },
);
