import { expect, test } from "vitest";
import { attacks } from "./attacks/index.ts";
import { embeddedHost } from "./embedded.ts";
import { hostNames } from "./host.ts";
import { findNative } from "./native.ts";
import { doctorAsOrdinaryUser, whyNotAsOrdinaryUser } from "./ordinary-user.test-helper.ts";
import { attackHost, type Finding } from "./sandbox-audit.ts";

/** In CI only the native host runs here; sandbox-audit-embedded.soak.ts covers the embedded one. */
const small = process.env.SOAK_SLICE === "ci";

test.skipIf(small)(
  "the embedded host holds without bubblewrap: on macOS and Windows there is none",
  async () => {
    const host = await embeddedHost({ bubblewrap: false });
    const breaches: Finding[] = [];
    let count = 0;
    for await (const finding of attackHost(host)) {
      count++;
      if (!finding.held) breaches.push(finding);
    }
    await host.close();
    expect(breaches).toEqual([]);
    expect(count).toBe(attacks.length);
  },
);

const native = findNative();
for (const name of hostNames) {
  const missing = name === "native" && native.kind === "missing" ? native.reason : whyNotAsOrdinaryUser();
  const skipped = missing === undefined ? "" : ` (skipped: ${missing})`;
  test.skipIf(missing !== undefined || (small && name === "embedded"))(
    `the ${name} host holds for an ordinary user as well${skipped}`,
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
