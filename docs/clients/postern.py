"""Asks Postern for a command and tells what becomes of it: python3 postern.py git push"""
import base64, hmac, json, os, secrets, socket, sys, uuid

def proof(key, side, server_nonce, client_nonce):
    words = ["postern-channel-v1", side, server_nonce, client_nonce]
    return hmac.new(key, "\0".join(words).encode(), "sha256").hexdigest()

where = os.environ["POSTERN_SOCKET"]
text = open(os.environ.get("POSTERN_KEY_FILE") or where.removesuffix(".sock") + ".key").read().strip()
key = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
if where.startswith("tcp://"):  # the forwarder of a container engine that runs in a virtual machine
    host, port = where.removeprefix("tcp://").rsplit(":", 1)
    connection = socket.create_connection((host, int(port)))
else:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(where)
lines = connection.makefile("r", encoding="utf-8")

def say(id, method, params):
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    connection.sendall(json.dumps(message).encode() + b"\n")

theirs, mine = json.loads(lines.readline())["params"]["nonce"], secrets.token_hex(16)
say(1, "authenticate", {"protocol": 1, "nonce": mine, "proof": proof(key, "client", theirs, mine),
                        "client": {"name": "postern.py", "version": "1"}})
welcome = json.loads(lines.readline())
if not hmac.compare_digest(welcome.get("result", {}).get("proof", ""), proof(key, "server", theirs, mine)):
    sys.exit(f"this is not the Postern of that key: {welcome}")
request = str(uuid.uuid4())  # sent again after a lost connection, it is the same request and never runs twice
say(2, "system.run", {"requestId": request, "command": sys.argv[1:], "cwd": os.getcwd()})
for message in map(json.loads, lines):
    if "error" in message:
        sys.exit(message["error"]["message"])
    about = message.get("params", {})
    if about.get("requestId") == request:
        print(message["method"], json.dumps(about), flush=True)
        if message["method"] in ("exec.finished", "exec.denied"):
            sys.exit(about.get("exitCode", 126))
