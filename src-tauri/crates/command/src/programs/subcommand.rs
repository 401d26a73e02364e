//! Subcommands behind options: `git -c a=b push` is a `git push`, whatever stands between.

/// Options before the subcommand that take their value in the next word.
const VALUES: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "-c",
            "-C",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--config-env",
            "--super-prefix",
            "--attr-source",
        ],
    ),
    (
        "npm",
        &[
            "--prefix",
            "-C",
            "--registry",
            "-w",
            "--workspace",
            "--loglevel",
            "--userconfig",
            "--globalconfig",
            "--script-shell",
            "--cache",
            "--tag",
            "--otp",
        ],
    ),
    ("pnpm", &["-C", "--dir", "--filter", "-F", "--registry", "--prefix", "--loglevel"]),
    ("yarn", &["--cwd", "--registry", "--use-yarnrc"]),
    ("bun", &["--cwd", "--config", "-c", "--preload", "-r"]),
    (
        "kubectl",
        &[
            "-n",
            "--namespace",
            "--context",
            "--cluster",
            "--user",
            "--kubeconfig",
            "-s",
            "--server",
            "--token",
            "--as",
            "--as-group",
            "--cache-dir",
            "--request-timeout",
            "-v",
            "--v",
            "--profile",
            "--tls-server-name",
            "--certificate-authority",
            "--client-certificate",
            "--client-key",
        ],
    ),
    (
        "docker",
        &[
            "-H",
            "--host",
            "-c",
            "--context",
            "--config",
            "-l",
            "--log-level",
            "--tlscacert",
            "--tlscert",
            "--tlskey",
        ],
    ),
    ("podman", &["-c", "--connection", "--url", "--root", "--runroot", "--log-level", "--identity"]),
    ("cargo", &["--config", "-Z", "-C", "--color", "--manifest-path", "--target-dir"]),
    ("go", &["-C"]),
    ("gh", &["-R", "--repo", "--hostname"]),
    (
        "aws",
        &[
            "--profile",
            "--region",
            "--output",
            "--endpoint-url",
            "--query",
            "--ca-bundle",
            "--color",
            "--cli-read-timeout",
            "--cli-connect-timeout",
        ],
    ),
    (
        "gcloud",
        &[
            "--project",
            "--account",
            "--configuration",
            "--format",
            "--verbosity",
            "--impersonate-service-account",
            "--billing-project",
        ],
    ),
    (
        "systemctl",
        &["-H", "--host", "-M", "--machine", "-t", "--type", "--root", "-n", "--lines", "-o", "--output"],
    ),
    ("terraform", &[]),
    (
        "pip",
        &[
            "--python",
            "--proxy",
            "--log",
            "--cache-dir",
            "--timeout",
            "--retries",
            "--cert",
            "--client-cert",
            "--trusted-host",
        ],
    ),
    (
        "helm",
        &[
            "-n",
            "--namespace",
            "--kube-context",
            "--kubeconfig",
            "--registry-config",
            "--repository-cache",
            "--repository-config",
        ],
    ),
    ("brew", &[]),
    ("apt", &["-o", "-c", "-t"]),
    ("apt-get", &["-o", "-c", "-t"]),
    ("uv", &["--directory", "--project", "--config-file", "--cache-dir", "--color", "--python"]),
    ("poetry", &["-C", "--directory", "-P", "--project"]),
    ("make", &["-f", "-C", "-I", "-j", "-o", "-W", "--file", "--directory", "--eval"]),
    ("defaults", &["-host"]),
    ("launchctl", &[]),
    ("deno", &[]),
    ("swift", &[]),
    ("bundle", &[]),
    ("hg", &["-R", "--repository", "--cwd", "--config", "--encoding"]),
    ("svn", &["--config-dir", "--config-option", "--username", "--password"]),
];

fn values(family: &str) -> &'static [&'static str] {
    VALUES.iter().find(|(name, _)| *name == family).map_or(&[], |(_, values)| values)
}

/// The index of the subcommand: the first word that is neither an option nor the value of one.
pub(super) fn position(family: &str, argv: &[&str]) -> Option<usize> {
    let values = values(family);
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        if *word == "--" {
            return (at + 1 < argv.len()).then_some(at + 1);
        }
        if values.contains(word) {
            at += 2;
        } else if word.starts_with('-') || word.starts_with('+') && family == "cargo" {
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}

/// Every way in which an argv could be read without the options before its subcommand: for deny rules, which must see
/// `git push` in `git --no-pager -c a=b push`. The argv as it is comes first.
///
/// An option that is not known may or may not take the next word, so both are given; eight forms at most.
pub fn plain_forms(argv: &[&str]) -> Vec<Vec<String>> {
    const MOST: usize = 8;
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let Some((program, rest)) = argv.split_first() else { return Vec::new() };
    let mut forms = vec![owned(argv)];
    if !rest.first().is_some_and(|word| word.starts_with(['-', '+'])) {
        return forms;
    }
    let family = super::family(program);
    let known = position(&family, argv);
    let options = rest.iter().enumerate();
    let guesses = options.scan(true, |before, (at, word)| {
        let operand = !word.starts_with(['-', '+']);
        let after_option = *before;
        *before = !operand;
        Some((at + 1, operand && (after_option || at > 0)))
    });
    let starts = known.into_iter().chain(guesses.filter(|(_, operand)| *operand).map(|(at, _)| at).take(3));
    for start in starts {
        let mut form = vec![(*program).to_owned()];
        form.extend(owned(argv.get(start..).unwrap_or_default()));
        if forms.len() < MOST && !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::plain_forms;

    #[test]
    fn options_before_the_subcommand_do_not_hide_it() {
        for (argv, plain) in [
            (&["git", "-c", "a.b=c", "push", "--force"][..], "git push --force"),
            (&["git", "--no-pager", "push"], "git push"),
            (&["npm", "--prefix", "sub", "publish"], "npm publish"),
            (&["kubectl", "-n", "prod", "delete", "pod", "x"], "kubectl delete pod x"),
            (&["/usr/bin/git", "-C", "x", "push"], "/usr/bin/git push"),
            (&["unheard-of", "--flag", "push"], "unheard-of push"),
            (&["unheard-of", "--value", "x", "push"], "unheard-of push"),
        ] {
            let forms: Vec<String> = plain_forms(argv).iter().map(|form| form.join(" ")).collect();
            assert!(forms.contains(&plain.to_owned()), "{argv:?} gives {forms:?}");
        }
    }

    #[test]
    fn operands_are_no_subcommands() {
        assert_eq!(plain_forms(&["git", "log", "--grep=push", "push"]).len(), 1);
        assert_eq!(plain_forms(&["ls"]).len(), 1);
        assert!(plain_forms(&[]).is_empty());
    }
}
