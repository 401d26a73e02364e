//! Wrappers that start the program in another root, namespace or search path: what runs cannot be looked up here.

use super::{Alone, Operand, PLAIN, Wrapper};
use crate::Power;

const ELSEWHERE: Wrapper = Wrapper { power: Power::Elsewhere, ..PLAIN };

pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["xcrun"],
        options: "-v -l -n -k -r -f -h --verbose --no-cache --kill-cache --log --run --find --help --version --sdk: \
                  --toolchain: -sdk: -toolchain: -find -run -log -verbose -version --show-sdk-path --show-sdk-version \
                  --show-sdk-build-version --show-sdk-platform-path --show-sdk-platform-version -show-sdk-path \
                  -show-sdk-version",
        asks: "-f -h --find -find --help --version -version --show-sdk-path --show-sdk-version --show-sdk-build-version \
               --show-sdk-platform-path --show-sdk-platform-version -show-sdk-path -show-sdk-version",
        alone: Alone::Harmless,
        source: "xcrun(1): macOS",
        ..ELSEWHERE
    },
    Wrapper {
        names: &["busybox", "toybox", "uutils"],
        asks: "--list --list-full --help --version",
        alone: Alone::Harmless,
        options: "--list --list-full --help --version",
        source: "busybox(1), toybox: APPLET ARGUMENTS; --install writes links",
        ..ELSEWHERE
    },
    Wrapper {
        names: &["coreutils"],
        options: "--help --version",
        alone: Alone::Harmless,
        source: "coreutils(1): GNU's --coreutils-prog=NAME is read by itself, uutils' NAME ARGUMENTS here",
        ..ELSEWHERE
    },
    Wrapper {
        names: &["chroot"],
        options: "-n -u: -g: -G: --userspec: --groups: --skip-chdir --help --version",
        operands: &[Operand::Path],
        source: "chroot(8): GNU coreutils, macOS",
        ..ELSEWHERE
    },
    Wrapper {
        names: &["unshare"],
        options: "-i? -m? -n? -p? -u? -U? -C? -T? -f -r -c -R: -w: -S: -G: --ipc? --mount? --net? --pid? --uts? --user? \
                  --cgroup? --time? --fork --map-root-user --map-current-user --map-auto --mount-proc? --kill-child? \
                  --propagation: --setgroups: --root: --wd: --setuid: --setgid: --keep-caps -h -V --help --version",
        asks: "-h -V --help --version",
        source: "unshare(1): util-linux",
        ..ELSEWHERE
    },
    Wrapper {
        names: &["nsenter"],
        options: "-a -t: -m? -u? -i? -n? -p? -C? -U? -T? -r? -w? -W: -S: -G: -F -Z -e --all --target: --mount? --uts? --ipc? \
                  --net? --pid? --cgroup? --user? --time? --root? --wd? --setuid: --setgid: --preserve-credentials \
                  --no-fork --env -h -V --help --version",
        asks: "-h -V --help --version",
        source: "nsenter(1): util-linux",
        ..ELSEWHERE
    },
    Wrapper {
        names: &["systemd-run"],
        options: "-G -P -S -d -q -r -t -u: -H: -M: --user --system --scope --collect --pty --pipe --quiet --wait --no-block \
                  --same-dir --remain-after-exit --send-sighup --no-ask-password --slice-inherit --unit: --slice: \
                  --description: --working-directory: --uid: --gid: --nice: --service-type: --host: --machine: --on-active: \
                  --on-boot: --on-startup: --on-unit-active: --on-unit-inactive: --on-calendar: -h --help --version",
        asks: "-h --help --version",
        source: "systemd-run(1); -p and -E set what decides what runs",
        ..ELSEWHERE
    },
];
