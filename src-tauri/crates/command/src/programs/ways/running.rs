//! What is there to run other programs and takes them in a way of its own: keepers of processes, queues of clusters,
//! profilers, machines and shells elsewhere. What they run is not followed: a rule has to name it, and deny rules look at all
//! that stands in the arguments.

use super::tool::{Tool, row, tool};
use crate::ArgEffect::{Changes, Code, Remote, Runs, Shell};

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["rtk"],
        "",
        &[row(
            "!gain,discover,session,help,version",
            Runs,
            "rtk: its README: runs a command and shortens what it prints",
        )],
    ),
    tool(
        &["pm2", "forever"],
        "",
        &[row(
            "!list,ls,l,status,logs,show,describe,info,jlist,prettylist,pid,help",
            Runs,
            "pm2, forever: their documentation",
        )],
    ),
    tool(
        &[
            "supervisord",
            "monit",
            "foreman",
            "overmind",
            "hivemind",
            "honcho",
            "goreman",
            "shoreman",
            "circusd",
        ],
        "",
        &[row("*", Runs, "their documentation: they run what a Procfile or a configuration names")],
    ),
    tool(
        &[
            "sbatch",
            "salloc",
            "qsub",
            "bsub",
            "torchrun",
            "accelerate",
            "deepspeed",
            "ray",
            "dask",
            "condor_run",
        ],
        "",
        &[row(
            "*",
            Runs,
            "sbatch(1), qsub(1), torchrun, ray: run a script or program, here or on other machines",
        )],
    ),
    tool(
        &[
            "heaptrack",
            "memray",
            "py-spy",
            "austin",
            "scalene",
            "pyinstrument",
            "kernprof",
            "nsys",
            "ncu",
            "samply",
            "rbspy",
            "uftrace",
            "coz",
        ],
        "",
        &[row(
            "*",
            Runs,
            "heaptrack(1), py-spy, memray, nsys: their documentation: they run what they measure",
        )],
    ),
    tool(
        &[
            "lima",
            "orb",
            "wsl",
            "lxc",
            "lxd",
            "incus",
            "dokku",
            "eb",
            "waypoint",
            "boundary",
            "coder",
            "devcontainer",
        ],
        "",
        &[row(
            "!list,ls,info,status,version,help,logs",
            Remote,
            "lima, OrbStack, lxc(1), wsl: run a command in a machine that sees folders of this one",
        )],
    ),
    tool(
        &["pdsh", "clush", "pssh", "parallel-ssh", "dsh", "mussh", "bolt", "tsh", "teleport"],
        "",
        &[row("*", Remote, "pdsh(1), clush(1), pssh(1), tsh: run a command on other machines")],
    ),
    tool(
        &["tailscale"],
        "",
        &[
            row("ssh nc", Remote, "tailscale: its documentation"),
            row(
                "up down login logout set switch serve funnel file cert drive configure update",
                Changes,
                "tailscale: its documentation",
            ),
        ],
    ),
    tool(
        &[
            "lockf",
            "gpg-agent",
            "start-server-and-test",
            "server-test",
            "consul-template",
            "fvm",
            "rush",
            "rushx",
        ],
        "",
        &[row("*", Runs, "lockf(1), gpg-agent(1): run what stands behind their options")],
    ),
    tool(
        &["cross-env-shell", "reflex", "viddy", "hwatch", "gobetween", "modd", "air", "rerun", "guard"],
        "",
        &[row("*", Shell, "reflex, viddy, hwatch: their documentation: hand a text to a shell")],
    ),
    tool(
        &["zellij"],
        "",
        &[row("run r action ac options setup -l --layout -c --config", Runs, "zellij: its documentation")],
    ),
    tool(
        &["melos", "moon", "lage"],
        "",
        &[row("exec run r bootstrap", Runs, "melos, moon: run scripts that their configuration names")],
    ),
    tool(
        &["gitlab-rails", "gitlab-rake"],
        "",
        &[row("*", Code, "gitlab-rails runner: code in its arguments")],
    ),
];
