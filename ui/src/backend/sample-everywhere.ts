// A question with an attack in every field of the contract, each ending with the field's name. A field that is new in the
// contract does not compile here until it has one.

import type { Piece, Question } from "../contract";

/** Markup, and the escapes that the app writes for what cannot be seen. */
const attack = `<img src=x onerror=alert(1)></dd></code><script>alert(1)</script>"'>\\u{202e}txt.exe\\u{200b}\\u{1b}[31m`;

/** Nothing left out, at any depth: a field that may be missing in the contract is not missing here. */
type Whole<T> = T extends object ? { [Field in keyof T]-?: Whole<Exclude<T[Field], undefined>> } : T;

/**
 * @param length  how many letters without a space stand in every field as well
 * @param tool  whether it is about a tool of the agent's own
 */
export function everywhere(length: number, tool: boolean, now = Date.now()): Question {
  const said = (field: string) => `${attack}${"A".repeat(length)} end-of-${field}`;
  const shown = (field: string): Piece[] => [
    { text: "<img src=x onerror=alert(1)></dd></code><script>alert(1)</script>\"'>", kind: "plain" },
    ...["\\u{202e}", "\\u{200b}", "\\n", "\\u{1b}"].map((text) => ({ text, kind: "escaped" as const })),
    { text: `[31m${"A".repeat(length)} end-of-${field}`, kind: "plain" },
  ];
  const rule = {
    id: 7,
    effect: "ask" as const,
    pattern: said("rule"),
    source: said("source"),
    why: said("because"),
  };
  // The name of another Mac is a part of the headline; with one, some answers are not offered.
  const question: Whole<Omit<Question, "host">> = {
    id: "0199a1c0-0000-7000-8000-000000000007",
    code: "9f3a",
    digest: "7".repeat(64),
    requests: ["0199a1c0-0000-7000-8000-00000000aaaa"],
    alone: true,
    asker: {
      agent: "builder",
      name: shown("name"),
      color: "#6a45f0",
      icon: "letter",
      knownBy: shown("channel"),
      session: shown("session"),
      sessionKind: "name",
      says: shown("says"),
    },
    origin: "host",
    tool: shown("tool"),
    subject: { kind: "command" },
    // Lines that the command does not have.
    bodies: [{ first: 4_000_000_000, count: 4_000_000_000 }],
    command: [
      { role: "program", step: 0, text: shown("program") },
      { role: "argument", step: 0, text: shown("argument") },
    ],
    line: said("line"),
    argv: null,
    shell: true,
    editable: `echo ${"A".repeat(length)} end-of-editable`,
    edited: shown("edited"),
    repository: shown("repository"),
    branch: shown("branch"),
    tighter: ["look", "project"],
    confinedByPerson: true,
    refused: 3,
    trace: [{ stage: "read", found: shown("found") }],
    steps: [
      {
        argv: [said("word")],
        text: said("step"),
        program: said("step"),
        path: said("step"),
        decision: "ask",
        dangerous: false,
        reason: "allowlist-miss",
        why: shown("message"),
        rule,
        span: [0, 1],
      },
    ],
    programs: [
      {
        name: shown("program"),
        path: shown("path"),
        realPath: shown("target"),
        version: said("version"),
        shortHash: "9f3ac41e",
        signer: shown("signer"),
        remarks: [shown("remark")],
        script: {
          path: shown("script"),
          sha256: "aa17c9e2".repeat(8),
          preview: [shown("preview")],
          more: true,
          state: "changed",
        },
      },
    ],
    changeable: [shown("changeable"), shown("changeable-too")],
    cwd: shown("cwd"),
    env: [
      { kind: "added", name: shown("added"), value: shown("value"), was: null },
      { kind: "changed", name: shown("changed"), value: shown("value"), was: shown("was") },
      { kind: "refused", name: shown("refused"), value: shown("value"), was: null },
    ],
    stdin: { kind: "text", bytes: 12, lines: [shown("input")] },
    headline: shown("headline"),
    danger: [shown("danger")],
    confinement: shown("confinement"),
    why: shown("why"),
    rule,
    policy: shown("policy"),
    risk: { level: "needs-review", reasons: [shown("reason")] },
    proposals: [
      {
        id: "exact",
        label: shown("proposal"),
        folder: shown("folder"),
        folders: [{ path: said("folder"), shown: shown("around") }],
        rules: [
          {
            pattern: { kind: "exact", value: [said("pattern")] },
            text: said("saved"),
            words: ["none", "path"],
            pinned: true,
            signed: true,
            folder: said("folder"),
            input: { kind: "text", sha256: "7".repeat(64) },
            confine: "project",
          },
          {
            pattern: { kind: "command", value: said("pattern") },
            text: said("second"),
            words: ["host", "remote"],
            pinned: false,
            signed: false,
            folder: said("folder"),
            input: { kind: "nothing" },
            confine: "project",
          },
        ],
        renews: 0,
        wouldMatch: [2, 50],
      },
      {
        id: "command",
        label: shown("label"),
        folder: shown("folder"),
        folders: [{ path: said("folder"), shown: shown("around") }],
        rules: [
          {
            pattern: { kind: "command", value: said("pattern") },
            text: `${said("words")} *`,
            words: ["branch"],
            pinned: false,
            signed: false,
            folder: said("folder"),
            input: { kind: "any" },
            confine: "project",
          },
        ],
        renews: 0,
        wouldMatch: [7, 50],
      },
    ],
    renews: [
      {
        program: shown("changed"),
        change: said("change"),
        count: 2,
        rules: [{ id: 1, agent: "builder", text: said("renewed") }],
      },
    ],
    nothingToSave: { reason: "input", text: said("unsaved") },
    envSetting: said("setting"),
    askedAt: now - 38_000,
    expiresAt: now + 82_000,
    atZero: [{ text: "Denied", kind: "plain" }],
    allowedAtZero: false,
    armingMs: 1000,
    waiting: 2,
    queued: 1,
    recent: [{ line: shown("before"), outcome: shown("outcome"), at: now - 60_000 }],
  };
  if (tool) {
    // What is saved for a tool is a line of permissions.jsonc: it has no folder.
    const proposals = question.proposals.map((one) => ({ ...one, folder: null }));
    const none = { editable: undefined, changeable: undefined, stdin: null };
    const subject: Question["subject"] = {
      kind: "other",
      tool: shown("program"),
      fields: [{ name: shown("field"), value: [shown("argument")] }],
    };
    return { ...question, ...none, origin: "tool", subject, programs: [], cwd: [], env: [], proposals };
  }
  return { ...question, tool: undefined };
}
