//! `postern-steps`: the program that stands in the shell's place and starts the steps of a line. Only Postern starts it.
//!
//! A program of its own, because `postern` is large: starting it would take longer than the shell does.

fn main() {
    #[cfg(target_os = "linux")]
    postern_exec::run::run_steps(std::env::args_os().skip(1))
}
