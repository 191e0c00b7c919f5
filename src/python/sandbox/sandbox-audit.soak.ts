import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { attacks } from "./attacks/index.ts";
import { nobody, readableByAll } from "./bubblewrap.ts";
import { embeddedHost } from "./embedded.ts";
import { type HostName, hostNames } from "./host.ts";
import { findNative } from "./native.ts";
import { openHost } from "./open.ts";
import { attackHost, type Finding } from "./sandbox-audit.ts";

/** In CI the embedded host is attacked here, and the native one as another user. */
const small = process.env.SOAK_SLICE === "ci";
const native = findNative();
const lacks = (name: HostName) =>
  name === "native" && native.kind === "missing" ? native.reason : undefined;
const because = (reason: string | undefined) => (reason === undefined ? "" : ` (skipped: ${reason})`);

describe.each(hostNames)("the %s host", (name) => {
  const missing =
    lacks(name) ?? (small && name === "native" ? "its attacks come from another user" : undefined);
  const opened = missing === undefined ? openHost(name) : undefined;
  afterAll(async () => (await opened)?.close());

  // One more try: half a second of grace is little where other tests fill the processors.
  test.skipIf(missing !== undefined).each(attacks.map((attack) => [attack.name, attack] as const))(
    `holds against: %s${because(missing)}`,
    { retry: 1 },
    async (_, attack) => {
      for await (const finding of attackHost(await opened!, [attack])) expect(finding.breach).toBeUndefined();
    },
  );

  test.skipIf(missing !== undefined)("runs an honest program after all of them", async () => {
    const outcome = await (await opened!).run({ operation: "execute", code: "assert 1 + 1 == 2" });
    expect(outcome).toMatchObject({ kind: "done", value: { outcome: "passed" } });
  });
});

test.skipIf(small)(
  "the embedded host holds without bubblewrap: on macOS and Windows there is none",
  async () => {
    const host = await embeddedHost({ bubblewrap: false });
    const findings: Finding[] = [];
    for await (const finding of attackHost(host)) findings.push(finding);
    await host.close();
    expect(findings.filter(({ held }) => !held)).toEqual([]);
    expect(findings).toHaveLength(attacks.length);
  },
);

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const rights =
  process.getuid?.() !== 0
    ? "the other tests are run by an ordinary user already"
    : [main, process.execPath].every(readableByAll)
      ? undefined
      : "an ordinary user cannot read these files";

/** What `doctor` finds of one host as a user without any rights and with an empty home. */
async function doctorAsOrdinaryUser(host: HostName): Promise<{ code: number | null; findings: Finding[] }> {
  const home = mkdtempSync(join(tmpdir(), "statelab-nobody-"));
  chmodSync(home, 0o777);
  try {
    const args = ["--import", "tsx", main, "doctor", "--python", host, "--json"];
    const child = spawn(process.execPath, args, {
      ...{ uid: nobody, gid: nobody, env: { PATH: process.env.PATH, HOME: home } },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    return { code, findings: JSON.parse(text).python[0].attacks };
  } finally {
    rmSync(home, { recursive: true });
  }
}

for (const name of hostNames) {
  const missing = lacks(name) ?? rights;
  test.skipIf(missing !== undefined || (small && name === "embedded"))(
    `the ${name} host holds for an ordinary user as well${because(missing)}`,
    async () => {
      const { code, findings } = await doctorAsOrdinaryUser(name);
      // As text: a report shortens objects.
      const breaches = findings.filter(({ held }) => !held).map((each) => JSON.stringify(each));
      expect(breaches.join("\n")).toBe("");
      expect(findings).toHaveLength(attacks.length);
      expect(code).toBe(0);
    },
  );
}
