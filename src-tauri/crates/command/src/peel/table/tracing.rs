//! Wrappers that watch the program they start.

use super::{PLAIN, Wrapper};

pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["strace"],
        options: "-c -C -d -f -h -i -k -n -q -r -t -T -v -V -w -x -y -z -Z -a: -b: -I: -o: -O: -P: -s: -S: -U: -X: \
                  --follow-forks? --summary --summary-only --timestamps? --relative-timestamps? --syscall-times? \
                  --output: --string-limit: --trace: --trace-path: --status: --quiet? --silent? --strings-in-hex? \
                  --decode-fds? --stack-traces? --no-abbrev --columns: --help --version",
        asks: "-h -V --help --version",
        writes: "-o --output",
        source: "strace(1); -e can tamper with calls, -E sets the environment, -u the user, -p attaches",
        ..PLAIN
    },
    Wrapper {
        names: &["ltrace"],
        options: "-c -C -f -h -i -L -r -S -t -T -V -a: -n: -o: -s: --demangle --indent: --output: --help --version",
        asks: "-h -V --help --version",
        writes: "-o --output",
        source: "ltrace(1); -F reads definitions, -l loads libraries, -u sets the user",
        ..PLAIN
    },
    Wrapper {
        names: &["valgrind"],
        options: "-h -q -v --help --help-debug --version --quiet --verbose --tool: --leak-check: --show-leak-kinds: \
                  --track-origins: --error-exitcode: --num-callers: --trace-children: --log-file: --xml: --xml-file: \
                  --gen-suppressions: --track-fds: --time-stamp: --errors-for-leak-kinds: --child-silent-after-fork: \
                  --callgrind-out-file: --massif-out-file:",
        asks: "-h --help --help-debug --version",
        writes: "--log-file --xml-file --callgrind-out-file --massif-out-file",
        source: "valgrind(1); --vgdb opens a debugger's port, --suppressions and --extra-debuginfo-path name files",
        ..PLAIN
    },
];
