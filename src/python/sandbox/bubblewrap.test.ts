import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findBubblewrap } from "./bubblewrap.ts";

const here = findBubblewrap();
const real =
  here.kind === "found" ? here.bubblewrap.wrap({ file: "", args: [], environment: {} }, none()).file : "";

function none() {
  return { readable: [], temporaryBytes: 4096 };
}

let folder: string;
const before = process.env.PATH;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "statelab-bwrap-"));
  chmodSync(folder, 0o755);
  vi.resetModules(); // it is looked for once in a process
});
afterEach(() => {
  process.env.PATH = before;
  rmSync(folder, { recursive: true });
});

test.skipIf(here.kind === "missing")(
  "bubblewrap is found in any folder of PATH, and works from there (skipped without it)",
  async () => {
    const own = join(folder, "bwrap");
    writeFileSync(own, `#!/bin/sh\nexec ${real} "$@"\n`, { mode: 0o755 });
    mkdirSync(join(folder, "first", "bwrap"), { recursive: true }); // a folder is no program
    process.env.PATH = [join(folder, "first"), ".", folder, "/nowhere"].join(delimiter);
    const { openHost } = await import("./open.ts");
    const fresh = await import("./bubblewrap.ts");
    const found = fresh.findBubblewrap();
    expect(
      found.kind === "found" && found.bubblewrap.wrap({ file: "", args: [], environment: {} }, none()).file,
    ).toBe(own);
    const host = await openHost("native", { atMost: 1 });
    expect(await host.run({ operation: "execute", code: "assert 1 + 1 == 2" })).toMatchObject({
      kind: "done",
    });
    await host.close();
  },
);

test.skipIf(here.kind === "missing")(
  "what is there and cannot work is named with its words (skipped without it)",
  async () => {
    writeFileSync(join(folder, "bwrap"), "#!/bin/sh\necho 'no namespaces here' >&2\nexit 1\n", {
      mode: 0o755,
    });
    process.env.PATH = folder;
    const fresh = await import("./bubblewrap.ts");
    expect(fresh.findBubblewrap()).toMatchObject({
      kind: "missing",
      reason: expect.stringContaining("no namespaces here"),
    });
  },
);
