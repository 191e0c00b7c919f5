/**
 * @file Whether a call of a tool only looks, by its name and, where it runs a shell, by its commands. In doubt it changes the state.
 *
 *     read_file(...)  explores        edit(...)  changes        bash("grep -n x f | head")  explores        bash("sed -i ...")  changes
 */

const LOOKS = new Set(
  "read view list ls search find grep get show cat open inspect look describe fetch query lookup check status diff head tail count tree stat print think report state".split(
    " ",
  ),
);
const CHANGES = new Set(
  "write edit create delete remove set update insert replace run execute apply move rename append commit install put post submit take enter".split(
    " ",
  ),
);
const SHELLS = new Set(["bash", "shell", "sh", "terminal", "command", "cmd", "console"]);
const LOOKING = new Set(
  "ls cat head tail grep rg egrep fgrep find wc file stat du df pwd which type echo printf diff cmp sort uniq cut tr awk jq less more tree env whoami date cd nl od xxd strings sha256sum md5sum true test".split(
    " ",
  ),
);
const GIT = new Set(["log", "status", "diff", "show", "blame", "grep", "ls-files", "branch"]);

export function effectOfCall(name: string, given: string): "changes" | "explores" {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
  if (words.some((word) => SHELLS.has(word))) return commandLooks(commandIn(given)) ? "explores" : "changes";
  if (words.some((word) => CHANGES.has(word))) return "changes";
  return words.some((word) => LOOKS.has(word)) ? "explores" : "changes";
}

/** The command of a shell's call: an argument of that name, or the text itself. */
function commandIn(given: string): string {
  try {
    const value: unknown = JSON.parse(given);
    if (typeof value === "string") return value;
    for (const key of ["command", "cmd", "script", "input", "code"]) {
      const found = (value as Record<string, unknown> | null)?.[key];
      if (typeof found === "string") return found;
      if (Array.isArray(found)) return found.join(" ");
    }
    return "";
  } catch {
    return given;
  }
}

function commandLooks(command: string): boolean {
  const bare = command.replaceAll(/"(?:\\.|[^"\\])*"|'[^']*'/g, "''");
  if (/[`]|\$\(/.test(bare) || />(?!\s*(?:\/dev\/null|&))/.test(bare.replaceAll("2>&1", ""))) return false;
  const pieces = bare.split(/&&|\|\||[;|\n]/).map((piece) => piece.trim());
  const ran = pieces.filter((piece) => piece !== "");
  return (
    ran.length > 0 &&
    ran.every((piece) => {
      const [first, second = ""] = piece.split(/\s+/);
      if (first === "git") return GIT.has(second);
      if (first === "sed") return !/\s-\w*i/.test(piece);
      if (first === "find") return !/\s-(?:delete|exec)/.test(piece);
      return LOOKING.has(first);
    })
  );
}
