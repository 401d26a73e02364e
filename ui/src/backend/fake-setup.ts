// Setup of the fake backend: Claude Code and Codex are here, and their settings change as the host changes them.

import type {
  FoundAgent,
  Imported,
  KnownAgent,
  SettingsChange,
  SetupFound,
  SetupPreview,
  SetupTested,
} from "../contract";
import { fromHome } from "./fake-skills";

const plain = (text: string) => [{ text, kind: "plain" as const }];
const titles: Record<KnownAgent, string> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  cursor: "Cursor",
  "gemini-cli": "Gemini CLI",
  "vs-code": "VS Code",
  openclaw: "OpenClaw",
  containers: "Containers",
};
const files: Partial<Record<KnownAgent, string>> = {
  "claude-code": "/Users/kim/.claude/settings.json",
  codex: "/Users/kim/.codex/hooks.json",
};

export class FakeSetup {
  private readonly connected = new Set<KnownAgent>();
  private looks = 0;

  /** @param containers  whether something is here that runs containers */
  constructor(private readonly containers = false) {}

  find(): SetupFound {
    const row = (kind: KnownAgent): FoundAgent => ({
      kind,
      title: titles[kind],
      wiring: kind === "openclaw" ? "integration" : kind === "containers" ? "channel" : "hook",
      folder: files[kind] ? `/Users/kim/.${kind}` : null,
      program: kind === "containers" && this.containers ? "/usr/local/bin/docker" : null,
      file: files[kind] ?? null,
      connection: this.connected.has(kind) ? "connected" : "none",
      agent: kind,
      enrolled: this.connected.has(kind),
      problem: null,
      rules: kind === "claude-code" ? [{ path: files[kind] ?? "", entries: 4, problem: null }] : [],
    });
    return { agents: (Object.keys(titles) as KnownAgent[]).map(row) };
  }

  preview({ kind, remove }: SetupPreview): SettingsChange {
    const command = `postern hook ${kind} --agent ${kind}`;
    const added = ['  "hooks": {', `    "PreToolUse": [{"command": "${command}"}]`, "  }"];
    const change = remove ? ("removed" as const) : ("added" as const);
    const same = (text: string) => ({ change: "same" as const, text: plain(text) });
    return {
      file: files[kind] ?? null,
      ...(files[kind] ? { place: fromHome(files[kind]) } : {}),
      lines: [same("{"), ...added.map((text) => ({ change, text: plain(text) })), same("}")],
      removesFile: false,
      digest: `${kind}-${remove ?? false}`,
      remains: this.remains(kind),
    };
  }

  connect(kind: KnownAgent) {
    this.connected.add(kind);
    return { id: kind, title: titles[kind] };
  }

  /** What is put into an agent that no file of its own connects. */
  lines(kind: KnownAgent) {
    return kind === "containers" ? "docker run --volume ~/agents/containers:/run/postern …\n" : null;
  }

  disconnect(kind: KnownAgent) {
    this.connected.delete(kind);
    return kind;
  }

  remains(kind: KnownAgent) {
    return kind === "codex"
      ? "Codex runs this hook only after you trust it: start codex and enter /hooks"
      : null;
  }

  import(check: boolean): Imported {
    const path = files["claude-code"] ?? "";
    return {
      files: [
        {
          path,
          project: null,
          problem: null,
          entries: [
            { written: "Bash(npm test:*)", effect: "allow", taken: "rules", rules: ["npm test *"] },
            { written: "Bash(git status)", effect: "allow", taken: "rules", rules: ["git status"] },
            { written: "Read(./.env)", effect: "deny", taken: "lines", lines: ["read_file: .env"] },
            {
              written: "Bash(git:*)",
              effect: "allow",
              taken: "left-out",
              why: "only a broad rule covers it",
            },
          ],
        },
      ],
      added: 2,
      same: 0,
      check,
    };
  }

  /** Waits once, then was allowed. */
  tested(): SetupTested {
    this.looks += 1;
    return this.looks === 1 ? { state: "waiting", message: null } : { state: "allowed", message: null };
  }
}
