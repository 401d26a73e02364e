//! Output of strace, line by line of the script that ran.

/// Returns the paths that were really executed while each of `count` lines ran. What comes before the first
/// line (the sandbox itself) is left out; so is a start that failed.
pub(super) fn executed(trace: &str, count: usize) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new(); count];
    let mut at = None;
    for entry in trace.lines() {
        let Some(path) = path_of(entry) else { continue };
        if let Some(number) = path.strip_prefix("/line/").and_then(|text| text.parse::<usize>().ok()) {
            at = Some(number);
        } else if let Some(paths) = at.and_then(|at| all.get_mut(at))
            && !entry.contains(" = -1 E")
        {
            paths.push(path.to_owned());
        }
    }
    all
}

/// Returns the first quoted word of `PID execve("/path", …` (`execveat` names a folder's descriptor first).
fn path_of(entry: &str) -> Option<&str> {
    let call = entry.find("execve")?;
    let rest = entry[call..].split_once('"')?.1;
    rest.split_once('"').map(|(path, _)| path)
}

#[cfg(test)]
mod tests {
    use super::executed;

    #[test]
    fn only_what_ran_is_counted_and_for_its_own_line() {
        let trace = "7 execve(\"/usr/bin/bwrap\", [\"bwrap\"], 0x1) = 0\n\
                     8 execve(\"/line/0\", [\"/line/0\"], 0x1) = -1 ENOENT (No such file or directory)\n\
                     9 execve(\"/real/bash\", [\"/real/bash\", \"-c\", \"ls\"], 0x1) = 0\n\
                     10 execve(\"/usr/local/bin/ls\", [\"ls\"], 0x1) = -1 ENOENT (No such file or directory)\n\
                     10 execve(\"/usr/bin/ls\", [\"ls\"], 0x1 <unfinished ...>\n\
                     8 execve(\"/line/1\", [\"/line/1\"], 0x1) = -1 ENOENT (No such file or directory)\n\
                     11 execveat(3, \"/usr/bin/id\", [\"id\"], 0x1, 0) = 0\n";
        assert_eq!(executed(trace, 2), [vec!["/real/bash", "/usr/bin/ls"], vec!["/usr/bin/id"]]);
    }
}
