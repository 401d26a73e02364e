//! Version control besides git, and the sites that keep repositories.

use super::tool::{Tool, row, tool};
use crate::ArgEffect::{
    Changes, Config, Fetches, Folder, Opens, Remote, Runs, Secrets, Sends, Shell, Writes,
};

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["gh"],
        "-R: --repo: -t: --title: -b: --body: -L: --limit: -q: --jq: --json: -s: --state: -l: --label: --template:",
        &[
            row(
                "api:-f api:-F api:--field api:--raw-field api:--input api:-H api:--header api:--hostname",
                Sends,
                "gh api",
            ),
            row(
                "auth:-t auth:--show-token auth.login auth.logout auth.token auth.refresh auth.setup-git auth.switch",
                Secrets,
                "gh auth",
            ),
            row(
                "ssh-key.add ssh-key.delete gpg-key.add gpg-key.delete secret.set secret.delete variable.set variable.delete",
                Secrets,
                "gh secret",
            ),
            row(
                "!auth,ssh-key,gpg-key,secret,variable,api,alias,config,extension,ext,preview,codespace,cs,repo,workflow,run,gist,release,issue,pr,browse,cache,label,org,project,ruleset,rs,search,status,completion,attestation,at,copilot,agent-task,--version,--help",
                Config,
                "gh alias, gh extension: commands that are not gh's own",
            ),
            row(
                "alias config.set extension ext preview",
                Config,
                "gh alias set --shell; gh extension: programs",
            ),
            row("codespace cs", Remote, "gh codespace ssh"),
            row(
                "repo.delete repo.archive repo.edit repo.rename repo.create repo.fork repo.sync repo.deploy-key release.delete",
                Changes,
                "gh repo",
            ),
            row(
                "workflow.run workflow.enable workflow.disable run.rerun run.cancel run.delete cache.delete",
                Remote,
                "gh workflow run",
            ),
            row(
                "gist.create gist.edit gist.delete release.create release.upload issue.transfer",
                Sends,
                "gh gist, gh release",
            ),
            row(
                "release:-O/ release:--output/ release:-D/ release:--dir/ run:-D/ run:--dir/",
                Writes,
                "gh release download, gh run download",
            ),
            row(
                "browse --web pr:-w issue:-w repo:-w release:-w gist:-w project:-w ruleset:-w search:-w pr:-e issue:-e pr:--editor issue:--editor",
                Opens,
                "gh browse: a browser, or the editor",
            ),
            row("auth!status secret!list variable!list,get", Secrets, "gh auth, gh secret"),
            row(
                "label!list project!list,view,item-list,field-list cache!list config!list,get ssh-key!list gpg-key!list issue.delete \
                 release.delete-asset release.edit repo.unarchive repo.set-default repo.autolink repo.garden pr.revert gist.rename skill",
                Changes,
                "gh label, gh project, gh release",
            ),
            row("api:~://", Sends, "gh api: an address that is not the host's"),
            row(
                "pr.checkout repo.clone gist.clone",
                Fetches,
                "gh pr checkout: a stranger's hooks and scripts",
            ),
            row("copilot agent-task models", Runs, "gh copilot: runs what it suggests"),
        ],
    ),
    tool(
        &["jj", "sl"],
        "",
        &[
            row(
                "--config --config-file --config-toml -R --repository fix run util.exec",
                Config,
                "jj: aliases and fix tools run programs",
            ),
            row("git.clone git.push git.remote", Sends, "jj git"),
        ],
    ),
    tool(
        &["hg", "chg", "rhg"],
        "-r: -b: -l: -m: -u: -d: -I: -X: -T:",
        &[
            row("--config --debugger --profile", Config, "hg(1): hooks, aliases, extensions; GTFOBins hg"),
            row("@-R/ @--repository/ @--cwd/", Folder, "hg(1): another repository, whose hooks run"),
            row("--ssh -e --remotecmd --tool -t --style --template-file", Runs, "hg(1): --ssh, --remotecmd"),
            row("bisect:-c bisect:--command", Shell, "hg-bisect(1)"),
            row("extdiff serve debugshell email patchbomb histedit", Runs, "hg extensions"),
        ],
    ),
    tool(
        &["svn", "svnadmin", "svnlook", "svnsync", "bzr", "cvs", "p4", "fossil", "darcs"],
        "-r: -m: --username: --password:",
        &[
            row(
                "--config-dir --config-option --diff-cmd --diff3-cmd --editor-cmd -d",
                Config,
                "svn(1): tunnels and helpers; cvs -d :ext:",
            ),
            row("^svn+ ^bzr+ ~:ext: ^ext:", Runs, "svn(1): tunnels run programs"),
            row(
                "load import hooks sql all ui server test-command trackdown",
                Writes,
                "svnadmin, fossil, darcs: their manuals",
            ),
        ],
    ),
];
