import { expect, test } from "@playwright/test";
import { nothingSerious } from "./support";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1180, height: 860 });
  await page.goto("/preferences.html#doors");
});

const door = (page: import("@playwright/test").Page, name: string) => page.getByRole("region", { name });

/** How an agent connects stands on its page, in the main window. */
async function howToConnect(page: import("@playwright/test").Page, agent: string) {
  const main = page.waitForEvent("popup");
  await door(page, agent).getByRole("button", { name: "How to Connect…" }).click();
  return main;
}

test("who is connected and who can answer", async ({ page }) => {
  await expect(door(page, "builder")).toContainText(/1 connection.*postern-run 0\.1\.0/);
  await expect(door(page, "release")).toContainText("not connected");
  await expect(page.getByText("This app’s window")).toBeVisible();
});

test("a test runs a harmless command through the channel", async ({ page }) => {
  const test = (await howToConnect(page, "builder")).getByTestId("channel-test");
  await test.getByRole("button", { name: "Test" }).click();
  await expect(test.getByRole("status")).toContainText(/It works: ran in 4 ms.*Darwin/);
});

test("a new key and a revocation are asked about first", async ({ page }) => {
  await page.getByRole("button", { name: "More: research" }).click();
  await page.getByRole("menuitem", { name: "New Key…" }).click();
  await page.getByRole("button", { name: "Make New Key" }).click();
  await expect(page.getByText("research has a new key.")).toBeVisible();
  await page.getByRole("button", { name: "More: research" }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(door(page, "research")).toBeVisible();
  await page.getByRole("button", { name: "More: research" }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(door(page, "research")).toHaveCount(0);
});

test("the lines to connect are a click away", async ({ page }) => {
  const main = await howToConnect(page, "research");
  await expect(main.getByTestId("enrolment")).toContainText("agents/research/agent.sock");
});

const other = (page: import("@playwright/test").Page, name: string) => page.getByRole("region", { name });

test("a closed door is opened with its settings, and says what the other side needs", async ({ page }) => {
  await page.getByRole("button", { name: "Turn On: OpenClaw’s nodes" }).click();
  const form = page.getByRole("dialog");
  await expect(form.getByRole("button", { name: "Turn On", exact: true })).toBeDisabled();
  await form.getByLabel("Agent").selectOption("builder");
  await form.getByRole("button", { name: "Turn On", exact: true }).click();
  const setUp = page.getByRole("dialog", { name: "Connect: OpenClaw’s nodes" });
  await expect(setUp.getByTestId("setup-pairingCode")).toHaveText("K7Q2-M4XD");
  await expect(setUp.getByText("Fingerprint")).toBeVisible();
  await nothingSerious(page);
  await setUp.getByRole("button", { name: "Done" }).click();
  await expect(other(page, "OpenClaw’s nodes")).toContainText(/on.*Agent builder/s);
});

test("what a door refuses is said in the form, and what was typed stays", async ({ page }) => {
  await page.getByRole("button", { name: "More: Approvers over WebSocket" }).click();
  await page.getByRole("menuitem", { name: "Change…" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Address").fill("somewhere");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByRole("alert")).toContainText("an address and a port");
  await expect(form.getByLabel("Address")).toHaveValue("somewhere");
  await form.getByLabel("Address").fill("127.0.0.1:7718");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(other(page, "Approvers over WebSocket")).toContainText("127.0.0.1:7718");
});

test("a port that the system chooses is not shown as port 0", async ({ page }) => {
  await page.getByRole("button", { name: "More: Approvers over WebSocket" }).click();
  await page.getByRole("menuitem", { name: "Change…" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Address").fill("127.0.0.1:0");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(other(page, "Approvers over WebSocket")).toContainText("127.0.0.1, any free port");
});

test("a secret is typed once and shown never", async ({ page }) => {
  await page.getByRole("button", { name: "Turn On: Telegram" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Bot’s token").fill("hunter2");
  await form.getByRole("button", { name: "Turn On", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await expect(other(page, "Telegram").getByText("on", { exact: true })).toBeVisible();
  await expect(page.getByText("hunter2")).toHaveCount(0);
});

test("a door is closed, and who is paired is revoked after a question", async ({ page }) => {
  const door = other(page, "Approvers over WebSocket");
  await expect(door).toContainText("U+202E");
  await door.getByRole("button", { name: "Revoke Kim’s phone…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(door).not.toContainText("Kim’s phone");
  await page.getByRole("button", { name: "More: Approvers over WebSocket" }).click();
  await page.getByRole("menuitem", { name: "Turn Off" }).click();
  await expect(door.getByText("off", { exact: true })).toBeVisible();
});
