import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["dist/", "src/contract/", "test-results/", "playwright-report/"] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      // Hostile text is data: it reaches the page as text nodes only.
      "svelte/no-at-html-tags": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Hostile text is data: use text nodes." },
        { property: "outerHTML", message: "Hostile text is data: use text nodes." },
        { property: "insertAdjacentHTML", message: "Hostile text is data: use text nodes." },
      ],
      "no-restricted-imports": [
        "error",
        { patterns: [{ group: ["@tauri-apps/*"], message: "Only src/backend/ speaks to Tauri." }] },
      ],
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  { files: ["src/backend/**"], rules: { "no-restricted-imports": "off" } },
);
