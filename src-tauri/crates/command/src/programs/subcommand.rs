//! Subcommands behind options: `git -c a=b push` is a `git push`, whatever stands between.

use crate::peel::{Takes, takes};

/// What an option before a subcommand does with the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swallows {
    /// Nothing: the next word may be the subcommand.
    Nothing,
    /// The next word is its value.
    Next,
    /// It is not known: both.
    Maybe,
}

/// Options before the subcommand, as far as they are known: git(1), npm(1), kubectl(1), docker(1) and the others' own help.
/// The one table of them: ways out, deny rules and proposals all read it.
const GLOBALS: &[(&[&str], &str)] = &[
    (
        &["git"],
        "-C: -c: --git-dir: --work-tree: --namespace: --config-env: --super-prefix: --attr-source: --exec-path? --list-cmds? \
         -p --paginate -P --no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare \
         --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path \
         -v --version -h --help",
    ),
    (
        &["npm"],
        "-C: --prefix: -w: --workspace: --registry: --userconfig: --globalconfig: --cache: --loglevel: --script-shell: \
         --tag: --otp: --node-options: -g --global -s --silent -q --quiet -d -dd -ddd --verbose -y --yes -f --force --json \
         --workspaces --include-workspace-root --if-present --dry-run --long -v --version -h --help --no-audit --no-fund \
         --offline --prefer-offline --production --save-dev -D --save-exact -E --no-save --foreground-scripts --ignore-scripts",
    ),
    (
        &["pnpm"],
        "-C: --dir: -F: --filter: --registry: --prefix: --loglevel: --reporter: --store-dir: --workspace-concurrency: -r \
         --recursive -w --workspace-root -s --silent --aggregate-output --stream --parallel --no-color --color --version -v",
    ),
    (
        &["yarn"],
        "--cwd: --registry: --cache-folder: --use-yarnrc: --modules-folder: -s --silent --verbose --json --offline -v --version",
    ),
    (
        &["bun"],
        "--cwd: --config: -c: --preload: -r: --filter: -F: --env-file: --silent --bun -b --hot --watch --smol -v --version",
    ),
    (
        &["kubectl", "oc"],
        "-n: --namespace: --context: --cluster: --user: --kubeconfig: -s: --server: --token: --as: --as-group: --as-uid: \
         --cache-dir: --request-timeout: -v: --v: --profile: --tls-server-name: --certificate-authority: \
         --client-certificate: --client-key: --username: --password: --log-flush-frequency: --profile-output: --vmodule: \
         --insecure-skip-tls-verify --match-server-version --warnings-as-errors --disable-compression",
    ),
    (
        &["docker", "nerdctl", "docker-compose"],
        "-H: --host: -c: --context: --config: -l: --log-level: --tlscacert: --tlscert: --tlskey: -n: --namespace: -f: --file: \
         -p: --project-name: --profile: --env-file: --project-directory: --ansi: --parallel: -a: --address: -D --debug --tls \
         --tlsverify -v --version",
    ),
    (
        &["podman"],
        "-c: --connection: --url: --root: --runroot: --log-level: --identity: --storage-driver: --storage-opt: --runtime: \
         --cgroup-manager: --conmon: --events-backend: --hooks-dir: --imagestore: --module: --network-cmd-path: --tmpdir: \
         --volumepath: --ssh: -r --remote --syslog --noout --out: -v --version",
    ),
    (
        &["cargo"],
        "--config: -Z: -C: --color: --manifest-path: --target-dir: --explain: -v -vv --verbose -q --quiet --frozen --locked \
         --offline --list -V --version -h --help",
    ),
    (&["go"], "-C:"),
    (&["rustup"], "-v --verbose -q --quiet -V --version +"),
    (&["gh"], "-R: --repo: --hostname: --version --help"),
    (
        &["aws"],
        "--profile: --region: --output: --endpoint-url: --query: --ca-bundle: --color: --cli-read-timeout: \
         --cli-connect-timeout: --cli-binary-format: --debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-pager \
         --version",
    ),
    (
        &["gcloud", "gsutil", "bq"],
        "--project: --account: --configuration: --format: --verbosity: --impersonate-service-account: --billing-project: \
         --filter: --flatten: --trace-token: --flags-file: --access-token-file: -o: -h: -q --quiet -m -D --log-http -v \
         --version",
    ),
    (&["az"], "--subscription: -o: --output: --query: --verbose --debug --only-show-errors"),
    (
        &["systemctl"],
        "-H: --host: -M: --machine: -t: --type: --root: -n: --lines: -o: --output: -p: --property: -s: --signal: --state: \
         --job-mode: --image: --kill-whom: --user --system --global --no-pager -a --all -q --quiet --now --runtime -f --force \
         -l --full --no-block --no-legend --plain --failed --no-ask-password -r --recursive --version",
    ),
    (&["terraform", "tofu"], "-chdir? -version -help --version --help"),
    (
        &["pip", "pip2", "pip3"],
        "--python: --proxy: --log: --cache-dir: --timeout: --retries: --cert: --client-cert: --trusted-host: --exists-action: \
         -q -v --quiet --verbose --isolated --no-input --no-cache-dir --disable-pip-version-check --no-color --debug -V \
         --version",
    ),
    (
        &["helm"],
        "-n: --namespace: --kube-context: --kubeconfig: --registry-config: --repository-cache: --repository-config: \
         --kube-apiserver: --kube-token: --kube-as-user: --kube-as-group: --kube-ca-file: --burst-limit: --qps: --debug",
    ),
    (&["brew"], "-v --verbose -q --quiet -d --debug --version --cache --prefix --cellar --repository"),
    (
        &["apt", "apt-get"],
        "-o: -c: -t: --option: --config-file: --target-release: --default-release: -y --yes -q -qq -f -s -d -m -u \
         --assume-yes --no-install-recommends --allow-unauthenticated --fix-broken",
    ),
    (
        &["uv"],
        "--directory: --project: --config-file: --cache-dir: --color: --python: -p: -q -v --quiet --verbose --offline -n --no-cache --no-config",
    ),
    (
        &["poetry", "pdm"],
        "-C: --directory: -P: --project: -p: -q -v -vv -vvv --quiet --verbose -n --no-interaction --ansi --no-ansi",
    ),
    (
        &["make"],
        "-f: -C: -I: -j? -o: -W: --file: --makefile: --directory: --eval: --include-dir: -k -s -n -B -i -e -w -q -t -r -R -S",
    ),
    (&["defaults"], "-host: -currentHost"),
    (
        &["hg"],
        "-R: --repository: --cwd: --config: --encoding: --encodingmode: --color: --pager: -y -q -v --debug --traceback --noninteractive",
    ),
    (
        &["svn"],
        "--config-dir: --config-option: --username: --password: -q --quiet --non-interactive --no-auth-cache",
    ),
    (&["security"], "-p: -i -l -q -v -h"),
    (&["tmux"], "-c: -f: -L: -S: -T: -2 -C -CC -D -l -N -u -v -V"),
    (
        &["dotnet"],
        "--additionalprobingpath: --additional-deps: --fx-version: --roll-forward: -d --diagnostics",
    ),
    (&["mise"], "-C: --cd: -E: --env: -j: --jobs: -q -v -y --quiet --verbose --yes"),
    (&["limactl", "colima"], "--log-level: --tty -p: --profile:"),
    (
        &["ip"],
        "-n: -netns: -f: -family: -rc: -4 -6 -B -0 -j -p -s -d -r -o -br -c -a -h -json -details -brief -statistics",
    ),
];

pub(super) fn globals(family: &str) -> Option<&'static str> {
    GLOBALS.iter().find(|(names, _)| names.contains(&family)).map(|(_, grammar)| *grammar)
}

/// Known options that may precede a program's verb, and whether each takes the next word.
pub fn global_options(program: &str) -> impl Iterator<Item = (&'static str, bool)> {
    let grammar = globals(&super::family(program)).unwrap_or_default();
    let options = grammar.split_whitespace().filter(|mark| mark.starts_with('-'));
    options.map(|mark| (mark.trim_end_matches([':', '?']), mark.ends_with(':')))
}

/// What an option before the subcommand of a program does with the next word; none for a program whose options are not
/// known at all. `program` may be a path.
pub fn swallows(program: &str, option: &str) -> Option<Swallows> {
    globals(&super::family(program)).map(|grammar| of_grammar(grammar, option))
}

fn of_grammar(grammar: &str, option: &str) -> Swallows {
    if option.contains('=') || option.starts_with('+') {
        return Swallows::Nothing;
    }
    match takes(grammar, option) {
        Some(Takes::Value) => Swallows::Next,
        Some(Takes::Nothing | Takes::Optional) => Swallows::Nothing,
        None => letters(grammar, option),
    }
}

/// Letters in one word (`-nv`), or a value that follows its letter at once (`-Cdir`).
fn letters(grammar: &str, option: &str) -> Swallows {
    let Some(cluster) = option.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return Swallows::Maybe;
    };
    for (at, letter) in cluster.char_indices() {
        match takes(grammar, &format!("-{letter}")) {
            Some(Takes::Nothing) => {}
            Some(Takes::Value) if at + letter.len_utf8() == cluster.len() => return Swallows::Next,
            Some(Takes::Value | Takes::Optional) => return Swallows::Nothing,
            None => return Swallows::Maybe,
        }
    }
    Swallows::Nothing
}

/// Where the subcommand may stand: the first word that is neither an option nor the value of one, and after an option that
/// is not known also the word behind that. A word that is not known before the run counts as an operand. In order.
pub(super) fn positions(family: &str, words: &[Option<&str>]) -> Vec<usize> {
    const MOST: usize = 4;
    let grammar = globals(family).unwrap_or_default();
    let mut found = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let Some(option) =
            word.filter(|word| word.starts_with('-') && word.len() > 1 || is_toolchain(family, word))
        else {
            found.push(at);
            // What follows an operand is a subcommand only where that operand may have been a value.
            if found.len() < MOST && at > 1 && follows_unknown(grammar, words, at) {
                at += 1;
                continue;
            }
            break;
        };
        if option == "--" {
            found.extend((at + 1 < words.len()).then_some(at + 1));
            break;
        }
        at += 1 + usize::from(of_grammar(grammar, option) == Swallows::Next);
    }
    found
}

fn is_toolchain(family: &str, word: &str) -> bool {
    word.starts_with('+') && matches!(family, "cargo" | "rustup" | "rustc")
}

fn follows_unknown(grammar: &str, words: &[Option<&str>], at: usize) -> bool {
    let before = words.get(at - 1).copied().flatten();
    before.is_some_and(|word| word.starts_with('-') && of_grammar(grammar, word) == Swallows::Maybe)
}

/// The index of the subcommand.
pub(super) fn position(family: &str, argv: &[&str]) -> Option<usize> {
    let words: Vec<Option<&str>> = argv.iter().map(|word| Some(*word)).collect();
    positions(family, &words).first().copied()
}

#[cfg(test)]
mod tests {
    use super::{Swallows, positions, swallows};

    #[test]
    fn the_subcommand_is_found_where_it_may_stand() {
        for (argv, expected) in [
            (&["cargo", "+nightly", "build"][..], &[2][..]),
            (&["git", "+x", "push"], &[1]),
            (&["git", "-", "push"], &[1]),
            (&["git", "--", "push"], &[2]),
            (&["git", "--"], &[]),
            (&["git", "-p", "--"], &[]),
            (&["git", "--unheard", "x", "push"], &[2, 3]),
            (&["git", "-C", "x", "push", "y"], &[3]),
        ] {
            let words: Vec<Option<&str>> = argv.iter().map(|word| Some(*word)).collect();
            assert_eq!(positions(argv[0], &words), expected, "{argv:?}");
        }
    }

    #[test]
    fn what_an_option_swallows() {
        for (program, option, expected) in [
            ("git", "-C", Some(Swallows::Next)),
            ("/opt/x/GIT", "--git-dir", Some(Swallows::Next)),
            ("git", "--git-dir=x", Some(Swallows::Nothing)),
            ("git", "--no-pager", Some(Swallows::Nothing)),
            ("git", "-Cdir", Some(Swallows::Nothing)),
            ("git", "-pC", Some(Swallows::Next)),
            ("git", "-pCdir", Some(Swallows::Nothing)),
            ("git", "--unheard", Some(Swallows::Maybe)),
            ("npm", "--otp", Some(Swallows::Next)),
            ("unheard-of", "-x", None),
        ] {
            assert_eq!(swallows(program, option), expected, "{program} {option}");
        }
    }

    #[test]
    fn behind_an_option_that_is_not_known_there_are_two_places() {
        let at = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let words: Vec<Option<&str>> = words.iter().map(|word| (*word != "?").then_some(*word)).collect();
            positions("npm", &words)
        };
        assert_eq!(at("npm --unheard x exec"), [2, 3]);
        assert_eq!(at("npm --a 1 --b 2 --c 3 --d 4 --e 5"), [2, 4, 6, 8], "four of them at most");
        assert_eq!(at("npm -s run x"), [2]);
        assert_eq!(at("npm ? x"), [1], "a word that is known only at run time");
        assert_eq!(at("npm -- x"), [2]);
    }
}
