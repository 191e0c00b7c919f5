import { expect, test } from "vitest";
import { hostileCells } from "./attacks/index.ts";
import { hostNames } from "./host.ts";
import { findNative } from "./native.ts";
import { openHost } from "./open.ts";
import { problemsOf } from "./session.test-helper.ts";

test.each(hostNames)(
  "every hostile cell is contained on the %s host, and an honest session follows",
  async (name) => {
    const found = findNative();
    if (name === "native" && found.kind === "missing") {
      console.log(`skipped: ${found.reason}`);
      return;
    }
    expect(hostileCells.length).toBeGreaterThanOrEqual(30);
    const host = await openHost(name, { atMost: 1 });
    expect(await problemsOf(host, hostileCells)).toEqual([]);
    const honest = await host.session();
    const end = await honest.run({ code: "print(6 * 7)", tools: [] }, () => ({ value: null }));
    expect(end).toMatchObject({ end: { output: "42\n" } });
    await host.close();
  },
);
