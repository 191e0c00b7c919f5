#!/usr/bin/env node
/** @file The program `statelab`. commands.ts has its commands. */

import { commands } from "./commands.ts";
import { runProgram } from "./lib/dispatch.ts";

await runProgram(commands, process.argv.slice(2));
