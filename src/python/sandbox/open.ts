/** @file Opens a Python host by name. */

import { type EmbeddedOptions, embeddedHost } from "./embedded.ts";
import type { HostName, PythonHost } from "./host.ts";
import { type NativeOptions, nativeHost } from "./native.ts";

/** The embedded host runs anywhere; the native one needs Linux, bubblewrap and Python 3.11. */
export function openHost(
  choice: HostName,
  options: EmbeddedOptions & NativeOptions = {},
): Promise<PythonHost> {
  switch (choice) {
    case "embedded":
      return embeddedHost(options);
    case "native":
      return nativeHost(options);
    default:
      return choice satisfies never;
  }
}
