/** @file A request as it is, for tests of servers: `fetch` tidies paths and sets Host and Origin itself. */

import { type IncomingHttpHeaders, request } from "node:http";

export function rawRequest(
  url: string,
  { path = "/", method = "GET", headers = {} as Readonly<Record<string, string>>, body = "" } = {},
) {
  const { hostname, port } = new URL(url);
  return new Promise<{ status: number; text: string; headers: IncomingHttpHeaders }>((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece) => (text += piece));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
