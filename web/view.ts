/** @file What a view is: one file in `web/views/`, a line in its `index.ts`, and everything a visitor may choose in the address. */

import type { ComponentType } from "preact";

export interface ViewProps {
  /** As they stand in the address; what a stranger may have written. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface View {
  /** In the address. */
  readonly name: string;
  readonly title: string;
  /** Only where the lab serves the page: there are run folders to show. */
  readonly needsServer?: true;
  /** Loaded when it is opened. */
  load(): Promise<{ readonly View: ComponentType<ViewProps> }>;
}
