// Asks Postern for a command and tells what becomes of it: node postern.mts git push (Node 22.18 or newer; else compile it)
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

interface Message {
  method?: string;
  params?: { requestId?: string; nonce?: string; exitCode?: number };
  result?: { proof?: string };
  error?: { message: string };
}

const where = process.env.POSTERN_SOCKET ?? "";
const key = Buffer.from(readFileSync(process.env.POSTERN_KEY_FILE ?? where.replace(/sock$/, "key"), "utf8").trim(), "base64url");
const tcp = /^tcp:\/\/(.+):(\d+)$/.exec(where); // the forwarder of a container engine that runs in a virtual machine
const connection = tcp ? connect(Number(tcp[2]), tcp[1]) : connect(where);
const lines = createInterface({ input: connection })[Symbol.asyncIterator]();
const next = async (): Promise<Message> => JSON.parse((await lines.next()).value ?? "null") ?? stop("Postern is gone");
const proof = (side: string, ...nonces: string[]): string =>
  createHmac("sha256", key).update(["postern-channel-v1", side, ...nonces].join("\0")).digest("hex");
const say = (id: number, method: string, params: object): boolean =>
  connection.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
function stop(why: string, code = 125): never {
  console.error(why);
  process.exit(code);
}
const theirs = (await next()).params?.nonce ?? "";
const mine = randomBytes(16).toString("hex");
say(1, "authenticate", { protocol: 1, nonce: mine, proof: proof("client", theirs, mine), client: { name: "postern.mts", version: "1" } });
if ((await next()).result?.proof !== proof("server", theirs, mine)) stop("this is not the Postern of that key");
const requestId = randomUUID(); // sent again after a lost connection, it is the same request and never runs twice
say(2, "system.run", { requestId, command: process.argv.slice(2), cwd: process.cwd() });
for (;;) {
  const { method, params, error } = await next();
  if (error) stop(error.message);
  if (params?.requestId !== requestId || method === undefined) continue;
  console.log(method, JSON.stringify(params));
  if (method === "exec.finished" || method === "exec.denied") process.exit(params.exitCode ?? 126);
}
