//! Wrappers that change nothing about the program that counts here: a rule for the program covers it.

use super::{Alone, Operand, PLAIN, Wrapper};
use crate::Power;

pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["env"],
        options: "-i --ignore-environment -0 --null -v --debug -u: --unset: -C: --chdir: -S: --split-string: -P: -L: -U: \
                  --block-signal? --default-signal? --ignore-signal? --list-signal-handling --help --version",
        assignments: true,
        elsewhere: "-P -L -U",
        folder: "-C --chdir",
        alone: Alone::Harmless,
        source: "env(1): GNU coreutils 9, FreeBSD 14, macOS 15, busybox",
        ..PLAIN
    },
    Wrapper {
        names: &["nohup"],
        options: "--help --version",
        source: "nohup(1): GNU coreutils, macOS",
        ..PLAIN
    },
    Wrapper {
        names: &["nice"],
        options: "-n: --adjustment: -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --help --version",
        alone: Alone::Harmless,
        source: "nice(1): GNU coreutils, macOS; the old form -10",
        ..PLAIN
    },
    Wrapper {
        names: &["ionice"],
        options: "-c: -n: -t -p: -P: -u: --class: --classdata: --ignore --pid: --pgid: --uid: -h -V --help --version",
        asks: "-p -P -u --pid --pgid --uid -h -V --help --version",
        alone: Alone::Harmless,
        source: "ionice(1): util-linux",
        ..PLAIN
    },
    Wrapper {
        names: &["time", "posix-time"],
        options: "-p -a -l -h -v -q -f: -o: --portability --append --verbose --quiet --format: --output: -V --help --version",
        asks: "-V --help --version",
        writes: "-o --output",
        alone: Alone::Harmless,
        source: "time(1): GNU time 1.9, macOS; bash(1), the reserved word",
        ..PLAIN
    },
    Wrapper {
        names: &["timeout"],
        options: "-f -p -v -k: -s: --foreground --preserve-status --verbose --kill-after: --signal: --help --version",
        operands: &[Operand::Number],
        source: "timeout(1): GNU coreutils 9, FreeBSD 14, busybox",
        ..PLAIN
    },
    Wrapper {
        names: &["stdbuf"],
        options: "-i: -o: -e: --input: --output: --error: --help --version",
        source: "stdbuf(1): GNU coreutils, FreeBSD, macOS",
        ..PLAIN
    },
    Wrapper {
        names: &["setsid"],
        options: "-c -f -w --ctty --fork --wait -h -V --help --version",
        asks: "-h -V --help --version",
        source: "setsid(1): util-linux, busybox",
        ..PLAIN
    },
    Wrapper {
        names: &["chrt"],
        options: "-a -b -d -e -f -i -m -o -r -R -v -p: -T: -P: -D: --all-tasks --batch --deadline --ext --fifo --idle --max \
                  --other --rr --reset-on-fork --verbose --pid: --sched-runtime: --sched-period: --sched-deadline: -h -V \
                  --help --version",
        operands: &[Operand::Number],
        asks: "-m -p --max --pid -h -V --help --version",
        source: "chrt(1): util-linux",
        ..PLAIN
    },
    Wrapper {
        names: &["taskset"],
        options: "-a -c --all-tasks --cpu-list -h -V --help --version",
        operands: &[Operand::Number],
        asks: "-h -V --help --version",
        source: "taskset(1): util-linux",
        ..PLAIN
    },
    Wrapper {
        names: &["caffeinate"],
        options: "-d -i -s -u -m -t: -w:",
        alone: Alone::Harmless,
        source: "caffeinate(8): macOS",
        ..PLAIN
    },
    Wrapper {
        names: &["command"],
        options: "-p -v -V",
        asks: "-v -V",
        elsewhere: "-p",
        alone: Alone::Harmless,
        source: "POSIX command(1), bash(1)",
        ..PLAIN
    },
    Wrapper { names: &["builtin"], alone: Alone::Harmless, source: "bash(1)", ..PLAIN },
    Wrapper {
        names: &["exec"],
        options: "-c -l",
        source: "bash(1); -a gives the program another name",
        ..PLAIN
    },
    Wrapper {
        names: &["xargs"],
        options: "-0 -r -t -p -x -o -E: -I: -J: -L: -n: -P: -R: -S: -s: -a: -d: -e? -i? -l? --null --no-run-if-empty \
                  --verbose --interactive --exit --open-tty --show-limits --eof? --replace? --max-lines? --arg-file: \
                  --delimiter: --max-args: --max-procs: --max-chars: --help --version",
        alone: Alone::Harmless,
        source: "xargs(1): GNU findutils, FreeBSD, macOS",
        ..PLAIN
    },
    Wrapper {
        names: &["sandbox-exec"],
        options: "-f: -n: -p: -D:",
        source: "sandbox-exec(1): macOS; -t writes a trace",
        ..PLAIN
    },
    Wrapper {
        names: &["flock"],
        options: "-s -x -e -o -n -u -F -v -w: -E: --shared --exclusive --nonblock --nb --unlock --close --no-fork \
                  --fcntl --verbose --timeout: --wait: --conflict-exit-code: -h -V --help --version",
        operands: &[Operand::Path],
        asks: "-h -V --help --version",
        alone: Alone::Harmless,
        source: "flock(1): util-linux",
        ..PLAIN
    },
    Wrapper {
        names: &["parallel"],
        options: "-k -t -X -m -u -0 -j: -I: -n: -N: -L: -a: --keep-order --verbose --xargs --ungroup --group --line-buffer --lb \
                  --null --bar --progress --eta --dry-run --dryrun --jobs: --max-args: --max-procs: --timeout: --retries: \
                  --delay: --halt: --arg-file: --colsep: --no-run-if-empty -r --tag --will-cite --help --version",
        source: "parallel(1): GNU",
        ..PLAIN
    },
    Wrapper {
        names: &["watch"],
        options: "-b -c -C -d? -e -f -g -p -r -t -w -x -h -v -n: -q: --beep --color --no-color --differences? --errexit \
                  --follow --chgexit --precise --no-rerun --no-title --no-wrap --exec --interval: --equexit: --help --version",
        asks: "-h -v --help --version",
        source: "watch(1): procps-ng 4; -s writes pictures of the screen",
        ..PLAIN
    },
    Wrapper {
        names: &["entr"],
        options: "-a -c -d -n -p -r -z",
        source: "entr(1); -s hands a text to a shell",
        ..PLAIN
    },
    Wrapper { names: &["unbuffer"], options: "-p", source: "unbuffer(1): expect", ..PLAIN },
    Wrapper {
        names: &["prlimit"],
        options: "-c? -d? -e? -f? -i? -l? -m? -n? -q? -r? -s? -t? -u? -v? -x? -y? --core? --data? --nice? --fsize? \
                  --sigpending? --memlock? --rss? --nofile? --msgqueue? --rtprio? --stack? --cpu? --nproc? --as? --locks? \
                  --rttime? -p: --pid: -h -V --help --version",
        asks: "-p --pid -h -V --help --version",
        source: "prlimit(1): util-linux",
        ..PLAIN
    },
    Wrapper {
        names: &["setarch", "linux32", "linux64"],
        options: "-3 -B -F -I -L -R -S -T -X -Z -v --32bit --fdpic-funcptrs --short-inode --addr-compat-layout \
                  --addr-no-randomize --whole-seconds --sticky-timeouts --read-implies-exec --mmap-page-zero --3gb --4gb \
                  --uname-2.6 --verbose --list -h -V --help --version",
        asks: "--list -h -V --help --version",
        source: "setarch(8): util-linux",
        ..PLAIN
    },
    Wrapper {
        names: &["dbus-run-session"],
        options: "--help --version",
        source: "dbus-run-session(1); --config-file and --dbus-daemon name programs",
        ..PLAIN
    },
    Wrapper {
        names: &["xvfb-run"],
        options: "-a -l -n: -w: -e: -f: --auto-servernum --listen-tcp --server-num: --wait: --error-file: --auth-file: \
                  -h --help",
        asks: "-h --help",
        writes: "-e -f --error-file --auth-file",
        source: "xvfb-run(1): Debian; -s and -p are handed to other programs",
        ..PLAIN
    },
    Wrapper {
        names: &["systemd-inhibit"],
        options: "--what: --who: --why: --mode: --no-pager --no-legend --list -h --help --version",
        asks: "--list -h --help --version",
        alone: Alone::Harmless,
        source: "systemd-inhibit(1)",
        ..PLAIN
    },
    Wrapper {
        names: &["reattach-to-user-namespace"],
        options: "-l -v --help --version",
        asks: "-v --help --version",
        source: "reattach-to-user-namespace: its README",
        ..PLAIN
    },
    Wrapper {
        names: &["tini", "dumb-init"],
        options: "-v -s -g -w -c --verbose --single-child -h -V --version --help",
        asks: "-h -V --help --version",
        source: "tini and dumb-init: their READMEs",
        ..PLAIN
    },
    Wrapper { names: &["fakeroot"], options: "-h -v --help --version", source: "fakeroot(1)", ..PLAIN },
    Wrapper { names: &["chronic"], options: "-e -v", source: "chronic(1): moreutils", ..PLAIN },
    Wrapper {
        names: &["torsocks", "torify"],
        options: "-i -q -d --isolate --quiet --debug -h --help --version",
        asks: "-h --help --version",
        source: "torsocks(1)",
        ..PLAIN
    },
    Wrapper {
        names: &["proxychains", "proxychains4"],
        options: "-q",
        source: "proxychains(1); -f names a configuration",
        ..PLAIN
    },
    Wrapper {
        names: &["cpulimit"],
        options: "-l: -c: -b -f -i -m -q -v -z --limit: --cpu: --background --foreground --include-children --lazy --quiet \
                  --verbose -h --help",
        asks: "-h --help",
        source: "cpulimit(1)",
        ..PLAIN
    },
    Wrapper {
        names: &["ld.so"],
        options: "",
        asks: "--help --version",
        power: Power::Transparent,
        source: "ld.so(8): what it is told to preload, audit or search for is not followed",
        ..PLAIN
    },
];
