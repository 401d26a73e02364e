//! Containers, clusters and other machines.

use super::tool::{Tool, row, tool, words};
use crate::ArgEffect::{
    Changes, Code, Config, Fetches, Loads, Opens, Reads, Remote, Runs, Secrets, Sends, Serves, Shell, Writes,
};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        sub_takes: &[(
            "compose",
            "-p: --project-name: --profile: --ansi: --progress: --parallel: --env-file: --project-directory:",
        )],
        ..tool(
            &[
                "docker",
                "podman",
                "nerdctl",
                "finch",
                "container",
                "docker-compose",
                "podman-compose",
                "crictl",
                "ctr",
                "buildah",
                "limactl",
                "colima",
                "multipass",
                "apptainer",
                "singularity",
                "distrobox",
                "toolbox",
            ],
            "-f: --filter: --format: -n: --tail: --since: --until: -l: --log-level:",
            &[
                row(
                    "run create shell enter start:-a start:-i attach container.attach compose.attach",
                    Remote,
                    "docker-run(1): a program with folders of this machine; GTFOBins docker",
                ),
                row("exec debug", Remote, "docker-exec(1)"),
                row(
                    "build buildx!ls,inspect,du,version bake",
                    Shell,
                    "docker-build(1): the commands of a Dockerfile",
                ),
                row(
                    "compose.run compose.exec compose.up compose.build compose.create compose.watch compose.start up",
                    Remote,
                    "docker compose",
                ),
                row(
                    "cp save export image.save container.cp container.export compose.cp compose.export",
                    Writes,
                    "docker-cp(1)",
                ),
                row(
                    "container.run container.create container.exec container.start image.build builder.build",
                    Remote,
                    "docker-container(1)",
                ),
                row(
                    "@-H @--host @-c @--context @--connection @--url @--config",
                    Remote,
                    "docker(1): another machine",
                ),
                row(
                    "push login logout image.push trust manifest.push",
                    Secrets,
                    "docker-push(1), docker-login(1)",
                ),
                row(
                    "commit import load image.load image.import plugin!ls,inspect context!ls,list,show,inspect swarm service stack node secret config system.prune",
                    Changes,
                    "docker(1)",
                ),
                row(
                    "system.service machine unshare mount generate play kube.play",
                    Serves,
                    "podman(1): a service, another machine, a namespace",
                ),
                row(
                    "!run,exec,ps,build,bake,pull,push,images,login,logout,search,version,info,builder,buildx,compose,container,context,image,manifest,network,plugin,system,volume,swarm,attach,commit,cp,create,diff,events,export,history,import,inspect,kill,load,logs,pause,port,rename,restart,rm,rmi,save,start,stats,stop,tag,top,trust,unpause,update,wait,node,config,secret,service,stack,up,down,enter,shell,list,ls,delete,status,machine,play,generate,kube,pod,unshare,mount,unmount,untag,auto-update,debug,healthcheck,--version,-v,--help",
                    Runs,
                    "docker(1): plugins are programs docker-NAME",
                ),
                row(
                    "-v --volume --mount --privileged --device --pid --ipc --cap-add --security-opt --userns",
                    Remote,
                    "docker-run(1): folders and devices of this machine",
                ),
                row(
                    "compose:@-f compose:--file compose:--env-file compose:--project-directory",
                    Config,
                    "docker compose: another file",
                ),
                row(
                    "@--root @--runtime @--conmon @--hooks-dir @--module @-r @--remote @--identity @--runroot @--storage-driver @--storage-opt \
                 @--network-cmd-path @--tmpdir @--imagestore @--address @-a @--runtime-endpoint",
                    Config,
                    "podman(1), nerdctl, crictl: other programs, another machine",
                ),
                row(
                    "kube.apply kube.down pod.create pod.start pod.clone container.clone container.restore container.checkpoint \
                 container.runlabel container.mount image.mount image.scp image.sign image.trust volume.import volume.mount healthcheck.run \
                 auto-update system.reset system.connection system.migrate system.dial-stdio compose.push compose.publish compose.commit \
                 compose.bridge compose.alpha images.push images.mount image.convert start:--attach start:--interactive",
                    Remote,
                    "podman(1), docker compose, ctr: run, mount or send",
                ),
            ],
        )
    },
    tool(
        &["k9s", "minikube", "kind", "k3d", "k3s", "microk8s", "kubectx", "kubens"],
        "",
        &[
            row(
                "ssh kubectl k ctr crictl server agent start stop delete create tunnel service mount cp",
                Remote,
                "minikube, kind, k3s: their documentation",
            ),
            row("-c --command --kubeconfig --config --as", Config, "k9s, kind: their documentation"),
        ],
    ),
    tool(
        &["kubectl", "oc"],
        "-n: --namespace: -l: --selector: -o: --output: -c: --container: --tail: --since: --field-selector: --sort-by: -L:",
        &[
            row(
                "exec debug run attach cp rsync rsh",
                Remote,
                "kubectl(1): runs in a container; GTFOBins kubectl",
            ),
            row(
                "!annotate,api-resources,api-versions,apply,attach,auth,autoscale,certificate,cluster-info,completion,config,cordon,cp,create,debug,delete,describe,diff,drain,edit,events,exec,explain,expose,get,help,kustomize,label,logs,options,patch,plugin,port-forward,proxy,replace,rollout,run,scale,set,taint,top,uncordon,version,wait,krew,login,logout,project,projects,new-project,new-app,status,rsh,rsync,whoami,adm,process,start-build,--help,--version",
                Runs,
                "kubectl(1): plugins are programs kubectl-NAME on PATH",
            ),
            row("edit", Opens, "kubectl-edit(1)"),
            row(
                "~template-file= ~jsonpath-file= ~columns-file=",
                Reads,
                "kubectl-get(1): a template of its own",
            ),
            row("--kubeconfig", Config, "kubectl(1): exec credential plugins run programs"),
            row("proxy port-forward expose", Serves, "kubectl-proxy(1)"),
            row(
                "-s --server --token --insecure-skip-tls-verify --as --as-group",
                Remote,
                "kubectl(1): another cluster or user",
            ),
            row(
                "plugin krew kustomize --enable-exec --enable-helm --enable-alpha-plugins",
                Code,
                "kustomize: exec plugins",
            ),
            row(
                "apply create delete replace patch scale rollout!status,history drain cordon taint label annotate set autoscale",
                Changes,
                "kubectl(1)",
            ),
            row(
                "config.set config.set-credentials config.use-context config.set-cluster config.set-context config.unset",
                Config,
                "kubectl-config(1)",
            ),
            row("certificate auth.reconcile login adm ssh start stop", Secrets, "kubectl, oc, minikube"),
            row(
                "get:~secret describe:~secret get:~Secret get:--raw config:--raw whoami:-t whoami:--show-token extract serviceaccounts sa",
                Secrets,
                "kubectl-get(1): passwords; --raw is any call",
            ),
            row(
                "config.delete-context config.delete-cluster config.delete-user config.rename-context config.use uncordon kuberc alpha \
                 new-app new-project start-build project process image policy import-image tag idle secrets sync registry",
                Changes,
                "kubectl-config(1), oc: their help",
            ),
            row(
                "get:-k get:~:// describe:-k describe:~://",
                Fetches,
                "kubectl-get(1): a kustomization or a file from elsewhere",
            ),
            row("--profile --log-file --log-dir", Writes, "kubectl(1): writes a profile, or a log"),
            row("~templatefile=", Reads, "kubectl-get(1): a template of its own"),
            row(
                "-o/ --cache-dir/ --profile-output/ --output-directory/",
                Writes,
                "kubectl cluster-info dump",
            ),
        ],
    ),
    tool(
        &["helm", "helmfile", "kustomize", "kubeadm", "argocd", "flux", "istioctl", "linkerd"],
        "-n: --namespace: -o: --output:",
        &[
            row(
                "--post-renderer --helm-binary --kubeconfig --plugin --enable-exec --enable-alpha-plugins",
                Runs,
                "helm install: --post-renderer; helmfile",
            ),
            row("plugin", Loads, "helm plugin: hooks run"),
            row(
                "--kube-apiserver --kube-token --kube-as-user --kube-as-group --kube-ca-file --registry-config --repository-config -b \
                 --kustomize-binary -k --enable-helm --network --mount --load-restrictor --helm-command repo.remove repo.index fn edit cfg \
                 localize --sign --untardir/ -d/ -o/",
                Config,
                "helm(1), helmfile, kustomize: other programs, another cluster",
            ),
            row(
                "install upgrade uninstall rollback apply sync destroy delete create push registry repo.add",
                Changes,
                "helm(1)",
            ),
        ],
    ),
    words(
        &[
            "terraform",
            "tofu",
            "terragrunt",
            "packer",
            "vagrant",
            "pulumi",
            "cdk",
            "cdktf",
            "nomad",
            "consul",
        ],
        "-var: -target:",
        &[
            row(
                "apply destroy import taint untaint console login state.push state.rm state.mv force-unlock up down run build deploy",
                Changes,
                "terraform: its documentation; GTFOBins vagrant",
            ),
            row(
                "init plan refresh validate test plugins.install",
                Loads,
                "terraform: providers are programs; external data sources run commands",
            ),
            row(
                "state.replace-provider workspace.new workspace.delete workspace.select env get providers.mirror providers.lock rpcapi stacks \
                 internal-plugin logout push policy debug query run-all apply-all destroy-all plan-all output-all stack.run --show-secrets \
                 --tf-path -C/ --cwd/ -address -a -p --build fix hcl2_upgrade -plugin-dir -chdir/ -config -out/ -state -backend-config -from-module -var-file/ --terragrunt-tfpath --app --cwd",
                Config,
                "terraform: its documentation",
            ),
            row(
                "ssh provision powershell rdp exec watch lock job monitor alloc",
                Remote,
                "vagrant, nomad, consul: run commands",
            ),
        ],
    ),
    tool(
        &[
            "ansible",
            "ansible-playbook",
            "ansible-pull",
            "ansible-console",
            "ansible-vault",
            "ansible-galaxy",
            "salt",
            "salt-call",
            "puppet",
            "chef-client",
            "chef-solo",
            "knife",
            "cfn",
            "pyinfra",
            "capistrano",
            "cap",
        ],
        "",
        &[row(
            "*",
            Remote,
            "ansible(1), puppet(8), salt: run commands here and on other machines; GTFOBins ansible-playbook, puppet, knife",
        )],
    ),
    tool(
        &[
            "mosquitto_pub",
            "mosquitto_sub",
            "kcat",
            "grpcurl",
            "redis-server",
            "rabbitmqctl",
            "kafka-console-producer",
            "nats",
        ],
        "",
        &[row("*", Sends, "they send what they are given, or serve")],
    ),
    tool(
        &[
            "qemu",
            "qemu-system-x86_64",
            "qemu-system-aarch64",
            "qemu-img",
            "virsh",
            "vboxmanage",
            "vmrun",
            "utmctl",
            "tart",
            "prlctl",
            "vz",
        ],
        "",
        &[row("*", Remote, "qemu(1), virsh(1): start machines that see files of this one; GTFOBins virsh")],
    ),
    tool(
        &["slack", "telegram-send", "ntfy", "curlie", "notify", "terminal-notifier", "matrix-commander"],
        "",
        &[row("*", Sends, "they send messages, or run what a notification names")],
    ),
    tool(
        &["kubeseal", "cosign", "syft", "grype", "trivy", "snyk", "semgrep"],
        "",
        &[
            row(
                "login auth sign attest plugin --config -c --policy --template -t",
                Config,
                "trivy, semgrep, cosign: their documentation",
            ),
            row("-o/ --output/ --file/", Writes, "trivy, syft: their documentation"),
            row("server", Serves, "trivy server"),
        ],
    ),
];
