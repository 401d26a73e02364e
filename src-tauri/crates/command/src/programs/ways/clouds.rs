//! Clouds, clusters and what is built on them: their programs have thousands of commands, and more every month. What only looks is
//! known by its verb; anything else changes something, or may.

use super::Found;
use super::reader::Read;
use super::tool::{Tool, row, tool};
use crate::ArgEffect::{self, Changes, Config, Remote, Secrets, Sends};

/// Clouds of which one table of rows tells.
const CLOUDS: &[&str] = &[
    "gcloud",
    "gsutil",
    "bq",
    "az",
    "doctl",
    "hcloud",
    "linode-cli",
    "oci",
    "ibmcloud",
    "azd",
    "s3cmd",
    "eksctl",
];

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["aws"],
        "--profile: --region: --output: --query:",
        &[
            row(
                "configure!list,list-profiles sso",
                Config,
                "aws configure: credential_process runs a program",
            ),
            row(
                "ssm.start-session ssm.send-command ecs.execute-command ec2-instance-connect eks.update-kubeconfig emr.ssh",
                Remote,
                "aws ssm, aws ecs; GTFOBins aws",
            ),
            row(
                "^create- ^delete- ^run- ^terminate- ^put- ^update- ^modify- ^stop- ^start- ^reboot- ^attach- ^detach- ^associate- ^disassociate- ^authorize- ^revoke- ^register- ^deregister- ^restore- ^reset- ^import- ^replace- ^release- ^allocate- ^change- ^execute- ^send- ^enable- ^disable- ^publish =deploy =invoke =mb",
                Changes,
                "aws: its reference",
            ),
            row(
                "--endpoint-url --cli-input-json --cli-input-yaml --ca-bundle --no-verify-ssl",
                Remote,
                "aws: its reference",
            ),
            row(
                "s3.cp s3.mv s3.sync s3.rm s3.rb s3api.put-object s3api.delete-object lambda.invoke",
                Sends,
                "aws s3",
            ),
            row(
                "iam sts!get-caller-identity secretsmanager kms ssm.get-parameter ssm.get-parameters ecr.get-login-password",
                Secrets,
                "aws: keys and passwords",
            ),
        ],
    ),
    tool(
        CLOUDS,
        "--project: --format: --account: --configuration:",
        &[
            row(
                "compute.ssh compute.scp compute.start-iap-tunnel vm.run-command ssh compute.ssh-into",
                Remote,
                "gcloud compute ssh; az vm run-command; GTFOBins gcloud",
            ),
            row(
                "auth config!list,get,get-value account.set login ad keyvault secrets iam",
                Secrets,
                "gcloud auth, az login",
            ),
            row(
                "alpha.interactive interactive extension components --flags-file --impersonate-service-account",
                Config,
                "gcloud, az extension",
            ),
            row("cp mv rsync rm rb storage.cp storage.rm storage.rsync", Sends, "gsutil: its documentation"),
            row(
                "deploy app.deploy run.deploy functions.deploy create delete",
                Changes,
                "gcloud: its reference",
            ),
        ],
    ),
];

/// Whether a program is asked by its verbs.
pub(super) fn is_about(name: &str) -> bool {
    CLOUDS.contains(&name) || OTHERS.contains(&name)
}

/// Programs besides [`CLOUDS`] that are asked by their verbs.
const OTHERS: &[&str] = &[
    "aws",
    "k3d",
    "minikube",
    "kind",
    "microk8s",
    "k3s",
    "helm",
    "helmfile",
    "argocd",
    "flux",
    "istioctl",
    "linkerd",
    "kubeadm",
    "terragrunt",
    "vagrant",
    "pulumi",
    "cdk",
    "cdktf",
    "nomad",
    "consul",
    "kubectx",
    "kubens",
    "limactl",
    "colima",
    "multipass",
    "packer",
];

/// Verbs with which they only tell something.
const TELLING: &[&str] = &[
    "list",
    "ls",
    "describe",
    "show",
    "get",
    "get-value",
    "get-values",
    "status",
    "version",
    "info",
    "help",
    "view",
    "search",
    "stat",
    "du",
    "head",
    "history",
    "logs",
    "log",
    "tail",
    "output",
    "outputs",
    "whoami",
    "about",
    "members",
    "inspect",
    "events",
    "cat",
    "hash",
    "read",
    "wait",
    "diff",
    "lint",
    "validate",
    "fmt",
    "template",
    "graph",
    "ip",
    "ps",
    "doctor",
    "check",
    "rtt",
    "find",
    "env",
    "verify",
    "proxy-status",
    "analyze",
    "completion",
    "synth",
    "synthesize",
    "preview",
    "pre",
    "port",
    "global-status",
    "package",
    "dependency",
    "dep",
    "repo",
    "stats",
    "top",
    "trace",
    "images",
    "rdeps",
    "hclfmt",
    "hcl",
    "console-url",
];

/// Verbs that stand before another word which is no verb then (`delete list`).
const CHANGING: &[&str] = &[
    "create",
    "delete",
    "update",
    "set",
    "add",
    "remove",
    "rm",
    "run",
    "exec",
    "ssh",
    "scp",
    "deploy",
    "patch",
    "apply",
    "start",
    "stop",
    "restart",
    "reset",
    "reboot",
    "destroy",
    "import",
    "export",
    "install",
    "uninstall",
    "upgrade",
    "enable",
    "disable",
    "attach",
    "detach",
    "use",
    "select",
    "edit",
    "new",
    "init",
    "login",
    "logout",
    "push",
    "put",
    "cp",
    "mv",
    "sync",
    "rsync",
    "connect",
    "invoke",
    "call",
    "send",
    "replace",
    "rollback",
    "resume",
    "suspend",
    "cancel",
    "promote",
    "purge",
    "prune",
    "up",
    "down",
    "kv",
    "terminate",
    "action",
    "plugin",
    "config",
    "box",
    "state",
    "stack",
    "app",
    "addons",
    "operator",
    "acl",
];

/// Words behind which passwords and keys are shown.
const SECRET: &[&str] = &[
    "token",
    "secret",
    "password",
    "credential",
    "presign",
    "signurl",
    "sign-url",
    "connection-string",
    "kubeconfig",
    "get-login",
    "generate-sas",
    "wallet",
    "ssh-key",
];

/// Commands of aws that read, and write what they read into a file.
const INTO_A_FILE: &[&str] = &[
    "get-object",
    "get-object-torrent",
    "get-export",
    "get-sdk",
    "get-game-session-log",
    "select-object-content",
];

/// The first argument by which more is done than told.
pub(super) fn of(name: &str, read: &Read<'_>) -> Found {
    let words: Vec<(usize, &str)> =
        read.operands.iter().take(6).filter_map(|at| Some((*at, read.word(*at)?))).collect();
    let secret = |word: &str| {
        SECRET.iter().any(|part| word.contains(part))
            || matches!(word, "keys" | "sas")
            || INTO_A_FILE.contains(&word)
    };
    if let Some((at, _)) = words.iter().find(|(_, word)| secret(word)) {
        return Some((*at, ArgEffect::Secrets, "shows or keeps what should not be known, or writes a file"));
    }
    let first = read.operands.first().copied()?;
    // Groups have a verb of their own behind them; of those that are no verbs, the next word is asked.
    for (at, word) in &words {
        if tells(name, word) {
            return None;
        }
        if CHANGING.contains(word) && !is_group(word) {
            return Some((*at, ArgEffect::Changes, "changes something in a cloud or a cluster, or may"));
        }
    }
    // Of a model, a chart or a package the version is one to choose, and has a value behind it.
    let last = read.args.len() - 1;
    let tells = read.options.iter().any(|seen| match seen.name.as_str() {
        "--help" => true,
        "--version" => seen.value.is_none() && seen.at == last,
        _ => false,
    });
    (!tells).then_some((first, ArgEffect::Changes, "changes something in a cloud or a cluster, or may"))
}

/// Words that are verbs of one program and groups of another.
fn is_group(word: &str) -> bool {
    matches!(
        word,
        "config"
            | "app"
            | "stack"
            | "state"
            | "kv"
            | "run"
            | "plugin"
            | "box"
            | "addons"
            | "operator"
            | "acl"
            | "deploy"
    )
}

fn tells(name: &str, word: &str) -> bool {
    let prefixes =
        ["describe-", "list-", "get-", "head-", "filter-", "lookup-", "batch-get-", "estimate-", "search-"];
    TELLING.contains(&word)
        || matches!(name, "aws")
            && (prefixes.iter().any(|prefix| word.starts_with(prefix)) || matches!(word, "scan" | "query"))
}
