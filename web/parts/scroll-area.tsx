/** @file What may be wider than the screen, and then scrolls by itself: with the keyboard too. */

import type { ComponentChildren } from "preact";

export function Wide({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it nobody scrolls it by keyboard (axe: scrollable-region-focusable)
    <section class="flow" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
