/** @file The containment suite for one host: each attack of attacks.ts is a test. */

import { afterAll, describe, expect, test } from "vitest";
import { attacks } from "./attacks/index.ts";
import type { HostName } from "./host.ts";
import { openHost } from "./open.ts";
import { attackHost } from "./sandbox-audit.ts";

/** `missing` is why there can be no such host here; its tests are then skipped, saying so. */
export function describeContainment(name: HostName, missing?: string): void {
  const title = `the ${name} host${missing === undefined ? "" : ` (skipped: ${missing})`}`;
  describe.skipIf(missing !== undefined)(title, async () => {
    const host = await openHost(name);
    afterAll(() => host.close());
    // One more try: half a second of grace is little where other tests fill the processors.
    test.each(attacks.map((attack) => [attack.name, attack] as const))(
      "holds against: %s",
      { retry: 1 },
      async (_, attack) => {
        for await (const finding of attackHost(host, [attack])) expect(finding.breach).toBeUndefined();
      },
    );
    test("runs an honest program after all of them", async () => {
      const outcome = await host.run({ operation: "execute", code: "assert 1 + 1 == 2" });
      expect(outcome).toMatchObject({ kind: "done", value: { outcome: "passed" } });
    });
  });
}
