//! A terminal that shows what a program draws, as its text.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Size of the terminal, in lines and columns: so much that nothing is wrapped or out of sight.
const SIZE: (u16, u16) = (150, 250);

#[derive(Debug)]
pub struct Terminal {
    child: Child,
    keyboard: File,
    drawn: mpsc::Receiver<Vec<u8>>,
    reader: JoinHandle<()>,
    all: Vec<u8>,
}

impl Terminal {
    /// Starts a program in a terminal of its own.
    pub fn start(program: &Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let name = OsStr::from_bytes(name.as_bytes());
        let theirs = File::options().read(true).write(true).open(name).unwrap();
        let (ws_row, ws_col) = SIZE;
        tcsetwinsize(&theirs, Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let mut command = in_terminal(program);
        command.stdin(theirs.try_clone().unwrap()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
        let child = command.spawn().unwrap();
        drop(command);
        let keyboard = File::from(ours.try_clone().unwrap());
        let (sender, drawn) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(read @ 1..) = rustix::io::read(&ours, &mut piece) {
                if sender.send(piece[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keyboard, drawn, reader, all: Vec::new() }
    }

    /// Waits until this text is on the screen, and returns all that is.
    pub fn shows(&mut self, text: &str, patience: Duration) -> String {
        let until = Instant::now() + patience;
        loop {
            let screen = drawn_as(&self.all);
            if screen.contains(text) {
                return screen;
            }
            let left = until.saturating_duration_since(Instant::now());
            let piece = self.drawn.recv_timeout(left);
            self.all.extend(piece.unwrap_or_else(|error| panic!("{text} is not shown ({error}): {screen}")));
        }
    }

    pub fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    pub fn end(mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        self.child.wait().unwrap();
        drop(self.drawn);
        self.reader.join().unwrap();
    }
}

/// Returns the same program, with the terminal that it is given as its own.
fn in_terminal(program: &Command) -> Command {
    let own = cfg!(target_os = "linux");
    let mut command = crate::start(if own { OsStr::new("setsid") } else { program.get_program() });
    if own {
        command.arg("--ctty").arg(program.get_program());
    }
    command.args(program.get_args()).env("TERM", "xterm-256color");
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(folder) = program.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

/// Returns the text that a terminal would show: letters where the cursor was put.
fn drawn_as(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut cells: BTreeMap<(u16, u16), char> = BTreeMap::new();
    let (mut row, mut column) = (1, 1);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => {
                if letters.next() != Some('[') {
                    continue;
                }
                let mut numbers = String::new();
                let end = letters.by_ref().find(|c| {
                    let ends = ('@'..='~').contains(c);
                    if !ends {
                        numbers.push(*c);
                    }
                    ends
                });
                if end == Some('H') {
                    let (to_row, to_column) = numbers.split_once(';').unwrap_or((&numbers, "1"));
                    (row, column) = (to_row.parse().unwrap_or(1), to_column.parse().unwrap_or(1));
                }
                if end == Some('J') {
                    cells.clear();
                }
            }
            '\r' => column = 1,
            '\n' => row += 1,
            letter => {
                cells.insert((row, column), letter);
                column += 1;
            }
        }
    }
    let line = |row| {
        let line: String =
            (1..=SIZE.1).map(|column| cells.get(&(row, column)).copied().unwrap_or(' ')).collect();
        line.trim_end().to_owned()
    };
    (1..=SIZE.0).map(line).collect::<Vec<_>>().join("\n")
}
