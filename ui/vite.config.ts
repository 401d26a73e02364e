import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Five pages, built apart: the approval page must stay small and must not share more than it needs.
export default defineConfig({
  plugins: [svelte()],
  base: "./",
  clearScreen: false,
  server: { port: 5173, strictPort: true },
  preview: { port: Number(process.env.POSTERN_UI_PORT ?? 4173), strictPort: true },
  build: {
    target: "safari16",
    modulePreload: { polyfill: false },
    // Inlined assets would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ["approval.html", "output.html", "popover.html", "preferences.html", "settings.html"],
    },
  },
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.ts"],
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
    // Generous: what is tested is what happens, not how fast, also on a machine with much else to do.
    testTimeout: 60_000,
  },
});
