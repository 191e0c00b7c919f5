/** @file Public interface of the debugger: recordings, sessions, commands, replies and their text. */

export { runByBlocks } from "./basic-blocks.ts";
export { commands, commandsIn, type DebuggerCommand, execute } from "./commands.ts";
export { listWrites, type Write } from "./provenance.ts";
export { type Frame, MODULE, openRecording, type Recording } from "./recording.ts";
export { renderReply } from "./render.ts";
export type { Reply, Stop } from "./session.ts";
export { type Executed, openSession, type Session } from "./session.ts";
export { firstStop } from "./step-commands.ts";
