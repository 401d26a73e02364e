//! The exact lines that give a sandbox its agent's channel, and nothing else. Long texts are files in `channel`.

use postern_contract::methods::ChannelKind;
use postern_exec::confine::OWN_PROCESSES;
use std::path::Path;

/// Path of the channel inside a sandbox.
const INSIDE: &str = "/run/postern";

/// Values that the lines are made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SandboxChannel<'a> {
    /// The agent's folder: socket and key.
    pub(crate) folder: &'a Path,
    /// Postern's data folder, which a sandbox must not see.
    pub(crate) data: &'a Path,
    pub(crate) home: &'a Path,
    /// `postern-run` for containers that was installed with Postern, because its own is for another system.
    pub(crate) run: Option<&'a Path>,
}

pub(crate) fn channel_lines(kind: ChannelKind, channel: SandboxChannel<'_>) -> String {
    match kind {
        ChannelKind::Docker => docker(channel),
        ChannelKind::Devcontainer => devcontainer(channel),
        ChannelKind::Bwrap => bwrap_lines(channel),
        ChannelKind::SandboxExec => sandbox_exec(channel),
        ChannelKind::Mcp => mcp_entry(channel),
        ChannelKind::Forwarder => forwarder(channel),
        ChannelKind::Plain => plain_lines(channel),
    }
}

/// Returns the entry for the server list of MCP clients (`.mcp.json`, `mcp.json`).
fn mcp_entry(channel: SandboxChannel<'_>) -> String {
    let agent = channel.folder.file_name().unwrap_or_default().to_string_lossy();
    let data = channel.data.to_string_lossy();
    let server = serde_json::json!({
        "command": "postern",
        "args": ["--data", data, "mcp", "--agent", agent],
    });
    let registered = serde_json::json!({ "mcpServers": { "postern": server } });
    format!("{registered:#}\n")
}

fn docker(channel: SandboxChannel<'_>) -> String {
    let (folder, data) = (quoted(channel.folder), quoted(channel.data));
    let (run, note) = match channel.run {
        Some(run) => (quoted(run), "postern-run is the one for Linux."),
        None => (
            r#""${POSTERN_RUN:-$(command -v postern-run)}""#.to_owned(),
            "On a Mac, POSTERN_RUN is to name a postern-run that was built for Linux.",
        ),
    };
    format!(
        include_str!("channel/docker.txt"),
        data = data,
        note = note,
        folder = folder,
        run = run,
        inside = INSIDE
    )
}

/// Returns the lines for `.devcontainer/devcontainer.json`.
fn devcontainer(channel: SandboxChannel<'_>) -> String {
    let source = channel.folder.to_string_lossy();
    let lines = serde_json::json!({
        "features": { "./postern": {} },
        "mounts": [format!("source={source},target={INSIDE},type=bind,readonly")],
        "containerEnv": {
            "POSTERN_SOCKET": format!("{INSIDE}/agent.sock"),
            "POSTERN_KEY_FILE": format!("{INSIDE}/agent.key"),
        },
    });
    format!(
        "// In .devcontainer/devcontainer.json, with the folder\n\
         // containers/devcontainer-feature of Postern as .devcontainer/postern and\n\
         // postern-run for Linux in it. Where the engine runs in a virtual machine:\n\
         // --for forwarder.\n{lines:#}\n"
    )
}

/// Returns the lines for a container in a virtual machine: the key is a file that can be mounted, the socket
/// is not.
fn forwarder(channel: SandboxChannel<'_>) -> String {
    let agent = channel.folder.file_name().unwrap_or_default().to_string_lossy();
    let folder = quoted(channel.folder);
    format!(include_str!("channel/forwarder.txt"), agent = agent, folder = folder, inside = INSIDE)
}

fn bwrap_lines(channel: SandboxChannel<'_>) -> String {
    let (folder, data) = (quoted(channel.folder), quoted(channel.data));
    format!(include_str!("channel/bwrap.txt"), data = data, folder = folder, inside = INSIDE)
}

fn sandbox_exec(channel: SandboxChannel<'_>) -> String {
    let (profile, inside) = (profile(channel), quoted(channel.folder));
    format!(include_str!("channel/sandbox_exec.txt"), profile = profile, inside = inside)
}

/// Returns the profile for `sandbox-exec -f`, with the parameters `FOLDER` (working folder), `TMP` (temporary
/// folder) and `RUN` (`postern-run`), all real paths.
///
/// Clones, links and the facts of other processes are denied by name: `(deny default)` leaves them allowed. Terminals are
/// its own, and the one that it was started in; nothing types into that where the system has a name for typing.
///
/// Metadata of the home folder's ancestors stay readable, because programs that resolve their own folder do not
/// start otherwise. Apple's shims find their programs in the files `xcrun_db`.
pub(crate) fn profile(channel: SandboxChannel<'_>) -> String {
    let (folder, data, home) =
        (sbpl_string(channel.folder), sbpl_string(channel.data), sbpl_string(channel.home));
    let socket = sbpl_string(&channel.folder.join("agent.sock"));
    let all = sbpl_string(channel.folder.parent().unwrap_or(channel.folder));
    format!(
        include_str!("channel/profile.txt"),
        own_processes = OWN_PROCESSES,
        home = home,
        data = data,
        all = all,
        folder = folder,
        socket = socket
    )
}

fn plain_lines(channel: SandboxChannel<'_>) -> String {
    let folder = quoted(channel.folder);
    format!(
        r"# What runs with these two and can reach the folder speaks as this agent.
export POSTERN_SOCKET={folder}/agent.sock
export POSTERN_KEY_FILE={folder}/agent.key
postern-run -- uname -a
"
    )
}

/// Returns a path as one word of a shell line.
fn quoted(path: &Path) -> String {
    postern_command::quote_word(&path.to_string_lossy())
}

/// Returns a path as a string of Apple's sandbox profile language.
fn sbpl_string(path: &Path) -> String {
    format!("\"{}\"", path.to_string_lossy().replace('\\', r"\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::{SandboxChannel, channel_lines, profile};
    use postern_contract::methods::ChannelKind;
    use std::path::Path;

    const ALL: [ChannelKind; 4] =
        [ChannelKind::Docker, ChannelKind::Bwrap, ChannelKind::SandboxExec, ChannelKind::Plain];

    /// Returns the lines for a channel in this folder, which is its home as well.
    fn told(kind: ChannelKind, folder: &Path) -> String {
        channel_lines(kind, SandboxChannel { folder, data: folder, home: folder, run: None })
    }

    #[test]
    fn a_container_in_a_virtual_machine_is_given_the_key_and_an_address_and_no_socket() {
        let folder = Path::new("/Users/Anna Muster/Postern/agents/main");
        let text = told(ChannelKind::Forwarder, folder);
        assert!(text.contains("doors enable forwarder channels=main@127.0.0.1:7719"), "{text}");
        assert!(text.contains("POSTERN_SOCKET=tcp://host.docker.internal:7719"), "{text}");
        assert!(text.contains("source='/Users/Anna Muster/Postern/agents/main'/agent.key"), "{text}");
        assert!(!text.contains("agent.sock"), "{text}");
    }

    #[test]
    fn a_development_container_is_told_in_json_with_comments() {
        let folder = Path::new("/Users/Anna Muster/Postern/agents/main");
        let text = told(ChannelKind::Devcontainer, folder);
        let json: String = text.lines().filter(|line| !line.starts_with("//")).collect();
        let read: serde_json::Value = serde_json::from_str(&json).expect("JSON below its comments");
        assert_eq!(read["containerEnv"]["POSTERN_SOCKET"], "/run/postern/agent.sock");
        let mount = "source=/Users/Anna Muster/Postern/agents/main,target=/run/postern,type=bind,readonly";
        assert_eq!(read["mounts"], serde_json::json!([mount]));
    }

    #[test]
    fn every_sandbox_is_told_its_socket_and_its_key() {
        let home = Path::new("/Users/Anna Muster");
        let data = home.join("Library/Application Support/Postern");
        let folder = data.join("agents/main");
        for kind in ALL {
            let text = channel_lines(kind, SandboxChannel { folder: &folder, data: &data, home, run: None });
            assert!(text.contains("POSTERN_SOCKET") && text.contains("POSTERN_KEY_FILE"), "{kind:?}: {text}");
            assert!(text.contains("agent.sock") && text.contains("agent.key"), "{kind:?}: {text}");
            assert!(text.contains("postern-run"), "{kind:?} shows how it is used: {text}");
            let bare = text.lines().any(|line| line.contains("=/Users/Anna Muster"));
            assert!(!bare, "{kind:?}: a path with a space is quoted: {text}");
        }
    }

    #[test]
    fn a_container_on_a_mac_is_given_the_program_for_linux() {
        let (folder, run) = (Path::new("/d/agents/main"), Path::new("/A b/linux/aarch64/postern-run"));
        let text = |run| {
            channel_lines(ChannelKind::Docker, SandboxChannel { folder, data: folder, home: folder, run })
        };
        let given = text(Some(run));
        assert!(
            given.contains("source='/A b/linux/aarch64/postern-run',target=/usr/local/bin/postern-run"),
            "{given}"
        );
        assert!(!given.contains("POSTERN_RUN") && given.contains("the one for Linux"), "{given}");
        let own = text(None);
        assert!(own.contains(r#"source="${POSTERN_RUN:-$(command -v postern-run)}",target="#), "{own}");
    }

    #[test]
    fn an_mcp_client_is_told_which_program_to_start() {
        let data = Path::new("/Users/Anna Muster/Library/Application Support/Postern");
        let folder = data.join("agents/main");
        let text =
            channel_lines(ChannelKind::Mcp, SandboxChannel { folder: &folder, data, home: data, run: None });
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON as it can be pasted");
        let server = &read["mcpServers"]["postern"];
        assert_eq!(server["command"], "postern");
        assert_eq!(server["args"], serde_json::json!(["--data", data, "mcp", "--agent", "main"]));
    }

    #[test]
    fn the_profile_leaves_the_host_alone() {
        let home = Path::new("/Users/Anna Muster");
        let data = home.join("Library/Application Support/Postern");
        let folder = home.join(".postern/s/main");
        let text = profile(SandboxChannel { folder: &folder, data: &data, home, run: None });
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is not in {text}"));
        assert!(!text.contains("signal sysctl") && !text.contains("process-fork signal"), "{text}");
        at("(allow signal (target same-sandbox))");
        at("(allow pseudo-tty)");
        for denied in ["file-link file-clone", "process-info-pidinfo", "file-ioctl (ioctl-command TIOCSTI)"] {
            at(&format!("(deny {denied})"));
        }
        // The last rule that matches holds.
        let home_denied = at("(deny file-read* file-write* file-clone (subpath \"/Users/Anna Muster\"))");
        let temporary = at("(subpath (param \"TMP\"))");
        let data_denied = at(
            "(deny file-read* file-write* file-clone (subpath \"/Users/Anna Muster/Library/Application Support/Postern\") \
             (subpath \"/Users/Anna Muster/.postern/s\"))",
        );
        assert!(data_denied < at("(allow file-read* (subpath \"/Users/Anna Muster/.postern/s/main\")"));
        assert!(home_denied < temporary && temporary < data_denied);
        assert!(
            temporary < at("(deny file-write* (regex #\"/\\.([gG][iI][tT]|"),
            "what git obeys is not written"
        );
        assert!(temporary < at("(deny file-read* file-write* file-clone (regex #\"/xcrun_db[^/]*$\"))"));
        assert!(
            data_denied < at("(path-ancestors (param \"FOLDER\"))"),
            "or no program starts that asks where it is"
        );
        assert!(
            at("(deny network*)")
                < at("(allow network-outbound (literal \"/Users/Anna Muster/.postern/s/main/agent.sock")
        );
        let given = channel_lines(
            ChannelKind::SandboxExec,
            SandboxChannel { folder: &folder, data: &data, home, run: None },
        );
        assert!(given.contains(&text), "the lines have the whole profile: {given}");
        for part in text.split("(param \"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(given.contains(&format!("-D {part}=")), "{part} is given: {given}");
        }
        let parentheses = |c| text.matches(c).count();
        assert_eq!(parentheses('('), parentheses(')'));
    }

    #[test]
    fn a_quote_in_a_path_stays_in_the_path() {
        let text = told(ChannelKind::Plain, Path::new("/tmp/it's $(here)"));
        assert!(text.contains(r"'/tmp/it'\''s $(here)'/agent.sock"), "{text}");
    }
}
