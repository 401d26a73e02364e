// What the app really ships for the approval page: small, and without anything that its policy would have to be opened for.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "@playwright/test";
import { build, type Rolldown } from "vite";

type Part = Rolldown.OutputChunk | Rolldown.OutputAsset;
let output: Part[];

test.beforeAll(async () => {
  const built = await build({ mode: "production", logLevel: "silent", build: { write: false } });
  output = (built as Rolldown.RolldownOutput).output;
});

const source = (part: Part) => (part.type === "chunk" ? part.code : part.source);

/** All that the page loads, at once or later: its HTML, scripts and styles. */
function loadedBy(page: string): Part[] {
  const html = output.find((part) => part.fileName === page);
  const names = new Set<string>();
  const add = (name: string) => {
    const part = output.find((one) => one.fileName === name);
    if (!part || names.has(name)) return;
    names.add(name);
    if (part.type !== "chunk") return;
    for (const next of [...part.imports, ...part.dynamicImports, ...(part.viteMetadata?.importedCss ?? [])])
      add(next);
  };
  for (const [, name] of String(html && source(html)).matchAll(/(?:src|href)="\.\/([^"]+)"/g))
    add(name ?? "");
  return [html, ...output.filter((part) => names.has(part.fileName))].filter((part) => part !== undefined);
}

test.describe("the approval page as it is shipped", () => {
  // The panel with its details, menus, icons, folds, the cards for Always and for requests of one shape, and the result; its first paint needs nothing else.
  test("is at most 57 kB, packed", () => {
    const parts = loadedBy("approval.html");
    expect(parts.length, "html, scripts and styles").toBeGreaterThan(3);
    const packed = parts.reduce((sum, part) => sum + gzipSync(source(part)).length, 0);
    expect(packed).toBeLessThanOrEqual(57 * 1024);
  });

  test("brings no stand-in, and nothing that makes code of text", () => {
    const code = loadedBy("approval.html").map((part) => String(source(part)));
    expect(code.join("\n")).not.toMatch(/\beval\(|new Function\(|fix-login/);
  });

  test("has no script or style of its own in the HTML", () => {
    for (const page of [
      "approval.html",
      "output.html",
      "popover.html",
      "preferences.html",
      "settings.html",
    ]) {
      const html = output.find((part) => part.fileName === page);
      expect(String(html && source(html))).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/);
    }
  });
});

test("the policy of the pages opens nothing up", () => {
  const { app } = JSON.parse(readFileSync("../tauri.conf.json", "utf8"));
  const policy: string = app.security.csp;
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).not.toMatch(/unsafe-|\*|data:|blob:|https:/);
});
