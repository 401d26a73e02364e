// MARK (postern hook install opencode): asks Postern before each tool is used.
import { spawn } from "node:child_process";

const [program, ...words] = COMMAND;

const ask = (event) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
    let answer = "";
    let said = "";
    child.stdout.on("data", (part) => (answer += part));
    child.stderr.on("data", (part) => (said += part));
    child.on("error", (error) => reject(new Error(`Postern could not be asked: ${error.message}`)));
    child.on("close", (code) => (code === 0 ? resolve(answer) : reject(new Error(said.trim() || "Postern denied it."))));
    child.stdin.on("error", () => {}); // it ended before it read everything: its ending says why
    child.stdin.end(JSON.stringify(event));
  });

export const Postern = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const answer = await ask({
      hook_event_name: "tool.execute.before",
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: output.args,
      rewrites: true, // this plugin reads the answer: an allowed command may have to run confined
    });
    if (answer.trim()) Object.assign(output.args, JSON.parse(answer).args);
  },
});
