//! Stand-in for every program in the sandbox of the shell tests: it records its own name and arguments and is
//! gone.
//!
//! Under the name of a wrapper or shell it becomes the real one afterwards, so that what that starts is
//! recorded too. Called by its own name with a shell's path and options it runs the prepared lines, one after
//! another, in that shell.
#![expect(clippy::unwrap_used, reason = "a driver that cannot go on fails here, and the line says why")]

mod drive;

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

/// Records of the line that runs, one JSON array of name and arguments per line.
const RECORD: &str = "/log/ran";
/// Folder of the system's own programs in the sandbox.
const REAL: &str = "/real";
/// Printed by every recorded program: should its output be run as a command, that is recorded as well.
const OUTPUT: &str = "drift\n";
/// Programs that run others, and become themselves after they were recorded.
const GENUINE: &[&str] = &[
    "sh", "bash", "zsh", "dash", "env", "nohup", "nice", "timeout", "xargs", "find", "stdbuf", "setsid",
    "ionice", "flock", "time",
];

fn main() {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    // The name in argv can be anything (`exec -a`); the file that was executed cannot.
    let executed = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    let name = executed.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if name == "postern-recorder" {
        return drive::all(&arguments);
    }
    let mut record = vec![name.clone()];
    record.extend(arguments.iter().cloned());
    let line = serde_json::to_string(&record).unwrap_or_default() + "\n";
    if let Ok(mut file) = std::fs::OpenOptions::new().append(true).open(RECORD) {
        let _full = file.write_all(line.as_bytes());
    }
    let real = Path::new(REAL).join(&name);
    let removes = arguments.iter().any(|word| word == "-delete");
    // What it copies is a constant where that stands in the line: `$(cat <<'EOF' …)`.
    let copies = name == "cat" && arguments.is_empty();
    if (GENUINE.contains(&name.as_str()) || copies) && real.exists() && !removes {
        #[expect(clippy::disallowed_methods, reason = "this is the program that the sandbox is there for")]
        let _failed = std::process::Command::new(&real).arg0(&name).args(std::env::args_os().skip(1)).exec();
        return;
    }
    let _closed = std::io::stdout().write_all(OUTPUT.as_bytes());
}
