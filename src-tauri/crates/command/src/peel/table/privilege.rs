//! Wrappers that give the program another user or more rights: a rule must name them.

use super::{Alone, Operand, PLAIN, Wrapper};
use crate::Power;

pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["sudo"],
        power: Power::Elevated,
        options: "-A -B -b -E -H -K -k -l -N -n -P -S -V -v -C: -D: -g: -h: -p: -R: -r: -T: -t: -U: -u: -a: -c: \
                  --askpass --bell --background --preserve-env? --set-home --remove-timestamp --reset-timestamp --list \
                  --no-update --non-interactive --preserve-groups --stdin --version --validate --close-from: --chdir: \
                  --group: --host: --prompt: --chroot: --role: --command-timeout: --type: --other-user: --user: \
                  --auth-type: --login-class: --help",
        assignments: true,
        asks: "-l -v -V -K --list --validate --version --remove-timestamp --help",
        elsewhere: "-R --chroot",
        folder: "-D --chdir",
        source: "sudo(8) 1.9; -s and -i start a shell with its start-up files, -e an editor",
        ..PLAIN
    },
    Wrapper {
        names: &["doas"],
        power: Power::Elevated,
        options: "-n -L -a: -C: -u:",
        asks: "-L -C",
        source: "doas(1): OpenBSD, opendoas; -s starts a shell",
        ..PLAIN
    },
    Wrapper {
        names: &["runuser"],
        power: Power::Elevated,
        options: "-u: --user: -g: --group: -G: --supp-group: -h -V --help --version",
        asks: "-h -V --help --version",
        source: "runuser(1): util-linux, the form with -u; without it, it reads like su",
        ..PLAIN
    },
    Wrapper {
        names: &["pkexec"],
        power: Power::Elevated,
        options: "-u: --user: --keep-cwd --disable-internal-agent --help --version",
        source: "pkexec(1): polkit",
        ..PLAIN
    },
    Wrapper {
        names: &["gosu", "su-exec", "setuidgid"],
        power: Power::Elevated,
        operands: &[Operand::Path],
        source: "gosu, su-exec, setuidgid: USER PROGRAM ARGUMENTS",
        ..PLAIN
    },
    Wrapper {
        names: &["setpriv"],
        power: Power::Elevated,
        options: "-d --dump --no-new-privs --nnp --clear-groups --keep-groups --init-groups --reuid: --regid: --ruid: --euid: \
                  --rgid: --egid: --groups: --inh-caps: --ambient-caps: --bounding-set: --pdeathsig: --reset-env \
                  --list-caps -h -V --help --version",
        asks: "-d --dump --list-caps -h -V --help --version",
        alone: Alone::Doubt,
        source: "setpriv(1): util-linux",
        ..PLAIN
    },
];
