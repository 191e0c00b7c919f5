/** @file A suite for each Python host; that of a host which is not there is skipped, saying so. */

import { afterAll, describe } from "vitest";
import { hostNames, type PythonHost } from "./host.ts";
import { findNative } from "./native.ts";
import { openHost } from "./open.ts";

export function describeHosts(
  body: (host: PythonHost) => void,
  options: { readonly atMost?: number } = { atMost: 1 },
) {
  const native = findNative();
  for (const name of hostNames) {
    const isMissing = name === "native" && native.kind === "missing";
    const why = isMissing ? ` (skipped: ${native.reason})` : "";
    describe.skipIf(isMissing)(`the ${name} host${why}`, async () => {
      const host = await openHost(name, options);
      afterAll(() => host.close());
      body(host);
    });
  }
}
