// The fleet in the settings: started, joined, invited to, revoked from, left; the inbox narrowed to one of its Macs.

import { expect, test, type Page } from "@playwright/test";
import { nothingSerious, nothingSideways } from "./support";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1180, height: 900 });
});

const open = (page: Page, scene = "") => page.goto(`/preferences.html?scene=${scene}#fleet`);
const dialog = (page: Page) => page.getByRole("dialog");
const press = (page: Page, name: string | RegExp) =>
  dialog(page).getByRole("button", { name, exact: true }).click();
const members = (page: Page) => page.getByTestId("member");

/** Opens the form that starts a fleet, and names this Mac and its person. */
async function begin(page: Page) {
  await page.getByRole("button", { name: "Start Fleet…" }).click();
  await expect(dialog(page).getByRole("button", { name: "Continue…" })).toBeDisabled();
  await dialog(page).getByLabel("Name of this").fill("MacBook");
  await dialog(page).getByLabel("Your name").fill("Mara");
}

/** Opens the form that invites a Mac, and names that one and its person. */
async function invite(page: Page) {
  await page.getByRole("button", { name: /^Invite/ }).press("Enter");
  await dialog(page)
    .getByLabel(/^Name of the/)
    .fill("mini-4");
  await dialog(page).getByLabel("Name of its user").fill("Mara");
}

test("without a fleet the page says what one is, and a fleet is started as it was shown", async ({
  page,
}) => {
  await open(page);
  await expect(page.getByText(/A fleet connects several/)).toBeVisible();
  await nothingSerious(page);
  await begin(page);
  await dialog(page).getByLabel("Address").fill("mini.local");
  await press(page, "Continue…");
  await expect(dialog(page).getByRole("alert")).toContainText("192.168.1.2:7720");
  await expect(dialog(page).getByLabel("Your name"), "what was typed stays").toHaveValue("Mara");
  await nothingSerious(page);
  await dialog(page).getByLabel("Address").fill("192.168.1.2:7720");
  await dialog(page).getByLabel("Address").press("Enter");
  await expect(dialog(page)).toContainText("fleet/broker/broker.conf");
  await expect(dialog(page)).toContainText('listen: "192.168.1.2:7720"');
  await nothingSerious(page);
  await press(page, "Write Files and Start Fleet");
  await expect(members(page)).toHaveCount(1);
  await expect(members(page).first()).toContainText("MacBook");
  await expect(page.getByRole("region", { name: "Status" })).toContainText("launchctl bootstrap");
});

test("a fleet at a broker that others run is started with its credentials", async ({ page }) => {
  await open(page);
  await begin(page);
  await dialog(page).getByText("Run by others").click();
  await dialog(page).getByLabel("Address").fill("nats.example.com");
  await dialog(page).getByLabel("Credentials").fill("SUAEXAMPLE");
  await press(page, "Continue…");
  await expect(dialog(page).getByRole("alert")).toContainText("tls://HOST:PORT");
  await nothingSerious(page);
  await dialog(page).getByLabel("Address").fill("tls://nats.example.com:4222");
  await press(page, "Continue…");
  await expect(members(page)).toHaveCount(1);
});

test("a Mac joins with a code, and its digits are compared on the owner’s", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Join with Code…" }).click();
  await dialog(page).getByLabel("Code").fill("hello");
  await press(page, "Join");
  await expect(dialog(page).getByRole("alert")).toContainText("begins with pf1.");
  await nothingSerious(page);
  await dialog(page).getByLabel("Code").fill("pf1.abc");
  await press(page, "Join");
  await expect(dialog(page).getByText("407 193")).toBeVisible();
  await expect(dialog(page).getByText("has joined the fleet")).toBeVisible();
  await press(page, "Done");
  await expect(dialog(page)).toHaveCount(0);
  await expect(members(page)).toHaveCount(7);
  await expect(page.getByRole("button", { name: /^Invite/ }), "only an owner invites").toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Revoke/ })).toHaveCount(0);
});

test("an owner invites a Mac, compares the digits, and accepts it, by keyboard alone", async ({ page }) => {
  await open(page, "fleet");
  await expect(members(page)).toHaveCount(7);
  await invite(page);
  await dialog(page).getByLabel("Groups").fill("Builds");
  await dialog(page).getByLabel("Groups").press("Enter");
  await expect(dialog(page).getByRole("alert")).toContainText("a-z, 0-9");
  await nothingSerious(page);
  await dialog(page).getByLabel("Groups").fill("builds, home");
  await dialog(page).getByLabel("Groups").press("Enter");
  await expect(page.getByTestId("pairing-code")).toContainText("pf1.");
  await nothingSerious(page);
  await expect(dialog(page).getByText("Does mini-4 show the same six digits?")).toBeVisible();
  await expect(dialog(page).getByText("407 193")).toHaveAttribute("aria-label", "Six digits: 4 0 7 1 9 3");
  await expect(
    dialog(page).getByRole("button", { name: "No, Refuse It" }),
    "nothing is accepted by a mere Return",
  ).toBeFocused();
  await nothingSerious(page);
  await page.keyboard.press("Tab");
  await expect(dialog(page).getByRole("button", { name: "Yes, They Are the Same" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByText("mini-4 has joined the fleet.")).toBeVisible();
  await expect(dialog(page).getByRole("button", { name: "Done" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(members(page)).toHaveCount(8);
});

test("digits that differ refuse the Mac", async ({ page }) => {
  await open(page, "fleet");
  await invite(page);
  await press(page, "Make Code");
  await press(page, "No, Refuse It");
  await expect(dialog(page)).toHaveCount(0);
  await expect(members(page)).toHaveCount(7);
});

test("members show what they may, and who is revoked or leaves is asked about first", async ({ page }) => {
  await open(page, "fleet");
  const noor = members(page).filter({ hasText: "Noor’s MacBook" });
  await expect(noor).toContainText("allows what needs review in builds · saves no rules");
  await expect(members(page).filter({ hasText: "tablet" }).locator(".escaped")).toHaveText("U+202E");
  await expect(page.getByRole("list", { name: "Groups" })).toContainText("3 hosts: mini-3, build-1, ci-7");
  await nothingSerious(page);
  await nothingSideways(page);
  await page.getByRole("button", { name: "Revoke Noor’s MacBook…" }).click();
  await press(page, "Cancel");
  await expect(members(page)).toHaveCount(7);
  await page.getByRole("button", { name: "Revoke Noor’s MacBook…" }).click();
  await press(page, "Revoke");
  await expect(members(page)).toHaveCount(6);
  await page.getByRole("button", { name: "Leave Fleet…" }).click();
  await expect(dialog(page)).toContainText("You own this fleet");
  await press(page, "Leave Fleet");
  await expect(page.getByRole("button", { name: "Start Fleet…" })).toBeVisible();
});

test("a Mac whose agents are blocked says so, and is unblocked there", async ({ page }) => {
  await open(page, "fleet");
  const studio = members(page).filter({ hasText: "studio" });
  await expect(studio).toContainText("all agents blocked");
  await nothingSerious(page);
  await page.getByRole("button", { name: "Unblock studio" }).click();
  await expect(page.getByRole("status").filter({ hasText: "studio: agents work again" })).toBeVisible();
  await expect(studio).not.toContainText("blocked");
  await expect(page.getByRole("button", { name: /^Unblock/ })).toHaveCount(0);
});

test("an owner changes what a member may do", async ({ page }) => {
  await open(page, "fleet");
  const noor = members(page).filter({ hasText: "Noor’s MacBook" });
  await page.getByRole("button", { name: "Change Noor’s MacBook…" }).click();
  await expect(dialog(page).getByLabel("Groups")).toHaveValue("builds");
  await nothingSerious(page);
  await press(page, "Change");
  await expect(page.getByRole("status").filter({ hasText: "Nothing changed" })).toBeVisible();
  await page.getByRole("button", { name: "Change Noor’s MacBook…" }).click();
  await dialog(page).getByLabel("Groups").fill("builds, attic");
  await expect(dialog(page).getByRole("button", { name: "Change", exact: true })).toBeDisabled();
  await dialog(page).getByLabel("No one has attic yet: make it new").check();
  await dialog(page).getByLabel("Allows").selectOption("Everything");
  await dialog(page).getByLabel("Only once: saves no rules").uncheck();
  await dialog(page).getByLabel("Publishes policy").check();
  await nothingSerious(page);
  await press(page, "Change");
  await expect(noor).toContainText("publishes policy · allows everything in builds, attic");
  await expect(noor).not.toContainText("saves no rules");
  await page.getByRole("button", { name: "Change Noor’s MacBook…" }).click();
  await dialog(page).getByLabel("Answers questions").uncheck();
  await expect(dialog(page).getByLabel("Groups"), "limits are an approver’s").toHaveCount(0);
  await press(page, "Cancel");

  await page.getByRole("button", { name: "Change build-1…" }).click();
  await expect(dialog(page).getByText("Its user"), "a host answers nothing").toHaveCount(0);
  await dialog(page).getByLabel("Groups").fill("home");
  await press(page, "Change");
  await expect(members(page).filter({ hasText: "build-1" })).toContainText("host in home");

  await page.getByRole("button", { name: "Change MacBook…" }).first().click();
  await dialog(page).getByLabel("Owns the fleet").uncheck();
  await press(page, "Change");
  await expect(dialog(page).getByRole("alert")).toContainText("last owner");
  await nothingSerious(page);
});

test("a broker that is gone and a stale roster say what would be right", async ({ page }) => {
  await open(page, "fleet-broken");
  const status = page.getByRole("region", { name: "Status" });
  await expect(status).toContainText("Connection refused");
  await expect(status).toContainText("Last contact");
  await expect(status).toContainText(/answers from other \w+ don’t count/);
  await nothingSerious(page);
});

const proposal = (page: Page, id: string) => page.getByTestId("proposal").filter({ hasText: id });

test("what waits for a signature is shown as it is signed, and signed only after it was confirmed", async ({
  page,
}) => {
  await open(page, "fleet-signatures");
  await expect(page.getByTestId("proposal")).toHaveCount(3);
  const roster = proposal(page, "3fa91c02aa11bb22");
  await expect(roster).toContainText("Waits for one more owner: Mara");
  await expect(roster).toContainText("- Noor’s MacBook (noor)");
  await expect(roster.locator(".escaped")).toHaveText("U+202E");
  const stale = proposal(page, "0badc0de0badc0de");
  await expect(stale).toContainText("No one can sign it: it was made before the present version");
  await expect(stale.getByRole("button", { name: /^Sign/ }), "nobody can").toHaveCount(0);
  await nothingSerious(page);
  await nothingSideways(page);

  await roster.getByRole("button", { name: /^Sign/ }).click();
  await expect(dialog(page)).toContainText("roster 9 after 8");
  await nothingSerious(page);
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("proposal"), "nothing was signed").toHaveCount(3);
  await roster.getByRole("button", { name: /^Sign/ }).click();
  await press(page, "Sign");
  await expect(page.getByRole("status").filter({ hasText: "You signed it." })).toBeVisible();
  await expect(page.getByTestId("proposal")).toHaveCount(2);
  await expect(members(page)).toHaveCount(5);

  await proposal(page, "77c0d1e2f3a4b5c6").getByRole("button", { name: /^Sign/ }).click();
  await expect(dialog(page)).toContainText("mini-3: 3 of 120 requests would be judged differently");
  await nothingSerious(page);
  await press(page, "Cancel");
  await stale.getByRole("button", { name: /^Withdraw/ }).click();
  await expect(dialog(page)).toContainText("Nothing changes");
  await nothingSerious(page);
  await press(page, "Withdraw");
  await expect(page.getByRole("status").filter({ hasText: "withdrawn" })).toBeVisible();
  await expect(page.getByTestId("proposal")).toHaveCount(1);
});

test("what an owner changes alone is proposed, and an invited Mac waits for another owner", async ({
  page,
}) => {
  await open(page, "fleet-signatures");
  await page.getByRole("button", { name: "Revoke Noor’s MacBook…" }).click();
  await press(page, "Revoke");
  await expect(page.getByRole("status").filter({ hasText: "waits for another signature" })).toBeVisible();
  await expect(members(page)).toHaveCount(7);
  const own = proposal(page, "5e1f5e1f5e1f5e1f");
  await expect(own).toContainText("Waits for one more owner: Ines");
  await expect(own.getByRole("button", { name: /^Sign/ }), "signed already").toHaveCount(0);

  await invite(page);
  await press(page, "Make Code");
  await press(page, "Yes, They Are the Same");
  await expect(dialog(page).getByText("Waits for one more owner: Ines")).toBeVisible();
  await nothingSerious(page);
  await expect(dialog(page).getByText("mini-4 has joined the fleet.")).toBeVisible();
});
