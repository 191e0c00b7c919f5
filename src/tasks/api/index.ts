/** @file Every domain of APIs, by name. To add one: write its file and one line here. */

import { files } from "./file-system.ts";
import { session } from "./login-session.ts";
import { tensors } from "./tensor-shapes.ts";

export const domains = { session, tensors, files };
export type DomainName = keyof typeof domains;
