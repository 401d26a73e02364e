run_as_root = true
pidfile = "FOLDER/prosody.pid"
data_path = "FOLDER/data"
log = { { levels = { min = "info" }, to = "console" } }
interfaces = { "127.0.0.1" }
c2s_ports = { PORT }
c2s_direct_tls_ports = {}
modules_enabled = { "roster", "saslauth", "tls", "disco", "ping", "smacks", "offline" }
modules_disabled = { "s2s" }
authentication = "internal_plain"
-- The people's clients are plain; Postern's is not.
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
VirtualHost "localhost"
  ssl = { key = "FOLDER/localhost.key", certificate = "FOLDER/localhost.crt" }
Component "rooms.localhost" "muc"
  muc_room_locking = false
  muc_room_default_public_jids = true
Component "veiled.localhost" "muc"
  muc_room_locking = false
  muc_room_default_public_jids = false
