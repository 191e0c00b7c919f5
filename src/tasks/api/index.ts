/** @file The registry of API domains. To add one: write its file and one line here. */

import { files } from "./files.ts";
import { session } from "./session.ts";
import { tensors } from "./tensors.ts";

export const domains = { session, tensors, files };
export type DomainName = keyof typeof domains;
