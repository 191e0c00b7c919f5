/**
 * @file The address has the settings that a visitor chose, so that a link shows the same again; not files, nor models trained in the page.
 *
 *     #/shell-game?spacing=4&seed=2      the view, and its settings
 */

import { useEffect, useState } from "preact/hooks";

export interface Address {
  readonly view: string;
  readonly settings: Readonly<Record<string, string>>;
}

export interface ViewProps {
  /** From the address: untrusted text. */
  readonly settings: Readonly<Record<string, string>>;
}

export function readAddress(hash: string): Address {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { view: path, settings: Object.fromEntries(new URLSearchParams(query)) };
}

export function writeAddress({ view, settings }: Address): string {
  const query = new URLSearchParams(Object.entries(settings)).toString();
  return `#/${view}${query === "" ? "" : `?${query}`}`;
}

/** `visit` counts the links followed: a followed link opens its view anew, a changed setting does not. */
export function useAddress(): Address & { readonly visit: number } {
  const [address, setAddress] = useState(() => ({ ...readAddress(location.hash), visit: 0 }));
  useEffect(() => {
    const read = ({ isTrusted }: HashChangeEvent) =>
      setAddress(({ visit }) => ({ ...readAddress(location.hash), visit: visit + Number(isTrusted) }));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return address;
}

/** Changes settings of the view that is shown; undefined takes one out. It is no step to go back over. */
export function setSettings(change: Readonly<Record<string, string | undefined>>): void {
  const { view, settings: before } = readAddress(location.hash);
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...before, ...change }))
    if (value !== undefined) settings[name] = value;
  history.replaceState(null, "", writeAddress({ view, settings }));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** The whole number that a setting says, within bounds; `otherwise` where it says none. */
export function whole(text: string | undefined, least: number, most: number, otherwise: number): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return otherwise;
  return Math.min(most, Math.max(least, Number(text)));
}
