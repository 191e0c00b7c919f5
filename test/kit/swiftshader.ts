/** @file WebGPU without a GPU: SwiftShader, the Vulkan driver that Debian's package chromium brings. Debian's libvulkan1 loads it. */

import { existsSync } from "node:fs";
import { join } from "node:path";

const driver = "/usr/lib/chromium/vk_swiftshader_icd.json";
const folders = ["/usr/lib/x86_64-linux-gnu", ...(process.env.LD_LIBRARY_PATH ?? "").split(":")];

/** Whether both are installed. */
export const hasSwiftShader =
  existsSync(driver) && folders.some((folder) => existsSync(join(folder, "libvulkan.so.1")));

/** The environment of a process that computes on it, and of one that finds no adapter. */
export const swiftShader = { VK_ICD_FILENAMES: driver };
export const noAdapter = { VK_ICD_FILENAMES: "/nonexistent.json" };
