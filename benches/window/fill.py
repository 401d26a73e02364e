"""Fills a data folder as a long life would: 10,000 rules of one agent, 1,000,000 requests over the last ninety days.

    python3 benches/window/fill.py target/debug FOLDER [ROWS [RULES]]

One request is really made; the others are its copies, with times and lines of their own. The host indexes them itself.
"""
import json, os, secrets, sqlite3, subprocess, sys, time

programs, data = (os.path.abspath(path) for path in sys.argv[1:3])
rows, rules = (int(number) for number in [*sys.argv[3:], 1_000_000, 10_000][:2])
SPAN = 90 * 24 * 3600 * 1000
database = os.path.join(data, "postern.db")
environment = dict(os.environ, POSTERN_DATA=data)


def postern(*words):
    return subprocess.run([f"{programs}/postern", *words], env=environment, capture_output=True, text=True)


def serve():
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    host = subprocess.Popen([f"{programs}/postern", "serve"], env=environment, **quiet)
    while postern("status").returncode:
        time.sleep(0.1)
    return host


def stop(host):
    host.terminate()
    host.wait()


def first_request():
    """An agent with its rules, and one request that a rule allowed."""
    host = serve()
    postern("agents", "add", "builder")
    texts = [f"/opt/tools/{n % 97}/bin/tool-{n}" if n % 2 else f"tool-{n} sub-{n % 13} *" for n in range(rules)]
    listed = [{"effect": "allow", "agent": "builder", "text": text} for text in texts]
    path = os.path.join(data, "rules.json")
    with open(path, "w") as file:
        json.dump({"version": 1, "rules": listed}, file)
    print(postern("rules", "import", path).stdout.splitlines()[-1])
    postern("rules", "allow", "--agent", "builder", "uname *")
    channel = f"{data}/agents/builder"
    asks = dict(environment, POSTERN_SOCKET=f"{channel}/agent.sock", POSTERN_KEY_FILE=f"{channel}/agent.key")
    subprocess.run([f"{programs}/postern-run", "--", "uname", "-s"], env=asks, cwd="/", check=True)
    stop(host)


def copies(one, columns):
    """The request again and again, a little later each time."""
    first, now = one["number"], int(time.time() * 1000)
    times = [name for name in columns if name.endswith("_at") and one[name] is not None]
    for n in range(rows):
        at = now - SPAN + SPAN * n // rows
        row = dict(one, number=first + n, request_id=str(n), id=at.to_bytes(6, "big") + secrets.token_bytes(10))
        row["line"] = f"git -C project-{n % 1000} log --oneline --max-count {n}"
        row.update({name: at + one[name] - one["received_at"] for name in times})
        yield tuple(row[name] for name in columns)


def copy_request():
    record = sqlite3.connect(database, isolation_level=None)
    record.execute("PRAGMA synchronous = OFF")
    # The feed is bounded: what it would keep of these is nothing that a window shows.
    triggers = record.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    columns = [column[1] for column in record.execute("PRAGMA table_info(requests)")]
    one = record.execute("SELECT * FROM requests ORDER BY number DESC LIMIT 1").fetchone()
    record.execute("BEGIN")
    for name, _ in triggers:
        record.execute(f"DROP TRIGGER {name}")
    record.execute("DELETE FROM requests")
    places = ", ".join("?" * len(columns))
    record.executemany(f"INSERT INTO requests VALUES ({places})", copies(dict(zip(columns, one)), columns))
    for _, sql in triggers:
        record.execute(sql)
    record.execute("COMMIT")
    last = record.execute("SELECT max(number) FROM requests").fetchone()[0]
    record.close()
    return last


def index(last):
    host = serve()
    reader = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    while reader.execute("SELECT indexed FROM search_state").fetchone()[0] < last:
        time.sleep(1)
    reader.close()
    stop(host)


os.makedirs(data, exist_ok=True)
first_request()
index(copy_request())
print(f"{rows} requests, {rules} rules in {data}")
