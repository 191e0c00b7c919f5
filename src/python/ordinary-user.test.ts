import { expect, test } from "vitest";
import { attacks } from "./attacks/index.ts";
import { findNative } from "./native.ts";
import { doctorAsOrdinaryUser, whyNotAsOrdinaryUser } from "./ordinary-user.test-helper.ts";

const found = findNative();
const missing = found.kind === "missing" ? found.reason : whyNotAsOrdinaryUser();
const skipped = missing === undefined ? "" : ` (skipped: ${missing})`;

// The embedded host as an ordinary user is in containment.soak.ts: it begins by making that user's snapshot.
test.skipIf(missing !== undefined)(
  `the native host holds for an ordinary user as well${skipped}`,
  async () => {
    const { code, findings } = await doctorAsOrdinaryUser("native");
    expect(findings.filter(({ held }) => !held)).toEqual([]);
    expect(findings).toHaveLength(attacks.length);
    expect(code).toBe(0);
  },
);
