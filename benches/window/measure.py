"""Measures the built app's windows from inside their pages, through WebKitWebDriver on a virtual display (Debian:
webkit2gtk-driver, xvfb, dbus). Times are milliseconds.

    python3 benches/window/fill.py target/debug FOLDER
    python3 benches/window/measure.py target/debug FOLDER [rules] [insights] [activity] [question]
"""
import json, os, signal, socket, subprocess, sys, tempfile, time, urllib.error, urllib.request

programs, data = (os.path.abspath(path) for path in sys.argv[1:3])
TURNS = 3
QUESTIONS = 12

# What scripts in the pages begin with. A frame is over when the next but one begins: what changed was painted then.
BEGIN = """
const done = arguments[arguments.length - 1];
const all = (what) => [...document.querySelectorAll(what)];
const frame = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
const until = async (holds) => { while (!holds()) await new Promise((go) => setTimeout(go, 5)); };
const took = async (act, holds = () => true) => {
  const began = performance.now();
  act();
  await until(holds);
  await frame();
  return Math.round(performance.now() - began);
};
const search = (text, holds) => took(() => {
  const field = document.querySelector("main input[type=search]");
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}, holds);
// Rules and the names of their programs between them.
const LINES = "[data-testid=rule], [data-testid=program-head]";
const opened = async (what) => {
  await until(() => document.querySelector(what));
  await frame();
  const paint = performance.getEntriesByType("paint").at(-1)?.startTime;
  return { "first paint": Math.round(paint), "is there": Math.round(performance.now()) };
};
// 240 frames of so many pixels each: how long they took, and in how many the rows did not fill the list.
const scroll = async (inside, pixels, rows) => {
  const box = [document.querySelector(inside), ...all(inside + " *")].find((one) =>
    one.scrollHeight > one.clientHeight + 50 && /auto|scroll/.test(getComputedStyle(one).overflowY));
  const frames = [];
  let blank = 0;
  let last = performance.now();
  for (let n = 0; n < 240; n++) {
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
    const { top, bottom } = box.getBoundingClientRect();
    const filled = all(rows).map((row) => row.getBoundingClientRect())
      .reduce((sum, row) => sum + Math.max(0, Math.min(row.bottom, bottom) - Math.max(row.top, top)), 0);
    if (filled < bottom - top - 40) blank++;
    box.scrollTop += pixels;
  }
  frames.sort((one, other) => one - other);
  return { p50: Math.round(frames[120]), p95: Math.round(frames[228]), blank };
};
(async () => done(await (async () => {"""
END = "})()))();"

STORIES = {
    "rules": ("rules", {
        "opened": "return opened('[data-testid=rule]');",
        "scrolled by a row": "await until(() => all('[role=grid]')[0].ariaRowCount > 1000); return scroll('.table', 34, LINES);",
        "scrolled by a page": "return scroll('.table', 600, LINES);",
        "searched": "return { one: await search('tool-9999'), many: await search('tool-99'), none: await search('x x'), all: await search('') };",
        "sorted": "const by = (name) => took(() => all(`.${name}[role=columnheader] button`)[0].click());"
                  "return { pattern: await by('pattern'), uses: await by('uses') };",
    }),
    "insights": ("insights", {
        "opened": "return opened('canvas');",
        "another period": "const pick = (days) => { const main = document.querySelector('main'), was = main.innerText;"
                          "return took(() => all('main .segmented label').find((one) => one.textContent.includes(days)).click(), () => main.innerText !== was); };"
                          "return { '7 days': await pick('7 days'), '90 days': await pick('90 days') };",
        "click through": "return took(() => all('button.figure')[1].click(), () => all('[data-testid=request]').length > 0);",
    }),
    "activity": ("activity", {
        "opened": "return opened('[data-testid=request]');",
        "scrolled": "return scroll('main', 60, '[data-testid=request]');",
        "searched": "return search('max-count 55555', () => all('[data-testid=request]').some((row) => row.textContent.includes('55555')));",
    }),
}

# Notes when each question is laid out and when it was painted.
WATCH = """
window.questions = {};
new MutationObserver(() => {
  const id = document.querySelector("[data-testid=question]")?.dataset.id;
  if (!id || id in window.questions) return;
  window.questions[id] = 0;
  frame().then(() => (window.questions[id] = performance.timeOrigin + performance.now()));
}).observe(document, { childList: true, subtree: true, attributes: true });
"""


class Display:
    """A virtual display and a driver on it; ended with it."""

    def __enter__(self):
        read, write = os.pipe()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        xvfb = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
        self.started = [subprocess.Popen(xvfb, pass_fds=[write], **quiet)]
        os.close(write)
        with os.fdopen(read) as told, socket.socket() as free:
            number = told.readline().strip()
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.home = tempfile.TemporaryDirectory()
        own = {"DISPLAY": f":{number}", "HOME": self.home.name, "XDG_RUNTIME_DIR": self.home.name, "GDK_BACKEND": "x11",
               "NO_AT_BRIDGE": "1", "WEBKIT_DISABLE_COMPOSITING_MODE": "1", "TAURI_AUTOMATION": "true",
               "TAURI_WEBVIEW_AUTOMATION": "true"}
        driver = ["dbus-run-session", "--", "WebKitWebDriver", f"--port={self.port}"]
        self.started.append(subprocess.Popen(driver, env={**os.environ, **own}, **quiet))
        return self

    def __exit__(self, *_):
        for process in self.started:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.home.cleanup()

    def call(self, method, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/session{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode())
        try:
            return json.load(urllib.request.urlopen(request, timeout=600))["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error


class Page:
    """A page of the app, which runs as long as it."""

    def __init__(self, display, page, *arguments):
        self.display = display
        app = {"binary": f"{programs}/postern-desktop", "args": ["--data", data, *arguments]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": app}}}
        self.path = "/" + patiently(lambda: display.call("POST", "", wanted)["sessionId"])
        patiently(lambda: self.find(page))
        display.call("POST", f"{self.path}/timeouts", {"script": 600_000})

    def find(self, page):
        for handle in self.display.call("GET", f"{self.path}/window/handles"):
            self.display.call("POST", f"{self.path}/window", {"handle": handle})
            if page in self.display.call("GET", f"{self.path}/url"):
                return
        raise RuntimeError(f"there is no {page}")

    def run(self, script):
        return self.display.call("POST", f"{self.path}/execute/async", {"script": BEGIN + script + END, "args": []})

    def end(self):
        self.display.call("DELETE", self.path)


def patiently(act):
    """Until it works: nothing says when a driver or a window is there."""
    end = time.time() + 60
    while True:
        try:
            return act()
        except (OSError, RuntimeError):
            if time.time() > end:
                raise
            time.sleep(0.1)


def postern(*words):
    environment = dict(os.environ, POSTERN_DATA=data)
    return subprocess.run([f"{programs}/postern", *words], env=environment, capture_output=True, text=True, check=True).stdout


def questions(display):
    """From the host's own time of a request until its question was painted."""
    page = Page(display, "approval.html", "--background")
    page.run(WATCH)
    times = []
    for n in range(QUESTIONS):
        postern("agents", "add", f"agent-{n}")
        channel = f"{data}/agents/agent-{n}"
        asks = dict(os.environ, POSTERN_SOCKET=f"{channel}/agent.sock", POSTERN_KEY_FILE=f"{channel}/agent.key")
        asking = subprocess.Popen([f"{programs}/postern-run", "--", "git", "push", "origin", str(n)], env=asks, cwd="/",
                                  stderr=subprocess.DEVNULL)
        page.run(f"await until(() => Object.values(window.questions).filter(Boolean).length > {n});")
        open_now = json.loads(postern("questions", "--json"))[0]
        asked = json.loads(postern("history", "--json"))[0]["at"]
        times.append(page.run("return window.questions;")[open_now["id"]] - asked)
        postern("deny", open_now["code"])
        asking.wait()
    page.end()
    warm = sorted(times[1:])
    print(f"question: first {times[0]:.0f}, then p50 {warm[len(warm) // 2]:.0f}, at most {warm[-1]:.0f}")


def story(display, name):
    shown, steps = STORIES[name]
    for _ in range(TURNS):
        page = Page(display, "settings.html", "--settings", shown)
        for what, script in steps.items():
            print(f"{name}, {what}: {json.dumps(page.run(script))}", flush=True)
        page.end()


with Display() as display:
    for name in sys.argv[3:]:
        questions(display) if name == "question" else story(display, name)
