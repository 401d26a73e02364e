import { describe, expect, it } from "vitest";
import type { Question } from "../../contract";
import { groupsOf } from "./desk.svelte";
import { isAt, placesOf } from "./where";

const known = [
  { id: "1", name: "studio", groups: ["home"] },
  { id: "2", name: "ci-7", groups: ["builds", "all"] },
  { id: "3", name: "idle", groups: ["spare"] },
];
const at = (host?: string) => ({ ...(host === undefined ? {} : { host }) }) as Question;

describe("where questions wait", () => {
  it("is nothing to choose while all wait on one Mac", () => {
    expect(placesOf([at(), at()], known, ["home"])).toEqual({ hosts: [], groups: [] });
  });

  it("is each Mac with a question, and their groups", () => {
    const places = placesOf([at("studio"), at(), at("ci-7"), at("ci-7")], known, ["home"]);
    expect(places).toEqual({ hosts: ["", "ci-7", "studio"], groups: ["all", "builds", "home"] });
  });

  it("is a Mac or a group, this Mac's own included", () => {
    const found = (place: string) =>
      [at(), at("studio"), at("ci-7")].filter((one) => isAt(one, place, known, ["home"]));
    expect(found("")).toHaveLength(3);
    expect(found("host:")).toEqual([at()]);
    expect(found("host:ci-7")).toEqual([at("ci-7")]);
    expect(found("group:home")).toEqual([at(), at("studio")]);
    expect(found("group:builds")).toEqual([at("ci-7")]);
  });

  it("is typed with commas or blanks", () => {
    expect(groupsOf(" builds, home  all,")).toEqual(["builds", "home", "all"]);
  });
});
