/** @file The lab behind the page, where there is one: `statelab studio` marks the page that it serves; a static build has none. */

export const isServed = () => document.documentElement.dataset.served === "true";

/** What the lab says at `api/NAME`. @throws Error with the lab's own sentence. */
export async function asked<T>(name: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`api/${name}${search === "" ? "" : `?${search}`}`).catch(() => {
    throw new Error("statelab studio does not answer; start it again in the same folder");
  });
  if (!response.ok) throw new Error(await refusalOf(response));
  return response.json();
}

/** The lab's own sentence, in an answer that refuses. */
export async function refusalOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { readonly error: string };
  return error;
}
