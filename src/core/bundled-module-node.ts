/** @file Where a CommonJS module is that the package brings in vendor/ (vendor.mjs), so that its install script does not run. */

import { createRequire } from "node:module";

export const require = createRequire(import.meta.url);

/** Its path in the package, or where it is installed, as in a checkout; `first` decides if it is in both, undefined: in neither. */
export function modulePath(name: string, first: "bundled" | "installed"): string | undefined {
  const places = [`../../../vendor/${name}`, name]; // from dist/src/core
  for (const place of first === "bundled" ? places : places.reverse()) {
    try {
      return require.resolve(place);
    } catch {}
  }
  return undefined;
}
