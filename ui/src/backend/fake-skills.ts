// Skills of the fake backend: those that a host found, approved CLI by CLI.

import type { Piece, SkillRow, Skills } from "../contract";
import { lists } from "./sample-lists";

/** A path as the host shows it. */
export const fromHome = (path: string): Piece[] => [{ text: path.replace("/Users/kim", "~"), kind: "plain" }];

export class FakeSkills {
  private folders: string[];
  private skills: SkillRow[];

  constructor(empty: boolean, dangerous: boolean) {
    const found = lists()["skills.list"];
    this.folders = empty ? [] : found.folders;
    this.skills = empty ? [] : found.skills;
    if (dangerous) this.skills = [...this.skills, ...lists().hostile.skills];
  }

  list(): Skills {
    return { folders: this.folders, places: this.folders.map(fromHome), skills: this.skills };
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
    this.skills = this.skills.map((row) => {
      const clis = row.clis.map((cli) =>
        cli.path !== null && (only == null || cli.name === only)
          ? { ...cli, state: "approved" as const }
          : cli,
      );
      return row.name === name ? { ...row, clis } : row;
    });
    return this.list();
  }
}
