//! Packages that `npm create NAME` and its like run: another one than the words name.

use super::command::ExaminedCommand;

/// Programs that put `create-` before the name of a package, and their verbs for that.
const CREATORS: [&str; 3] = ["npm", "pnpm", "yarn"];
const VERBS: [&str; 3] = ["create", "init", "innit"];

/// Returns the package that a command downloads and runs where its words name this one.
pub(super) fn package_of(command: &ExaminedCommand<'_>, behind: usize, named: String) -> String {
    let creates =
        command.is_one_of(&CREATORS) && command.verb_before(behind).is_some_and(|verb| VERBS.contains(&verb));
    // An address is what it says.
    if !creates || named.contains(':') {
        return named;
    }
    let doubled = command.is_one_of(&["npm"]);
    let prefixed = |name: &str| {
        if name.starts_with("create-") && !doubled { name.to_owned() } else { format!("create-{name}") }
    };
    if let Some((owner, name)) = named.split_once('/') {
        return format!("{owner}/{}", prefixed(name));
    }
    match named.strip_prefix('@').map(|scope| scope.split_once('@').ok_or(scope)) {
        Some(Ok((scope, version))) => format!("@{scope}/create@{version}"),
        Some(Err(scope)) => format!("@{scope}/create"),
        None => prefixed(&named),
    }
}

#[cfg(test)]
mod tests {
    use crate::CommandEffect;
    use crate::effect::effects_of_words;

    #[test]
    fn the_package_that_runs_is_named() {
        for (line, expected) in [
            ("npm create vite@latest app", "create-vite@latest"),
            ("npm init react-app app", "create-react-app"),
            ("npm create @acme", "@acme/create"),
            ("npm create @acme@2", "@acme/create@2"),
            ("npm create @acme/site@2", "@acme/create-site@2"),
            ("npm create create-x", "create-create-x"),
            ("pnpm create create-x", "create-x"),
            ("yarn create vite", "create-vite"),
            ("npx vite", "vite"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found = effects_of_words(&words).into_iter().find_map(|found| match found.effect {
                CommandEffect::RunDownloadedCode { package, .. } => package,
                _ => None,
            });
            assert_eq!(found.as_deref(), Some(expected), "{line}");
        }
    }
}
