//! The broker's service: nats-server as it is installed, started by the system. Postern starts no process for it.

use super::FleetError;
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};

/// Folders besides the search path that may hold nats-server.
const PLACES: [&str; 4] = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/usr/sbin"];

/// A unit that the system starts.
#[derive(Debug)]
pub(super) struct BrokerService {
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// Command that starts it.
    pub(super) start: String,
}

/// Returns the broker's service, or `None` if nats-server is not installed.
pub(super) fn service(folder: &Path, home: &Path, path: Option<&str>) -> Option<BrokerService> {
    let typed = path.unwrap_or_default().split(':').filter(|place| place.starts_with('/'));
    let server =
        typed.chain(PLACES).map(|place| Path::new(place).join("nats-server")).find(|file| file.is_file())?;
    let config = folder.join("broker.conf");
    Some(if cfg!(target_os = "macos") {
        launch_agent(home, &server, &config)
    } else {
        let quoted = |path: &Path| {
            format!(
                "\"{}\"",
                path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%")
            )
        };
        BrokerService {
            path: home.join(".config/systemd/user/postern-broker.service"),
            text: format!(
                "[Unit]\nDescription=Broker of a Postern fleet\n\n[Service]\nExecStart={} -c {}\n\
                 ExecReload=/bin/kill -HUP $MAINPID\nRestart=on-failure\nNoNewPrivileges=yes\n\n[Install]\nWantedBy=default.target\n",
                quoted(&server),
                quoted(&config),
            ),
            start: "systemctl --user enable --now postern-broker".to_owned(),
        }
    })
}

fn launch_agent(home: &Path, server: &Path, config: &Path) -> BrokerService {
    let text = |path: &Path| path.display().to_string().replace('&', "&amp;").replace('<', "&lt;");
    let path = home.join("Library/LaunchAgents/dev.postern.broker.plist");
    let start = format!("launchctl bootstrap gui/$(id -u) '{}'", path.display());
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\"><dict>\n  <key>Label</key><string>dev.postern.broker</string>\n  \
         <key>ProgramArguments</key><array><string>{}</string><string>-c</string><string>{}</string></array>\n  \
         <key>RunAtLoad</key><true/>\n  <key>KeepAlive</key><true/>\n</dict></plist>\n",
        text(server),
        text(config),
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
pub(super) fn reload(folder: &Path) {
    let written = std::fs::read_to_string(folder.join("broker.pid")).ok();
    let number = written.and_then(|text| text.trim().parse::<i32>().ok());
    if let Some(pid) = number.and_then(Pid::from_raw) {
        // One that is gone reads it when it starts.
        _ = kill_process(pid, Signal::HUP);
    }
}
