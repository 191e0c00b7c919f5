/** @file Opens an address in the user's browser, where there is one. */

import { spawn } from "node:child_process";

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** That there is no browser is no error: the address was printed. */
export function openBrowser(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
