/** @file The lab behind the page, where there is one: `statelab studio` marks the page that it serves; a static build has none. */

export const isServed = () => document.documentElement.dataset.served === "true";

/** What the lab says at `api/NAME`. @throws Error with the lab's own sentence. */
export async function asked<T>(name: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`api/${name}${search === "" ? "" : `?${search}`}`);
  const said = (await response.json()) as T | { readonly error: string };
  if (!response.ok) throw new Error((said as { readonly error: string }).error);
  return said as T;
}
