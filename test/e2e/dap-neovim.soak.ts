import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("dap-neovim");
/** A checkout of nvim-dap: 0.3.0 works with Neovim 0.7, later ones need a later Neovim. */
const plugin = process.env.NVIM_DAP;
const missing =
  plugin === undefined
    ? "NVIM_DAP names no checkout of nvim-dap"
    : spawnSync("nvim", ["--version"]).status === 0
      ? undefined
      : "nvim is missing";

const program = "def f(n):\n    n += 1\n    return n\n\nprint(f(f(1)))\n";

/** Two breakpoint stops forwards, one step back, one breakpoint backwards; a line for each stop. */
const script = (file: string, out: string) => `
vim.opt.runtimepath:prepend(${JSON.stringify(plugin)})
local dap = require('dap')
dap.adapters.statelab = { type = 'executable', command = ${JSON.stringify(process.execPath)}, args = {${JSON.stringify(main)}, 'dap'} }
local stops = 0
dap.listeners.after.event_stopped['test'] = function() stops = stops + 1 end
vim.cmd('edit ' .. ${JSON.stringify(file)})
vim.api.nvim_win_set_cursor(0, { 2, 0 })
dap.set_breakpoint()
local seen = {}
local function stop(count)
  assert(vim.wait(30000, function() return stops >= count end), 'no stop ' .. count)
  vim.wait(10000, function() return dap.session().current_frame ~= nil end)
  vim.wait(200)
  table.insert(seen, dap.session().current_frame.name .. ':' .. dap.session().current_frame.line)
end
dap.run({ type = 'statelab', request = 'launch', name = 'test', program = ${JSON.stringify(file)} })
stop(1)
dap.continue()
stop(2)
dap.step_back()
stop(3)
dap.reverse_continue()
stop(4)
vim.fn.writefile(seen, ${JSON.stringify(out)})
dap.terminate()
vim.wait(500)
vim.cmd('qall!')
`;

test.skipIf(missing !== undefined)(
  `Neovim moves in both directions${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    const [file, lua, out] = ["f.py", "test.lua", "out.txt"].map((name) => join(root, name));
    writeFileSync(file, program);
    writeFileSync(lua, script(file, out));
    const args = ["--headless", "-u", "NONE", "-c", `luafile ${lua}`];
    const { stderr } = spawnSync("nvim", args, { timeout: 100_000, encoding: "utf8" });
    expect(existsSync(out) ? readFileSync(out, "utf8") : stderr).toBe("f:2\nf:2\nf:1\nf:2\n");
  },
  120_000,
);
