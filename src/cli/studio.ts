/** @file statelab studio: the page in which models run, and run folders are looked at, served to this machine alone. */

import { existsSync } from "node:fs";
import { fail } from "../core/error.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, portOption } from "./lib/flags.ts";

export const command = defineCommand({
  name: "studio",
  summary: "open the web app: watch models, inspect runs",
  usage: "studio [RUNS] [OPTIONS], or studio --build DIR",
  positionals: { least: 0, most: 1 },
  options: {
    port: portOption(8717),
    host: flag.text("ADDRESS", "127.0.0.1, ::1 or localhost", { default: "127.0.0.1" }),
    "no-open": flag.toggle("print the address; do not open a browser"),
    build: flag.text("DIR", "write a static site and exit"),
  },
  examples: ["studio", "studio runs/beta --no-open", "studio --build site"],
  notes:
    "RUNS is a folder with runs at most four levels down [runs if it exists, else the current folder]. Studio serves this machine only, until Ctrl-C, and changes no run. A static site has every view except runs and saved answers.\n" +
    "More: docs/how-to/studio.md",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    const { port } = values;
    if (values.build !== undefined) {
      if (folder !== undefined)
        fail("studio", "no folder of runs with --build", folder, "A static site has no runs");
      const { writeSite } = await import("../app/studio/site.ts");
      await writeSite(values.build);
      print(
        json
          ? JSON.stringify({ site: values.build })
          : `Wrote ${values.build}. Any web server can serve it, from any path.`,
      );
      return;
    }
    const runs = folder ?? (existsSync("runs") ? "runs" : ".");
    if (!existsSync(runs)) fail(runs, "a folder of runs", "no such folder");
    const { openBrowser, startStudio } = await import("../app/studio/server.ts");
    const studio = await startStudio({
      ...{ runs, host: values.host, port },
      onFault: (error) => say(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    });
    print(
      json
        ? JSON.stringify({ url: studio.url, runs, pid: process.pid })
        : `${studio.url}  shows ${runs}; stop with Ctrl-C`,
    );
    if (!values["no-open"] && !json) openBrowser(studio.url);
    await new Promise<void>((end) => {
      if (signal.aborted) end();
      signal.addEventListener("abort", () => end(), { once: true });
    });
    await studio.close();
  },
});
