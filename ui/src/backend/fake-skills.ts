// Skills of the fake backend: found in folders, approved CLI by CLI.

import type { Piece, SkillCli, SkillRow, Skills } from "../contract";

const plain = (text: string): Piece[] => [{ text, escaped: false }];

function cli(name: string, state: string, version: string | null): SkillCli {
  const path = state === "missing" ? null : `/opt/homebrew/bin/${name}`;
  return {
    name,
    path,
    shown: plain(name),
    place: path === null ? null : plain(path),
    rule: state === "approved" ? 41 : null,
    state,
    shortHash: path === null ? null : "9f3ac41e",
    version,
  };
}

function skill(name: string, description: string, clis: SkillCli[], problem: string | null = null): SkillRow {
  const folder = `~/.claude/skills/${name}`;
  return {
    name,
    description,
    folder,
    shown: plain(name),
    about: plain(description),
    place: plain(folder),
    clis,
    problem,
  };
}

const hostile: Piece[] = [
  { text: "photo", escaped: false },
  { text: "\\u{202e}", escaped: true },
  { text: "gpj.exe", escaped: false },
];

export class FakeSkills {
  private folders: string[];
  private skills: SkillRow[];

  constructor(empty: boolean, dangerous: boolean) {
    this.folders = empty ? [] : ["~/.claude/skills"];
    this.skills = empty
      ? []
      : [
          skill("bird", "Read and post to timelines from the command line.", [
            cli("bird", "changed", "0.4.2"),
          ]),
          skill("github", "Issues, pull requests and checks.", [
            cli("gh", "approved", "2.81.0"),
            cli("git-lfs", "new", null),
            cli("hub", "new", "2.14.2"),
            cli("act", "missing", null),
          ]),
          skill("notes", "", [], "SKILL.md does not begin with a front matter between two lines of ---"),
        ];
    if (dangerous)
      this.skills.push({ ...skill("photo", "x".repeat(900), []), shown: hostile, place: hostile });
  }

  list(): Skills {
    return { folders: this.folders, skills: this.skills };
  }

  add(folder: string): Skills {
    if (!/^[/~]/.test(folder)) throw new Error(`${folder} is not an absolute path`);
    this.folders = [...this.folders, folder];
    return this.list();
  }

  remove(folder: string): Skills {
    this.folders = this.folders.filter((one) => one !== folder);
    this.skills = this.skills.filter((one) => !one.folder.startsWith(`${folder}/`));
    return this.list();
  }

  approve(name: string, only: string | null | undefined): Skills {
    const approved = (one: SkillCli) =>
      one.path !== null && (only == null || one.name === only) ? { ...one, state: "approved" } : one;
    this.skills = this.skills.map((row) =>
      row.name === name ? { ...row, clis: row.clis.map(approved) } : row,
    );
    return this.list();
  }
}
