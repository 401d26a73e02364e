//! The broker's service: nats-server as it is installed or in a container, started by the system. Postern starts no process for
//! it.

use super::FleetError;
use super::keep::{CONFIGURATION, Folder, OwnBroker};
use rustix::process::{Pid, Signal, getgid, getuid, kill_process};
use std::path::{Path, PathBuf};

/// Folders besides the search path that may hold nats-server, or what runs containers.
const PLACES: [&str; 4] = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/usr/sbin"];
/// Programs that run containers, with the same arguments.
const RUNTIMES: [&str; 2] = ["docker", "podman"];
/// The NATS project's own image.
const IMAGE: &str = "docker.io/library/nats:2";
/// Writes the process id and becomes the program that runs the container, which hands each signal on to the broker.
const KEEP_ID: &str = "echo $$ >\"$0\" && exec \"$@\"";

/// A unit that the system starts.
#[derive(Debug)]
pub(super) struct BrokerService {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) start: String,
}

/// Returns the broker's service, or `None` if what it needs is not installed.
pub(super) fn service(
    folder: &Folder,
    (home, path): (&Path, Option<&str>),
    broker: &OwnBroker,
) -> Option<BrokerService> {
    let named = |name: &str| {
        let typed = path.unwrap_or_default().split(':').filter(|place| place.starts_with('/'));
        typed.chain(PLACES).map(|place| Path::new(place).join(name)).find(|file| file.is_file())
    };
    let configuration = folder.path().join(CONFIGURATION).display().to_string();
    let command = if broker.in_container {
        container(&RUNTIMES.into_iter().find_map(named)?, &folder.broker(), &broker.listen, &configuration)
    } else {
        vec![named("nats-server")?.display().to_string(), "-c".to_owned(), configuration]
    };
    let is_macos = cfg!(target_os = "macos");
    Some(if is_macos { launch_agent(home, &command) } else { unit(home, &command, broker.in_container) })
}

/// Returns the command of a broker in a container, which sees its own folder alone.
fn container(runtime: &Path, folder: &Path, listen: &str, configuration: &str) -> Vec<String> {
    let place = folder.display();
    let port = listen.rsplit(':').next().unwrap_or_default();
    let (pid, runs) = (folder.join("broker.pid").display().to_string(), runtime.display().to_string());
    let (published, mounted) = (format!("{listen}:{port}"), format!("{place}:{place}"));
    let user = format!("{}:{}", getuid().as_raw(), getgid().as_raw());
    // Podman runs it as this user anyway.
    let user: &[&str] = if runtime.ends_with("docker") { &["--user", &user] } else { &[] };
    let words = [
        &["/bin/sh", "-c", KEEP_ID, &pid, &runs, "run", "--rm", "--name", "postern-broker"],
        &["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"][..],
        user,
        &["--publish", &published, "--volume", &mounted, IMAGE, "-c", configuration],
    ];
    words.concat().into_iter().map(str::to_owned).collect()
}

fn unit(home: &Path, command: &[String], in_container: bool) -> BrokerService {
    let quoted = |text: &String| {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
        format!("\"{text}\"")
    };
    // Podman starts a helper of the system that has more rights.
    let held = if in_container { "" } else { "NoNewPrivileges=yes\n" };
    BrokerService {
        path: home.join(".config/systemd/user/postern-broker.service"),
        text: format!(
            "[Unit]\nDescription=Broker of a Postern fleet\n\n[Service]\nExecStart={}\n\
             ExecReload=/bin/kill -HUP $MAINPID\nRestart=on-failure\n{held}\n[Install]\nWantedBy=default.target\n",
            command.iter().map(quoted).collect::<Vec<_>>().join(" "),
        ),
        start: "systemctl --user enable --now postern-broker".to_owned(),
    }
}

fn launch_agent(home: &Path, command: &[String]) -> BrokerService {
    let argument =
        |text: &String| format!("<string>{}</string>", text.replace('&', "&amp;").replace('<', "&lt;"));
    let path = home.join("Library/LaunchAgents/dev.postern.broker.plist");
    let quoted = postern_command::quote_word(&path.to_string_lossy());
    let start = format!("launchctl bootstrap gui/$(id -u) {quoted}");
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\"><dict>\n  <key>Label</key><string>dev.postern.broker</string>\n  \
         <key>ProgramArguments</key><array>{}</array>\n  \
         <key>RunAtLoad</key><true/>\n  <key>KeepAlive</key><true/>\n</dict></plist>\n",
        command.iter().map(argument).collect::<String>(),
    );
    BrokerService { path, text, start }
}

impl BrokerService {
    pub(super) fn write(&self) -> Result<(), FleetError> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(FleetError::own_error)?;
        }
        std::fs::write(&self.path, &self.text).map_err(FleetError::own_error)
    }
}

/// Makes the broker read its configuration again, if it runs on this Mac: whom it does not let in any more is cut off.
pub(super) fn reload(folder: &Folder) {
    let written = std::fs::read_to_string(folder.broker().join("broker.pid")).ok();
    let number = written.and_then(|text| text.trim().parse::<i32>().ok());
    if let Some(pid) = number.and_then(Pid::from_raw) {
        // One that is gone reads it when it starts.
        _ = kill_process(pid, Signal::HUP);
    }
}

#[cfg(test)]
mod tests {
    use super::launch_agent;
    use plist::Value;
    use std::path::Path;

    #[test]
    fn the_launch_agent_is_a_property_list_that_starts_exactly_the_command() {
        for home in ["/Users/kim", "/Users/kim & <co>", "/Users/\"kim\" 'x' ]]> \u{e9}"] {
            let configuration =
                format!("{home}/Library/Application Support/Postern/fleet/broker/broker.conf");
            let command = ["/opt/homebrew/bin/nats-server".to_owned(), "-c".to_owned(), configuration];
            let agent = launch_agent(Path::new(home), &command);
            let read = Value::from_reader_xml(agent.text.as_bytes())
                .unwrap_or_else(|error| panic!("{error}: {}", agent.text));
            let read = read.as_dictionary().unwrap();
            let words: Vec<&str> =
                read["ProgramArguments"].as_array().unwrap().iter().filter_map(Value::as_string).collect();
            assert_eq!(words, command, "{home}");
            assert_eq!(read["Label"].as_string(), agent.path.file_stem().and_then(|name| name.to_str()));
            assert_eq!(agent.path, Path::new(home).join("Library/LaunchAgents/dev.postern.broker.plist"));
            for key in ["RunAtLoad", "KeepAlive"] {
                assert_eq!(read[key].as_boolean(), Some(true), "{key}");
            }
            assert_eq!(read.len(), 4, "and nothing else");
            assert_eq!(agent.start.contains("\"kim\" '\\''x'\\''"), home.contains("'x'"), "{}", agent.start);
        }
    }
}
