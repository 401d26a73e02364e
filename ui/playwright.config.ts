import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// Two checkouts on one machine need two ports.
const port = Number(process.env.POSTERN_UI_PORT ?? 4173);

// Chromium without what draws on a screen does the same in half the time.
const browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

// The real pages on the fake backend, in the browser that the system has.
export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results/run",
  snapshotPathTemplate: "e2e/golden/{arg}{ext}",
  fullyParallel: true,
  // What is tested is what happens, not how fast: a machine that is busy with other things fails nothing.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  workers: 2,
  // A story that passes only the second time is told as flaky: a browser on a machine that does something else.
  retries: 1,
  reporter: [["list"]],
  use: {
    baseURL: `http://localhost:${port}`,
    // Without a processor for graphics each frame that moves costs time. What is tested of motion asks for it.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? browsers.find((path) => existsSync(path)),
      // Letters stand where the font says, not on whole pixels: only so does every browser here set the same lines.
      args: ["--no-sandbox", "--force-color-profile=srgb", "--font-render-hinting=none"],
    },
  },
  webServer: {
    command:
      "vite build --mode fake --outDir test-results/fake --emptyOutDir && vite preview --outDir test-results/fake",
    port,
    reuseExistingServer: false,
  },
});
